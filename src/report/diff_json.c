/* What is different between two runs, for a program: "marple-diff/1". */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH_ENDLESS = 100000 };

/* A document that grows, and what texts are made in meanwhile. */
struct writer {
    struct mpl_json json;
    const struct mpl_diff *diff;
    struct mpl_arena *scratch;
};

/* "MPI_Send(4)", or of a loop its number: L3^7. */
static void put_item(struct writer *w, struct mpl_item item)
{
    if ((item.what & MPL_LOOP) != 0) {
        mpl_json_string(&w->json, NULL,
                        mpl_arena_printf(w->scratch, "L%" PRIu32 "^%" PRIu32,
                                         item.what & ~MPL_LOOP, item.count));
    } else {
        mpl_json_string(&w->json, NULL,
                        mpl_symbol_text(w->diff->symbols, item.what, false, w->scratch));
    }
}

/* All of one run. A loop of which both runs have a part is one in each. */
static void put_side(struct writer *w, const char *key, const struct mpl_divergence *x,
                     enum mpl_block_side side)
{
    struct mpl_item last = { MPL_NONE, 0 };

    mpl_json_array(&w->json, key);
    for (size_t i = 0; i < x->n_blocks; i++) {
        const struct mpl_block *b = &x->blocks[i];

        for (uint32_t k = 0; k < b->n && (b->side == MPL_BLOCK_BOTH || b->side == side);
             k++) {
            const bool goes_on =
                b->items[k].what == last.what && (last.what & MPL_LOOP) != 0;

            if (last.count > 0 && !goes_on) {
                put_item(w, last);
            }
            last.count = (goes_on ? last.count : 0) + b->items[k].count;
            last.what = b->items[k].what;
        }
    }
    if (last.count > 0) {
        put_item(w, last);
    }
    mpl_json_end(&w->json);
}

void mpl_report_change_json(struct mpl_json *json, const struct mpl_symbols *symbols,
                            const struct mpl_divergence *x, struct mpl_arena *scratch)
{
    const bool has_loop = x->n_iterations > 0;

    mpl_json_integer(json, "call", (int64_t) x->position + 1);
    mpl_json_integer_if(json, "iteration", has_loop, x->iteration);
    mpl_json_integer_if(json, "iterations", has_loop, x->n_iterations);
    mpl_report_symbol_json(json, "base_call", symbols, x->base_symbol, scratch);
    mpl_report_symbol_json(json, "new_call", symbols, x->new_symbol, scratch);
}

static void put_changes(struct writer *w)
{
    const struct mpl_diff *diff = w->diff;
    struct mpl_json *json = &w->json;

    mpl_json_array(json, "suspects");
    for (size_t i = 0; i < diff->n_changes; i++) {
        const struct mpl_divergence *x = &diff->changes[i];

        mpl_json_object(json, NULL);
        mpl_report_label_json(json, "location", diff->new, x->location);
        mpl_json_number(json, "score",
                        diff->n_telling > 0 ? (double) x->n_votes / diff->n_telling : NAN);
        mpl_json_integer_if(json, "from_step", x->n_iterations > 0, x->iteration);
        mpl_json_end(json);
    }
    mpl_json_end(json);
    mpl_json_array(json, "changes");
    for (size_t i = 0; i < diff->n_changes; i++) {
        const struct mpl_divergence *x = &diff->changes[i];

        mpl_json_object(json, NULL);
        mpl_report_label_json(json, "location", diff->new, x->location);
        mpl_report_change_json(json, diff->symbols, x, w->scratch);
        put_side(w, "base", x, MPL_BLOCK_BASE);
        put_side(w, "new", x, MPL_BLOCK_NEW);
        mpl_json_boolean(json, "cut", x->is_cut);
        mpl_json_string(json, "remark", x->remark);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

static void put_performance(struct writer *w)
{
    const struct mpl_diff *diff = w->diff;
    struct mpl_json *json = &w->json;

    mpl_json_array(json, "performance");
    for (uint32_t i = 0; i < diff->n_loads; i++) {
        const struct mpl_load *load = &diff->loads[i];

        mpl_json_object(json, NULL);
        mpl_report_label_json(json, "location", diff->new, load->location);
        mpl_json_string(json, "where", "computation");
        mpl_json_number(json, "base_s", load->base_s);
        mpl_json_number(json, "new_s", load->new_s);
        mpl_json_number(json, "work", load->work);
        mpl_json_integer_if(json, "base_tasks", load->base_tasks > 0,
                            (int64_t) load->base_tasks);
        mpl_json_integer_if(json, "new_tasks", load->new_tasks > 0,
                            (int64_t) load->new_tasks);
        mpl_json_number(json, "beyond_s", load->beyond_s);
        mpl_json_number(json, "beyond_low_s", load->low_s);
        mpl_json_number(json, "beyond_high_s", load->high_s);
        mpl_json_boolean(json, "significant", load->is_significant);
        mpl_json_number(json, "caused_base_s", load->caused_base_s);
        mpl_json_number(json, "caused_new_s", load->caused_new_s);
        mpl_json_boolean(json, "stands_out", i < diff->n_named);
        mpl_json_end(json);
    }
    mpl_diff_places_json(json, diff, w->scratch);
    mpl_json_end(json);
}

static void put_closing(struct mpl_json *json, const struct mpl_diff *diff)
{
    if (diff->closing.n == 0) {
        mpl_json_string(json, "closing_check", NULL);
        return;
    }
    mpl_json_object(json, "closing_check");
    mpl_json_array(json, "locations");
    for (uint32_t i = 0; i < diff->closing.n; i++) {
        mpl_report_label_json(json, NULL, diff->new, diff->loads[i].location);
    }
    mpl_json_end(json);
    mpl_json_number(json, "replayed_s", diff->closing.replayed_s);
    mpl_json_string(json, "doubt", diff->closing.doubt);
    mpl_json_end(json);
}

/* Bodies of all loops, by their number. */
static void put_loops(struct writer *w)
{
    const bool are_named = w->diff->n_changes + w->diff->n_places + w->diff->n_calls > 0;
    const uint32_t n = are_named ? mpl_loops_count(w->diff->loops) : 0;

    mpl_json_object(&w->json, "loops");
    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_loop loop = mpl_loops_get(w->diff->loops, i);

        mpl_json_array(&w->json,
                       mpl_or_unknown(mpl_arena_printf(w->scratch, "L%" PRIu32, i)));
        for (uint32_t k = 0; k < loop.n; k++) {
            put_item(w, loop.items[k]);
        }
        mpl_json_end(&w->json);
    }
    mpl_json_end(&w->json);
}

static void put_run(struct mpl_json *json, const char *key, const struct mpl_run *run,
                    const struct mpl_diff_side *side)
{
    const bool is_read = run->model != NULL;
    const bool has_events = run->events != NULL;

    mpl_json_object(json, key);
    mpl_json_string(json, "path", run->path);
    mpl_json_integer_if(json, "processes", is_read, is_read ? run->model->n_processes : 0);
    mpl_json_number(json, "duration_s", has_events ? side->median_s : NAN);
    mpl_json_string(json, "lacks", run->damage);
    mpl_json_integer(json, "runs", (int64_t) side->n);
    mpl_json_number(json, "shortest_s", has_events ? side->low_s : NAN);
    mpl_json_number(json, "longest_s", has_events ? side->high_s : NAN);
    mpl_json_end(json);
}

static void put_verdict(struct writer *w, const struct mpl_gates *gates)
{
    const bool is_comparable = w->diff->verdict != MPL_DIFF_NOT_COMPARABLE;
    struct page page = { .width = WIDTH_ENDLESS, .scratch = w->scratch };
    struct mpl_json *json = &w->json;

    mpl_json_string(json, "verdict", mpl_diff_verdict_name(w->diff->verdict));
    mpl_json_string(json, "reason", w->diff->reason);
    mpl_json_string(json, "verdict_note",
                    is_comparable ? mpl_words_verdict_note(&page, w->diff) : NULL);
    mpl_json_array(json, "gates");
    for (size_t i = 0; gates != NULL && i < gates->n; i++) {
        mpl_json_object(json, NULL);
        mpl_json_string(json, "gate", gates->items[i].text);
        mpl_json_boolean_if(json, "fails", is_comparable,
                            is_comparable && mpl_gate_fails(&gates->items[i], w->diff));
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

enum mpl_status mpl_report_diff_json(const struct mpl_diff *diff,
                                     const struct mpl_gates *gates, FILE *out,
                                     struct mpl_err *err)
{
    struct writer w = { .diff = diff, .scratch = mpl_arena_create() };
    struct mpl_json *json = &w.json;

    if (w.scratch == NULL) {
        return mpl_nomem(err);
    }
    w.json = mpl_json_begin();
    mpl_json_string(json, "schema", "marple-diff/1");
    put_verdict(&w, gates);
    put_run(json, "base", diff->base, &diff->sides[0]);
    put_run(json, "new", diff->new, &diff->sides[1]);
    put_changes(&w);
    mpl_json_integer(json, "possibly_first", diff->n_first);
    put_loops(&w);
    mpl_json_integer(json, "configurations", diff->n_configurations);
    mpl_json_integer(json, "telling_configurations", diff->n_telling);
    mpl_json_number(json, "least_share", diff->least_share);
    mpl_json_number(json, "run_time_p", diff->p);
    mpl_json_number(json, "common_factor", diff->n_loads > 0 ? diff->factor : NAN);
    put_performance(&w);
    mpl_diff_roles_json(json, diff);
    mpl_json_number(json, "explained_share",
                    diff->n_loads + diff->n_roles > 0 ? diff->explained_share : NAN);
    put_closing(json, diff);
    mpl_json_strings(json, "notes", diff->notes, diff->n_notes);

    const enum mpl_status st = mpl_json_write(json, out, err);
    mpl_arena_destroy(w.scratch);
    return st;
}
