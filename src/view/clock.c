/*
 * What messages say of the clocks of two processes, piece by piece of the time (sections 5.4 and 5.5):
 * on a common time line no message takes less than nothing, so the quickest one each way says how far
 * one clock may be ahead of the other. With f the least time from a to b and g from b to a, b is ahead
 * by (f - g) / 2, as in the paper's o = t2 - (t1 + c), and that is wrong by at most (f + g) / 2.
 */
#include "config.h"

#include "view/view_priv.h"

enum { PIECES = 8 };

static const struct mpl_column columns[] = {
    { "location", NULL, "thread of one process" },
    { "other", NULL, "thread of the other one" },
    { "begin", "s", "of a piece of the selection" },
    { "end", "s", "and its end" },
    { "messages", "1", "between them that are received in it" },
    { "correct", "1", "share of them that are not received before they are sent" },
    { "least_to", "s", "the shortest time from the first one to the other" },
    { "least_back", "s", "and the other way round" },
    { "offset", "s", "by which the other clock is ahead by these; none: one way only" },
    { "error", "s", "by which that may be wrong" },
    { "bound", "s", "of both clocks, over the whole run, as marple check has it" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

struct least {
    uint64_t n;
    uint64_t n_correct;
    int64_t ticks[2]; /* from the lower process, to it; INT64_MAX: none */
};
struct pair {
    uint32_t process[2];
    struct least pieces[PIECES];
};

struct comparing {
    struct mpl_selection *s;
    struct mpl_map *number_of;
    struct mpl_buf pairs;
};

static struct pair *pair_of(struct comparing *c, uint32_t x, uint32_t y)
{
    const uint32_t low = x < y ? x : y;
    const uint32_t high = x < y ? y : x;
    const size_t n = c->pairs.n;
    struct pair *pair = mpl_map_item(c->number_of, (uint64_t) low << 32 | high, &c->pairs);

    if (pair != NULL && c->pairs.n > n) {
        *pair = (struct pair){ .process = { low, high } };
        for (int i = 0; i < PIECES; i++) {
            pair->pieces[i].ticks[0] = INT64_MAX;
            pair->pieces[i].ticks[1] = INT64_MAX;
        }
    }
    return pair;
}

static int piece_at(const struct mpl_selection *s, int64_t ticks)
{
    const double all = (double) (s->end_ticks - s->begin_ticks);
    const int i = (int) ((double) (ticks - s->begin_ticks) / all * PIECES);

    return i < 0 || all == 0 ? 0 : i >= PIECES ? PIECES - 1 : i;
}

/* A message takes from the begin of the call that sends to the end of the one that receives. */
static bool add_message(struct comparing *c, const struct mpl_piece *p, uint32_t message)
{
    const struct mpl_model *model = c->s->run->model;
    const struct mpl_location *loc = &model->locations[p->location];
    const struct mpl_envelope *e = mpl_envelope_of(loc, message);
    const struct mpl_end end = mpl_match_partner(c->s->run->match, p->location, message);

    if (e == NULL || e->is_send || end.message == MPL_NONE ||
        model->locations[end.location].process == loc->process) {
        return true;
    }
    const uint32_t span =
        mpl_events_span_of_message(c->s->run->events, end.location, end.message);

    if (span == MPL_NONE) {
        return true;
    }
    struct pair *pair = pair_of(c, loc->process, model->locations[end.location].process);
    const int64_t ticks =
        p->span.leave_ticks - mpl_events_enter_ticks(c->s->run->events, end.location, span);

    if (pair == NULL) {
        return false;
    }
    struct least *least = &pair->pieces[piece_at(c->s, p->span.leave_ticks)];
    int64_t *of = &least->ticks[pair->process[0] == loc->process];

    *of = ticks < *of ? ticks : *of;
    least->n++;
    least->n_correct += ticks >= 0;
    return true;
}

static bool add_location(struct comparing *c, uint32_t location)
{

    for (struct mpl_piece p = mpl_pieces_of(c->s, location); mpl_piece_next(c->s, &p);) {
        for (uint32_t i = 0; i < p.span.n_messages && p.ends_inside; i++) {
            if (!add_message(c, &p,
                             mpl_events_message(c->s->run->events, location, &p.span, i))) {
                return false;
            }
        }
    }
    return true;
}

static int by_process(const void *x, const void *y)
{
    const struct pair *a = x;
    const struct pair *b = y;

    for (int i = 0; i < 2; i++) {
        if (a->process[i] != b->process[i]) {
            return a->process[i] < b->process[i] ? -1 : 1;
        }
    }
    return 0;
}

static enum mpl_status emit(const struct mpl_selection *s, const struct pair *pair, int i,
                            struct mpl_view_rows *rows, struct mpl_err *err)
{
    const struct mpl_model *model = s->run->model;
    const struct least *least = &pair->pieces[i];
    const uint32_t x = model->processes[pair->process[0]].locations[0];
    const uint32_t y = model->processes[pair->process[1]].locations[0];
    const int64_t *bounds = s->run->clock->bound_ticks;
    const int64_t all = s->end_ticks - s->begin_ticks;
    const bool is_both = least->ticks[0] != INT64_MAX && least->ticks[1] != INT64_MAX;
    const double to =
        least->ticks[0] == INT64_MAX ? 0 : mpl_model_seconds(model, least->ticks[0]);
    const double back =
        least->ticks[1] == INT64_MAX ? 0 : mpl_model_seconds(model, least->ticks[1]);
    const struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_location(s, x),
        mpl_cell_location(s, y),
        mpl_cell_seconds(s, s->begin_ticks + all / PIECES * i),
        mpl_cell_seconds(s, i + 1 == PIECES ? s->end_ticks
                                            : s->begin_ticks + all / PIECES * (i + 1)),
        mpl_cell_whole(least->n),
        mpl_cell_number((double) least->n_correct / (double) least->n),
        least->ticks[0] == INT64_MAX ? mpl_cell_none() : mpl_cell_number(to),
        least->ticks[1] == INT64_MAX ? mpl_cell_none() : mpl_cell_number(back),
        is_both ? mpl_cell_number((to - back) / 2) : mpl_cell_none(),
        is_both ? mpl_cell_number((to + back) / 2) : mpl_cell_none(),
        mpl_cell_error(s, bounds[x], bounds[y]),
    };

    return least->n == 0 ? MPL_OK : mpl_view_put(rows, cells, err);
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    struct comparing c = { .s = s,
                           .number_of = mpl_map_create(),
                           .pairs = mpl_buf_make(sizeof(struct pair)) };
    enum mpl_status st = c.number_of == NULL ? mpl_nomem(err) : MPL_OK;

    for (uint32_t l = 0; l < s->run->model->n_locations && st == MPL_OK; l++) {
        st = add_location(&c, l) ? MPL_OK : mpl_nomem(err);
    }
    mpl_sort(c.pairs.data, c.pairs.n, sizeof(struct pair), by_process);
    for (size_t i = 0; i < c.pairs.n; i++) {
        for (int k = 0; k < PIECES && st == MPL_OK; k++) {
            st = emit(s, mpl_buf_get(&c.pairs, i), k, rows, err);
        }
    }
    mpl_map_destroy(c.number_of);
    mpl_buf_free(&c.pairs);
    return st;
}

const struct mpl_view mpl_view_clock = {
    .name = "clock",
    .says = "what messages say of the corrected clocks of two processes, over time",
    .mark = MPL_MARK_LINES,
    .axes = { .of = { 0, 1 }, .n_of = 2, .x = 2, .y = { 8 }, .n_y = 1, .error = 9 },
    MPL_COLUMNS(columns),
    .by = 4,
    .make = make,
};
