/*
 * A selection as somebody writes it, made into times and locations. Everything that does not exist is
 * refused with what there is: an empty table would look like a run in which nothing happens.
 */
#include "config.h"

#include "view/view_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct making {
    struct mpl_selection *s;
    const struct mpl_model *model;
    struct mpl_arena *arena;
    struct mpl_err *err;
    int64_t *begin_of;
    int64_t *end_of;
    bool *has_location;
    bool *has_comm;
    bool are_all; /* No location has been named so far. */
};

/* ---- locations ------------------------------------------------------------------------------ */

static enum mpl_status no_location(const struct making *m, const char *word)
{
    const uint32_t n = m->model->n_locations;

    return n == 1 ? mpl_fail(m->err, MPL_E_USAGE,
                             "there is no location \"%s\", only location %s", word,
                             m->model->locations[0].label)
                  : mpl_fail(m->err, MPL_E_USAGE,
                             "there is no location \"%s\"; there are %u, from %s to %s",
                             word, n, m->model->locations[0].label,
                             m->model->locations[n - 1].label);
}

static void name_location(struct making *m, uint32_t location)
{
    if (m->are_all) {
        memset(m->has_location, 0, m->model->n_locations * sizeof *m->has_location);
        m->are_all = false;
    }
    m->has_location[location] = true;
}

/* A rank, with all of its threads. */
static bool name_rank(struct making *m, unsigned long rank)
{
    bool is_there = false;

    for (uint32_t l = 0; l < m->model->n_locations; l++) {
        if (m->model->processes[m->model->locations[l].process].rank == rank) {
            name_location(m, l);
            is_there = true;
        }
    }
    return is_there;
}

/* "3", "3.2" or "0-7". */
static enum mpl_status take_location(struct making *m, const char *word)
{
    const uint32_t exact =
        strchr(word, '.') == NULL ? MPL_NONE : mpl_model_find_location(m->model, word);
    char *stop = NULL;
    const unsigned long first = strtoul(word, &stop, 10);
    unsigned long last = first;

    if (exact != MPL_NONE) {
        name_location(m, exact);
        return MPL_OK;
    }
    if (stop != word && *stop == '-') {
        const char *second = stop + 1;

        last = strtoul(second, &stop, 10);
        stop = stop == second ? (char *) word : stop;
    }
    if (word[0] < '0' || word[0] > '9' || *stop != '\0' || last < first) {
        return no_location(m, word);
    }
    for (unsigned long rank = first; rank <= last; rank++) {
        if (!name_rank(m, rank)) {
            return no_location(m, first == last ? word
                                                : mpl_arena_printf(m->arena, "%lu", rank));
        }
    }
    return MPL_OK;
}

static enum mpl_status take_locations(struct making *m, const char *list)
{
    char *rest = mpl_arena_strdup(m->arena, list);
    enum mpl_status st = rest == NULL ? mpl_nomem(m->err) : MPL_OK;

    for (const char *word; st == MPL_OK && (word = strsep(&rest, ",")) != NULL;) {
        st = take_location(m, word);
    }
    return st;
}

/* ---- communicators ---------------------------------------------------------------------------- */

static enum mpl_status take_comm(struct making *m, const char *word)
{
    const char **names = MPL_NEW_ARRAY(m->arena, m->model->n_comms, const char *);
    bool is_there = false;

    if (names == NULL) {
        return mpl_nomem(m->err);
    }
    for (uint32_t c = 0; c < m->model->n_comms; c++) {
        names[c] = m->s->comm_names[c];
        if (strcmp(names[c], word) == 0 || strcmp(m->model->comms[c].name, word) == 0) {
            m->has_comm[c] = true;
            is_there = true;
        }
    }
    if (is_there) {
        return MPL_OK;
    }
    const char *hint = mpl_suggest_hint(m->arena, word, names, m->model->n_comms);

    return hint == NULL ? mpl_nomem(m->err)
                        : mpl_fail(m->err, MPL_E_USAGE, "there is no communicator \"%s\"%s",
                                   word, hint);
}

static enum mpl_status take_comms(struct making *m)
{
    enum mpl_status st = MPL_OK;

    m->has_comm = MPL_NEW_ARRAY(m->arena, m->model->n_comms, bool);
    if (m->has_comm == NULL) {
        return mpl_nomem(m->err);
    }
    for (size_t i = 0; i < m->s->asked.n_comms && st == MPL_OK; i++) {
        st = take_comm(m, m->s->asked.comms[i]);
    }
    m->s->has_comm = m->has_comm;
    return st;
}

/* Several communicators may have one name: EZTrace calls both MPI_COMM_WORLD and its group so. */
static enum mpl_status name_comms(struct making *m)
{
    const struct mpl_model *model = m->model;
    const char **names = MPL_NEW_ARRAY(m->arena, model->n_comms, const char *);
    struct mpl_names *seen = mpl_names_create();
    bool is_enough = names != NULL && seen != NULL;

    for (uint32_t c = 0; is_enough && c < model->n_comms; c++) {
        const char *name = model->comms[c].name == NULL ? "" : model->comms[c].name;
        const size_t before = mpl_names_count(seen);
        const uint32_t number = mpl_names_put(seen, name);

        names[c] = number == before && name[0] != '\0'
                       ? name
                       : mpl_arena_printf(m->arena, "comm%u", c);
        is_enough = number != MPL_NONE && names[c] != NULL;
    }
    mpl_names_destroy(seen);
    m->s->comm_names = names;
    return is_enough ? MPL_OK : mpl_nomem(m->err);
}

/* ---- times --------------------------------------------------------------------------------------- */

static int64_t end_of_run(const struct mpl_run *run)
{
    int64_t end = 0;

    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        const uint32_t n = mpl_events_span_count(run->events, l);
        const int64_t last = n == 0 ? 0 : mpl_events_leave_ticks(run->events, l, n - 1);

        end = last > end ? last : end;
    }
    return end;
}

static int64_t ticks_of(const struct making *m, double seconds)
{
    return llround(seconds * (double) m->model->ticks_per_s);
}

/* Of every location; NaN is no limit. */
static enum mpl_status take_window(struct making *m)
{
    const struct mpl_selection_asked *asked = &m->s->asked;
    const int64_t end = end_of_run(m->s->run);
    const double end_s = mpl_model_seconds(m->model, end);
    int64_t from = 0;
    int64_t to = end;

    if (!isnan(asked->from_s)) {
        if (!(asked->from_s >= 0 && asked->from_s <= end_s)) {
            return mpl_fail(m->err, MPL_E_USAGE,
                            "nothing happens from %g s on: the run ends at %g s",
                            asked->from_s, end_s);
        }
        from = ticks_of(m, asked->from_s);
    }
    if (!isnan(asked->to_s)) {
        if (!(asked->to_s >= 0)) {
            return mpl_fail(m->err, MPL_E_USAGE, "the run begins at 0 s, not %g s",
                            asked->to_s);
        }
        to = asked->to_s >= end_s ? end : ticks_of(m, asked->to_s);
    }
    if (from > to) {
        return mpl_fail(m->err, MPL_E_USAGE,
                        "the window from %g s to %g s ends before it begins", asked->from_s,
                        asked->to_s);
    }
    for (uint32_t l = 0; l < m->model->n_locations; l++) {
        m->begin_of[l] = from;
        m->end_of[l] = to;
    }
    return MPL_OK;
}

/* What is outside of it is left out; of a location nothing may be left. */
static void narrow(struct making *m, uint32_t location, int64_t begin, int64_t end)
{
    int64_t *from = &m->begin_of[location];
    int64_t *to = &m->end_of[location];

    *from = begin > *from ? begin : *from;
    *to = end < *to ? end : *to;
    *to = *to < *from ? *from : *to;
}

static enum mpl_status take_step(struct making *m)
{
    const long step = m->s->asked.step;
    const enum mpl_status st = mpl_selection_steps(m->s, m->arena, m->err);

    if (st != MPL_OK) {
        return st;
    }
    if (m->s->steps->n == 0) {
        return mpl_fail(m->err, MPL_E_USAGE,
                        "the run has no steps that all of its processes take together");
    }
    if (step < 1 || step > (long) m->s->steps->n) {
        return mpl_fail(m->err, MPL_E_USAGE, "there is no step %ld, only 1 to %u", step,
                        m->s->steps->n);
    }
    for (uint32_t l = 0; l < m->model->n_locations; l++) {
        const uint32_t process = m->model->locations[l].process;

        narrow(m, l, mpl_step_end(m->s->run, m->s->steps, process, (uint32_t) step - 1),
               mpl_step_end(m->s->run, m->s->steps, process, (uint32_t) step));
    }
    return MPL_OK;
}

/* ---- findings ---------------------------------------------------------------------------------- */

struct hull {
    struct making *m;
    int64_t begin;
    int64_t end;
};

static void add_wait(void *context, uint32_t location, uint32_t call)
{
    struct hull *h = context;
    const struct mpl_span span =
        mpl_events_span(h->m->s->run->events, location, 2 * call + 1);

    h->begin = span.enter_ticks < h->begin ? span.enter_ticks : h->begin;
    h->end = span.enter_ticks + span.wait_ticks > h->end
                 ? span.enter_ticks + span.wait_ticks
                 : h->end;
    name_location(h->m, location);
    if (span.culprit != MPL_NONE) {
        name_location(h->m, span.culprit);
    }
}

static void add_labels(struct making *m, const char *const *labels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t location = mpl_model_find_location(m->model, labels[i]);

        if (location != MPL_NONE) {
            name_location(m, location);
        }
    }
}

static enum mpl_status take_finding(struct making *m)
{
    const struct mpl_diagnosis *d = m->s->diagnosis;
    const struct mpl_diagnosed *f = NULL;
    struct hull hull = { m, INT64_MAX, INT64_MIN };
    enum mpl_status st = mpl_diagnosed_find(d, m->s->asked.finding, &f, m->err);

    if (st != MPL_OK) {
        return st;
    }
    st = mpl_waits_of(d, f, add_wait, &hull, m->err);
    add_labels(m, f->finding->locations, f->finding->n_locations);
    add_labels(m, f->finding->culprits, f->finding->n_culprits);
    for (uint32_t l = 0; hull.begin < hull.end && l < m->model->n_locations; l++) {
        narrow(m, l, hull.begin, hull.end);
    }
    return st;
}

static void sum_up(struct making *m)
{
    struct mpl_selection *s = m->s;

    s->begin_ticks = INT64_MAX;
    s->end_ticks = 0;
    for (uint32_t l = 0; l < m->model->n_locations; l++) {
        if (m->has_location[l]) {
            s->n_locations++;
            s->begin_ticks =
                m->begin_of[l] < s->begin_ticks ? m->begin_of[l] : s->begin_ticks;
            s->end_ticks = m->end_of[l] > s->end_ticks ? m->end_of[l] : s->end_ticks;
        }
    }
    s->is_whole = isnan(s->asked.from_s) && isnan(s->asked.to_s) && s->asked.step == 0 &&
                  s->asked.finding == NULL && s->asked.locations == NULL &&
                  s->has_comm == NULL;
    s->begin_of_ticks = m->begin_of;
    s->end_of_ticks = m->end_of;
    s->has_location = m->has_location;
}

enum mpl_status mpl_selection_create(const struct mpl_diagnosis *diagnosis,
                                     const struct mpl_selection_asked *asked,
                                     struct mpl_arena *arena, struct mpl_selection **out,
                                     struct mpl_err *err)
{
    const struct mpl_model *model = diagnosis->runs[0].model;
    struct making m = { .s = MPL_NEW(arena, struct mpl_selection),
                        .model = model,
                        .arena = arena,
                        .err = err,
                        .begin_of = MPL_NEW_ARRAY(arena, model->n_locations, int64_t),
                        .end_of = MPL_NEW_ARRAY(arena, model->n_locations, int64_t),
                        .has_location = MPL_NEW_ARRAY(arena, model->n_locations, bool),
                        .are_all = true };

    if (m.s == NULL || m.begin_of == NULL || m.end_of == NULL || m.has_location == NULL) {
        return mpl_nomem(err);
    }
    *m.s = (struct mpl_selection){ .diagnosis = diagnosis,
                                   .run = &diagnosis->runs[0],
                                   .asked = *asked };
    memset(m.has_location, true, model->n_locations * sizeof *m.has_location);
    enum mpl_status st = name_comms(&m);

    st = st == MPL_OK ? take_window(&m) : st;
    st = st == MPL_OK && asked->step != 0 ? take_step(&m) : st;
    st = st == MPL_OK && asked->finding != NULL ? take_finding(&m) : st;
    if (st == MPL_OK && asked->locations != NULL) {
        m.are_all = true;
        st = take_locations(&m, asked->locations);
    }
    st = st == MPL_OK && asked->n_comms > 0 ? take_comms(&m) : st;
    if (st == MPL_OK) {
        sum_up(&m);
        *out = m.s;
    }
    return st;
}
