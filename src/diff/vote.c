/*
 * Who changed most, in many configurations: filters, with and without loops, with and without whom messages go
 * to, and the kinds of attributes. A configuration in which nothing changes says nothing.
 */
#include "config.h"

#include "diff/diff_priv.h"

/* As in the tables of the paper; 0K10 is its constant. */
static const char *const filters[] = { "11.mpi.cust.0K10", "11.mpicol.cust.0K10",
                                       "11.mpisr.cust.0K10" };
static const unsigned parts[] = { 0, MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT,
                                  MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT | MPL_SYMBOL_TAG |
                                      MPL_SYMBOL_BYTES | MPL_SYMBOL_COMM };
enum {
    N_FILTERS = sizeof filters / sizeof *filters,
    N_PARTS = sizeof parts / sizeof *parts
};

/* Rows that differ by less differ by how their sums were rounded. */
static const double least = 1e-9;

static enum mpl_status count(struct mpl_comparison *c, struct mpl_divergence *changes,
                             const struct mpl_filtered *f, struct mpl_context_kind kind,
                             struct mpl_err *err)
{
    struct mpl_diff *diff = &c->diff;
    double *rows = MPL_NEW_ARRAY(f->arena, f->n_locations, double);
    double top = 0;
    const enum mpl_status st =
        rows == NULL ? mpl_nomem(err) : mpl_similarity_changes(f, kind, rows, err);

    diff->n_configurations++;
    for (uint32_t l = 0; l < f->n_locations && st == MPL_OK; l++) {
        top = rows[l] > top ? rows[l] : top;
    }
    diff->n_telling += top > least;
    for (size_t i = 0; i < diff->n_changes && top > least; i++) {
        changes[i].n_votes += rows[changes[i].location] > top - least;
    }
    return st;
}

static enum mpl_status count_all(struct mpl_comparison *c, struct mpl_divergence *changes,
                                 const struct mpl_filtering *how, struct mpl_err *err)
{
    struct mpl_filtered f;
    enum mpl_status st = mpl_filtered_create(c, how, &f, err);

    for (int of = MPL_CONTEXT_SINGLE; of <= MPL_CONTEXT_DOUBLE; of++) {
        for (int by = MPL_CONTEXT_PRESENCE; by <= MPL_CONTEXT_ACTUAL && st == MPL_OK;
             by++) {
            const struct mpl_context_kind kind = { (enum mpl_context_of) of,
                                                   (enum mpl_context_by) by };

            st = count(c, changes, &f, kind, err);
        }
    }
    mpl_filtered_destroy(&f);
    return st;
}

static enum mpl_status vote_with(struct mpl_comparison *c, struct mpl_divergence *changes,
                                 const char *code, unsigned with, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_filter *filter = NULL;
    enum mpl_status st =
        scratch == NULL ? mpl_nomem(err) : mpl_filter_open(code, scratch, &filter, err);

    for (int i = 0; i < 2 && st == MPL_OK; i++) {
        const struct mpl_filtering how = {
            .filter = filter, .parts = with, .without_loops = i == 1, .without_noise = true
        };

        st = count_all(c, changes, &how, err);
    }
    mpl_filter_close(filter);
    mpl_arena_destroy(scratch);
    return st;
}

enum mpl_status mpl_vote(struct mpl_comparison *c, struct mpl_divergence *changes,
                         struct mpl_err *err)
{
    const struct mpl_diff_options *o = &c->options;
    const unsigned all = !o->has_parts ? ~0U
                         : (o->parts & MPL_SYMBOL_RELATIVE) != 0
                             ? o->parts | MPL_SYMBOL_PEER
                             : o->parts;
    enum mpl_status st = MPL_OK;

    for (size_t f = 0; f < N_FILTERS; f++) {
        for (size_t p = 0; p < N_PARTS && st == MPL_OK; p++) {
            const bool is_new = p == 0 || (parts[p] & all) != (parts[p - 1] & all);

            st = is_new ? vote_with(c, changes, filters[f], parts[p] & all, err) : MPL_OK;
        }
    }
    return st;
}
