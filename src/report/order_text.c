/* Who was first, for a person. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>

static const char *label_of(const struct mpl_run *run, const struct mpl_instant *i)
{
    return run->model->locations[i->location].label;
}

static bool is_stretch(const struct mpl_spot *spot)
{
    return spot->begin.event != spot->end.event;
}

/* ---- tables of records ------------------------------------------------------------------------ */

/* A record, and what leads to it. */
struct row {
    const struct mpl_instant *instant;
    const char *mark; /* In front of what it does. */
};

struct rows {
    struct page *page;
    const struct mpl_run *run;
    struct mpl_buf all; /* struct row */
};

static void add_row(struct rows *rows, const struct mpl_instant *instant, const char *mark)
{
    (void) mpl_buf_put(&rows->all, &(struct row){ instant, mark });
}

static const char *address_of(const struct rows *rows, const struct mpl_instant *i)
{
    const char *text = mpl_arena_printf(rows->page->scratch, "%s#%" PRIu32,
                                        label_of(rows->run, i), i->record);

    return text == NULL ? "?" : text;
}

static const char *region_of(const struct mpl_instant *i)
{
    return i->region == NULL ? "-" : i->region;
}

static int wider(int width, const char *text)
{
    const int columns = (int) mpl_text_columns(text);

    return columns > width ? columns : width;
}

static void print_rows(struct rows *rows)
{
    int address_width = 0;
    int region_width = 0;

    for (size_t i = 0; i < rows->all.n; i++) {
        const struct row *row = mpl_buf_get(&rows->all, i);

        address_width = wider(address_width, address_of(rows, row->instant));
        region_width = wider(region_width, region_of(row->instant));
    }
    for (size_t i = 0; i < rows->all.n; i++) {
        const struct row *row = mpl_buf_get(&rows->all, i);

        mpl_text_print(rows->page->out, "  %-*s  %12.6f s  %-*s  %s%s\n", address_width,
                       address_of(rows, row->instant), row->instant->time_s, region_width,
                       region_of(row->instant), row->mark, row->instant->does);
    }
    mpl_buf_free(&rows->all);
}

static struct rows open_rows(struct page *page, const struct mpl_run *run)
{
    return (struct rows){ page, run, mpl_buf_make(sizeof(struct row)) };
}

/* ---- what was asked ----------------------------------------------------------------------------- */

/* What an address stands for, unless it is a record and says so itself. */
static void say_spot(struct page *page, const struct mpl_run *run,
                     const struct mpl_spot *spot)
{
    const struct mpl_instant *b = &spot->begin;
    const struct mpl_instant *e = &spot->end;
    const bool is_gap = b->event > e->event;
    const struct mpl_instant *first = is_gap ? e : b;
    const struct mpl_instant *second = is_gap ? b : e;

    if (!is_stretch(spot)) {
        return;
    }
    mpl_page_say(
        page, 0, "%s is %s %s#%" PRIu32 " %s %s#%" PRIu32 ", %.6f to %.6f s%s%s%s.",
        spot->address, is_gap ? "between" : region_of(first), label_of(run, first),
        first->record, is_gap ? "and" : "to", label_of(run, second), second->record,
        first->time_s, second->time_s, is_gap ? ", in no MPI call" : "",
        spot->note == NULL ? "" : ": ", spot->note == NULL ? "" : spot->note);
}

/* ---- between -------------------------------------------------------------------------------------- */

static void say_answer(struct page *page, const struct mpl_between *x)
{
    const char *a = x->a.address;
    const char *b = x->b.address;
    const bool is_after = x->answer == MPL_PRECEDENCE_AFTER;

    switch (x->answer) {
    case MPL_PRECEDENCE_BEFORE:
    case MPL_PRECEDENCE_AFTER:
        mpl_page_say(page, 0,
                     x->is_whole ? "%s must have come before %s."
                                 : "%s must have begun before %s could end.",
                     is_after ? b : a, is_after ? a : b);
        return;
    case MPL_PRECEDENCE_SAME:
        mpl_page_say(page, 0, "%s and %s are the same.", a, b);
        return;
    case MPL_PRECEDENCE_CONCURRENT:
        if (x->does_overlap) {
            mpl_page_say(page, 0,
                         "Neither is first: %s must have begun before %s could end, and %s "
                         "before %s could.",
                         a, b, b, a);
        } else {
            mpl_page_say(page, 0,
                         "Concurrent: nothing makes %s come before %s, or %s before %s. In "
                         "another run they may come the other way round.",
                         a, b, b, a);
        }
        return;
    default:
        mpl_page_say(page, 0,
                     "Not known: no recorded message leads from %s to %s or back, but %s.",
                     a, b, x->why);
    }
}

/* What makes the second record of a link wait for the first. */
static const char *mark_of(enum mpl_link_kind kind)
{
    switch (kind) {
    case MPL_LINK_MESSAGE:
        return "-> ";
    case MPL_LINK_ANSWER:
        return "-> its synchronous send returns: ";
    case MPL_LINK_COLLECTIVE:
        return "-> needs that to go on: ";
    default:
        return "-> thread waits for that: ";
    }
}

static bool is_same(const struct mpl_instant *a, const struct mpl_instant *b)
{
    return a->location == b->location && a->event == b->event;
}

static void say_chain(struct page *page, const struct mpl_run *run,
                      const struct mpl_between *x)
{
    const bool is_after = x->answer == MPL_PRECEDENCE_AFTER;
    const struct mpl_instant *first = is_after ? &x->b.begin : &x->a.begin;
    const struct mpl_instant *last = is_after ? &x->a.end : &x->b.end;
    struct rows rows = open_rows(page, run);

    if (x->n_links == 0 || !is_same(first, &x->links[0].from)) {
        add_row(&rows, first, "");
    }
    for (size_t i = 0; i < x->n_links; i++) {
        add_row(&rows, &x->links[i].from, "");
        add_row(&rows, &x->links[i].to, mark_of(x->links[i].kind));
    }
    if (x->n_links == 0 || !is_same(last, &x->links[x->n_links - 1].to)) {
        add_row(&rows, last, "");
    }
    print_rows(&rows);
}

/* "the end of 5:MPI_Recv[42]": what of it is compared. */
static const char *side(struct page *page, const struct mpl_spot *spot, const char *which)
{
    const char *text = is_stretch(spot) ? mpl_arena_printf(page->scratch, "the %s of %s",
                                                           which, spot->address)
                                        : spot->address;

    return text == NULL ? "?" : text;
}

/* Whether a chain leads from one to the other. */
static bool is_ordered(const struct mpl_between *x)
{
    return x->does_overlap || x->answer == MPL_PRECEDENCE_BEFORE ||
           x->answer == MPL_PRECEDENCE_AFTER;
}

static void say_clocks(struct page *page, const struct mpl_between *x)
{
    const bool is_after = x->answer == MPL_PRECEDENCE_AFTER;
    const char *begin = !is_ordered(x)     ? "By the clocks"
                        : x->margin_s >= 0 ? "The clocks agree: by them"
                                           : "The clocks contradict this: by them";
    const char *error = isnan(x->error_s) ? "How wrong they may be is not known."
                        : x->error_s > 0
                            ? mpl_arena_printf(page->scratch, "They may be wrong by %s.",
                                               mpl_page_seconds(page, x->error_s))
                            : "";

    if (x->a.begin.location == x->b.begin.location) {
        return;
    }
    mpl_page_say(page, 0, "%s %s comes %s %s %s. %s", begin,
                 side(page, is_after ? &x->a : &x->b, is_ordered(x) ? "end" : "begin"),
                 mpl_page_seconds(page, fabs(x->margin_s)),
                 x->margin_s < 0 ? "before" : "after",
                 side(page, is_after ? &x->b : &x->a, "begin"), error == NULL ? "" : error);
}

enum mpl_status mpl_report_between_text(const struct mpl_run *run,
                                        const struct mpl_between *x,
                                        const struct mpl_report_options *options, FILE *out,
                                        struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
    say_answer(&page, x);
    if (is_ordered(x)) {
        mpl_page_say(&page, 0, "%s",
                     x->n_links == 0 ? "Both are of one location, whose records are in "
                                       "order:"
                                     : "This chain proves it, whatever the clocks say:");
        mpl_text_print(page.out, "\n");
        say_chain(&page, run, x);
    }
    if (x->answer != MPL_PRECEDENCE_SAME) {
        mpl_text_print(page.out, "\n");
        say_clocks(&page, x);
    }
    say_spot(&page, run, &x->a);
    say_spot(&page, run, &x->b);
    return mpl_page_close(&page, err);
}

/* ---- past and future ------------------------------------------------------------------------------- */

enum mpl_status mpl_report_cut_text(const struct mpl_run *run, const struct mpl_cut *x,
                                    const struct mpl_report_options *options, FILE *out,
                                    struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
    const uint32_t n_others = run->model->n_locations - 1;
    struct rows rows = open_rows(&page, run);

    if (x->is_future) {
        mpl_page_say(
            &page, 0,
            "Of %s of %s other locations something must come after %s%s. The first "
            "records that must:",
            mpl_page_count(&page, x->n), mpl_page_count(&page, n_others),
            is_stretch(&x->spot) ? "the begin of " : "", x->spot.address);
    } else {
        mpl_page_say(&page, 0,
                     "Before %s%s, %s of %s other locations must have come at least this "
                     "far:",
                     x->spot.address, is_stretch(&x->spot) ? " can end" : "",
                     mpl_page_count(&page, x->n), mpl_page_count(&page, n_others));
    }
    if (!x->is_complete) {
        mpl_page_say(&page, 0, "There may be more: %s.", x->why);
    }
    mpl_text_print(page.out, "\n");
    for (uint32_t i = 0; i < x->n; i++) {
        add_row(&rows, &x->instants[i], "");
    }
    print_rows(&rows);
    mpl_text_print(page.out, x->n > 0 ? "\n" : "");
    say_spot(&page, run, &x->spot);
    return mpl_page_close(&page, err);
}

/* ---- races ------------------------------------------------------------------------------------------- */

enum mpl_status mpl_report_races_text(const struct mpl_run *run, const struct mpl_races *x,
                                      const struct mpl_report_options *options, FILE *out,
                                      struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
    if (x->n == 0) {
        mpl_page_say(&page, 0,
                     x->why == NULL
                         ? "No receive could have met a message of another sender."
                         : "No receive is known that could have met a message of another "
                           "sender.");
    } else {
        mpl_page_say(
            &page, 0,
            run->model->can.has_wildcards
                ? "Receives that could have met the message of another sender, as they "
                  "asked "
                  "for any, by location and tag."
                : "Receives that could have met the message of another sender, by location "
                  "and tag. Likely: the location takes its messages in changing turns, so "
                  "it "
                  "seems to take whatever comes first. Possible: only if it asks for any "
                  "sender, which only marple trace records.");
        mpl_text_print(page.out, "\n  %-9s  %-9s  %12s  %12s\n", "verdict", "location",
                       "tag", "receives");
    }
    for (size_t i = 0; i < x->n; i++) {
        const struct mpl_race *race = &x->races[i];

        mpl_text_print(page.out, "  %-9s  %-9s  %12u  %12s\n",
                       race->is_likely ? "likely" : "possible",
                       run->model->locations[race->location].label, race->tag,
                       mpl_page_count(&page, race->count));
    }
    if (x->why != NULL) {
        mpl_text_print(page.out, "\n");
        mpl_page_say(&page, 0, "%s: %s.",
                     x->n == 0 ? "There may be some all the same"
                               : "Some of these may be ordered all the same",
                     x->why);
    }
    return mpl_page_close(&page, err);
}

/* ---- sizes -------------------------------------------------------------------------------------------- */

/* "vectors", "informed clusters of at most 8". */
static const char *say_kind(struct page *page, const struct mpl_stamp_size *size)
{
    const char *text =
        size->max_cluster == 0
            ? mpl_stamp_kind_name(size->kind)
            : mpl_arena_printf(page->scratch, "%s clusters of at most %u",
                               mpl_stamp_kind_name(size->kind), size->max_cluster);

    return text == NULL ? "?" : text;
}

enum mpl_status mpl_report_sizes_text(const struct mpl_run *run,
                                      const struct mpl_stamp_size *all, size_t n,
                                      const struct mpl_report_options *options, FILE *out,
                                      struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
    const struct mpl_stamp_size *best = &all[0];

    for (size_t i = 1; i < n; i++) {
        best = all[i].bytes < best->bytes ? &all[i] : best;
    }
    mpl_text_print(page.out, "  %-16s  %11s  %8s  %12s\n", "timestamps", "max cluster",
                   "ratio", "bytes");
    for (size_t i = 0; i < n; i++) {
        mpl_text_print(page.out, "  %-16s  %11u  %8.3f  %12s%s\n",
                       mpl_stamp_kind_name(all[i].kind), all[i].max_cluster, all[i].ratio,
                       mpl_page_count(&page, all[i].bytes), all[i].is_used ? "  used" : "");
    }
    mpl_text_print(page.out, "\n");
    mpl_page_say(&page, 0,
                 "The ratio is that of the numbers in an average timestamp to those in a "
                 "full vector, if every event had one.");
    mpl_page_say(&page, 0, "The fewest bytes take %s%s.", say_kind(&page, best),
                 best->kind == MPL_STAMP_VECTORS
                     ? ": clusters do not pay here, because messages leave them too often, "
                       "collectives share their vectors, or there are too few locations"
                     : "");
    for (size_t i = 0; i < n; i++) {
        if (all[i].is_used) {
            mpl_page_say(&page, 0, "With %u locations %s are used: %s.",
                         run->model->n_locations, say_kind(&page, &all[i]), all[i].why);
        }
    }
    return mpl_page_close(&page, err);
}
