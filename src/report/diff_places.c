/* Where a location computes longer than in the base: as a sentence, and for a program. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A loop is worth a word if it has so much of what the location differs; a call of it, of what the loop does. */
static const double least_loop = 0.5;
static const double least_call = 0.25;
/* Calls beyond these are "elsewhere". */
enum { MOST_CALLS = 3 };

static const char *or_unknown(const char *text)
{
    return text == NULL ? "?" : text;
}

/* ---- a sentence ------------------------------------------------------------------------------------ */

static const char *number_text(struct page *page, uint32_t n)
{
    return or_unknown(mpl_page_count(page, n));
}

/* "iteration 7 of 160"; where that is not certain "about iteration 200 (180 to 210) of 400". */
static const char *edge_text(struct page *page, const struct mpl_place_load *x,
                             const char *unit)
{
    const struct mpl_when *when = &x->when;

    return or_unknown(when->low == when->high
                          ? mpl_arena_printf(page->scratch, "%s %" PRIu32 " of %" PRIu32,
                                             unit, when->first, x->new_steps)
                          : mpl_arena_printf(page->scratch,
                                             "about %s %" PRIu32 " (%" PRIu32 " to %" PRIu32
                                             ") of %" PRIu32,
                                             unit, when->first, when->low, when->high,
                                             x->new_steps));
}

/* "20.2 ms in each of 153 iterations, from iteration 7 of 160 on". */
const char *mpl_words_when(struct page *page, const struct mpl_place_load *x)
{
    const char *unit = x->loop == MPL_NONE ? "call" : "iteration";
    const char *each = mpl_page_seconds(page, fabs(x->when.each_s));
    struct mpl_arena *scratch = page->scratch;

    if (x->new_steps == 1 && x->base_steps == 1) {
        return mpl_page_seconds(page, fabs(x->beyond_s));
    }
    switch (x->when.kind) {
    case MPL_WHEN_ALL:
        return or_unknown(mpl_arena_printf(scratch, "%s in each of %s %ss", each,
                                           number_text(page, x->new_steps), unit));
    case MPL_WHEN_FROM:
    case MPL_WHEN_UNTIL:
        return or_unknown(mpl_arena_printf(
            scratch, "%s in each of %s %ss, %s %s%s", each, number_text(page, x->when.n),
            unit, x->when.kind == MPL_WHEN_FROM ? "from" : "before",
            edge_text(page, x, unit), x->when.kind == MPL_WHEN_FROM ? " on" : ""));
    case MPL_WHEN_SOME:
        return or_unknown(
            x->when.n == 1
                ? mpl_arena_printf(scratch, "%s in %s %" PRIu32 " of %" PRIu32 " alone",
                                   each, unit, x->when.first, x->new_steps)
                : mpl_arena_printf(scratch,
                                   "%s each in %" PRIu32 " of %" PRIu32
                                   " %ss, the first is %" PRIu32,
                                   each, x->when.n, x->new_steps, unit, x->when.first));
    default:
        break;
    }
    if (x->base_steps != x->new_steps) {
        return or_unknown(mpl_arena_printf(
            scratch, "%s instead of %s in each %s",
            mpl_page_seconds(page, x->new_steps == 0 ? 0 : x->new_s / x->new_steps),
            mpl_page_seconds(page, x->new_steps == 0 ? 0 : x->base_s / x->new_steps),
            unit));
    }
    return or_unknown(mpl_arena_printf(scratch, "%s in %s %ss, in some more than in others",
                                       mpl_page_seconds(page, fabs(x->beyond_s)),
                                       number_text(page, x->new_steps), unit));
}

static const char *call_text(struct page *page, const struct mpl_diff *diff,
                             const struct mpl_place_load *x)
{
    return x->symbol == MPL_NONE ? "its end"
                                 : or_unknown(mpl_symbol_text(diff->symbols, x->symbol,
                                                              false, page->scratch));
}

/* " before MPI_Barrier and MPI_Send(6)": calls that have most of the loop. */
static const char *calls_text(struct page *page, const struct mpl_diff *diff, size_t first,
                              const struct mpl_place_load *loop)
{
    const char *names[MOST_CALLS];
    size_t n = 0;
    const char *text = "";

    for (size_t i = first; i < diff->n_places && diff->places[i].load == loop->load; i++) {
        const struct mpl_place_load *x = &diff->places[i];

        if (x->what == MPL_PLACE_CALL && x->loop == loop->loop && n < MOST_CALLS &&
            x->beyond_s / loop->beyond_s >= least_call) {
            names[n++] = call_text(page, diff, x);
        }
    }
    for (size_t i = 0; i < n; i++) {
        text = or_unknown(mpl_arena_printf(page->scratch, "%s%s%s", text,
                                           i == 0       ? ", before "
                                           : i + 1 == n ? " and "
                                                        : ", ",
                                           names[i]));
    }
    return text;
}

/* That has most of what a location differs; NULL: none has. */
static const struct mpl_place_load *largest_function(const struct mpl_diff *diff,
                                                     const struct mpl_load *load)
{
    const struct mpl_place_load *most = NULL;

    for (size_t i = 0; i < diff->n_places; i++) {
        const struct mpl_place_load *x = &diff->places[i];

        if (&diff->loads[x->load] == load && x->what == MPL_PLACE_FUNCTION &&
            x->beyond_s / load->beyond_s >= least_loop &&
            (most == NULL || fabs(x->beyond_s) > fabs(most->beyond_s))) {
            most = x;
        }
    }
    return most;
}

/* "20.2 ms in each of 153 iterations, from iteration 7 of 160 on, before MPI_Barrier and MPI_Send(6)". NULL: nothing to say. */
const char *mpl_words_place(struct page *page, const struct mpl_diff *diff,
                            const struct mpl_load *load)
{
    const struct mpl_place_load *most = NULL;
    const struct mpl_place_load *function;
    size_t first = 0;

    for (size_t i = 0; i < diff->n_places; i++) {
        const struct mpl_place_load *x = &diff->places[i];

        if (&diff->loads[x->load] == load && x->what != MPL_PLACE_FUNCTION &&
            (x->what == MPL_PLACE_LOOP || x->loop == MPL_NONE) &&
            x->beyond_s / load->beyond_s >= least_loop &&
            (most == NULL || fabs(x->beyond_s) > fabs(most->beyond_s))) {
            most = x;
        }
    }
    function = largest_function(diff, load);
    if (function != NULL && (most == NULL || most->path == NULL)) {
        return or_unknown(mpl_arena_printf(page->scratch, "%s, in %s",
                                           mpl_words_when(page, function), function->path));
    }
    if (most == NULL) {
        return NULL;
    }
    while (diff->places[first].load != most->load) {
        first++;
    }
    return or_unknown(mpl_arena_printf(
        page->scratch, "%s%s%s%s", mpl_words_when(page, most),
        most->what == MPL_PLACE_LOOP
            ? calls_text(page, diff, first, most)
            : or_unknown(mpl_arena_printf(page->scratch, ", before %s",
                                          call_text(page, diff, most))),
        most->path == NULL ? "" : ", in ", most->path == NULL ? "" : most->path));
}

/* ---- for a program --------------------------------------------------------------------------------- */

static struct mpl_json *steps_json(uint32_t n, bool is_known)
{
    return is_known ? mpl_json_integer(n) : mpl_json_null();
}

static void set_when(struct mpl_json *json, const struct mpl_place_load *x)
{
    static const char *const names[] = { [MPL_WHEN_UNEVEN] = "uneven",
                                         [MPL_WHEN_ALL] = "all",
                                         [MPL_WHEN_FROM] = "from",
                                         [MPL_WHEN_UNTIL] = "until",
                                         [MPL_WHEN_SOME] = "some" };
    const bool is_edge = x->when.kind == MPL_WHEN_FROM || x->when.kind == MPL_WHEN_UNTIL;
    const bool has_first = is_edge || x->when.kind == MPL_WHEN_SOME;

    mpl_json_set(json, "steps", mpl_json_string(names[x->when.kind]));
    mpl_json_set(json, "from_step", steps_json(x->when.first, has_first));
    mpl_json_set(json, "from_step_low", steps_json(x->when.low, is_edge));
    mpl_json_set(json, "from_step_high", steps_json(x->when.high, is_edge));
    mpl_json_set(json, "affected_steps", mpl_json_integer(x->when.n));
    mpl_json_set(json, "per_step_s", mpl_json_number(x->when.each_s));
}

static struct mpl_json *symbol_json(const struct mpl_diff *diff,
                                    const struct mpl_place_load *x, bool is_meant,
                                    struct mpl_arena *scratch)
{
    return mpl_json_string(!is_meant || x->symbol == MPL_NONE
                               ? NULL
                               : mpl_symbol_text(diff->symbols, x->symbol, false, scratch));
}

/* What is known of calls only. */
static void set_call(struct mpl_json *json, const struct mpl_diff *diff,
                     const struct mpl_place_load *x)
{
    const bool is_call = x->time != MPL_TIME_COMPUTED;
    const bool has_culprit = x->culprit != MPL_NONE;

    mpl_json_set(json, "culprit",
                 mpl_json_string(has_culprit ? diff->new->model->locations[x->culprit].label
                                             : NULL));
    mpl_json_set(json, "culprit_s",
                 has_culprit ? mpl_json_number(x->culprit_s) : mpl_json_null());
    mpl_json_set(json, "waits_known",
                 is_call ? mpl_json_boolean(x->is_wait_known) : mpl_json_null());
    mpl_json_set(json, "base_bytes",
                 is_call ? mpl_json_integer((int64_t) x->base_bytes) : mpl_json_null());
    mpl_json_set(json, "new_bytes",
                 is_call ? mpl_json_integer((int64_t) x->new_bytes) : mpl_json_null());
    mpl_json_set(json, "more_bytes_s",
                 is_call ? mpl_json_number(x->more_bytes_s) : mpl_json_null());
}

static struct mpl_json *place_json(const struct mpl_diff *diff,
                                   const struct mpl_place_load *x,
                                   struct mpl_arena *scratch)
{
    static const char *const where[] = { [MPL_PLACE_FUNCTION] = "function",
                                         [MPL_PLACE_LOOP] = "loop",
                                         [MPL_PLACE_CALL] = "call" };
    static const char *const times[] = { [MPL_TIME_COMPUTED] = "computation",
                                         [MPL_TIME_WAITED] = "waiting",
                                         [MPL_TIME_CALLS] = "communication" };
    const bool is_computed = x->time == MPL_TIME_COMPUTED;
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "location",
                 mpl_json_string(diff->new->model->locations[x->location].label));
    mpl_json_set(json, "where", mpl_json_string(where[x->what]));
    mpl_json_set(json, "time", mpl_json_string(times[x->time]));
    mpl_json_set(json, "path", mpl_json_string(x->path));
    mpl_json_set(json, "loop",
                 mpl_json_string(x->loop == MPL_NONE
                                     ? NULL
                                     : mpl_arena_printf(scratch, "L%" PRIu32, x->loop)));
    mpl_json_set(json, "before_call", symbol_json(diff, x, is_computed, scratch));
    mpl_json_set(json, "call", symbol_json(diff, x, !is_computed, scratch));
    mpl_json_set(json, "position",
                 steps_json(x->position, x->what == MPL_PLACE_CALL && x->loop != MPL_NONE));
    mpl_json_set(json, "base_s", mpl_json_number(x->base_s));
    mpl_json_set(json, "new_s", mpl_json_number(x->new_s));
    mpl_json_set(json, "beyond_s", mpl_json_number(x->beyond_s));
    mpl_json_set(json, "beyond_low_s", mpl_json_number(x->low_s));
    mpl_json_set(json, "beyond_high_s", mpl_json_number(x->high_s));
    mpl_json_set(json, "significant", mpl_json_boolean(x->is_significant));
    mpl_json_set(json, "base_steps", mpl_json_integer(x->base_steps));
    mpl_json_set(json, "new_steps", mpl_json_integer(x->new_steps));
    set_when(json, x);
    set_call(json, diff, x);
    return json;
}

void mpl_diff_places_json(const struct mpl_diff *diff, struct mpl_json *to,
                          struct mpl_arena *scratch)
{
    for (size_t i = 0; i < diff->n_places; i++) {
        mpl_json_add(to, place_json(diff, &diff->places[i], scratch));
    }
    for (size_t i = 0; i < diff->n_calls; i++) {
        mpl_json_add(to, place_json(diff, &diff->calls[i], scratch));
    }
}
