/*
 * Where and when each thread uses the communication system, in sums: the communication oriented view
 * of section 4.5, whose picture is the timeline. Of the whole run its columns are those of struct
 * mpl_totals, to the last digit: the same ticks are added up.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "location", NULL, "rank, or rank.thread" },
    { "host", NULL, "machine that it runs on" },
    { "time", "s", "from its first to its last event, or of the window" },
    MPL_SUM_COLUMNS,
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static bool is_plain_mpi(const struct mpl_selection *s, const struct mpl_piece *p)
{
    struct mpl_call_view call;

    if (p->number % 2 == 0 || p->span.class == MPL_SPAN_STARTUP ||
        p->span.class == MPL_SPAN_SHUTDOWN) {
        return false;
    }
    mpl_events_call(s->run->events, p->location, p->number / 2, &call);
    return call.is_mpi;
}

static void count_messages(const struct mpl_selection *s, const struct mpl_piece *p,
                           struct mpl_sums *sums)
{
    const struct mpl_location *loc = &s->run->model->locations[p->location];

    for (uint32_t i = 0; i < p->span.n_messages; i++) {
        const struct mpl_envelope *envelope = mpl_envelope_of(
            loc, mpl_events_message(s->run->events, p->location, &p->span, i));

        if (envelope != NULL && !envelope->is_null && !envelope->is_garbage) {
            sums->n_sends += envelope->is_send;
            sums->n_receives += !envelope->is_send;
        }
    }
}

void mpl_sums_add_piece(const struct mpl_selection *s, const struct mpl_piece *p,
                        struct mpl_sums *sums)
{
    const int64_t ticks = p->end_ticks > p->begin_ticks ? p->end_ticks - p->begin_ticks : 0;
    const struct mpl_span *span = &p->span;

    sums->total_ticks += ticks;
    sums->class_ticks[span->class] += ticks;
    sums->wait_ticks[span->wait_kind] += p->wait_ticks;
    sums->all_wait_ticks += p->wait_ticks;
    sums->unknown_ticks += p->number % 2 == 1 && !span->is_wait_known ? ticks : 0;
    if (p->ends_inside) {
        sums->n_waits += span->wait_ticks > 0;
        sums->n_calls += is_plain_mpi(s, p);
        count_messages(s, p, sums);
    }
}

enum mpl_status mpl_sums_create(const struct mpl_selection *s, struct mpl_arena *arena,
                                struct mpl_sums **out, struct mpl_err *err)
{
    const uint32_t n = s->run->model->n_locations;
    struct mpl_sums *sums = MPL_NEW_ARRAY(arena, n, struct mpl_sums);

    for (uint32_t l = 0; sums != NULL && l < n; l++) {
        for (struct mpl_piece p = mpl_pieces_of(s, l); mpl_piece_next(s, &p);) {
            mpl_sums_add_piece(s, &p, &sums[l]);
            if (p.span.culprit != MPL_NONE) {
                sums[p.span.culprit].caused_ticks += p.wait_ticks;
            }
        }
    }
    *out = sums;
    return sums == NULL ? mpl_nomem(err) : MPL_OK;
}

/* Without completions of receives no wait for a message is known, so 0 would be wrong. */
static struct mpl_cell wait_cell(const struct mpl_selection *s, const struct mpl_sums *sums,
                                 enum mpl_wait_kind kind)
{
    const struct mpl_capabilities *can = &s->run->model->can;
    const bool is_lost = kind == MPL_WAIT_LATE_SENDER && sums->wait_ticks[kind] == 0 &&
                         sums->unknown_ticks > 0 && can->has_messages &&
                         !can->has_receive_completions;

    return is_lost ? mpl_cell_none() : mpl_cell_seconds(s, sums->wait_ticks[kind]);
}

size_t mpl_sums_cells(const struct mpl_selection *s, const struct mpl_sums *sums,
                      struct mpl_cell *cells)
{
    static const enum mpl_span_class classes[] = {
        MPL_SPAN_COMPUTE, MPL_SPAN_P2P,     MPL_SPAN_COLLECTIVE,
        MPL_SPAN_OTHER,   MPL_SPAN_STARTUP, MPL_SPAN_SHUTDOWN,
    };
    static const enum mpl_wait_kind kinds[] = {
        MPL_WAIT_LATE_SENDER, MPL_WAIT_LATE_RECEIVER,  MPL_WAIT_BARRIER,
        MPL_WAIT_N_TO_N,      MPL_WAIT_LATE_BROADCAST, MPL_WAIT_EARLY_REDUCE,
        MPL_WAIT_EARLY_SCAN,
    };
    size_t n = 0;

    cells[n++] = mpl_cell_seconds(s, sums->total_ticks);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        cells[n++] = mpl_cell_seconds(s, sums->class_ticks[classes[i]]);
        if (i == 0) {
            cells[n++] = mpl_cell_seconds(s, sums->all_wait_ticks);
        }
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cells[n++] = wait_cell(s, sums, kinds[i]);
    }
    cells[n++] = mpl_cell_seconds(s, sums->caused_ticks);
    cells[n++] = mpl_cell_seconds(s, sums->unknown_ticks);
    cells[n++] = mpl_cell_whole(sums->n_calls);
    cells[n++] = mpl_cell_whole(sums->n_waits);
    cells[n++] = mpl_cell_whole(sums->n_sends);
    cells[n++] = mpl_cell_whole(sums->n_receives);
    return n;
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    struct mpl_sums *sums = NULL;
    struct mpl_cell cells[N_COLUMNS];
    enum mpl_status st = mpl_sums_create(s, rows->arena, &sums, err);

    for (uint32_t l = 0; l < s->run->model->n_locations && st == MPL_OK; l++) {
        if (s->has_location[l]) {
            cells[0] = mpl_cell_location(s, l);
            cells[1] = mpl_cell_host(s, l);
            (void) mpl_sums_cells(s, &sums[l], cells + 2);
            st = mpl_view_put(rows, cells, err);
        }
    }
    return st;
}

const struct mpl_view mpl_view_threads = {
    .name = "threads",
    .says = "how long each thread computes, communicates and waits",
    .mark = MPL_MARK_BARS,
    .axes = { .of = { 0 }, .n_of = 1, .y = { 3, 5, 6, 7, 8, 9 }, .n_y = 6, .wait = 4 },
    MPL_COLUMNS(columns),
    .by = 4,
    .make = make,
};
