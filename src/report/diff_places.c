/* Where a location computes longer than in the base: as a sentence, and for a program. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>

/* A loop is worth a word if it has so much of what the location differs; a call of it, of what the loop does. */
static const double least_loop = 0.5;
static const double least_call = 0.25;
/* Calls beyond these are "elsewhere". */
enum { MOST_CALLS = 3 };

/* ---- a sentence ------------------------------------------------------------------------------------ */

static const char *number_text(struct page *page, uint32_t n)
{
    return mpl_or_unknown(mpl_page_count(page, n));
}

/* "iteration 7 of 160"; where that is not certain "about iteration 200 (180 to 210) of 400". */
static const char *edge_text(struct page *page, const struct mpl_place_load *x,
                             const char *unit)
{
    const struct mpl_when *when = &x->when;

    return mpl_or_unknown(
        when->low == when->high
            ? mpl_arena_printf(page->scratch, "%s %" PRIu32 " of %" PRIu32, unit,
                               when->first, x->new_steps)
            : mpl_arena_printf(page->scratch,
                               "about %s %" PRIu32 " (%" PRIu32 " to %" PRIu32
                               ") of %" PRIu32,
                               unit, when->first, when->low, when->high, x->new_steps));
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
        return mpl_or_unknown(mpl_arena_printf(scratch, "%s in each of %s %ss", each,
                                               number_text(page, x->new_steps), unit));
    case MPL_WHEN_FROM:
    case MPL_WHEN_UNTIL:
        return mpl_or_unknown(mpl_arena_printf(
            scratch, "%s in each of %s %ss, %s %s%s", each, number_text(page, x->when.n),
            unit, x->when.kind == MPL_WHEN_FROM ? "from" : "before",
            edge_text(page, x, unit), x->when.kind == MPL_WHEN_FROM ? " on" : ""));
    case MPL_WHEN_SOME:
        return mpl_or_unknown(
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
        return mpl_or_unknown(mpl_arena_printf(
            scratch, "%s instead of %s in each %s",
            mpl_page_seconds(page, x->new_steps == 0 ? 0 : x->new_s / x->new_steps),
            mpl_page_seconds(page, x->new_steps == 0 ? 0 : x->base_s / x->new_steps),
            unit));
    }
    return mpl_or_unknown(mpl_arena_printf(
        scratch, "%s in %s %ss, in some more than in others",
        mpl_page_seconds(page, fabs(x->beyond_s)), number_text(page, x->new_steps), unit));
}

static const char *call_text(struct page *page, const struct mpl_diff *diff,
                             const struct mpl_place_load *x)
{
    return x->symbol == MPL_NONE ? "its end"
                                 : mpl_or_unknown(mpl_symbol_text(diff->symbols, x->symbol,
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
        text = mpl_or_unknown(mpl_arena_printf(page->scratch, "%s%s%s", text,
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
    const struct mpl_place_load *function = largest_function(diff, load);
    if (function != NULL && (most == NULL || most->path == NULL)) {
        return mpl_or_unknown(mpl_arena_printf(
            page->scratch, "%s, in %s", mpl_words_when(page, function), function->path));
    }
    if (most == NULL) {
        return NULL;
    }
    while (diff->places[first].load != most->load) {
        first++;
    }
    return mpl_or_unknown(mpl_arena_printf(
        page->scratch, "%s%s%s%s", mpl_words_when(page, most),
        most->what == MPL_PLACE_LOOP
            ? calls_text(page, diff, first, most)
            : mpl_or_unknown(mpl_arena_printf(page->scratch, ", before %s",
                                              call_text(page, diff, most))),
        most->path == NULL ? "" : ", in ", most->path == NULL ? "" : most->path));
}

/* ---- for a program --------------------------------------------------------------------------------- */

void mpl_report_symbol_json(struct mpl_json *json, const char *key,
                            const struct mpl_symbols *symbols, uint32_t symbol,
                            struct mpl_arena *scratch)
{
    mpl_json_string(json, key,
                    symbol == MPL_NONE ? NULL
                                       : mpl_symbol_text(symbols, symbol, false, scratch));
}

static void put_when(struct mpl_json *json, const struct mpl_place_load *x)
{
    static const char *const names[] = { [MPL_WHEN_UNEVEN] = "uneven",
                                         [MPL_WHEN_ALL] = "all",
                                         [MPL_WHEN_FROM] = "from",
                                         [MPL_WHEN_UNTIL] = "until",
                                         [MPL_WHEN_SOME] = "some" };
    const bool is_edge = x->when.kind == MPL_WHEN_FROM || x->when.kind == MPL_WHEN_UNTIL;
    const bool has_first = is_edge || x->when.kind == MPL_WHEN_SOME;

    mpl_json_string(json, "steps", names[x->when.kind]);
    mpl_json_integer_if(json, "from_step", has_first, x->when.first);
    mpl_json_integer_if(json, "from_step_low", is_edge, x->when.low);
    mpl_json_integer_if(json, "from_step_high", is_edge, x->when.high);
    mpl_json_integer(json, "affected_steps", x->when.n);
    mpl_json_number(json, "per_step_s", x->when.each_s);
}

static void put_place(struct mpl_json *json, const struct mpl_diff *diff,
                      const struct mpl_place_load *x, struct mpl_arena *scratch)
{
    static const char *const where[] = { [MPL_PLACE_FUNCTION] = "function",
                                         [MPL_PLACE_LOOP] = "loop",
                                         [MPL_PLACE_CALL] = "call" };
    static const char *const times[] = { [MPL_TIME_COMPUTED] = "computation",
                                         [MPL_TIME_WAITED] = "waiting",
                                         [MPL_TIME_CALLS] = "communication" };
    const bool is_call = x->time != MPL_TIME_COMPUTED;
    const bool has_loop = x->loop != MPL_NONE;

    mpl_json_object(json, NULL);
    mpl_report_label_json(json, "location", diff->new, x->location);
    mpl_json_string(json, "where", where[x->what]);
    mpl_json_string(json, "time", times[x->time]);
    mpl_json_string(json, "path", x->path);
    mpl_json_string(json, "loop",
                    has_loop ? mpl_arena_printf(scratch, "L%" PRIu32, x->loop) : NULL);
    mpl_report_symbol_json(json, "before_call", diff->symbols,
                           is_call ? MPL_NONE : x->symbol, scratch);
    mpl_report_symbol_json(json, "call", diff->symbols, is_call ? x->symbol : MPL_NONE,
                           scratch);
    mpl_json_integer_if(json, "position", x->what == MPL_PLACE_CALL && has_loop,
                        x->position);
    mpl_json_number(json, "base_s", x->base_s);
    mpl_json_number(json, "new_s", x->new_s);
    mpl_json_number(json, "beyond_s", x->beyond_s);
    mpl_json_number(json, "beyond_low_s", x->low_s);
    mpl_json_number(json, "beyond_high_s", x->high_s);
    mpl_json_boolean(json, "significant", x->is_significant);
    mpl_json_integer(json, "base_steps", x->base_steps);
    mpl_json_integer(json, "new_steps", x->new_steps);
    put_when(json, x);
    mpl_report_label_json(json, "culprit", diff->new, x->culprit);
    mpl_json_number(json, "culprit_s", x->culprit != MPL_NONE ? x->culprit_s : NAN);
    mpl_json_boolean_if(json, "waits_known", is_call, x->is_wait_known);
    mpl_json_integer_if(json, "base_bytes", is_call, (int64_t) x->base_bytes);
    mpl_json_integer_if(json, "new_bytes", is_call, (int64_t) x->new_bytes);
    mpl_json_number(json, "more_bytes_s", is_call ? x->more_bytes_s : NAN);
    mpl_json_end(json);
}

void mpl_diff_places_json(struct mpl_json *json, const struct mpl_diff *diff,
                          struct mpl_arena *scratch)
{
    for (size_t i = 0; i < diff->n_places; i++) {
        put_place(json, diff, &diff->places[i], scratch);
    }
    for (size_t i = 0; i < diff->n_calls; i++) {
        put_place(json, diff, &diff->calls[i], scratch);
    }
}
