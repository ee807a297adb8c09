/* What configurations see, for a program: "marple-diff-show/1". Names of loops are those of the text. */
#include "config.h"

#include "report/diff_show_priv.h"

#include <inttypes.h>

struct mpl_json *mpl_report_show_json(const struct mpl_diff *diff, enum mpl_show what)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "schema", mpl_json_string("marple-diff-show/1"));
    mpl_json_set(json, "show", mpl_json_string(mpl_show_name(what)));
    mpl_json_set(json, "base", mpl_json_string(diff->base->path));
    mpl_json_set(json, "new", mpl_json_string(diff->new->path));
    return json;
}

void mpl_report_set_filter(struct mpl_json *json, const struct mpl_filter_choice *how)
{
    struct mpl_json *symbols = mpl_json_array();

    for (int i = 0; i < MPL_SYMBOL_PARTS; i++) {
        if ((how->parts & 1U << i) != 0) {
            mpl_json_add(symbols, mpl_json_string(mpl_symbol_part_name(i)));
        }
    }
    mpl_json_set(json, "filter", mpl_json_string(how->code));
    mpl_json_set(json, "symbols", symbols);
    mpl_json_set(json, "finds_loops", mpl_json_boolean(!how->without_loops));
    mpl_json_set(json, "up_to_rotation", mpl_json_boolean(how->up_to_rotation));
}

/* ---- items -------------------------------------------------------------------------------------------- */

static struct mpl_json *items_json(struct sheet *s, const struct mpl_item *items,
                                   uint32_t n)
{
    struct mpl_json *json = mpl_json_array();

    for (uint32_t i = 0; i < n; i++) {
        const char *name = mpl_sheet_name(s, items[i].what);

        mpl_json_add(json,
                     mpl_json_string((items[i].what & MPL_LOOP) == 0
                                         ? name
                                         : mpl_arena_printf(s->page->scratch, "%s^%" PRIu32,
                                                            name, items[i].count)));
    }
    return json;
}

/* A body may name further loops, whose turn then comes. */
static struct mpl_json *loops_json(struct sheet *s)
{
    struct mpl_json *json = mpl_json_object();

    for (size_t i = 0; i < s->named.n; i++) {
        const struct mpl_loop body =
            mpl_loops_get(s->f->loops, *(const uint32_t *) mpl_buf_get(&s->named, i));

        mpl_json_set(json, mpl_or_unknown(mpl_arena_printf(s->page->scratch, "L%zu", i)),
                     items_json(s, body.items, body.n));
    }
    return json;
}

static struct mpl_json *nlr_json(struct sheet *s)
{
    struct mpl_json *json = mpl_json_array();

    for (uint32_t l = 0; l < s->f->n_locations; l++) {
        struct mpl_json *entry = mpl_json_object();

        mpl_json_set(entry, "location", mpl_json_string(mpl_sheet_label(s, l)));
        mpl_json_set(entry, "base", items_json(s, s->f->base[l].items, s->f->base[l].n));
        mpl_json_set(entry, "new", items_json(s, s->f->new[l].items, s->f->new[l].n));
        mpl_json_add(json, entry);
    }
    return json;
}

/* ---- groups of equal locations ----------------------------------------------------------------------------- */

static struct mpl_json *members_json(const struct sheet *s, const uint32_t *of,
                                     uint32_t group)
{
    struct mpl_json *json = mpl_json_array();

    for (uint32_t l = 0; l < s->f->n_locations; l++) {
        if (of[l] == group) {
            mpl_json_add(json, mpl_json_string(mpl_sheet_label(s, l)));
        }
    }
    return json;
}

/* Rows and columns of a matrix are groups. */
static struct mpl_json *matrix_json(const struct sheet *s, const uint32_t *of,
                                    const double *matrix, uint32_t n)
{
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *groups = mpl_json_array();
    struct mpl_json *rows = mpl_json_array();

    for (uint32_t i = 0; i < n; i++) {
        struct mpl_json *row = mpl_json_array();

        for (uint32_t j = 0; j < n; j++) {
            mpl_json_add(row, mpl_json_number(matrix[(size_t) i * n + j]));
        }
        mpl_json_add(groups, members_json(s, of, i));
        mpl_json_add(rows, row);
    }
    mpl_json_set(json, "groups", groups);
    mpl_json_set(json, "matrix", rows);
    return json;
}

static enum mpl_status add_jsm(struct sheet *s, struct mpl_context_kind kind,
                               struct mpl_json *json, struct mpl_err *err)
{
    const struct mpl_changes *c = NULL;
    const enum mpl_status st = mpl_changes_create(s->f, kind, s->page->scratch, &c, err);
    struct mpl_json *changed;
    struct mpl_json *sums;

    if (st != MPL_OK) {
        return st;
    }
    mpl_json_set(json, "base_similarity",
                 matrix_json(s, c->base->class_of, c->base->alike, c->base->n_classes));
    mpl_json_set(json, "new_similarity",
                 matrix_json(s, c->new->class_of, c->new->alike, c->new->n_classes));
    changed = matrix_json(s, c->of, c->matrix, c->n);
    sums = mpl_json_array();
    for (uint32_t i = 0; i < c->n; i++) {
        mpl_json_add(sums, mpl_json_number(c->rows[i]));
    }
    mpl_json_set(changed, "row_sums", sums);
    mpl_json_set(json, "changed_similarity", changed);
    return MPL_OK;
}

/* ---- contexts and lattices ----------------------------------------------------------------------------------- */

/* In the order of the attributes: as in the text, loops get their names in it. */
static const char **name_attributes(struct sheet *s, const struct mpl_context *c)
{
    const char **names = MPL_NEW_ARRAY(s->page->scratch, c->attributes.n, const char *);

    for (uint32_t a = 0; a < c->attributes.n && names != NULL; a++) {
        names[a] = mpl_sheet_attribute(s, c->kind, &c->attributes.all[a]);
    }
    return names;
}

static struct mpl_json *context_json(struct sheet *s, const struct mpl_context *c)
{
    const char **names = name_attributes(s, c);
    struct mpl_json *json = mpl_json_array();

    for (uint32_t g = 0; g < c->n_classes && names != NULL; g++) {
        struct mpl_json *group = mpl_json_object();
        struct mpl_json *attributes = mpl_json_array();

        for (uint32_t a = 0; a < c->attributes.n; a++) {
            if (mpl_attributes_have(&c->sets[g], &c->attributes.all[a])) {
                mpl_json_add(attributes, mpl_json_string(names[a]));
            }
        }
        mpl_json_set(group, "locations", members_json(s, c->class_of, g));
        mpl_json_set(group, "attributes", attributes);
        mpl_json_add(json, group);
    }
    return json;
}

static enum mpl_status add_contexts(struct sheet *s, struct mpl_context_kind kind,
                                    struct mpl_json *json, struct mpl_err *err)
{
    const struct mpl_context *c[2] = { NULL, NULL };
    const enum mpl_status st = mpl_sheet_contexts(s, kind, c, err);

    if (st == MPL_OK) {
        mpl_json_set(json, "base_context", context_json(s, c[0]));
        mpl_json_set(json, "new_context", context_json(s, c[1]));
    }
    return st;
}

/* Attributes and locations only where they first appear: reduced labels. */
static struct mpl_json *concept_json(struct sheet *s, const struct mpl_lattice *l,
                                     const struct places *places, uint32_t concept)
{
    const struct mpl_context *c = l->context;
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *attributes = mpl_json_array();
    struct mpl_json *locations = mpl_json_array();
    struct mpl_json *parents = mpl_json_array();

    for (uint32_t a = 0; a < c->attributes.n; a++) {
        if (places->of_attribute[a] == concept) {
            mpl_json_add(attributes, mpl_json_string(mpl_sheet_attribute(
                                         s, c->kind, &c->attributes.all[a])));
        }
    }
    for (uint32_t o = 0; o < c->n_objects; o++) {
        if (places->of_class[c->class_of[o]] == concept) {
            mpl_json_add(locations, mpl_json_string(mpl_sheet_label(s, o)));
        }
    }
    for (uint32_t p = 0; p < l->concepts[concept].n_parents; p++) {
        mpl_json_add(parents, mpl_json_integer(l->concepts[concept].parents[p]));
    }
    mpl_json_set(json, "attributes", attributes);
    mpl_json_set(json, "locations", locations);
    mpl_json_set(json, "parents", parents);
    return json;
}

static enum mpl_status add_lattice(struct sheet *s, const struct mpl_context *c,
                                   const char *key, struct mpl_json *json,
                                   struct mpl_err *err)
{
    const struct mpl_lattice *l = NULL;
    struct mpl_json *lattice;
    struct mpl_json *concepts;
    struct places places;
    enum mpl_status st =
        mpl_lattice_create(c, MPL_CONCEPTS_MOST, s->page->scratch, &l, err);

    st = st == MPL_OK ? mpl_sheet_places(s, l, &places, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    lattice = mpl_json_object();
    concepts = mpl_json_array();
    for (uint32_t i = 0; i < l->n_concepts; i++) {
        mpl_json_add(concepts, concept_json(s, l, &places, i));
    }
    mpl_json_set(lattice, "concepts", concepts);
    mpl_json_set(lattice, "is_cut", mpl_json_boolean(l->n_classes < c->n_classes));
    mpl_json_set(json, key, lattice);
    return MPL_OK;
}

static enum mpl_status add_lattices(struct sheet *s, struct mpl_context_kind kind,
                                    struct mpl_json *json, struct mpl_err *err)
{
    const struct mpl_context *c[2] = { NULL, NULL };
    enum mpl_status st = mpl_sheet_contexts(s, kind, c, err);

    st = st == MPL_OK ? add_lattice(s, c[0], "base_lattice", json, err) : st;
    return st == MPL_OK ? add_lattice(s, c[1], "new_lattice", json, err) : st;
}

/* ---- documents ------------------------------------------------------------------------------------------------- */

static enum mpl_status add_view(struct sheet *s, enum mpl_show what,
                                struct mpl_context_kind kind, struct mpl_json *json,
                                struct mpl_err *err)
{
    if (what != MPL_SHOW_NLR) {
        mpl_json_set(json, "attributes", mpl_json_string(mpl_context_name(kind)));
    }
    switch (what) {
    case MPL_SHOW_CONTEXT:
        return add_contexts(s, kind, json, err);
    case MPL_SHOW_LATTICE:
        return add_lattices(s, kind, json, err);
    case MPL_SHOW_JSM:
        return add_jsm(s, kind, json, err);
    default:
        mpl_json_set(json, "sequences", nlr_json(s));
        return MPL_OK;
    }
}

enum mpl_status mpl_report_filtered_json(const struct mpl_diff *diff,
                                         const struct mpl_filtered *filtered,
                                         const struct mpl_filter_choice *how,
                                         enum mpl_show what, struct mpl_context_kind kind,
                                         FILE *out, struct mpl_err *err)
{
    struct page page = { .scratch = mpl_arena_create() };
    struct sheet s = { &page, diff->base, filtered, mpl_buf_make(sizeof(uint32_t)) };
    struct mpl_json *json;
    enum mpl_status st;

    if (page.scratch == NULL) {
        return mpl_nomem(err);
    }
    json = mpl_report_show_json(diff, what);
    mpl_report_set_filter(json, how);
    st = add_view(&s, what, kind, json, err);
    mpl_json_set(json, "loops", loops_json(&s));
    if (st == MPL_OK) {
        st = mpl_json_write(json, out, err);
    } else {
        mpl_json_destroy(json);
    }
    mpl_buf_free(&s.named);
    mpl_arena_destroy(page.scratch);
    return st;
}

static struct mpl_json *blocks_json(struct sheet *s, const struct mpl_divergence *x)
{
    static const char *const sides[] = {
        [MPL_BLOCK_BOTH] = "both", [MPL_BLOCK_BASE] = "base", [MPL_BLOCK_NEW] = "new"
    };
    struct mpl_json *json = mpl_json_array();

    for (size_t i = 0; i < x->n_blocks; i++) {
        struct mpl_json *block = mpl_json_object();

        mpl_json_set(block, "side", mpl_json_string(sides[x->blocks[i].side]));
        mpl_json_set(block, "items", items_json(s, x->blocks[i].items, x->blocks[i].n));
        mpl_json_add(json, block);
    }
    return json;
}

static struct mpl_json *call_json(const struct sheet *s, uint32_t symbol)
{
    return symbol == MPL_NONE ? mpl_json_null()
                              : mpl_json_string(mpl_symbol_text(s->f->symbols, symbol,
                                                                false, s->page->scratch));
}

static void set_change(const struct sheet *s, const struct mpl_divergence *x,
                       struct mpl_json *json)
{
    const bool has_loop = x->n_iterations > 0;

    mpl_json_set(json, "call", mpl_json_integer((int64_t) x->position + 1));
    mpl_json_set(json, "iteration",
                 has_loop ? mpl_json_integer(x->iteration) : mpl_json_null());
    mpl_json_set(json, "iterations",
                 has_loop ? mpl_json_integer(x->n_iterations) : mpl_json_null());
    mpl_json_set(json, "base_call", call_json(s, x->base_symbol));
    mpl_json_set(json, "new_call", call_json(s, x->new_symbol));
    mpl_json_set(json, "cut", mpl_json_boolean(x->is_cut));
    mpl_json_set(json, "remark", mpl_json_string(x->remark));
}

enum mpl_status mpl_report_aligned_json(const struct mpl_diff *diff,
                                        const struct mpl_aligned *aligned,
                                        const struct mpl_filter_choice *how, FILE *out,
                                        struct mpl_err *err)
{
    const struct mpl_divergence *x = &aligned->change;
    struct page page = { .scratch = mpl_arena_create() };
    struct sheet s = { &page, diff->new, &aligned->filtered,
                       mpl_buf_make(sizeof(uint32_t)) };
    struct mpl_json *json;
    enum mpl_status st;

    if (page.scratch == NULL) {
        return mpl_nomem(err);
    }
    json = mpl_report_show_json(diff, MPL_SHOW_ALIGN);
    mpl_report_set_filter(json, how);
    mpl_json_set(json, "location", mpl_json_string(mpl_sheet_label(&s, x->location)));
    mpl_json_set(json, "differs", mpl_json_boolean(aligned->differs));
    if (aligned->differs) {
        set_change(&s, x, json);
    }
    mpl_json_set(json, "blocks", blocks_json(&s, x));
    mpl_json_set(json, "loops", loops_json(&s));
    st = mpl_json_write(json, out, err);
    mpl_buf_free(&s.named);
    mpl_arena_destroy(page.scratch);
    return st;
}
