/* Attributes of very many instances, which values.c finds for some at a time. */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <stdatomic.h>
#include <string.h>

/* Some attributes of an event, on their way into arrays of one value per instance. */
struct wanted {
    uint32_t n;
    uint32_t attributes[MPL_ATTRIBUTES_MAX];
    double *values[MPL_ATTRIBUTES_MAX];
};

/* The same rows by several threads, some at a time. */
enum { ROWS_OF_TASK = 16 * MPL_FORMULA_ROWS };

/* What a thread needs for that. */
struct filler {
    struct mpl_recognition copy;
    struct mpl_arena *arena;
    struct mpl_instance_view *view;
};

struct filling {
    struct mpl_recognition *r;
    uint32_t event;
    const struct wanted *wanted;
    struct filler *fillers; /* per thread */
    bool *is_done;          /* per task */
    atomic_bool lacks;      /* a thread cannot go on without something that is to be made */
};

/* Of some instances. False: out of memory; of a copy also that it lacks something. */
static bool fill(struct mpl_instance_view *view, const struct wanted *wanted, size_t first,
                 size_t end)
{
    for (size_t at = first; at < end; at += view->n) {
        mpl_row_set all;

        mpl_view_fill(view, at, end - at);
        mpl_rows_first(view->n, all);
        for (uint32_t k = 0; k < wanted->n; k++) {
            const double *values = mpl_view_attribute(view, wanted->attributes[k], all);

            if (values == NULL) {
                return false;
            }
            memcpy(wanted->values[k] + at, values, view->n * sizeof *values);
        }
    }
    return true;
}

static bool fill_alone(struct mpl_recognition *r, uint32_t event,
                       const struct wanted *wanted)
{
    const size_t n = r->instances[event].n;
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_instance_view *view =
        arena == NULL ? NULL : mpl_view_open(r, event, n, arena);
    const bool is_good = view != NULL && fill(view, wanted, 0, n);

    mpl_view_close(view);
    mpl_arena_destroy(arena);
    return is_good;
}

/* ---- by several threads ------------------------------------------------------------------------- */

static bool open_filler(struct filling *filling, struct filler *filler)
{
    filler->arena = mpl_arena_create();
    if (filler->arena == NULL || !mpl_recognition_copy(filling->r, &filler->copy)) {
        return false;
    }
    filler->view =
        mpl_view_open(&filler->copy, filling->event, ROWS_OF_TASK, filler->arena);
    return filler->view != NULL;
}

static enum mpl_status fill_task(void *context, size_t task, unsigned worker,
                                 struct mpl_err *err)
{
    struct filling *filling = context;
    struct filler *filler = &filling->fillers[worker];
    const size_t n = filling->r->instances[filling->event].n;
    const size_t first = task * ROWS_OF_TASK;
    const size_t end = n - first < ROWS_OF_TASK ? n : first + ROWS_OF_TASK;

    if (filling->is_done[task] || atomic_load(&filling->lacks)) {
        return MPL_OK;
    }
    if (filler->view == NULL && !open_filler(filling, filler)) {
        return mpl_nomem(err);
    }
    filling->is_done[task] = fill(filler->view, filling->wanted, first, end);
    if (filling->is_done[task]) {
        return MPL_OK;
    }
    atomic_store(&filling->lacks, true);
    return filler->copy.lack.is_some ? MPL_OK : mpl_nomem(err);
}

/* Makes what threads lacked, each at most one thing. False: out of memory. */
static bool make_lacking(struct filling *filling, unsigned n_threads)
{
    bool is_good = true;

    for (unsigned w = 0; w < n_threads && is_good; w++) {
        struct filler *filler = &filling->fillers[w];
        const struct mpl_lack lack = filler->copy.lack;

        if (!lack.is_some) {
            continue;
        }
        is_good =
            lack.attribute == MPL_NONE
                ? mpl_instances_make_spans(filling->r, lack.event)
                : mpl_recognition_column(filling->r, lack.event, lack.attribute) != NULL;
        filler->copy.lack.is_some = false;
        filler->view->has_no_memory = false;
    }
    atomic_store(&filling->lacks, false);
    return is_good;
}

static bool fill_all(struct filling *filling, size_t n_tasks, unsigned n_threads)
{
    const struct mpl_parallel job = {
        .n_tasks = n_tasks, .max_threads = n_threads, .run = fill_task, .context = filling
    };

    while (mpl_parallel_run(&job, NULL) == MPL_OK) {
        if (!atomic_load(&filling->lacks)) {
            return true;
        }
        if (!make_lacking(filling, n_threads)) {
            return false;
        }
    }
    return false;
}

static bool fill_together(struct mpl_recognition *r, uint32_t event,
                          const struct wanted *wanted)
{
    const size_t n_tasks = r->instances[event].n / ROWS_OF_TASK + 1;
    const unsigned n_threads = mpl_threads();
    struct filling filling = { .r = r, .event = event, .wanted = wanted };
    struct mpl_arena *arena = mpl_arena_create();
    bool is_good = arena != NULL;

    if (is_good) {
        filling.fillers = MPL_NEW_ARRAY(arena, n_threads, struct filler);
        filling.is_done = MPL_NEW_ARRAY(arena, n_tasks, bool);
        is_good = filling.fillers != NULL && filling.is_done != NULL &&
                  fill_all(&filling, n_tasks, n_threads);
    }
    for (unsigned w = 0; w < n_threads && filling.fillers != NULL; w++) {
        mpl_view_close(filling.fillers[w].view);
        mpl_arena_destroy(filling.fillers[w].arena);
        mpl_arena_destroy(filling.fillers[w].copy.arena);
    }
    mpl_arena_destroy(arena);
    return is_good;
}

/* False where somebody asks what came first, or members are on other locations: that is found by one thread. */
static bool can_share(const struct mpl_pattern *pattern, uint32_t event)
{
    const struct mpl_event_definition *definition = &pattern->events[event];

    for (uint32_t m = 0; m < definition->n_members; m++) {
        if (definition->members[m].beside != 0) {
            return false;
        }
    }
    return !mpl_view_asks_what_came_first(pattern);
}

/* False: out of memory. */
static bool evaluate(struct mpl_recognition *r, uint32_t event, const struct wanted *wanted)
{
    const size_t n = r->instances[event].n;

    if (n == 0) {
        return true;
    }
    return n >= 2 * ROWS_OF_TASK && mpl_threads() > 1 && can_share(r->pattern, event)
               ? fill_together(r, event, wanted)
               : fill_alone(r, event, wanted);
}

/* ---- questions ----------------------------------------------------------------------------------- */

void mpl_recognition_want(struct mpl_recognition *r, uint32_t event, uint32_t attribute)
{
    mpl_assert(event < r->pattern->n_events);
    mpl_assert(attribute < r->pattern->events[event].n_attributes);
    r->instances[event].is_wanted[attribute] = true;
}

/* Whether an attribute reads those of other instances, which have to be found for that. */
static bool reads_others(const struct mpl_event_definition *event, uint32_t attribute)
{
    const struct mpl_formula *formula = event->attributes[attribute].formula;
    size_t n = 0;
    const uint32_t *slots = formula == NULL ? NULL : mpl_formula_scalars(formula, &n);

    for (size_t i = 0; i < n; i++) {
        const uint32_t name = event->slots[slots[i]].name;

        if (name != MPL_NONE && name >= event->n_members &&
            mpl_event_name_instance(event, name) != MPL_NONE) {
            return true;
        }
    }
    return false;
}

/*
 * The column of an attribute, and with it all others of the event that are wanted and for which as much must be known;
 * those that read other instances are rarely asked for. Attributes of
 * other events that they read may read columns of this event in turn: those are made alone then,
 * or the two events would ask each other for ever.
 */
static bool make_columns(struct mpl_recognition *r, uint32_t event, uint32_t attribute)
{
    struct mpl_instances *instances = &r->instances[event];
    const struct mpl_event_definition *definition = &r->pattern->events[event];
    const bool is_nested = instances->is_making;
    const bool for_others = reads_others(definition, attribute);
    struct wanted wanted = { .n = 0 };
    bool is_good = true;

    for (uint32_t a = 0; a < definition->n_attributes && is_good; a++) {
        const bool is_wanted =
            a == attribute || (instances->is_wanted[a] && !is_nested &&
                               reads_others(definition, a) == for_others);

        if (is_wanted && instances->columns[a] == NULL) {
            wanted.attributes[wanted.n] = a;
            wanted.values[wanted.n] = MPL_NEW_UNSET(r->arena, instances->n, double);
            is_good = wanted.values[wanted.n++] != NULL;
        }
    }
    instances->is_making = true;
    is_good = is_good && evaluate(r, event, &wanted);
    instances->is_making = is_nested;
    for (uint32_t k = 0; k < wanted.n && is_good; k++) {
        if (instances->columns[wanted.attributes[k]] == NULL) {
            instances->columns[wanted.attributes[k]] = wanted.values[k];
        }
    }
    return is_good;
}

const double *mpl_recognition_column(struct mpl_recognition *r, uint32_t event,
                                     uint32_t attribute)
{
    double **column = &r->instances[event].columns[attribute];

    if (*column != NULL) {
        return *column;
    }
    if (r->is_copy) {
        r->lack = (struct mpl_lack){ true, event, attribute };
        return NULL;
    }
    mpl_recognition_want(r, event, attribute);
    return make_columns(r, event, attribute) ? *column : NULL;
}
