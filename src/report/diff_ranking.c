/* Which configurations tell two runs apart, and whom they suspect: Tables V to IX and XI of the paper DiffTrace. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Of the suspects of a row; JSON has all. */
enum { MOST_NAMES = 8 };

struct table {
    struct page *page;
    const struct mpl_run *run; /* For labels. */
    const struct mpl_ranking *r;
    const char **labels; /* Room for those of all locations. */
    int filter_width;
};

static const char *label_of(const struct table *t, uint32_t location)
{
    return t->run->model->locations[location].label;
}

/* The two sets of --matrix have a word each; others name their parts. */
static const char *parts_text(const struct table *t, unsigned parts)
{
    static const unsigned peers = MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT;
    static const unsigned sizes =
        peers | MPL_SYMBOL_TAG | MPL_SYMBOL_BYTES | MPL_SYMBOL_COMM;
    const char *text = "";

    if (parts == peers || parts == sizes) {
        return parts == peers ? " peers" : " sizes";
    }
    for (int i = 0; i < MPL_SYMBOL_PARTS; i++) {
        if ((parts & 1U << i) != 0) {
            text = mpl_or_unknown(mpl_arena_printf(t->page->scratch, "%s%s%s", text,
                                                   *text == '\0' ? " " : ",",
                                                   mpl_symbol_part_name(i)));
        }
    }
    return text;
}

/* "11.mpi.cust.0K10", with what it shows beside the functions, or does not. */
static const char *filter_text(const struct table *t, size_t filter)
{
    const struct mpl_filter_choice *f = &t->r->options->filters[filter];

    return mpl_or_unknown(mpl_arena_printf(
        t->page->scratch, "%s%s%s%s", f->code, parts_text(t, f->parts),
        f->without_loops ? " no loops" : "", f->up_to_rotation ? " rotated" : ""));
}

/* In the order of the suspects; not as ranges, since that order counts. */
static const char *names(struct table *t, const struct mpl_ranked *row, bool threads)
{
    const char *text = "";
    uint32_t n = 0;

    for (uint32_t i = 0; i < row->n_suspects; i++) {
        const char *label = label_of(t, row->suspects[i]);

        if ((strchr(label, '.') != NULL) != threads) {
            continue;
        }
        if (n++ < MOST_NAMES) {
            text = mpl_or_unknown(mpl_arena_printf(t->page->scratch, "%s%s%s", text,
                                                   *text == '\0' ? "" : " ", label));
        }
    }
    return *text == '\0' ? "-"
           : n <= MOST_NAMES
               ? text
               : mpl_or_unknown(mpl_arena_printf(
                     t->page->scratch, "%s and %" PRIu32 " more", text, n - MOST_NAMES));
}

static void print_start(struct table *t, const struct mpl_ranked *row)
{
    FILE *out = t->page->out;

    mpl_text_print(out, "%-*s  %-11s  %-8s  %2" PRIu32 "  ", t->filter_width,
                   filter_text(t, row->filter), mpl_context_name(row->kind),
                   mpl_linkage_name(row->linkage), row->k);
    if (isnan(row->b_score)) {
        mpl_text_print(out, "%8s", "-");
    } else {
        mpl_text_print(out, "%8.6f", row->b_score);
    }
}

static bool says_the_same(const struct mpl_ranked *a, const struct mpl_ranked *b)
{
    const bool is_score_same =
        a->b_score == b->b_score || (isnan(a->b_score) && isnan(b->b_score));

    return is_score_same && mpl_is_same_array(a->suspects, a->n_suspects, b->suspects,
                                              b->n_suspects, sizeof *a->suspects);
}

static void show_rows(struct table *t, size_t top)
{
    FILE *out = t->page->out;
    size_t n_shown = 0;
    size_t i = 0;

    mpl_text_print(out, "%-*s  %-11s  %-8s  %2s  %-8s  %-10s  %s\n", t->filter_width,
                   "Filter", "Attributes", "Linkage", "k", "B-score", "Processes",
                   "Threads");
    while (i < t->r->n_rows && n_shown < top) {
        const struct mpl_ranked *row = &t->r->rows[i];
        size_t n = 1;

        while (i + n < t->r->n_rows && says_the_same(row, &t->r->rows[i + n])) {
            n++;
        }
        print_start(t, row);
        mpl_text_print(out, "  %-10s  %s\n", names(t, row, false), names(t, row, true));
        if (n > 1) {
            mpl_text_print(out, "  and %zu more with this B-score and these suspects\n",
                           n - 1);
        }
        i += n;
        n_shown++;
    }
    if (i < t->r->n_rows) {
        mpl_text_print(out, "%zu more with a higher B-score, or none\n", t->r->n_rows - i);
    }
}

/* ---- clusters ---------------------------------------------------------------------------------------- */

static bool is_suspect(const struct mpl_ranked *row, uint32_t location)
{
    for (uint32_t i = 0; i < row->n_suspects; i++) {
        if (row->suspects[i] == location) {
            return true;
        }
    }
    return false;
}

static void show_clusters_of(struct table *t, const struct mpl_ranked *row)
{
    for (uint32_t k = 0; k < row->k; k++) {
        uint32_t n = 0;
        size_t n_suspects = 0;

        for (uint32_t l = 0; l < t->r->n_locations; l++) {
            n += row->cluster_of[l] == k;
            if (row->cluster_of[l] == k && is_suspect(row, l)) {
                t->labels[n_suspects++] = label_of(t, l);
            }
        }
        mpl_text_print(t->page->out, "    cluster %" PRIu32 "  %5" PRIu32 " object%s", k, n,
                       n == 1 ? "" : "s");
        if (n_suspects > 0) {
            mpl_text_print(t->page->out, "  outliers: %s",
                           mpl_page_labels(t->page, t->labels, n_suspects));
        }
        mpl_text_print(t->page->out, "\n");
    }
}

/* Linkages that find the same clusters are one entry. */
static bool has_same_clusters(const struct table *t, const struct mpl_ranked *a,
                              const struct mpl_ranked *b)
{
    return b->cluster_of != NULL && a->filter == b->filter && a->kind.of == b->kind.of &&
           a->kind.by == b->kind.by && a->k == b->k &&
           memcmp(a->cluster_of, b->cluster_of,
                  t->r->n_locations * sizeof *a->cluster_of) == 0;
}

static void show_candidate(struct table *t, size_t at, bool *is_shown)
{
    const struct mpl_ranked *rows = t->r->rows;
    const char *linkages = "";

    for (int k = 0; k < MPL_LINKAGES; k++) {
        for (size_t i = 0; i < t->r->n_rows; i++) {
            if ((int) rows[i].linkage == k && has_same_clusters(t, &rows[at], &rows[i])) {
                is_shown[i] = true;
                linkages = mpl_or_unknown(mpl_arena_printf(
                    t->page->scratch, "%s%s%s", linkages, *linkages == '\0' ? "" : ", ",
                    mpl_linkage_name(rows[i].linkage)));
            }
        }
    }
    mpl_text_print(t->page->out, "%s  %s  %" PRIu32 " clusters  %s\n",
                   filter_text(t, rows[at].filter), mpl_context_name(rows[at].kind),
                   rows[at].k, linkages);
    show_clusters_of(t, &rows[at]);
}

static bool comes_before(const struct mpl_ranked *a, const struct mpl_ranked *b)
{
    if (a->filter != b->filter) {
        return a->filter < b->filter;
    }
    if (a->kind.of != b->kind.of) {
        return a->kind.of < b->kind.of;
    }
    return a->kind.by != b->kind.by ? a->kind.by < b->kind.by : a->k < b->k;
}

/* In the order of Table XI: filter, attributes, number of clusters. */
static void show_candidates(struct table *t, size_t top)
{
    const size_t n = t->r->n_rows;
    bool *is_shown = MPL_NEW_ARRAY(t->page->scratch, n, bool);
    size_t n_shown = 0;
    size_t at = 0;

    for (; is_shown != NULL && n_shown < top && at < n; n_shown++) {
        at = n;
        for (size_t i = 0; i < n; i++) {
            if (!is_shown[i] && t->r->rows[i].cluster_of != NULL &&
                (at == n || comes_before(&t->r->rows[i], &t->r->rows[at]))) {
                at = i;
            }
        }
        if (at < n) {
            show_candidate(t, at, is_shown);
        }
    }
    if (at < n) {
        mpl_text_print(t->page->out, "There may be more: --top %zu.\n", 2 * top);
    }
}

enum { VOTED_MOST = 5 };

static void show_votes(struct table *t)
{
    bool *is_shown = MPL_NEW_ARRAY(t->page->scratch, t->r->n_locations, bool);
    const char *text = "";

    for (int i = 0; i < VOTED_MOST && is_shown != NULL; i++) {
        uint32_t at = MPL_NONE;

        for (uint32_t l = 0; l < t->r->n_locations; l++) {
            if (!is_shown[l] &&
                (at == MPL_NONE || t->r->votes[l] > t->r->votes[at] + 1e-9)) {
                at = l;
            }
        }
        if (at == MPL_NONE || t->r->votes[at] < 0.005) {
            break;
        }
        is_shown[at] = true;
        text = mpl_or_unknown(mpl_arena_printf(t->page->scratch, "%s%s%s in %.3g", text,
                                               i == 0 ? "" : ", ", label_of(t, at),
                                               t->r->votes[at]));
    }
    mpl_page_say(t->page, 0,
                 "Changed most: %s of %" PRIu32 " configuration%s that tell the runs apart "
                 "(who changed as much as others shares a configuration with them).",
                 text, t->r->n_telling, t->r->n_telling == 1 ? "" : "s");
}

static void show_rest(struct table *t)
{
    const struct mpl_ranking *r = t->r;

    if (r->n_alike > 0) {
        mpl_page_say(
            t->page, 0, "In %" PRIu32 " of %" PRIu32 " configurations nothing changes%s.",
            r->n_alike, r->n_configurations,
            r->has_repetitions ? ", or no more than between runs of the base" : "");
    }
    if (r->n_empty > 0) {
        mpl_page_say(t->page, 0,
                     "In %" PRIu32 " of %" PRIu32
                     " configurations the filter keeps nothing of either run.",
                     r->n_empty, r->n_configurations);
    }
    if (r->n_repeated > 0) {
        mpl_page_say(t->page, 0,
                     "%" PRIu32 " of %" PRIu32
                     " configurations were left out, since their filter keeps the same as "
                     "an earlier one.",
                     r->n_repeated, r->n_configurations);
    }
    if (r->n_large > 0) {
        mpl_page_say(t->page, 0,
                     "In %" PRIu32 " configurations nothing was clustered, since more than "
                     "%d locations differ from each other; they vote.",
                     r->n_large, MPL_RANKING_MOST);
    }
}

enum mpl_status mpl_report_ranking_text(const struct mpl_run *run,
                                        const struct mpl_ranking *ranking,
                                        enum mpl_show what, size_t top,
                                        const struct mpl_report_options *options, FILE *out,
                                        struct mpl_err *err)
{
    struct page page;
    enum mpl_status st = MPL_OK;
    struct table t = { &page, run, ranking, NULL, 0 };

    mpl_page_open(&page, options, out);
    t.labels = MPL_NEW_ARRAY(page.scratch, ranking->n_locations, const char *);
    if (t.labels == NULL) {
        st = mpl_nomem(err);
    } else {
        size_t widest = 0;

        for (size_t i = 0; i < t.r->options->n_filters; i++) {
            const size_t n = strlen(filter_text(&t, i));

            widest = n > widest ? n : widest;
        }
        t.filter_width = (int) widest;
        if (ranking->n_telling > 0) {
            show_votes(&t);
        } else {
            mpl_page_say(&page, 0, "No configuration tells the runs apart.");
        }
        show_rest(&t);
        if (ranking->n_rows == 0 && ranking->n_telling > ranking->n_large) {
            mpl_page_say(&page, 0,
                         "Nothing can be cut into so many clusters but by chance, "
                         "since too many locations are equally far from each "
                         "other.");
        } else if (ranking->n_rows > 0 && what == MPL_SHOW_RANKING) {
            show_rows(&t, top);
        } else if (ranking->n_rows > 0) {
            show_candidates(&t, top);
        }
    }

    const enum mpl_status closed = mpl_page_close(&page, err);

    return st == MPL_OK ? closed : st;
}
