/*
 * What the loader of patterns says. Each case changes one place of a good pattern; the messages
 * are compared as they are, with line and column.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/draw.h"
#include "../lib/suite.h"
#include "folder_fixture.h"
#include "recognize_fixture.h"

static const char good[] =
    "pattern: farm\n"                                            /* 1 */
    "says: A boss and his hands.\n"                              /* 2 */
    "needs: [messages]\n"                                        /* 3 */
    "roles:\n"                                                   /* 4 */
    "  boss: {count: 1, where: peers >= 2, score: messages}\n"   /* 5 */
    "  hand: {count: many, where: share_with.boss > 0.5}\n"      /* 6 */
    "events:\n"                                                  /* 7 */
    "  Task:\n"                                                  /* 8 */
    "    on: hand\n"                                             /* 9 */
    "    expression: get work+\n"                                /* 10 */
    "    members:\n"                                             /* 11 */
    "      get: {event: recv, from: boss, tag: 1}\n"             /* 12 */
    "      work: {event: compute}\n"                             /* 13 */
    "    associated:\n"                                          /* 14 */
    "      give: {match: get}\n"                                 /* 15 */
    "      setup: {previous: give, event: compute}\n"            /* 16 */
    "    where: defined(give.enter)\n"                           /* 17 */
    "    attributes:\n"                                          /* 18 */
    "      wait: {value: get.wait, unit: s, says: Idle.}\n"      /* 19 */
    "      spent: {value: sum(work.duration) + wait, unit: s}\n" /* 20 */
    "  Service:\n"                                               /* 21 */
    "    on: boss\n"                                             /* 22 */
    "    expression: send\n"                                     /* 23 */
    "    members:\n"                                             /* 24 */
    "      send: {event: send, to: hand}\n"                      /* 25 */
    "metrics:\n"                                                 /* 26 */
    "  tasks: {per: hand, value: count(Task.wait), unit: 1}\n";  /* 27 */

/* The good text with the first \p from replaced; \p from NULL appends \p to. */
static const char *changed(const char *from, const char *to)
{
    const char *at = from == NULL ? good + strlen(good) : strstr(good, from);

    ck_assert_msg(at != NULL, "nothing to replace: %s", from);
    return mpl_arena_printf(arena, "%.*s%s%s", (int) (at - good), good, to,
                            at + (from == NULL ? 0 : strlen(from)));
}

static enum mpl_status parse(const char *text, const struct mpl_patterns *base,
                             struct mpl_lint *lint, const struct mpl_patterns **patterns)
{
    struct mpl_err err = { 0 };

    return mpl_patterns_parse("p.yaml", text, strlen(text), base, arena, lint, patterns,
                              &err);
}

struct fault {
    const char *from, *to;
    const char *messages;
};

static const struct fault faults[] = {
#include "recognize_faults.def"
};

START_TEST(faults_are_told_with_place_and_suggestion)
{
    const struct fault *fault = &faults[_i];
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns = NULL;
    const char *text = changed(fault->from, fault->to);
    const enum mpl_status st = parse(text, NULL, lint, &patterns);

    ck_assert_str_eq(messages_of(lint, arena), fault->messages);
    ck_assert_int_eq(st, mpl_lint_errors(lint) > 0 ? MPL_E_SYNTAX : MPL_OK);
    /* What could be read is there, so that its metrics are checked, too. */
    ck_assert_ptr_nonnull(patterns);
    for (size_t i = 0; i < mpl_patterns_count(patterns); i++) {
        ck_assert_int_eq(mpl_pattern_has_fault(mpl_patterns_get(patterns, i)),
                         (st != MPL_OK));
    }
}
END_TEST

/* ---- what a good pattern says ---------------------------------------------------------- */

START_TEST(good_pattern_answers_questions_about_itself)
{
    const struct mpl_pattern *pattern = pattern_of_text(good, arena);
    const uint32_t task = mpl_pattern_find_event(pattern, "Task");
    const uint32_t wait = mpl_pattern_find_attribute(pattern, task, "wait");
    const struct mpl_yaml *const *sections;

    ck_assert_str_eq(mpl_pattern_name(pattern), "farm");
    ck_assert_str_eq(mpl_pattern_says(pattern), "A boss and his hands.");
    ck_assert_str_eq(mpl_pattern_file(pattern), "p.yaml");
    ck_assert_double_eq(mpl_pattern_minimum_coverage(pattern), 0.8);
    ck_assert_double_eq(mpl_pattern_minimum_fit(pattern), 0.8);
    ck_assert_uint_eq(mpl_pattern_role_count(pattern), 2);
    ck_assert_str_eq(mpl_pattern_role(pattern, 1), "hand");
    ck_assert_uint_eq(mpl_pattern_find_role(pattern, "nobody"), MPL_NONE);
    ck_assert_uint_eq(mpl_pattern_event_count(pattern), 2);
    ck_assert_uint_eq(mpl_pattern_event_role(pattern, task), 1);
    ck_assert_uint_eq(mpl_pattern_attribute_count(pattern, task), 7);
    ck_assert_str_eq(mpl_pattern_attribute(pattern, task, 0), "enter");
    ck_assert_int_eq(mpl_pattern_attribute_unit(pattern, task, wait).seconds, 1);
    ck_assert_uint_eq(mpl_pattern_metric_sections(pattern, &sections), 1);
    ck_assert_str_eq(sections[0]->first->key, "tasks");
    ck_assert_uint_eq(mpl_pattern_example_count(pattern), 0);
}
END_TEST

START_TEST(examples_are_texts_or_files_beside_the_pattern)
{
    static const char examples[] = "examples:\n"
                                   "  fires:\n"
                                   "    - |\n"
                                   "      # us\n"
                                   "      rank 0: compute 0..1\n"
                                   "    - {file: near.trace, instances: {Task: 3}}\n"
                                   "  quiet:\n"
                                   "    - far.trace\n";
    const char *text = changed(NULL, examples);
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_patterns_parse("dir/p.yaml", text, strlen(text), NULL, arena, lint,
                                        &patterns, &err),
                     MPL_OK);

    const struct mpl_pattern *pattern = mpl_patterns_get(patterns, 0);

    ck_assert_uint_eq(mpl_pattern_example_count(pattern), 3);
    ck_assert_str_eq(mpl_pattern_example(pattern, 0)->text, "# us\nrank 0: compute 0..1\n");
    ck_assert_str_eq(mpl_pattern_example(pattern, 1)->file, "dir/near.trace");
    ck_assert_uint_eq(mpl_pattern_example(pattern, 1)->n_expected, 1);
    ck_assert_uint_eq(mpl_pattern_example(pattern, 1)->expected[0].instances, 3);
    ck_assert(!mpl_pattern_example(pattern, 1)->is_quiet);
    ck_assert(mpl_pattern_example(pattern, 2)->is_quiet);
    ck_assert_str_eq(mpl_pattern_example(pattern, 2)->file, "dir/far.trace");
}
END_TEST

START_TEST(words_of_the_language_have_sentences)
{
    size_t n;
    const struct mpl_primitive *primitives = mpl_primitives(&n);

    ck_assert_uint_gt(n, 0);
    for (size_t i = 0; i < n; i++) {
        ck_assert_str_ne(primitives[i].name, "");
        ck_assert_int_eq(primitives[i].says[strlen(primitives[i].says) - 1], '.');
    }
    for (int table = 0; table < 2; table++) {
        const struct mpl_word *words =
            table == 0 ? mpl_span_fields(&n) : mpl_role_variables(&n);

        ck_assert_uint_gt(n, 0);
        for (size_t i = 0; i < n; i++) {
            ck_assert_int_eq(words[i].says[strlen(words[i].says) - 1], '.');
        }
    }
}
END_TEST

/* ---- extends ------------------------------------------------------------------------------ */

START_TEST(extending_pattern_refines_by_name)
{
    static const char own[] = "pattern: slow-farm\n"
                              "says: A farm whose boss is slow.\n"
                              "extends: farm\n"
                              "minimum_fit: 0.5\n"
                              "roles:\n"
                              "  hand: {at_least: 5}\n"
                              "  guest: {count: many, where: is.hand == 0}\n"
                              "events:\n"
                              "  Task:\n"
                              "    expression: get work\n"
                              "    attributes:\n"
                              "      wait: {value: get.wait * 2, unit: s}\n"
                              "      work: {value: work.duration, unit: s}\n"
                              "      spent: {value: wait + work, unit: s}\n"
                              "metrics:\n"
                              "  more: {per: run, value: count(hand.rank), unit: 1}\n";
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *base;
    const struct mpl_patterns *all;
    const struct mpl_yaml *const *sections;

    ck_assert_int_eq(parse(good, NULL, lint, &base), MPL_OK);
    if (parse(own, base, lint, &all) == MPL_OK) {
        ck_abort_msg("an attribute reads one below it");
    }
    ck_assert_str_eq(messages_of(lint, arena),
                     "14:29: error: attribute 'work' is not known yet: it stands below\n");

    /* Names of the base keep their place: 'spent' stands before the new 'work'. */
    char *fixed = mpl_arena_strdup(arena, own);

    memcpy(strstr(fixed, "wait + work,"), "wait       ,", 12);
    lint = mpl_lint_create(arena);
    ck_assert_msg(parse(fixed, base, lint, &all) == MPL_OK, "%s", messages_of(lint, arena));
    ck_assert_uint_eq(mpl_patterns_count(all), 2);

    const struct mpl_pattern *pattern = mpl_patterns_find(all, "slow-farm");
    const uint32_t task = mpl_pattern_find_event(pattern, "Task");

    ck_assert_uint_eq(mpl_pattern_role_count(pattern), 3);
    ck_assert_str_eq(mpl_pattern_role(pattern, 2), "guest");
    ck_assert_uint_eq(mpl_pattern_event_count(pattern), 2);
    ck_assert_uint_eq(mpl_pattern_attribute_count(pattern, task), 8);
    ck_assert_uint_eq(mpl_pattern_metric_sections(pattern, &sections), 2);
    ck_assert_str_eq(sections[0]->first->key, "tasks");
    ck_assert_str_eq(sections[1]->first->key, "more");
    ck_assert_double_eq(mpl_pattern_minimum_fit(pattern), 0.5);
    ck_assert_uint_eq(mpl_pattern_example_count(pattern), 0);
}
END_TEST

START_TEST(faults_of_a_base_are_told_where_the_base_is_written)
{
    static const char own[] = "pattern: odd\n"
                              "says: Odd.\n"
                              "extends: farm\n"
                              "events:\n"
                              "  Task: {members: {get: {event: recv, from: boss}}}\n"
                              "  Service: {on: hand}\n";
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *base;
    const struct mpl_patterns *all;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(
        parse(changed("send, to: hand", "send, to: hand, tag: 5"), NULL, lint, &base),
        MPL_OK);
    ck_assert_int_eq(
        mpl_patterns_parse("own.yaml", own, sizeof own - 1, base, arena, lint, &all, &err),
        MPL_OK);

    static const char bad[] = "pattern: odd\n"
                              "says: Odd.\n"
                              "extends: farm\n"
                              "roles: {boss: {where: 'peers > 3'}}\n"
                              "events: {Task: {members: {work: {event: barrier}}}}\n";

    /* sum(work.duration) stays right, setup of the base too; nothing to complain about. */
    ck_assert_int_eq(
        mpl_patterns_parse("own.yaml", bad, sizeof bad - 1, base, arena, lint, &all, &err),
        MPL_OK);

    static const char worse[] = "pattern: odd\n"
                                "says: Odd.\n"
                                "extends: farm\n"
                                "events: {Task: {expression: get work}}\n";

    ck_assert_int_eq(mpl_patterns_parse("own.yaml", worse, sizeof worse - 1, base, arena,
                                        lint, &all, &err),
                     MPL_OK);
    ck_assert_uint_eq(mpl_lint_count(lint), 1);
    ck_assert_str_eq(mpl_lint_get(lint, 0)->text,
                     "sum() of a single value, which is not repeated");
    ck_assert_str_eq(mpl_lint_get(lint, 0)->place.file, "p.yaml");
    ck_assert_uint_eq(mpl_lint_get(lint, 0)->place.line, 20);
}
END_TEST

/* ---- sets of files ---------------------------------------------------------------------------- */

static enum mpl_status load(struct mpl_lint *lint, const struct mpl_patterns **patterns,
                            const char *second)
{
    const char *const folders[] = { folder, second };
    struct mpl_err err = { 0 };

    return mpl_patterns_load(folders, second == NULL ? 1 : 2, arena, lint, patterns, &err);
}

static const char *extending(const char *name, const char *base)
{
    return mpl_arena_printf(arena, "pattern: %s\nsays: S.\nextends: %s\n", name, base);
}

START_TEST(files_are_loaded_by_name_and_may_extend_later_ones)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns;

    (void) put_file("a.yaml", extending("x", "y"));
    (void) put_file("b.yaml", extending("y", "farm"));
    (void) put_file("c.yaml", good);
    (void) put_file("b.txt", "not a pattern");
    (void) put_file("TEMPLATE.yaml", "pattern: [not, one]");
    (void) put_file(".hidden.yaml", "{");
    ck_assert_msg(load(lint, &patterns, NULL) == MPL_OK, "%s", messages_of(lint, arena));
    ck_assert_uint_eq(mpl_patterns_count(patterns), 3);
    ck_assert_str_eq(mpl_pattern_name(mpl_patterns_get(patterns, 0)), "x");
    ck_assert_uint_eq(mpl_pattern_event_count(mpl_patterns_get(patterns, 0)), 2);
    ck_assert_ptr_null(mpl_patterns_find(patterns, "z"));
}
END_TEST

START_TEST(later_file_of_a_name_replaces_and_may_refine_the_earlier)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns;

    (void) put_file("a.yaml", good);
    (void) put_file("b.yaml", extending("z", "farm"));
    (void) put_file("c.yaml",
                    "pattern: farm\nsays: Mine.\nextends: farm\nminimum_fit: 0.25\n");
    ck_assert_msg(load(lint, &patterns, NULL) == MPL_OK, "%s", messages_of(lint, arena));
    ck_assert_uint_eq(mpl_patterns_count(patterns), 2);
    ck_assert_str_eq(mpl_pattern_says(mpl_patterns_find(patterns, "farm")), "Mine.");
    ck_assert_uint_eq(mpl_pattern_event_count(mpl_patterns_find(patterns, "farm")), 2);
    /* Who extends a name means the one that counts. */
    ck_assert_double_eq(mpl_pattern_minimum_fit(mpl_patterns_find(patterns, "z")), 0.25);
}
END_TEST

START_TEST(circles_of_extends_are_faults)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns;

    (void) put_file("a.yaml", extending("x", "y"));
    (void) put_file("b.yaml", extending("y", "x"));
    (void) put_file("c.yaml", extending("z", "z"));
    ck_assert_int_eq(load(lint, &patterns, NULL), MPL_E_SYNTAX);
    ck_assert_str_eq(messages_of(lint, arena),
                     "3:10: error: 'y' extends itself through 'x'\n"
                     "3:10: error: 'z' extends itself, and no earlier file has that "
                     "name\n");
}
END_TEST

START_TEST(folder_without_patterns_is_no_fault)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns;

    (void) put_file("a.yaml", good);
    ck_assert_int_eq(load(lint, &patterns, "/nonexistent/folder"), MPL_OK);
    ck_assert_uint_eq(mpl_patterns_count(patterns), 1);
    ck_assert_int_eq(load(lint, &patterns, mpl_arena_printf(arena, "%s/a.yaml", folder)),
                     MPL_E_IO);
}
END_TEST

START_TEST(several_files_tell_their_faults_together)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns;

    (void) put_file("a.yaml", "{ pattern: x");
    (void) put_file("b.yaml", "");
    (void) put_file("c.yaml", changed("says:", "sais:"));
    ck_assert_int_eq(load(lint, &patterns, NULL), MPL_E_SYNTAX);
    ck_assert_uint_ge(mpl_lint_errors(lint), 4);
}
END_TEST

/* ---- what the project ships ------------------------------------------------------------------ */

static char *file_text(const char *name, size_t *n)
{
    struct mpl_err err = { 0 };
    char *text = NULL;

    ck_assert_msg(mpl_file_read(in_tree(name), 1 << 20, arena, &text, n, &err) == MPL_OK,
                  "%s", name);
    return text;
}

static bool do_examples_hold(const struct mpl_pattern *pattern, struct mpl_lint *lint)
{
    struct mpl_example_result result;
    bool are_right = true;

    for (size_t i = 0; i < mpl_pattern_example_count(pattern); i++) {
        ck_assert_int_eq(mpl_pattern_try_example(pattern, i, arena, lint, &result, NULL),
                         MPL_OK);
        are_right = are_right && result.is_right;
    }
    return are_right;
}

START_TEST(template_is_a_pattern_that_does_what_its_examples_say)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns;
    struct mpl_err err = { 0 };
    size_t n;
    const char *text = file_text("patterns/TEMPLATE.yaml", &n);

    ck_assert_int_eq(
        mpl_patterns_parse("TEMPLATE.yaml", text, n, NULL, arena, lint, &patterns, &err),
        MPL_OK);
    ck_assert_uint_eq(mpl_pattern_example_count(mpl_patterns_get(patterns, 0)), 2);
    ck_assert(do_examples_hold(mpl_patterns_get(patterns, 0), lint));
    ck_assert_str_eq(messages_of(lint, arena), "");
}
END_TEST

START_TEST(shipped_patterns_have_no_faults_and_do_what_their_examples_say)
{
    const char *const folders[] = { in_tree("patterns") };
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns;
    struct mpl_err err = { 0 };

    ck_assert_msg(mpl_patterns_load(folders, 1, arena, lint, &patterns, &err) == MPL_OK,
                  "%s", messages_of(lint, arena));
    ck_assert_str_eq(messages_of(lint, arena), "");
    ck_assert_ptr_nonnull(mpl_patterns_find(patterns, "master-worker"));
    for (size_t i = 0; i < mpl_patterns_count(patterns); i++) {
        ck_assert_msg(do_examples_hold(mpl_patterns_get(patterns, i), lint), "%s",
                      messages_of(lint, arena));
    }
}
END_TEST

/* The fenced blocks of \p kind in the first chapter of the guide, \p indent before each line. */
static const char *blocks_of(char *page, const char *kind, const char *indent)
{
    const char *fence = mpl_arena_printf(arena, "```%s\n", kind);
    const char *text = "";

    for (char *at = strstr(page, fence); at != NULL; at = strstr(at, fence)) {
        char *line = at + strlen(fence);

        while (strncmp(line, "```", 3) != 0) {
            const size_t n = strcspn(line, "\n") + 1;

            text = mpl_arena_printf(arena, "%s%s%.*s", text, indent, (int) n, line);
            line += n;
        }
        at = line;
    }
    return text;
}

START_TEST(guide_leads_from_a_drawing_to_a_pattern_that_works)
{
    size_t n;
    char *page = file_text("doc/patterns.md", &n);

    *strstr(page, "## The file") = '\0';
    page = strstr(page, "The trace of such a run");

    const char *pattern =
        mpl_arena_printf(arena,
                         "pattern: farm\nsays: S.\n%sexamples:\n  fires:\n    - instances: "
                         "{Task: 2, Stop: 2}\n"
                         "      trace: |\n%s",
                         blocks_of(page, "yaml", ""), blocks_of(page, "text", "        "));
    struct mpl_lint *lint = mpl_lint_create(arena);

    ck_assert_msg(do_examples_hold(pattern_of_text(pattern, arena), lint), "%s",
                  messages_of(lint, arena));

    struct mpl_recognition *r =
        recognize(pattern_of_text(pattern, arena),
                  events_of_text(blocks_of(page, "text", ""), arena), arena);

    ck_assert_us(value_of(r, "Task.wait", 0), 8);
    ck_assert_us(value_of(r, "Task.wait", 1), 15);
    ck_assert_us(value_of(r, "Task.think", 0), 8);
    ck_assert_us(value_of(r, "Task.think", 1), 8);
    ck_assert_us(value_of(r, "Task.work", 0), 19);
    ck_assert_us(value_of(r, "Task.work", 1), 19);
}
END_TEST

START_TEST(examples_that_do_not_hold_are_told_at_their_place)
{
    size_t n;
    const char *text = file_text("patterns/TEMPLATE.yaml", &n);
    struct mpl_lint *lint = mpl_lint_create(arena);
    char *swapped = mpl_arena_strdup(arena, text);

    memcpy(strstr(swapped, "  fires:"), "  quiet:", 8);
    memcpy(strstr(strstr(swapped, "  quiet:") + 8, "  quiet:"), "  fires:", 8);
    memcpy(strstr(swapped, "{Swap: 2}"), "{Swap: 3}", 9);
    ck_assert(!do_examples_hold(pattern_of_text(swapped, arena), lint));
    /* Those that fire come first, wherever they are written. */
    ck_assert_uint_eq(mpl_lint_count(lint), 3);
    ck_assert_str_eq(
        mpl_lint_get(lint, 0)->text,
        "example: the pattern stays quiet, but should fire: nothing is recognised");
    ck_assert_str_eq(mpl_lint_get(lint, 1)->text, "example: 2 instances of 'Swap', not 3");
    ck_assert_str_eq(mpl_lint_get(lint, 2)->text,
                     "example: the pattern fires, but should stay quiet");
    ck_assert_uint_gt(mpl_lint_get(lint, 0)->place.line, mpl_lint_get(lint, 1)->place.line);
}
END_TEST

/* ---- memory, nonsense ---------------------------------------------------------------------------- */

START_TEST(loading_without_memory_fails_and_leaks_nothing)
{
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    for (; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_lint *lint = mpl_lint_create(own);
        const struct mpl_patterns *patterns = NULL;
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);
        st = mpl_patterns_parse("p.yaml", good, sizeof good - 1, NULL, own, lint, &patterns,
                                &err);
        mpl_alloc_fail_after(-1);
        ck_assert_int_eq((patterns != NULL), (st == MPL_OK));
        mpl_arena_destroy(own);
    }
    ck_assert_int_gt(failures_without_memory(), 3);
}
END_TEST

/* Words that mean something somewhere, to get past the first checks. */
static const char *const words[] = {
    "get",     "work",       "give",  "setup",       "Task",     "Service",
    "boss",    "hand",       "recv",  "send",        "&",        "|",
    "+",       "*",          "?",     "(",           ")",        "match",
    "next",    "from",       "event", "where",       "get.wait", "sum(",
    "members", "expression", ": ",    "{",           "}",        "[",
    "]",       "\n",         "  ",    "99999999999", "defined(", "containing",
};

START_TEST(nonsense_is_refused_or_understood_but_never_fatal)
{
    draw_from(_i);
    printf("seed %d\n", _i);
    for (int round = 0; round < 200; round++) {
        char text[4096];
        size_t n = sizeof good - 1;
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_lint *lint = mpl_lint_create(own);
        const struct mpl_patterns *patterns = NULL;
        struct mpl_err err = { 0 };

        memcpy(text, good, n);
        for (uint32_t edits = 1 + draw(4); edits > 0; edits--) {
            const char *word = words[draw(sizeof words / sizeof *words)];
            const size_t cut = draw(12);
            const size_t at = draw((uint32_t) (n - cut));
            const size_t length = strlen(word);

            memmove(text + at + length, text + at + cut, n - at - cut);
            memcpy(text + at, word, length);
            n += length - cut;
        }

        const enum mpl_status st =
            mpl_patterns_parse("p.yaml", text, n, NULL, own, lint, &patterns, &err);

        ck_assert_int_eq(st, mpl_lint_errors(lint) == 0 ? MPL_OK : MPL_E_SYNTAX);
        mpl_arena_destroy(own);
    }
}
END_TEST

/* What replaces the condition of link 'late' or the attributes, and what is said about it. */
START_TEST(faults_of_conditions_are_told)
{
    static const char text[] = "pattern: p\nsays: S.\nroles:\n  a: {count: many}\nevents:\n"
                               "  E:\n    on: a\n    expression: get more*\n    members:\n"
                               "      get: {event: recv}\n      more: {event: send}\n"
                               "    associated:\n"
                               "      early: {previous: get, event: recv}\n"
                               "      late: {%s}\n"
                               "      end: {next: get, event: recv}\n"
                               "%s";
    static const struct {
        const char *link, *rest, *said;
    } cases[] = {
        { "next: get, event: recv, where: peer == got.peer", "",
          "14:53: error: unknown name 'got.peer'; did you mean 'get.peer'?\n" },
        { "next: get, event: recv, where: pear == get.peer", "",
          "14:45: error: unknown name 'pear'; did you mean 'peer'?\n" },
        { "next: get, event: recv, where: get.wait", "",
          "14:45: error: 'where' is a condition; this is a number in s\n" },
        { "next: get, event: recv, where: late.peer == get.peer", "",
          "14:45: error: 'late.peer': fields of the span that is looked for stand alone, "
          "without 'late.'\n" },
        { "next: get, event: recv, where: peer == end.peer", "",
          "14:53: error: 'end.peer': only names above 'late' are known here\n" },
        { "next: get, event: send, where: peer == more.peer", "",
          "14:53: error: 'more.peer' may occur several times; link 'late' needs one\n" },
        { "next: get, event: recv, until: nowhere", "",
          "14:45: error: 'nowhere' is neither a member nor an associated event above this "
          "one\n" },
        { "next: get, event: recv, since: early", "",
          "14:38: error: unknown key 'since' in an associated event\n" },
        { "match: get, until: early", "",
          "14:26: error: unknown key 'until' in a match\n" },
        { "next: get, event: recv",
          "    where: n > 1\n    attributes:\n      n: {value: index + 1, unit: 1}\n",
          "16:12: error: attribute 'n' reads 'index': instances are counted after "
          "'where'\n" },
        { "next: get, event: recv",
          "    where: m > 1\n    attributes:\n      n: {value: m, unit: 1}\n"
          "      m: {value: n, unit: 1}\n",
          "18:18: error: attribute 'm' is not known yet: it stands below\n" },
        { "next: get, event: recv",
          "    where: inner > 0\n    attributes:\n      inner: {value: big.n, unit: 1}\n"
          "  F:\n    on: a\n    expression: e\n    members: {e: {event: E}}\n"
          "    attributes:\n      n: {value: count(e.inner), unit: 1}\n",
          NULL },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mpl_patterns *patterns;
        struct mpl_lint *lint = mpl_lint_create(arena);

        ck_assert_int_ne(parse(mpl_arena_printf(arena, text, cases[i].link, cases[i].rest),
                               NULL, lint, &patterns),
                         MPL_OK);
        if (cases[i].said != NULL) {
            ck_assert_str_eq(messages_of(lint, arena), cases[i].said);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recognize_load");
    TCase *tcase = add_case(suite, "all", create_arena, destroy_arena);
    TCase *files = add_case(suite, "files", create_folder, remove_folder);

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, faults_are_told_with_place_and_suggestion, 0,
                        (int) (sizeof faults / sizeof *faults));
    tcase_add_test(tcase, good_pattern_answers_questions_about_itself);
    tcase_add_test(tcase, examples_are_texts_or_files_beside_the_pattern);
    tcase_add_test(tcase, words_of_the_language_have_sentences);
    tcase_add_test(tcase, extending_pattern_refines_by_name);
    tcase_add_test(tcase, faults_of_a_base_are_told_where_the_base_is_written);
    tcase_add_test(tcase, template_is_a_pattern_that_does_what_its_examples_say);
    tcase_add_test(tcase, shipped_patterns_have_no_faults_and_do_what_their_examples_say);
    tcase_add_test(tcase, guide_leads_from_a_drawing_to_a_pattern_that_works);
    tcase_add_test(tcase, examples_that_do_not_hold_are_told_at_their_place);
    tcase_add_test(tcase, faults_of_conditions_are_told);
    tcase_add_test(tcase, loading_without_memory_fails_and_leaks_nothing);
    tcase_add_loop_test(tcase, nonsense_is_refused_or_understood_but_never_fatal, 0, 20);
    tcase_add_test(files, files_are_loaded_by_name_and_may_extend_later_ones);
    tcase_add_test(files, later_file_of_a_name_replaces_and_may_refine_the_earlier);
    tcase_add_test(files, circles_of_extends_are_faults);
    tcase_add_test(files, folder_without_patterns_is_no_fault);
    tcase_add_test(files, several_files_tell_their_faults_together);
    return run_suite(suite);
}
