/*
 * What the text of rules names, without running them: which metrics they ask for and read, what
 * they conclude. Only what is written out counts: "x.y", or a variable that stands for such words
 * by (foreach ?m (create$ "x.y" …)) or (bind ?m "x.y"). Of everything else nothing is said.
 */
#include "config.h"

#include "infer/infer_priv.h"

#include <string.h>

struct node {
    enum mpl_token_kind kind; /* TOKEN_OPEN: a list */
    const char *text;         /* of words and strings */
    unsigned line, column;
    struct node *first, *next;
};

/* A variable that stands for words that are known. */
struct known {
    const char *variable;
    const struct node *words; /* the first of them; lists among them are not known */
    bool is_pattern;          /* bound by (pattern (name "…") (id ?v)) */
};

struct reader {
    struct mpl_arena *arena;
    const struct mpl_source *source;
    struct mpl_buf known;     /* struct known, of one construct */
    struct mpl_buf *mentions; /* struct mpl_mention */
    const char *rule;
    bool is_behind_arrow;
    bool is_short; /* of memory */
};

/* ---- trees ------------------------------------------------------------------------------ */

static struct node *add_node(struct reader *r, struct mpl_scanner *scanner,
                             struct mpl_token token, struct node ***end)
{
    struct node *node = MPL_NEW(r->arena, struct node);

    if (node == NULL) {
        r->is_short = true;
        return NULL;
    }
    *node = (struct node){ .kind = token.kind,
                           .text = token.kind == TOKEN_OPEN
                                       ? ""
                                       : mpl_token_text(scanner, token, r->arena),
                           .line = token.line,
                           .column = token.column };
    r->is_short = r->is_short || node->text == NULL;
    **end = node;
    *end = &node->next;
    return node;
}

/* The nodes up to the closing parenthesis. Scanned texts are balanced and not deeply nested. */
static struct node *read_list(struct reader *r, struct mpl_scanner *scanner)
{
    struct node *first = NULL;
    struct node **end = &first;

    for (;;) {
        const struct mpl_token token = mpl_scanner_next(scanner);

        if (token.kind == TOKEN_END || token.kind == TOKEN_CLOSE || r->is_short) {
            return first;
        }
        struct node *node = add_node(r, scanner, token, &end);
        if (node != NULL && token.kind == TOKEN_OPEN) {
            node->first = read_list(r, scanner);
        }
    }
}

static bool is_list_of(const struct node *node, const char *head)
{
    return node->kind == TOKEN_OPEN && node->first != NULL &&
           node->first->kind == TOKEN_WORD && strcmp(node->first->text, head) == 0;
}

/* The slot (name …) of a fact; NULL when it has none. */
static const struct node *slot_of(const struct node *fact, const char *name)
{
    for (const struct node *n = fact->first; n != NULL; n = n->next) {
        if (is_list_of(n, name)) {
            return n->first->next;
        }
    }
    return NULL;
}

static bool is_variable(const struct node *node)
{
    return node != NULL && node->kind == TOKEN_WORD && node->text[0] == '?';
}

/* ---- variables ---------------------------------------------------------------------------- */

static void know(struct reader *r, const char *variable, const struct node *words,
                 bool is_pattern)
{
    struct known *known = mpl_buf_add(&r->known);

    r->is_short = r->is_short || known == NULL;
    if (known != NULL) {
        *known = (struct known){ variable, words, is_pattern };
    }
}

static const struct known *find_known(const struct reader *r, const char *variable)
{
    for (size_t i = r->known.n; i > 0; i--) {
        const struct known *known = mpl_buf_get(&r->known, i - 1);

        if (strcmp(known->variable, variable) == 0) {
            return known;
        }
    }
    return NULL;
}

/* (foreach ?m (create$ "a" "b") …), (bind ?m "a"), (bind ?m (create$ "a" "b")) */
static void note_binding(struct reader *r, const struct node *list)
{
    const struct node *variable = list->first->next;
    const struct node *value = variable == NULL ? NULL : variable->next;

    if (!is_variable(variable) || value == NULL) {
        return;
    }
    know(r, variable->text,
         is_list_of(value, "create$")  ? value->first->next
         : value->kind == TOKEN_STRING ? value
                                       : NULL,
         false);
}

/* The only word that a slot allows; NULL when that cannot be told. */
static const char *word_of(const struct reader *r, const struct node *value)
{
    if (value == NULL || (value->next != NULL && value->next->kind == TOKEN_OTHER)) {
        return NULL;
    }
    if (is_variable(value)) {
        const struct known *known = find_known(r, value->text);

        return known != NULL && known->is_pattern ? known->words->text : NULL;
    }
    return value->kind == TOKEN_STRING || value->kind == TOKEN_WORD ? value->text : NULL;
}

/* ---- mentions --------------------------------------------------------------------------------- */

static struct mpl_mention *mention(struct reader *r, enum mpl_mention_kind kind,
                                   const struct node *at)
{
    struct mpl_mention *m = mpl_buf_add(r->mentions);

    r->is_short = r->is_short || m == NULL;
    if (m != NULL) {
        *m = (struct mpl_mention){
            .kind = kind,
            .rule = r->rule,
            .place = { r->source->file, at->line, at->column },
        };
    }
    return m;
}

static void mention_metric(struct reader *r, enum mpl_mention_kind kind,
                           const struct node *at, const struct node *fact)
{
    struct mpl_mention *m = mention(r, kind, at);

    if (m != NULL) {
        m->name = at->text;
        m->pattern = word_of(r, slot_of(fact, "pattern"));
    }
}

/* The words that the slot of a metric's name stands for, one after the other. */
static void note_metrics(struct reader *r, enum mpl_mention_kind kind,
                         const struct node *value, const struct node *fact)
{
    const struct known *known = is_variable(value) ? find_known(r, value->text) : NULL;
    const struct node *words = known == NULL ? value : known->words;

    for (const struct node *n = words; n != NULL; n = n->next) {
        if (n->kind == TOKEN_OTHER && strcmp(n->text, "~") == 0) {
            return; /* all but this one */
        }
        if (n->kind == TOKEN_STRING) {
            mention_metric(r, kind, n, fact);
        }
    }
}

/* Every literal in the value of a slot: with (if …) there are several, of which one is shown. */
static void note_lines(struct reader *r, const char *slot, const struct node *value)
{
    for (const struct node *n = value; n != NULL; n = n->next) {
        struct mpl_mention *m =
            n->kind == TOKEN_STRING ? mention(r, MPL_MENTION_LINE, n) : NULL;

        if (m != NULL) {
            m->name = slot;
            m->line = n->text;
        }
        note_lines(r, slot, n->first);
    }
}

static void note_finding(struct reader *r, const struct node *fact)
{
    struct mpl_mention *m = mention(
        r, r->is_behind_arrow ? MPL_MENTION_CONCLUDES : MPL_MENTION_BUILDS_ON, fact->first);

    if (m != NULL) {
        m->name = word_of(r, slot_of(fact, "name"));
        m->finding_kind = word_of(r, slot_of(fact, "kind"));
        m->has_remedy = slot_of(fact, "remedy") != NULL;
    }
    if (r->is_behind_arrow) {
        note_lines(r, "headline", slot_of(fact, "headline"));
        note_lines(r, "fix", slot_of(fact, "fix"));
    }
}

/* Every text of \p value, which may be "a"|"b". */
static void note_names(struct reader *r, enum mpl_mention_kind kind,
                       const struct node *value, const char *pattern)
{
    for (const struct node *n = value; n != NULL; n = n->next) {
        struct mpl_mention *m = n->kind == TOKEN_STRING ? mention(r, kind, n) : NULL;

        if (m != NULL) {
            m->name = n->text;
            m->pattern = pattern;
        }
    }
}

/* (pattern "x") as a slot of \p fact. */
static void note_pattern_slot(struct reader *r, const struct node *fact)
{
    note_names(r, MPL_MENTION_PATTERN, slot_of(fact, "pattern"), NULL);
}

/* (role (pattern ?p) (name "x")), (role-locations ?r ?p "x") */
static void note_role(struct reader *r, const struct node *list)
{
    const struct node *run = list->first->next;
    const struct node *id = run == NULL ? NULL : run->next;

    if (is_list_of(list, "role")) {
        note_names(r, MPL_MENTION_ROLE, slot_of(list, "name"),
                   word_of(r, slot_of(list, "pattern")));
    } else if (id != NULL && is_variable(id)) {
        note_names(r, MPL_MENTION_ROLE, id->next, word_of(r, id));
    }
}

static void note_pattern(struct reader *r, const struct node *fact)
{
    const struct node *name = slot_of(fact, "name");
    const struct node *id = slot_of(fact, "id");

    note_names(r, MPL_MENTION_PATTERN, name, NULL);
    if (name != NULL && name->kind == TOKEN_STRING && name->next == NULL &&
        is_variable(id)) {
        know(r, id->text, name, true);
    }
}

/* "role.metric" as an argument of a function may be asked for there. */
static void note_word(struct reader *r, const struct node *node)
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

static void walk(struct reader *r, const struct node *nodes)
{
    for (const struct node *n = nodes; n != NULL; n = n->next) {
        if (n->kind == TOKEN_STRING) {
            note_word(r, n);
        } else if (n->kind == TOKEN_WORD && strcmp(n->text, "=>") == 0) {
            r->is_behind_arrow = true;
        } else if (is_list_of(n, "need") && slot_of(n, "metric") != NULL) {
            note_pattern_slot(r, n);
            note_metrics(r, MPL_MENTION_ASKS, slot_of(n, "metric"), n);
        } else if (is_list_of(n, "metric") && slot_of(n, "name") != NULL) {
            note_pattern_slot(r, n);
            note_metrics(r, MPL_MENTION_READS, slot_of(n, "name"), n);
        } else if (n->kind == TOKEN_OPEN) {
            if (is_list_of(n, "foreach") || is_list_of(n, "bind")) {
                note_binding(r, n);
            } else if (is_list_of(n, "finding")) {
                note_pattern_slot(r, n);
                note_finding(r, n);
            } else if (is_list_of(n, "role") || is_list_of(n, "role-locations")) {
                note_role(r, n);
            } else if (is_list_of(n, "pattern") && !r->is_behind_arrow) {
                note_pattern(r, n);
            }
            walk(r, n->first);
        }
    }
}

static void read_construct(struct reader *r, const struct mpl_construct *c)
{
    struct mpl_scanner scanner = mpl_scanner_make(r->source->text, c->end);

    /* From the beginning of the text, so that lines and columns are those of the file. */
    while (scanner.at < c->begin) {
        if (scanner.text[scanner.at] == '\n') {
            scanner.line++;
            scanner.line_begin = scanner.at + 1;
        }
        scanner.at++;
    }
    r->known.n = 0;
    r->is_behind_arrow = c->kind == CONSTRUCT_FUNCTION;
    r->rule = c->kind == CONSTRUCT_RULE
                  ? mpl_arena_printf(r->arena, "%s::%s", c->module, c->name)
                  : NULL;
    r->is_short = r->is_short || (c->kind == CONSTRUCT_RULE && r->rule == NULL);
    (void) mpl_scanner_next(&scanner); /* its opening parenthesis */

    const struct node *nodes = read_list(r, &scanner);

    /* Words that there was no memory for are missing. */
    if (!r->is_short) {
        walk(r, nodes);
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
        r.source = rules->sources[i];
        for (size_t j = 0; j < r.source->n; j++) {
            const struct mpl_construct *c = &r.source->constructs[j];

            if (c->kind == CONSTRUCT_RULE || c->kind == CONSTRUCT_FUNCTION) {
                read_construct(&r, c);
            }
        }
    }
    mpl_buf_free(&r.known);
    *n = mentions.n;
    *out = mpl_buf_take(&mentions, arena);
    mpl_buf_free(&mentions);
    return r.is_short || *out == NULL ? mpl_nomem(err) : MPL_OK;
}
