/* What configurations see, for a program: "marple-diff-show/1". Names of loops are those of the text. */
#include "config.h"

#include "report/diff_show_priv.h"

#include <inttypes.h>

struct mpl_json mpl_report_show_json(const struct mpl_diff *diff, enum mpl_show what)
{
    struct mpl_json json = mpl_json_begin();

    mpl_json_string(&json, "schema", "marple-diff-show/1");
    mpl_json_string(&json, "show", mpl_show_name(what));
    mpl_json_string(&json, "base", diff->base->path);
    mpl_json_string(&json, "new", diff->new->path);
    return json;
}

void mpl_report_put_filter(struct mpl_json *json, const struct mpl_filter_choice *how)
{
    mpl_json_string(json, "filter", how->code);
    mpl_json_array(json, "symbols");
    for (int i = 0; i < MPL_SYMBOL_PARTS; i++) {
        if ((how->parts & 1U << i) != 0) {
            mpl_json_string(json, NULL, mpl_symbol_part_name(i));
        }
    }
    mpl_json_end(json);
    mpl_json_boolean(json, "finds_loops", !how->without_loops);
    mpl_json_boolean(json, "up_to_rotation", how->up_to_rotation);
}

static void put_items(struct mpl_json *json, const char *key, struct sheet *s,
                      const struct mpl_item *items, uint32_t n)
{
    mpl_json_array(json, key);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = mpl_sheet_name(s, items[i].what);

        if ((items[i].what & MPL_LOOP) != 0) {
            name = mpl_arena_printf(s->page->scratch, "%s^%" PRIu32, name, items[i].count);
        }
        mpl_json_string(json, NULL, name);
    }
    mpl_json_end(json);
}

/* A body may name further loops, whose turn then comes. */
static void put_loops(struct mpl_json *json, struct sheet *s)
{
    mpl_json_object(json, "loops");
    for (size_t i = 0; i < s->named.n; i++) {
        const struct mpl_loop body =
            mpl_loops_get(s->f->loops, *(const uint32_t *) mpl_buf_get(&s->named, i));

        put_items(json, mpl_or_unknown(mpl_arena_printf(s->page->scratch, "L%zu", i)), s,
                  body.items, body.n);
    }
    mpl_json_end(json);
}

static void put_sequences(struct mpl_json *json, struct sheet *s)
{
    mpl_json_array(json, "sequences");
    for (uint32_t l = 0; l < s->f->n_locations; l++) {
        mpl_json_object(json, NULL);
        mpl_json_string(json, "location", mpl_sheet_label(s, l));
        put_items(json, "base", s, s->f->base[l].items, s->f->base[l].n);
        put_items(json, "new", s, s->f->new[l].items, s->f->new[l].n);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

/* ---- groups of equal locations ----------------------------------------------------------------------------- */

static void put_members(struct mpl_json *json, const char *key, const struct sheet *s,
                        const uint32_t *of, uint32_t group)
{
    mpl_json_array(json, key);
    for (uint32_t l = 0; l < s->f->n_locations; l++) {
        if (of[l] == group) {
            mpl_json_string(json, NULL, mpl_sheet_label(s, l));
        }
    }
    mpl_json_end(json);
}

static void put_numbers(struct mpl_json *json, const char *key, const double *numbers,
                        uint32_t n)
{
    mpl_json_array(json, key);
    for (uint32_t i = 0; i < n; i++) {
        mpl_json_number(json, NULL, numbers[i]);
    }
    mpl_json_end(json);
}

/* Rows and columns of a matrix are groups. The object has not ended. */
static void begin_matrix(struct mpl_json *json, const char *key, const struct sheet *s,
                         const uint32_t *of, const double *matrix, uint32_t n)
{
    mpl_json_object(json, key);
    mpl_json_array(json, "groups");
    for (uint32_t i = 0; i < n; i++) {
        put_members(json, NULL, s, of, i);
    }
    mpl_json_end(json);
    mpl_json_array(json, "matrix");
    for (uint32_t i = 0; i < n; i++) {
        put_numbers(json, NULL, matrix + (size_t) i * n, n);
    }
    mpl_json_end(json);
}

static enum mpl_status put_jsm(struct mpl_json *json, struct sheet *s,
                               struct mpl_context_kind kind, struct mpl_err *err)
{
    const struct mpl_changes *c = NULL;
    const enum mpl_status st = mpl_changes_create(s->f, kind, s->page->scratch, &c, err);

    if (st != MPL_OK) {
        return st;
    }
    begin_matrix(json, "base_similarity", s, c->base->class_of, c->base->alike,
                 c->base->n_classes);
    mpl_json_end(json);
    begin_matrix(json, "new_similarity", s, c->new->class_of, c->new->alike,
                 c->new->n_classes);
    mpl_json_end(json);
    begin_matrix(json, "changed_similarity", s, c->of, c->matrix, c->n);
    put_numbers(json, "row_sums", c->rows, c->n);
    mpl_json_end(json);
    return MPL_OK;
}

/* ---- contexts and lattices ----------------------------------------------------------------------------------- */

static void put_context(struct mpl_json *json, const char *key, struct sheet *s,
                        const struct mpl_context *c)
{
    const char **names = MPL_NEW_ARRAY(s->page->scratch, c->attributes.n, const char *);

    /* In the order of the attributes: as in the text, loops get their names in it. */
    for (uint32_t a = 0; a < c->attributes.n && names != NULL; a++) {
        names[a] = mpl_sheet_attribute(s, c->kind, &c->attributes.all[a]);
    }
    mpl_json_array(json, key);
    for (uint32_t g = 0; g < c->n_classes && names != NULL; g++) {
        mpl_json_object(json, NULL);
        put_members(json, "locations", s, c->class_of, g);
        mpl_json_array(json, "attributes");
        for (uint32_t a = 0; a < c->attributes.n; a++) {
            if (mpl_attributes_have(&c->sets[g], &c->attributes.all[a])) {
                mpl_json_string(json, NULL, names[a]);
            }
        }
        mpl_json_end(json);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

static enum mpl_status put_contexts(struct mpl_json *json, struct sheet *s,
                                    struct mpl_context_kind kind, struct mpl_err *err)
{
    const struct mpl_context *c[2] = { NULL, NULL };
    const enum mpl_status st = mpl_sheet_contexts(s, kind, c, err);

    if (st == MPL_OK) {
        put_context(json, "base_context", s, c[0]);
        put_context(json, "new_context", s, c[1]);
    }
    return st;
}

/* Attributes and locations only where they first appear: reduced labels. */
static void put_concept(struct mpl_json *json, struct sheet *s, const struct mpl_lattice *l,
                        const struct places *places, uint32_t concept)
{
    const struct mpl_context *c = l->context;

    mpl_json_object(json, NULL);
    mpl_json_array(json, "attributes");
    for (uint32_t a = 0; a < c->attributes.n; a++) {
        if (places->of_attribute[a] == concept) {
            mpl_json_string(json, NULL,
                            mpl_sheet_attribute(s, c->kind, &c->attributes.all[a]));
        }
    }
    mpl_json_end(json);
    mpl_json_array(json, "locations");
    for (uint32_t o = 0; o < c->n_objects; o++) {
        if (places->of_class[c->class_of[o]] == concept) {
            mpl_json_string(json, NULL, mpl_sheet_label(s, o));
        }
    }
    mpl_json_end(json);
    mpl_json_array(json, "parents");
    for (uint32_t p = 0; p < l->concepts[concept].n_parents; p++) {
        mpl_json_integer(json, NULL, l->concepts[concept].parents[p]);
    }
    mpl_json_end(json);
    mpl_json_end(json);
}

static enum mpl_status put_lattice(struct mpl_json *json, const char *key, struct sheet *s,
                                   const struct mpl_context *c, struct mpl_err *err)
{
    const struct mpl_lattice *l = NULL;
    struct places places;
    enum mpl_status st =
        mpl_lattice_create(c, MPL_CONCEPTS_MOST, s->page->scratch, &l, err);

    st = st == MPL_OK ? mpl_sheet_places(s, l, &places, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    mpl_json_object(json, key);
    mpl_json_array(json, "concepts");
    for (uint32_t i = 0; i < l->n_concepts; i++) {
        put_concept(json, s, l, &places, i);
    }
    mpl_json_end(json);
    mpl_json_boolean(json, "is_cut", l->n_classes < c->n_classes);
    mpl_json_end(json);
    return MPL_OK;
}

static enum mpl_status put_lattices(struct mpl_json *json, struct sheet *s,
                                    struct mpl_context_kind kind, struct mpl_err *err)
{
    const struct mpl_context *c[2] = { NULL, NULL };
    enum mpl_status st = mpl_sheet_contexts(s, kind, c, err);

    st = st == MPL_OK ? put_lattice(json, "base_lattice", s, c[0], err) : st;
    return st == MPL_OK ? put_lattice(json, "new_lattice", s, c[1], err) : st;
}

/* ---- documents ------------------------------------------------------------------------------------------------- */

static enum mpl_status put_view(struct mpl_json *json, struct sheet *s, enum mpl_show what,
                                struct mpl_context_kind kind, struct mpl_err *err)
{
    if (what != MPL_SHOW_NLR) {
        mpl_json_string(json, "attributes", mpl_context_name(kind));
    }
    switch (what) {
    case MPL_SHOW_CONTEXT:
        return put_contexts(json, s, kind, err);
    case MPL_SHOW_LATTICE:
        return put_lattices(json, s, kind, err);
    case MPL_SHOW_JSM:
        return put_jsm(json, s, kind, err);
    default:
        put_sequences(json, s);
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

    if (page.scratch == NULL) {
        return mpl_nomem(err);
    }
    struct mpl_json json = mpl_report_show_json(diff, what);
    mpl_report_put_filter(&json, how);
    enum mpl_status st = put_view(&json, &s, what, kind, err);
    if (st == MPL_OK) {
        put_loops(&json, &s);
        st = mpl_json_write(&json, out, err);
    }
    mpl_json_destroy(&json);
    mpl_buf_free(&s.named);
    mpl_arena_destroy(page.scratch);
    return st;
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

    if (page.scratch == NULL) {
        return mpl_nomem(err);
    }
    struct mpl_json json = mpl_report_show_json(diff, MPL_SHOW_ALIGN);
    mpl_report_put_filter(&json, how);
    mpl_json_string(&json, "location", mpl_sheet_label(&s, x->location));
    mpl_json_boolean(&json, "differs", aligned->differs);
    if (aligned->differs) {
        mpl_report_change_json(&json, s.f->symbols, x, page.scratch);
        mpl_json_boolean(&json, "cut", x->is_cut);
        mpl_json_string(&json, "remark", x->remark);
    }
    static const char *const sides[] = {
        [MPL_BLOCK_BOTH] = "both", [MPL_BLOCK_BASE] = "base", [MPL_BLOCK_NEW] = "new"
    };

    mpl_json_array(&json, "blocks");
    for (size_t i = 0; i < x->n_blocks; i++) {
        mpl_json_object(&json, NULL);
        mpl_json_string(&json, "side", sides[x->blocks[i].side]);
        put_items(&json, "items", &s, x->blocks[i].items, x->blocks[i].n);
        mpl_json_end(&json);
    }
    mpl_json_end(&json);
    put_loops(&json, &s);
    const enum mpl_status st = mpl_json_write(&json, out, err);
    mpl_buf_free(&s.named);
    mpl_arena_destroy(page.scratch);
    return st;
}
