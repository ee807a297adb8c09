/*
 * The hierarchical view of section 4.5, "a view can comprise the views of all threads on a node": the
 * sums of `threads` for the run, for each host, for each process with several threads, and the time in
 * calls of each communicator.
 */
#include "config.h"

#include "view/view_priv.h"

#include <string.h>

static const struct mpl_column columns[] = {
    { "level", NULL, "run, host, process or communicator" },
    { "who", NULL, "which one" },
    { "locations", "1", "that are added up" },
    { "time", "s", "from the first to the last event of each" },
    MPL_SUM_COLUMNS,
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };
enum { CAUSED = 18 };

static void add(struct mpl_sums *to, const struct mpl_sums *from)
{
    to->total_ticks += from->total_ticks;
    for (int i = 0; i < MPL_SPAN_CLASSES; i++) {
        to->class_ticks[i] += from->class_ticks[i];
    }
    for (int i = 0; i < MPL_WAIT_KINDS; i++) {
        to->wait_ticks[i] += from->wait_ticks[i];
    }
    to->all_wait_ticks += from->all_wait_ticks;
    to->caused_ticks += from->caused_ticks;
    to->unknown_ticks += from->unknown_ticks;
    to->n_calls += from->n_calls;
    to->n_waits += from->n_waits;
    to->n_sends += from->n_sends;
    to->n_receives += from->n_receives;
}

struct group {
    struct mpl_sums sums;
    uint64_t n;
};

static void join(const struct mpl_selection *s, const struct mpl_sums *sums,
                 uint32_t location, struct group *group)
{
    if (s->has_location[location]) {
        add(&group->sums, &sums[location]);
        group->n++;
    }
}

static enum mpl_status emit(const struct mpl_selection *s, const char *level,
                            const char *who, const struct group *group,
                            struct mpl_view_rows *rows, struct mpl_err *err)
{
    struct mpl_cell cells[N_COLUMNS] = { mpl_cell_text(level), mpl_cell_text(who),
                                         mpl_cell_whole(group->n) };

    (void) mpl_sums_cells(s, &group->sums, cells + 3);
    if (strcmp(level, "communicator") == 0) {
        cells[CAUSED] = mpl_cell_none(); /* Of a communicator nobody is to blame. */
    }
    return group->n == 0 ? MPL_OK : mpl_view_put(rows, cells, err);
}

/* Hosts by their first process. */
static enum mpl_status emit_hosts(const struct mpl_selection *s,
                                  const struct mpl_sums *sums, struct mpl_view_rows *rows,
                                  struct mpl_err *err)
{
    const struct mpl_model *model = s->run->model;
    struct mpl_names *seen = mpl_names_create();
    enum mpl_status st = seen == NULL ? mpl_nomem(err) : MPL_OK;

    for (uint32_t p = 0; p < model->n_processes && st == MPL_OK; p++) {
        const char *host = model->processes[p].host;
        const size_t before = mpl_names_count(seen);
        struct group group = { .n = 0 };

        if (host == NULL || mpl_names_put(seen, host) < before) {
            continue;
        }
        if (mpl_names_count(seen) == before) {
            st = mpl_nomem(err);
        }
        for (uint32_t l = 0; l < model->n_locations; l++) {
            const char *other = model->processes[model->locations[l].process].host;

            if (other != NULL && strcmp(other, host) == 0) {
                join(s, sums, l, &group);
            }
        }
        st = st == MPL_OK ? emit(s, "host", host, &group, rows, err) : st;
    }
    mpl_names_destroy(seen);
    return st;
}

static enum mpl_status emit_processes(const struct mpl_selection *s,
                                      const struct mpl_sums *sums,
                                      struct mpl_view_rows *rows, struct mpl_err *err)
{
    const struct mpl_model *model = s->run->model;
    enum mpl_status st = MPL_OK;

    for (uint32_t p = 0; p < model->n_processes && st == MPL_OK; p++) {
        const struct mpl_process *process = &model->processes[p];
        struct group group = { .n = 0 };

        for (uint32_t i = 0; i < process->n_locations; i++) {
            join(s, sums, process->locations[i], &group);
        }
        if (process->n_locations > 1) {
            st = emit(s, "process", model->locations[process->locations[0]].label, &group,
                      rows, err);
        }
    }
    return st;
}

/* The communicator of a call; of several the first one. MPL_NONE: it uses none. */
static uint32_t comm_of(const struct mpl_selection *s, const struct mpl_piece *p)
{
    const struct mpl_location *loc = &s->run->model->locations[p->location];

    if (p->span.collective != MPL_NONE) {
        return loc->collectives[p->span.collective].comm;
    }
    if (p->span.n_messages == 0) {
        return MPL_NONE;
    }
    const struct mpl_envelope *e = mpl_envelope_of(loc, p->span.first_message);

    return e == NULL ? MPL_NONE : e->comm;
}

static enum mpl_status emit_comms(const struct mpl_selection *s, struct mpl_view_rows *rows,
                                  struct mpl_err *err)
{
    const struct mpl_model *model = s->run->model;
    struct group *groups = MPL_NEW_ARRAY(rows->arena, model->n_comms, struct group);
    uint32_t *seen_by = MPL_NEW_ARRAY(rows->arena, model->n_comms, uint32_t);
    enum mpl_status st = groups == NULL || seen_by == NULL ? mpl_nomem(err) : MPL_OK;

    for (uint32_t l = 0; l < model->n_locations && st == MPL_OK; l++) {
        for (struct mpl_piece p = mpl_pieces_of(s, l); mpl_piece_next(s, &p);) {
            const uint32_t comm = p.number % 2 == 0 ? MPL_NONE : comm_of(s, &p);

            if (comm != MPL_NONE) {
                mpl_sums_add_piece(s, &p, &groups[comm].sums);
                groups[comm].n += seen_by[comm] != l + 1;
                seen_by[comm] = l + 1;
            }
        }
    }
    for (uint32_t c = 0; c < model->n_comms && st == MPL_OK; c++) {
        st = emit(s, "communicator", s->comm_names[c], &groups[c], rows, err);
    }
    return st;
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    struct mpl_sums *sums = NULL;
    struct group run = { .n = 0 };
    enum mpl_status st = mpl_sums_create(s, rows->arena, &sums, err);

    for (uint32_t l = 0; st == MPL_OK && l < s->run->model->n_locations; l++) {
        join(s, sums, l, &run);
    }
    st = st == MPL_OK ? emit(s, "run", NULL, &run, rows, err) : st;
    st = st == MPL_OK ? emit_hosts(s, sums, rows, err) : st;
    st = st == MPL_OK ? emit_processes(s, sums, rows, err) : st;
    return st == MPL_OK ? emit_comms(s, rows, err) : st;
}

const struct mpl_view mpl_view_hosts = {
    .name = "hosts",
    .says =
        "how long run, hosts, processes and communicators compute, communicate and wait",
    .mark = MPL_MARK_BARS,
    .axes = { .of = { 0, 1 }, .n_of = 2, .y = { 4, 6, 7, 8, 9, 10 }, .n_y = 6, .wait = 5 },
    MPL_COLUMNS(columns),
    .by = 5,
    .make = make,
};
