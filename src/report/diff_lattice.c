/* The formal context of each run as a table (Table IV of the paper), and its concept lattice for Graphviz. */
#include "config.h"

#include "report/diff_show_priv.h"

#include <inttypes.h>
#include <string.h>

const char *mpl_sheet_attribute(struct sheet *s, struct mpl_context_kind kind,
                                const struct mpl_context_attribute *a)
{
    struct mpl_arena *scratch = s->page->scratch;
    const char *name = mpl_sheet_name(
        s, (uint32_t) (kind.of == MPL_CONTEXT_DOUBLE ? a->key >> 32 : a->key));

    if (kind.of == MPL_CONTEXT_DOUBLE) {
        name = mpl_or_unknown(
            mpl_arena_printf(scratch, "%s %s", name, mpl_sheet_name(s, (uint32_t) a->key)));
    }
    if (kind.by == MPL_CONTEXT_LOG10 || kind.by == MPL_CONTEXT_ACTUAL) {
        name = mpl_or_unknown(mpl_arena_printf(
            scratch, kind.by == MPL_CONTEXT_LOG10 ? "%s:10^%" PRIu64 : "%s:%" PRIu64, name,
            a->value));
    }
    return name;
}

enum mpl_status mpl_sheet_contexts(struct sheet *s, struct mpl_context_kind kind,
                                   const struct mpl_context *out[2], struct mpl_err *err)
{
    const uint32_t n = s->f->n_locations;
    const enum mpl_status st =
        mpl_context_create(s->f->base, n, kind, s->page->scratch, &out[0], err);

    return st == MPL_OK
               ? mpl_context_create(s->f->new, n, kind, s->page->scratch, &out[1], err)
               : st;
}

bool mpl_attributes_have(const struct mpl_context_attributes *set,
                         const struct mpl_context_attribute *a)
{
    for (uint32_t i = 0; i < set->n; i++) {
        if (set->all[i].key == a->key && set->all[i].value == a->value) {
            return true;
        }
    }
    return false;
}

static enum mpl_status print_context(struct sheet *s, const char *name,
                                     const struct mpl_context *c, struct mpl_err *err)
{
    struct axis axis;
    const enum mpl_status st = mpl_sheet_axis(s, c->class_of, c->n_classes, &axis, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_text_print(s->page->out, "formal context of the %s, %s\n", name,
                   mpl_context_name(c->kind));
    mpl_sheet_columns(s, &axis, 5);
    for (uint32_t a = 0; a < c->attributes.n; a++) {
        mpl_text_print(s->page->out, "     ");
        for (uint32_t i = 0; i < axis.n; i++) {
            const bool is_set =
                mpl_attributes_have(&c->sets[axis.of[i]], &c->attributes.all[a]);

            mpl_text_print(s->page->out, " %5s", is_set ? "x" : ".");
        }
        mpl_text_print(s->page->out, "  %s\n",
                       mpl_sheet_attribute(s, c->kind, &c->attributes.all[a]));
    }
    mpl_sheet_groups(s, &axis, c->class_of);
    return MPL_OK;
}

enum mpl_status mpl_sheet_context(struct sheet *s, struct mpl_context_kind kind,
                                  struct mpl_err *err)
{
    const struct mpl_context *c[2] = { NULL, NULL };
    enum mpl_status st = mpl_sheet_contexts(s, kind, c, err);

    st = st == MPL_OK ? print_context(s, "base", c[0], err) : st;
    st = st == MPL_OK ? print_context(s, "new run", c[1], err) : st;
    if (st == MPL_OK) {
        mpl_sheet_loops(s);
    }
    return st;
}

/* A name from a trace inside of double quotes. */
static void put_quoted(struct sheet *s, const char *text)
{
    char *quoted = mpl_arena_alloc(s->page->scratch, 2 * strlen(text) + 1);
    size_t n = 0;

    for (; quoted != NULL && *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            quoted[n++] = '\\';
        }
        quoted[n++] = *text;
    }
    mpl_text_print(s->page->out, "%s", mpl_or_unknown(quoted));
}

enum mpl_status mpl_sheet_places(struct sheet *s, const struct mpl_lattice *l,
                                 struct places *p, struct mpl_err *err)
{
    const struct mpl_context *c = l->context;

    p->of_attribute = MPL_NEW_ARRAY(s->page->scratch, c->attributes.n, uint32_t);
    p->of_class = MPL_NEW_ARRAY(s->page->scratch, c->n_classes, uint32_t);
    p->labels = MPL_NEW_ARRAY(s->page->scratch, c->n_objects, const char *);
    if (p->of_attribute == NULL || p->of_class == NULL || p->labels == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t a = 0; a < c->attributes.n; a++) {
        p->of_attribute[a] = mpl_lattice_of_attribute(l, a);
    }
    for (uint32_t i = 0; i < c->n_classes; i++) {
        p->of_class[i] = mpl_lattice_of_class(l, i);
    }
    return MPL_OK;
}

/* Attributes above, objects below, each only where it first appears. */
static void print_concept(struct sheet *s, const struct mpl_lattice *l,
                          const struct places *places, const char *side, uint32_t concept)
{
    const struct mpl_context *c = l->context;
    FILE *out = s->page->out;
    size_t n = 0;

    mpl_text_print(out, "    %s%" PRIu32 " [label=\"", side, concept);
    for (uint32_t a = 0; a < c->attributes.n; a++) {
        if (places->of_attribute[a] == concept) {
            put_quoted(s, mpl_sheet_attribute(s, c->kind, &c->attributes.all[a]));
            mpl_text_print(out, "\\n");
        }
    }
    for (uint32_t o = 0; o < c->n_objects; o++) {
        if (places->of_class[c->class_of[o]] == concept) {
            places->labels[n++] = mpl_sheet_label(s, o);
        }
    }
    if (n > 0) {
        mpl_text_print(out, "[%s]", mpl_page_labels(s->page, places->labels, n));
    }
    mpl_text_print(out, "\"];\n");
    for (uint32_t p = 0; p < l->concepts[concept].n_parents; p++) {
        mpl_text_print(out, "    %s%" PRIu32 " -> %s%" PRIu32 ";\n", side,
                       l->concepts[concept].parents[p], side, concept);
    }
}

static enum mpl_status print_lattice(struct sheet *s, const char *side, const char *name,
                                     const struct mpl_context *c, struct mpl_err *err)
{
    FILE *out = s->page->out;
    const struct mpl_lattice *l = NULL;
    struct places places;
    enum mpl_status st =
        mpl_lattice_create(c, MPL_CONCEPTS_MOST, s->page->scratch, &l, err);

    st = st == MPL_OK ? mpl_sheet_places(s, l, &places, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    mpl_text_print(
        out, "  subgraph cluster_%s {\n    label=\"%s: %" PRIu32 " concepts, %s%s\";\n",
        side, name, l->n_concepts, mpl_context_name(c->kind),
        l->n_classes < c->n_classes ? ", cut" : "");
    if (l->n_classes < c->n_classes) {
        mpl_text_print(out,
                       "    // Cut: it holds the first %" PRIu32 " of %" PRIu32
                       " different sets of attributes; with all it would have\n"
                       "    // more than %d concepts. Similarities do not depend on it.\n",
                       l->n_classes, c->n_classes, MPL_CONCEPTS_MOST);
    }
    for (uint32_t i = 0; i < l->n_concepts; i++) {
        print_concept(s, l, &places, side, i);
    }
    mpl_text_print(out, "  }\n");
    return MPL_OK;
}

/* What the loops in the drawing are. */
static void print_legend(struct sheet *s)
{
    struct mpl_draft draft;
    FILE *out = s->page->out;
    char *rest = NULL;

    mpl_draft_open(&draft);
    if (draft.out != NULL) {
        s->page->out = draft.out;
        mpl_sheet_loops(s);
        s->page->out = out;
        if (mpl_file_flush(draft.out, NULL) == MPL_OK && draft.n > 0) {
            rest = draft.text;
            mpl_text_print(out, "  label=\"");
            for (char *end; (end = strchr(rest, '\n')) != NULL; rest = end + 1) {
                *end = '\0';
                put_quoted(s, rest);
                mpl_text_print(out, "\\l");
            }
            mpl_text_print(out, "\";\n");
        }
    }
    mpl_draft_close(&draft);
}

enum mpl_status mpl_sheet_lattice(struct sheet *s, struct mpl_context_kind kind,
                                  struct mpl_err *err)
{
    const struct mpl_context *c[2] = { NULL, NULL };
    enum mpl_status st = mpl_sheet_contexts(s, kind, c, err);

    mpl_text_print(s->page->out, "// Draw it with: dot -Tsvg\ndigraph lattices {\n"
                                 "  node [shape=box];\n  edge [dir=none];\n");
    st = st == MPL_OK ? print_lattice(s, "base", "base", c[0], err) : st;
    st = st == MPL_OK ? print_lattice(s, "new", "new run", c[1], err) : st;
    if (st == MPL_OK) {
        print_legend(s);
        mpl_text_print(s->page->out, "}\n");
    }
    return st;
}
