/* What the text of rules names, without running them: which metrics they ask for and read, what they conclude. */
#include "config.h"

#include "rulebook/conditions.h"
#include "rulebook/rulebook_priv.h"

#include <string.h>

/* (pattern (name "ring") (id ?p)) */
struct known {
    const char *variable; /* "?p" */
    const char *pattern;
};

struct reader {
    struct mpl_arena *arena;
    struct mpl_buf known;     /* struct known, of one construct */
    struct mpl_buf *mentions; /* struct mpl_mention */
    const char *rule;
    bool is_behind_arrow;
    bool is_short; /* of memory */
};

static bool is_variable(const struct mpl_form *node)
{
    return node != NULL && node->kind == MPL_FORM_WORD && node->text[0] == '?';
}

/* ---- variables ---------------------------------------------------------------------------- */

static const char *find_known(const struct reader *r, const char *variable)
{
    for (size_t i = r->known.n; i > 0; i--) {
        const struct known *known = mpl_buf_get(&r->known, i - 1);

        if (strcmp(known->variable, variable) == 0) {
            return known->pattern;
        }
    }
    return NULL;
}

/* The only word that a slot allows; NULL when that cannot be known. */
static const char *word_of(const struct reader *r, const struct mpl_form *value)
{
    if (value == NULL || (value->next != NULL && value->next->kind == MPL_FORM_OTHER)) {
        return NULL;
    }
    if (is_variable(value)) {
        return find_known(r, value->text);
    }
    return value->kind == MPL_FORM_STRING || value->kind == MPL_FORM_WORD ? value->text
                                                                          : NULL;
}

/* ---- mentions --------------------------------------------------------------------------------- */

static struct mpl_mention *mention(struct reader *r, enum mpl_mention_kind kind,
                                   const struct mpl_form *at)
{
    struct mpl_mention *m = mpl_buf_add(r->mentions);

    r->is_short = r->is_short || m == NULL;
    if (m != NULL) {
        *m = (struct mpl_mention){
            .kind = kind,
            .rule = r->rule,
            .place = at->place,
        };
    }
    return m;
}

/* The words of the slot of a metric's name. */
static void note_metrics(struct reader *r, const struct mpl_form *fact)
{
    for (const struct mpl_form *n = mpl_form_slot(fact, "name"); n != NULL; n = n->next) {
        if (n->kind == MPL_FORM_OTHER && strcmp(n->text, "~") == 0) {
            return; /* all but this one */
        }
        struct mpl_mention *m =
            n->kind == MPL_FORM_STRING ? mention(r, MPL_MENTION_READS, n) : NULL;

        if (m != NULL) {
            m->name = n->text;
            m->pattern = word_of(r, mpl_form_slot(fact, "pattern"));
        }
    }
}

/* Every literal in the value of a slot: with (if …) there are several, of which one is shown. */
static void note_lines(struct reader *r, const char *slot, const struct mpl_form *value)
{
    for (const struct mpl_form *n = value; n != NULL; n = n->next) {
        struct mpl_mention *m =
            n->kind == MPL_FORM_STRING ? mention(r, MPL_MENTION_LINE, n) : NULL;

        if (m != NULL) {
            m->name = slot;
            m->line = n->text;
        }
        note_lines(r, slot, n->first);
    }
}

static void note_finding(struct reader *r, const struct mpl_form *fact)
{
    struct mpl_mention *m = mention(
        r, r->is_behind_arrow ? MPL_MENTION_CONCLUDES : MPL_MENTION_BUILDS_ON, fact->first);

    if (m != NULL) {
        m->name = word_of(r, mpl_form_slot(fact, "name"));
        m->finding_kind = word_of(r, mpl_form_slot(fact, "kind"));
        m->has_remedy = mpl_form_slot(fact, "remedy") != NULL;
    }
    if (r->is_behind_arrow) {
        note_lines(r, "headline", mpl_form_slot(fact, "headline"));
        note_lines(r, "fix", mpl_form_slot(fact, "fix"));
    }
}

/* Every text of \p value, which may be "a"|"b". */
static void note_names(struct reader *r, enum mpl_mention_kind kind,
                       const struct mpl_form *value, const char *pattern)
{
    for (const struct mpl_form *n = value; n != NULL; n = n->next) {
        struct mpl_mention *m = n->kind == MPL_FORM_STRING ? mention(r, kind, n) : NULL;

        if (m != NULL) {
            m->name = n->text;
            m->pattern = pattern;
        }
    }
}

/* (pattern "x") as a slot of \p fact. */
static void note_pattern_slot(struct reader *r, const struct mpl_form *fact)
{
    note_names(r, MPL_MENTION_PATTERN, mpl_form_slot(fact, "pattern"), NULL);
}

/* (role (pattern ?p) (name "x")), (role-locations ?r ?p "x") */
static void note_role(struct reader *r, const struct mpl_form *list)
{
    const struct mpl_form *run = list->first->next;
    const struct mpl_form *id = run == NULL ? NULL : run->next;

    if (mpl_form_is(list, "role")) {
        note_names(r, MPL_MENTION_ROLE, mpl_form_slot(list, "name"),
                   word_of(r, mpl_form_slot(list, "pattern")));
    } else if (id != NULL && is_variable(id)) {
        note_names(r, MPL_MENTION_ROLE, id->next, word_of(r, id));
    }
}

static void note_pattern(struct reader *r, const struct mpl_form *fact)
{
    const struct mpl_form *name = mpl_form_slot(fact, "name");
    const struct mpl_form *id = mpl_form_slot(fact, "id");

    note_names(r, MPL_MENTION_PATTERN, name, NULL);
    if (name != NULL && name->kind == MPL_FORM_STRING && name->next == NULL &&
        is_variable(id)) {
        const struct known known = { id->text, name->text };

        r->is_short = r->is_short || !mpl_buf_put(&r->known, &known);
    }
}

/* "role.metric" as an argument of a function may be read there. */
static void note_word(struct reader *r, const struct mpl_form *node)
{
    const char *dot = strchr(node->text, '.');

    if (dot != NULL && dot > node->text && dot[1] != '\0' &&
        strpbrk(node->text, " \t\n") == NULL) {
        struct mpl_mention *m = mention(r, MPL_MENTION_WORD, node);

        if (m != NULL) {
            m->name = node->text;
        }
    }
}

static void walk(struct reader *r, const struct mpl_form *nodes)
{
    for (const struct mpl_form *n = nodes; n != NULL; n = n->next) {
        if (n->kind == MPL_FORM_STRING) {
            note_word(r, n);
        } else if (n->kind == MPL_FORM_WORD && strcmp(n->text, "=>") == 0) {
            r->is_behind_arrow = true;
        } else if (mpl_form_is(n, "metric") && mpl_form_slot(n, "name") != NULL) {
            note_pattern_slot(r, n);
            note_metrics(r, n);
        } else if (n->kind == MPL_FORM_OPEN) {
            if (mpl_form_is(n, "finding")) {
                note_pattern_slot(r, n);
                note_finding(r, n);
            } else if (mpl_form_is(n, "role") || mpl_form_is(n, "role-locations")) {
                note_role(r, n);
            } else if (mpl_form_is(n, "pattern") && !r->is_behind_arrow) {
                note_pattern(r, n);
            }
            walk(r, n->first);
        }
    }
}

/* Metrics that conditions ask for. */
static void note_turns(struct reader *r, const struct mpl_source *source,
                       const struct mpl_construct *c)
{
    struct mpl_rule_turns turns;

    if (!mpl_rule_turns(source, c, r->arena, &turns)) {
        r->is_short = true;
        return;
    }
    for (size_t i = 0; i < turns.n; i++) {
        const struct mpl_mention m = { .kind = MPL_MENTION_ASKS,
                                       .name = turns.items[i].metric,
                                       .rule = r->rule,
                                       .place = { source->file, turns.items[i].line, 0 } };

        r->is_short = !mpl_buf_put(r->mentions, &m) || r->is_short;
    }
}

static void read_construct(struct reader *r, const struct mpl_source *source,
                           const struct mpl_construct *c, const struct mpl_form *form)
{
    r->known.n = 0;
    r->is_behind_arrow = c->kind == MPL_CONSTRUCT_FUNCTION;
    r->rule = c->kind == MPL_CONSTRUCT_RULE
                  ? mpl_arena_printf(r->arena, "%s::%s", c->module, c->name)
                  : NULL;
    walk(r, form->first);
    if (c->kind == MPL_CONSTRUCT_RULE) {
        note_turns(r, source, c);
    }
}

/* Texts were scanned before: each form of theirs is a construct. */
static void read_source(struct reader *r, const struct mpl_source *source)
{
    struct mpl_scanner scanner = mpl_scanner_make(source->text, source->bytes);

    for (size_t i = 0; i < source->n; i++) {
        const struct mpl_construct *c = &source->constructs[i];
        const struct mpl_form *form = mpl_form_read(&scanner, source->file, r->arena);

        if (form == NULL || mpl_arena_is_short(r->arena)) {
            return;
        }
        if (c->kind == MPL_CONSTRUCT_RULE || c->kind == MPL_CONSTRUCT_FUNCTION) {
            read_construct(r, source, c, form);
        }
    }
}

enum mpl_status mpl_rules_mentions(const struct mpl_rules *rules, struct mpl_arena *arena,
                                   const struct mpl_mention **out, size_t *n,
                                   struct mpl_err *err)
{
    struct mpl_buf mentions = mpl_buf_make(sizeof(struct mpl_mention));
    struct reader r = { .arena = arena,
                        .known = mpl_buf_make(sizeof(struct known)),
                        .mentions = &mentions };

    for (size_t i = 0; i < rules->n_sources; i++) {
        read_source(&r, rules->sources[i]);
    }
    mpl_buf_free(&r.known);
    *n = mentions.n;
    *out = mpl_buf_take(&mentions, arena);
    mpl_buf_free(&mentions);
    return r.is_short || *out == NULL || mpl_arena_is_short(arena) ? mpl_nomem(err)
                                                                   : MPL_OK;
}
