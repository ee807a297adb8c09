/* Where calls of MPI take longer than in the base, as a sentence. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>
#include <string.h>

/* Bytes are why calls take longer if what moves more of them has so much of it. */
static const double least_bytes = 0.5;
/* A line is worth what of a location is this share of the difference in run time. */
static const double least_line = 0.2;

/* The calls of a function that all take longer, or all shorter. */
struct group {
    double sum_s;
    const struct mpl_place_load *most;
    size_t n_locations;
    uint32_t *locations;
    uint64_t base_bytes;
    uint64_t new_bytes;
    double more_bytes_s;
    bool is_one_call; /* All are the same one, */
    bool is_one_path; /* on the same path, */
    bool is_wait_known;
    uint32_t culprit; /* with the same culprit; MPL_NONE: not so. */
};

static bool is_like(const struct mpl_diff *diff, const struct mpl_place_load *a,
                    const struct mpl_place_load *b)
{
    return a->is_significant && b->is_significant && a->time == b->time &&
           (a->beyond_s > 0) == (b->beyond_s > 0) && a->symbol != MPL_NONE &&
           b->symbol != MPL_NONE &&
           strcmp(mpl_symbol_function(diff->symbols, a->symbol),
                  mpl_symbol_function(diff->symbols, b->symbol)) == 0;
}

static void add_to(struct group *g, const struct mpl_place_load *x)
{
    bool is_there = false;

    for (size_t i = 0; i < g->n_locations; i++) {
        is_there = is_there || g->locations[i] == x->location;
    }
    if (!is_there) {
        g->locations[g->n_locations++] = x->location;
    }
    g->sum_s += x->beyond_s;
    g->base_bytes += x->base_bytes;
    g->new_bytes += x->new_bytes;
    g->more_bytes_s += x->more_bytes_s;
    if (g->most == NULL) {
        g->most = x;
        g->is_one_call = g->is_one_path = g->is_wait_known = true;
        g->culprit = x->culprit;
    }
    g->is_wait_known = g->is_wait_known && x->is_wait_known;
    g->is_one_call = g->is_one_call && x->symbol == g->most->symbol;
    g->is_one_path = g->is_one_path && x->path != NULL && g->most->path != NULL &&
                     strcmp(x->path, g->most->path) == 0;
    g->culprit = x->culprit == g->culprit ? g->culprit : MPL_NONE;
    if (fabs(x->beyond_s) > fabs(g->most->beyond_s)) {
        g->most = x;
    }
}

/* With most of the difference; most is NULL if there is none. */
static struct group find_largest(struct page *page, const struct mpl_diff *diff,
                                 enum mpl_time time)
{
    bool *is_taken = MPL_NEW_ARRAY(page->scratch, diff->n_calls, bool);
    struct group best = { 0 };

    for (size_t i = 0; i < diff->n_calls && is_taken != NULL; i++) {
        struct group g = { .locations =
                               MPL_NEW_ARRAY(page->scratch, diff->n_loads, uint32_t) };

        for (size_t k = i; k < diff->n_calls && g.locations != NULL; k++) {
            if (diff->calls[i].time == time && !is_taken[k] &&
                is_like(diff, &diff->calls[i], &diff->calls[k])) {
                is_taken[k] = true;
                add_to(&g, &diff->calls[k]);
            }
        }
        if (g.most != NULL && fabs(g.sum_s) > fabs(best.sum_s)) {
            best = g;
        }
    }
    return best;
}

/* ", because of rank 5" */
static const char *culprit_text(struct page *page, const struct mpl_diff *diff,
                                const struct group *g)
{
    const char *who =
        g->culprit == MPL_NONE ? "" : mpl_words_location(page, diff, g->culprit);
    const bool is_wait = g->most->time == MPL_TIME_WAITED;

    return g->culprit == MPL_NONE
               ? ""
               : mpl_or_unknown(mpl_arena_printf(page->scratch, "%s%s%s",
                                                 !is_wait       ? ", while "
                                                 : g->sum_s > 0 ? ", because of "
                                                                : ", which ",
                                                 who,
                                                 !is_wait       ? " computes"
                                                 : g->sum_s > 0 ? ""
                                                                : " had caused"));
}

/* Why calls take longer that wait for nobody. */
static const char *reason_text(struct page *page, const struct group *g)
{
    if (!g->is_wait_known) {
        return "; how much of it is waiting is not recorded";
    }
    if (g->sum_s < 0 || g->culprit != MPL_NONE) {
        return "";
    }
    if (g->more_bytes_s < least_bytes * g->sum_s) {
        return "; they wait for nobody who is late and it is not for more bytes, so the "
               "network is slower, or cores are busy";
    }
    return g->base_bytes == 0 ? "; they move bytes and did not"
                              : mpl_or_unknown(mpl_arena_printf(
                                    page->scratch, "; they move %.3g times as many bytes",
                                    (double) g->new_bytes / (double) g->base_bytes));
}

const char *mpl_words_calls(struct page *page, const struct mpl_diff *diff,
                            enum mpl_time time)
{
    struct group g = find_largest(page, diff, time);
    const bool is_one = g.n_locations == 1;
    const struct mpl_place_load *x = g.most;

    if (x == NULL || fabs(x->beyond_s) < least_line * fabs(diff->sides[1].median_s -
                                                           diff->sides[0].median_s)) {
        return NULL;
    }
    return mpl_or_unknown(mpl_arena_printf(
        page->scratch, "%s %s%s %s %s in %s%s%s%s%s: %s%s%s",
        mpl_words_locations(page, diff, g.locations, g.n_locations),
        time == MPL_TIME_WAITED ? "wait" : "spend", is_one ? "s" : "",
        mpl_page_seconds(page, fabs(g.sum_s)), g.sum_s > 0 ? "longer" : "less",
        g.is_one_call ? mpl_or_unknown(
                            mpl_symbol_text(diff->symbols, x->symbol, false, page->scratch))
                      : mpl_symbol_function(diff->symbols, x->symbol),
        g.is_one_path ? ", called in " : "", g.is_one_path ? x->path : "",
        is_one ? "" : ", added up", culprit_text(page, diff, &g), is_one ? "" : "up to ",
        mpl_words_when(page, x), time == MPL_TIME_WAITED ? "" : reason_text(page, &g)));
}
