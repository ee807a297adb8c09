/* What is different between two runs, for a program: "marple-diff/1". */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>

enum { WIDTH_ENDLESS = 100000 };

/* What texts are made in while a document grows. */
struct writer {
    const struct mpl_diff *diff;
    struct mpl_arena *scratch;
};

static struct mpl_json *symbol_json(const struct writer *w, uint32_t symbol)
{
    return symbol == MPL_NONE ? mpl_json_null()
                              : mpl_json_string(mpl_symbol_text(w->diff->symbols, symbol,
                                                                false, w->scratch));
}

/* "MPI_Send(4)", or of a loop its number: L3^7. */
static const char *item_text(const struct writer *w, struct mpl_item item)
{
    return (item.what & MPL_LOOP) != 0
               ? mpl_arena_printf(w->scratch, "L%" PRIu32 "^%" PRIu32,
                                  item.what & ~MPL_LOOP, item.count)
               : mpl_symbol_text(w->diff->symbols, item.what, false, w->scratch);
}

static void add_items(const struct writer *w, struct mpl_json *to,
                      const struct mpl_item *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        mpl_json_add(to, mpl_json_string(item_text(w, items[i])));
    }
}

/* All of one run. A loop of which both runs have a part is one in each. */
static struct mpl_json *side_json(const struct writer *w, const struct mpl_divergence *x,
                                  enum mpl_block_side side)
{
    struct mpl_json *json = mpl_json_array();
    struct mpl_item last = { MPL_NONE, 0 };

    for (size_t i = 0; i < x->n_blocks; i++) {
        const struct mpl_block *b = &x->blocks[i];

        for (uint32_t k = 0; k < b->n && (b->side == MPL_BLOCK_BOTH || b->side == side);
             k++) {
            const bool goes_on =
                b->items[k].what == last.what && (last.what & MPL_LOOP) != 0;

            add_items(w, json, &last, last.count > 0 && !goes_on);
            last.count = (goes_on ? last.count : 0) + b->items[k].count;
            last.what = b->items[k].what;
        }
    }
    add_items(w, json, &last, last.count > 0);
    return json;
}

static const char *label_of(const struct mpl_diff *diff, uint32_t location)
{
    return diff->new->model->locations[location].label;
}

static struct mpl_json *changes_json(const struct writer *w)
{
    struct mpl_json *json = mpl_json_array();

    for (size_t i = 0; i < w->diff->n_changes; i++) {
        const struct mpl_divergence *x = &w->diff->changes[i];
        struct mpl_json *change = mpl_json_object();

        mpl_json_set(change, "location", mpl_json_string(label_of(w->diff, x->location)));
        mpl_json_set(change, "call", mpl_json_integer((int64_t) x->position + 1));
        mpl_json_set(change, "iteration",
                     x->n_iterations > 0 ? mpl_json_integer(x->iteration)
                                         : mpl_json_null());
        mpl_json_set(change, "iterations",
                     x->n_iterations > 0 ? mpl_json_integer(x->n_iterations)
                                         : mpl_json_null());
        mpl_json_set(change, "base_call", symbol_json(w, x->base_symbol));
        mpl_json_set(change, "new_call", symbol_json(w, x->new_symbol));
        mpl_json_set(change, "base", side_json(w, x, MPL_BLOCK_BASE));
        mpl_json_set(change, "new", side_json(w, x, MPL_BLOCK_NEW));
        mpl_json_set(change, "cut", mpl_json_boolean(x->is_cut));
        mpl_json_set(change, "remark", mpl_json_string(x->remark));
        mpl_json_add(json, change);
    }
    return json;
}

static struct mpl_json *suspects_json(const struct writer *w)
{
    struct mpl_json *json = mpl_json_array();

    for (size_t i = 0; i < w->diff->n_changes; i++) {
        const struct mpl_divergence *x = &w->diff->changes[i];
        struct mpl_json *suspect = mpl_json_object();

        mpl_json_set(suspect, "location", mpl_json_string(label_of(w->diff, x->location)));
        mpl_json_set(suspect, "score",
                     w->diff->n_telling > 0
                         ? mpl_json_number((double) x->n_votes / w->diff->n_telling)
                         : mpl_json_null());
        mpl_json_set(suspect, "from_step",
                     x->n_iterations > 0 ? mpl_json_integer(x->iteration)
                                         : mpl_json_null());
        mpl_json_add(json, suspect);
    }
    return json;
}

static struct mpl_json *tasks_json(uint64_t n)
{
    return n == 0 ? mpl_json_null() : mpl_json_integer((int64_t) n);
}

static struct mpl_json *performance_json(const struct writer *w)
{
    const struct mpl_diff *diff = w->diff;
    struct mpl_json *json = mpl_json_array();

    for (uint32_t i = 0; i < diff->n_loads; i++) {
        const struct mpl_load *load = &diff->loads[i];
        struct mpl_json *entry = mpl_json_object();

        mpl_json_set(entry, "location", mpl_json_string(label_of(diff, load->location)));
        mpl_json_set(entry, "where", mpl_json_string("computation"));
        mpl_json_set(entry, "base_s", mpl_json_number(load->base_s));
        mpl_json_set(entry, "new_s", mpl_json_number(load->new_s));
        mpl_json_set(entry, "work", mpl_json_number(load->work));
        mpl_json_set(entry, "base_tasks", tasks_json(load->base_tasks));
        mpl_json_set(entry, "new_tasks", tasks_json(load->new_tasks));
        mpl_json_set(entry, "beyond_s", mpl_json_number(load->beyond_s));
        mpl_json_set(entry, "beyond_low_s", mpl_json_number(load->low_s));
        mpl_json_set(entry, "beyond_high_s", mpl_json_number(load->high_s));
        mpl_json_set(entry, "significant", mpl_json_boolean(load->is_significant));
        mpl_json_set(entry, "caused_base_s", mpl_json_number(load->caused_base_s));
        mpl_json_set(entry, "caused_new_s", mpl_json_number(load->caused_new_s));
        mpl_json_set(entry, "stands_out", mpl_json_boolean(i < diff->n_named));
        mpl_json_add(json, entry);
    }
    mpl_diff_places_json(diff, json, w->scratch);
    return json;
}

static struct mpl_json *closing_json(const struct mpl_diff *diff)
{
    struct mpl_json *json;
    struct mpl_json *locations;

    if (diff->closing.n == 0) {
        return mpl_json_null();
    }
    json = mpl_json_object();
    locations = mpl_json_array();
    for (uint32_t i = 0; i < diff->closing.n; i++) {
        mpl_json_add(locations, mpl_json_string(label_of(diff, diff->loads[i].location)));
    }
    mpl_json_set(json, "locations", locations);
    mpl_json_set(json, "replayed_s", mpl_json_number(diff->closing.replayed_s));
    mpl_json_set(json, "doubt", mpl_json_string(diff->closing.doubt));
    return json;
}

/* In one line. */
static struct mpl_json *note_json(const struct writer *w)
{
    struct page page = { .width = WIDTH_ENDLESS, .scratch = w->scratch };

    return w->diff->verdict == MPL_DIFF_NOT_COMPARABLE
               ? mpl_json_null()
               : mpl_json_string(mpl_words_verdict_note(&page, w->diff));
}

/* Bodies of all loops, by their number. */
static struct mpl_json *loops_json(const struct writer *w)
{
    struct mpl_json *json = mpl_json_object();
    const bool are_named = w->diff->n_changes + w->diff->n_places + w->diff->n_calls > 0;
    const uint32_t n = are_named ? mpl_loops_count(w->diff->loops) : 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_loop loop = mpl_loops_get(w->diff->loops, i);
        struct mpl_json *body = mpl_json_array();

        add_items(w, body, loop.items, loop.n);
        mpl_json_set(json, mpl_arena_printf(w->scratch, "L%" PRIu32, i), body);
    }
    return json;
}

static struct mpl_json *run_json(const struct mpl_run *run,
                                 const struct mpl_diff_side *side)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "path", mpl_json_string(run->path));
    mpl_json_set(json, "processes",
                 run->model == NULL ? mpl_json_null()
                                    : mpl_json_integer(run->model->n_processes));
    mpl_json_set(json, "duration_s",
                 run->events == NULL ? mpl_json_null() : mpl_json_number(side->median_s));
    mpl_json_set(json, "lacks", mpl_json_string(run->damage));
    mpl_json_set(json, "runs", mpl_json_integer((int64_t) side->n));
    mpl_json_set(json, "shortest_s",
                 run->events == NULL ? mpl_json_null() : mpl_json_number(side->low_s));
    mpl_json_set(json, "longest_s",
                 run->events == NULL ? mpl_json_null() : mpl_json_number(side->high_s));
    return json;
}

static struct mpl_json *gates_json(const struct mpl_diff *diff,
                                   const struct mpl_gates *gates)
{
    struct mpl_json *json = mpl_json_array();

    for (size_t i = 0; gates != NULL && i < gates->n; i++) {
        struct mpl_json *gate = mpl_json_object();

        mpl_json_set(gate, "gate", mpl_json_string(gates->items[i].text));
        mpl_json_set(gate, "fails",
                     diff->verdict == MPL_DIFF_NOT_COMPARABLE
                         ? mpl_json_null()
                         : mpl_json_boolean(mpl_gate_fails(&gates->items[i], diff)));
        mpl_json_add(json, gate);
    }
    return json;
}

enum mpl_status mpl_report_diff_json(const struct mpl_diff *diff,
                                     const struct mpl_gates *gates, FILE *out,
                                     struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    const struct writer w = { diff, scratch };
    struct mpl_json *json = mpl_json_object();

    if (scratch == NULL) {
        mpl_json_destroy(json);
        return mpl_nomem(err);
    }
    mpl_json_set(json, "schema", mpl_json_string("marple-diff/1"));
    mpl_json_set(json, "verdict", mpl_json_string(mpl_diff_verdict_name(diff->verdict)));
    mpl_json_set(json, "reason", mpl_json_string(diff->reason));
    mpl_json_set(json, "verdict_note", note_json(&w));
    mpl_json_set(json, "gates", gates_json(diff, gates));
    mpl_json_set(json, "base", run_json(diff->base, &diff->sides[0]));
    mpl_json_set(json, "new", run_json(diff->new, &diff->sides[1]));
    mpl_json_set(json, "suspects", suspects_json(&w));
    mpl_json_set(json, "changes", changes_json(&w));
    mpl_json_set(json, "possibly_first", mpl_json_integer(diff->n_first));
    mpl_json_set(json, "loops", loops_json(&w));
    mpl_json_set(json, "configurations", mpl_json_integer(diff->n_configurations));
    mpl_json_set(json, "telling_configurations", mpl_json_integer(diff->n_telling));
    mpl_json_set(json, "least_share", mpl_json_number(diff->least_share));
    mpl_json_set(json, "run_time_p", mpl_json_number(diff->p));
    mpl_json_set(json, "common_factor",
                 diff->n_loads > 0 ? mpl_json_number(diff->factor) : mpl_json_null());
    mpl_json_set(json, "performance", performance_json(&w));
    mpl_json_set(json, "roles",
                 diff->n_roles > 0 ? mpl_diff_roles_json(diff) : mpl_json_null());
    mpl_json_set(json, "explained_share",
                 diff->n_loads + diff->n_roles > 0 ? mpl_json_number(diff->explained_share)
                                                   : mpl_json_null());
    mpl_json_set(json, "closing_check", closing_json(diff));
    mpl_json_set(json, "notes", mpl_json_strings(diff->notes, diff->n_notes));

    const enum mpl_status st = mpl_json_write(json, out, err);
    mpl_arena_destroy(scratch);
    return st;
}
