/*
 * What the last of some words may become, for all shells alike: commands and options stand in their
 * tables, the rest is in the knowledge. No answer means that shells offer names of files.
 */
#include "config.h"

#include "cli/cli_priv.h"

#include <string.h>

#include "knowledge/knowledge.h"

struct completing {
    struct mpl_arena *arena;
    FILE *out;
    const struct mpl_cmd *cmd;
    const char *begin;    /* What has been typed of the word. */
    const char *in_front; /* "--tracer=" where the word holds the option, too. */
    struct mpl_directories directories; /* Those that the words name, too. */
};

static void offer(const struct completing *c, const char *word)
{
    if (strncmp(word, c->begin, strlen(c->begin)) == 0) {
        mpl_text_print(c->out, "%s%s\n", c->in_front, word);
    }
}

/* The parts of "text|json" that are meant literally: others are in capitals. */
static void offer_choices(const struct completing *c, const char *choices)
{
    const size_t n = strcspn(choices, " ");
    const char *copy = mpl_arena_strndup(c->arena, choices, n);
    char *rest = copy != NULL && strchr(copy, '|') != NULL ? (char *) copy : NULL;

    for (const char *choice; (choice = strsep(&rest, "|")) != NULL;) {
        if (strpbrk(choice, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL) {
            offer(c, choice);
        }
    }
}

static void offer_commands(const struct completing *c)
{
    size_t n = 0;
    const struct mpl_cmd *const *all = mpl_commands(&n);

    for (size_t i = 0; i < n; i++) {
        offer(c, all[i]->name);
    }
}

static void offer_options(const struct completing *c)
{
    for (const struct mpl_option *o = c->cmd->options; o != NULL && o->name != NULL; o++) {
        const char *name = mpl_arena_printf(c->arena, "--%s", o->name);

        if (name != NULL) {
            offer(c, name);
        }
    }
    offer(c, "--help");
}

static void offer_tracers(const struct completing *c)
{
    const struct mpl_tracers *tracers = NULL;
    struct mpl_lint *lint = mpl_lint_create(c->arena);

    offer(c, "auto");
    if (lint != NULL && mpl_tracers_load(c->directories.paths, c->directories.n, c->arena,
                                         lint, &tracers, NULL) == MPL_OK) {
        for (size_t i = 0; i < mpl_tracers_count(tracers); i++) {
            offer(c, mpl_tracer_file_name(mpl_tracers_get(tracers, i)));
        }
    }
}

static void offer_findings(const struct completing *c, const struct mpl_rules *rules)
{
    struct mpl_names *seen = mpl_names_create();
    const struct mpl_mention *all = NULL;
    size_t n = 0;

    if (seen != NULL && mpl_rules_mentions(rules, c->arena, &all, &n, NULL) != MPL_OK) {
        n = 0;
    }
    for (size_t i = 0; seen != NULL && i < n; i++) {
        const size_t before = mpl_names_count(seen);

        if (all[i].kind == MPL_MENTION_CONCLUDES && all[i].name != NULL &&
            mpl_names_put(seen, all[i].name) == before) {
            offer(c, all[i].name);
        }
    }
    mpl_names_destroy(seen);
}

/* Faults in the knowledge are reported where it is used, not while somebody types. */
static void offer_known(const struct completing *c, bool are_findings)
{
    struct mpl_lint *lint = mpl_lint_create(c->arena);
    struct mpl_knowledge known = { 0 };

    if (lint == NULL || mpl_knowledge_load(c->directories.paths, c->directories.n, c->arena,
                                           lint, &known, NULL) != MPL_OK) {
        return;
    }
    if (are_findings) {
        offer_findings(c, known.rules);
        return;
    }
    for (size_t i = 0; i < mpl_patterns_count(known.patterns); i++) {
        offer(c, mpl_pattern_name(mpl_patterns_get(known.patterns, i)));
    }
}

static void offer_values(const struct completing *c, const struct mpl_option *option)
{
    if (strcmp(option->name, "tracer") == 0) {
        offer_tracers(c);
    } else if (strcmp(option->name, "pattern") == 0) {
        offer_known(c, false);
    } else if (strncmp(option->name, "why", 3) == 0) {
        offer_known(c, true);
    } else {
        offer_choices(c, option->argument);
    }
}

static void offer_operands(const struct completing *c, size_t n_words)
{
    if (c->cmd == &mpl_cmd_help) {
        offer_commands(c);
    } else if (c->cmd == &mpl_cmd_vocab) {
        mpl_vocab_topics(c->begin, c->out);
    } else if (n_words == 2) {
        offer_choices(c, c->cmd->operands);
    } else if (c->cmd == &mpl_cmd_pattern) {
        offer_known(c, false);
    }
}

/* The option of that name with a value; NULL: there is none. */
static const struct mpl_option *find_option(const struct mpl_cmd *cmd, const char *word,
                                            size_t n)
{
    for (const struct mpl_option *o = cmd->options; o != NULL && o->name != NULL; o++) {
        const bool is_long = n > 2 && strncmp(word, "--", 2) == 0 &&
                             strncmp(o->name, word + 2, n - 2) == 0 &&
                             o->name[n - 2] == '\0';
        const bool is_short = n == 2 && word[0] == '-' && word[1] == o->letter;

        if (o->argument != NULL && (is_long || is_short)) {
            return o;
        }
    }
    return NULL;
}

static void complete(struct completing *c, const char *const *words, size_t n)
{
    const char *last = words[n - 1];
    const size_t name = strcspn(last, "=");
    const struct mpl_option *inside =
        last[name] == '=' ? find_option(c->cmd, last, name) : NULL;
    const struct mpl_option *before =
        n > 2 ? find_option(c->cmd, words[n - 2], strlen(words[n - 2])) : NULL;

    if (inside != NULL) {
        c->begin = last + name + 1;
        c->in_front = mpl_arena_strndup(c->arena, last, name + 1);
        if (c->in_front != NULL) {
            offer_values(c, inside);
        }
    } else if (before != NULL) {
        offer_values(c, before);
    } else if (last[0] == '-') {
        offer_options(c);
    } else {
        offer_operands(c, n);
    }
}

enum mpl_status mpl_complete(const char *const *words, size_t n, struct mpl_arena *arena,
                             FILE *out, struct mpl_err *err)
{
    struct completing c = { .arena = arena, .out = out, .begin = "", .in_front = "" };
    struct mpl_knowledge_asked asked = { .given = { .items = MPL_NEW_ARRAY(
                                                        arena, n + 1, const char *) } };

    if (asked.given.items == NULL) {
        return mpl_nomem(err);
    }
    c.begin = n > 0 ? words[n - 1] : "";
    c.cmd = n > 1 ? mpl_command_find(words[0]) : NULL;
    if (n <= 1) {
        offer_commands(&c);
        return MPL_OK;
    }
    for (size_t i = 1; i + 2 < n; i++) {
        if (strcmp(words[i], "--knowledge") == 0) {
            asked.given.items[asked.given.n++] = words[i + 1];
        }
        if (strcmp(words[i], "--") == 0) {
            return MPL_OK; /* The words of another program. */
        }
    }
    if (c.cmd != NULL &&
        mpl_directories_find(&asked, arena, &c.directories, NULL) == MPL_OK) {
        complete(&c, words, n);
    }
    return MPL_OK;
}
