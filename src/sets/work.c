/*
 * What a run does: how much it computes and communicates, and of which program it looks like a run.
 *
 * Names of files do not distinguish programs: some benchmarks have an executable for each number of
 * processes. What a program calls does, and the pattern of its messages.
 */
#include "config.h"

#include "sets/sets_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A process that computes less than this share of the mean manages the others, or idles. */
static const double computing_share = 0.25;

/* Of the functions of MPI that either run calls, those that both must call. Other numbers of
 * processes and other settings change a few of them. */
static const double common_share = 0.5;

/* Fewer processes may look like several patterns: a tree of three is a star. Runs that call the same
 * functions are then of one program, whatever they look like. */
static const uint32_t telling_processes = 4;

/* The functions that a run calls, as ascending numbers. */
struct calls {
    uint32_t *mpi;
    uint32_t n_mpi;
    uint32_t *own; /* of the program itself */
    uint32_t n_own;
};

struct programs {
    const struct mpl_sets_input *in;
    struct mpl_arena *scratch;
    struct mpl_names *names;
    struct calls *calls;     /* per run */
    uint32_t *first_pattern; /* per run, and one more: its first one in the input */
    uint32_t *exemplar;      /* per program, a run of it */
    uint32_t n;
};

bool mpl_works_are_same(double x, double y)
{
    const double low = x < y ? x : y;
    const double high = x < y ? y : x;

    return high <= low * MPL_SAME_WORK;
}

/* ---- amounts ------------------------------------------------------------------------------- */

static double process_compute_s(const struct mpl_run *run, uint32_t process)
{
    const struct mpl_process *p = &run->model->processes[process];
    double sum_s = 0;

    for (uint32_t i = 0; i < p->n_locations; i++) {
        sum_s += mpl_events_totals(run->events, p->locations[i])->class_s[MPL_SPAN_COMPUTE];
    }
    return sum_s;
}

static void measure(const struct mpl_run *run, struct work *work)
{
    const struct mpl_match_counts *counts = &run->match->counts;
    const uint32_t n = run->model->n_processes;

    for (uint32_t p = 0; p < n; p++) {
        work->compute_s += process_compute_s(run, p);
    }
    for (uint32_t p = 0; p < n; p++) {
        work->n_computing +=
            process_compute_s(run, p) >= computing_share * work->compute_s / n;
    }
    work->n_calls = counts->pairs + counts->unmatched_sends + counts->collectives;
}

/* ---- programs ------------------------------------------------------------------------------ */

static int by_number(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *) x;
    const uint32_t b = *(const uint32_t *) y;

    return a < b ? -1 : a > b;
}

static uint32_t without_repetition(uint32_t *numbers, uint32_t n)
{
    uint32_t kept = 0;

    qsort(numbers, n, sizeof *numbers, by_number);
    for (uint32_t i = 0; i < n; i++) {
        if (kept == 0 || numbers[kept - 1] != numbers[i]) {
            numbers[kept++] = numbers[i];
        }
    }
    return kept;
}

/* "MPI_Send" and Fortran's "mpi_send_" are the same function. */
static uint32_t number_of(struct programs *p, const struct mpl_region *region)
{
    char *name = mpl_arena_strdup(p->scratch, region->name);
    size_t n = name == NULL ? 0 : strlen(name);

    if (name == NULL) {
        return MPL_NONE;
    }
    for (size_t i = 0; i < n && region->kind != MPL_REGION_USER; i++) {
        name[i] = (char) tolower((unsigned char) name[i]);
    }
    while (n > 0 && name[n - 1] == '_' && region->kind != MPL_REGION_USER) {
        name[--n] = '\0';
    }
    return mpl_names_put(p->names, name);
}

static void mark_called(const struct mpl_model *model, bool *is_called)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        for (uint32_t i = 0; i < loc->n_events; i++) {
            if (mpl_kind_of(loc, i) == MPL_EV_ENTER) {
                is_called[mpl_ref_of(loc, i)] = true;
            }
        }
    }
}

static enum mpl_status find_calls(struct programs *p, const struct mpl_model *model,
                                  struct calls *calls, struct mpl_err *err)
{
    bool *is_called = MPL_NEW_ARRAY(p->scratch, model->n_regions, bool);

    calls->mpi = MPL_NEW_ARRAY(p->scratch, model->n_regions, uint32_t);
    calls->own = MPL_NEW_ARRAY(p->scratch, model->n_regions, uint32_t);
    if (is_called == NULL || calls->mpi == NULL || calls->own == NULL) {
        return mpl_nomem(err);
    }
    mark_called(model, is_called);
    for (uint32_t r = 0; r < model->n_regions; r++) {
        const enum mpl_region_kind kind = model->regions[r].kind;
        const bool is_own = kind == MPL_REGION_USER;

        /* Of the other calls of MPI some tracers record all and some none. */
        if (!is_called[r] ||
            (!is_own && kind != MPL_REGION_MPI_P2P && kind != MPL_REGION_MPI_COLL)) {
            continue;
        }
        const uint32_t number = number_of(p, &model->regions[r]);

        if (number == MPL_NONE) {
            return mpl_nomem(err);
        }
        if (is_own) {
            calls->own[calls->n_own++] = number;
        } else {
            calls->mpi[calls->n_mpi++] = number;
        }
    }
    calls->n_mpi = without_repetition(calls->mpi, calls->n_mpi);
    calls->n_own = without_repetition(calls->own, calls->n_own);
    return MPL_OK;
}

static uint32_t count_common(const uint32_t *x, uint32_t n, const uint32_t *y, uint32_t m)
{
    uint32_t common = 0;

    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        common += x[i] == y[k];
        if (x[i] <= y[k]) {
            k += x[i] == y[k];
            i++;
        } else {
            k++;
        }
    }
    return common;
}

/* Whether both runs have patterns, and none in common. */
static bool are_of_other_patterns(const struct programs *p, uint32_t x, uint32_t y)
{
    const uint32_t *first = p->first_pattern;

    for (uint32_t i = first[x]; i < first[x + 1]; i++) {
        for (uint32_t k = first[y]; k < first[y + 1]; k++) {
            const struct mpl_pattern *s = p->in->patterns[i].pattern;
            const struct mpl_pattern *t = p->in->patterns[k].pattern;

            if (s == t || mpl_pattern_extends(s, t) || mpl_pattern_extends(t, s)) {
                return false;
            }
        }
    }
    return first[x] < first[x + 1] && first[y] < first[y + 1];
}

static uint32_t n_processes(const struct programs *p, uint32_t run)
{
    return p->in->runs[run].model->n_processes;
}

static bool is_same_program(const struct programs *p, uint32_t x, uint32_t y)
{
    const struct calls *a = &p->calls[x];
    const struct calls *b = &p->calls[y];
    const uint32_t common = count_common(a->mpi, a->n_mpi, b->mpi, b->n_mpi);
    const uint32_t all = a->n_mpi + b->n_mpi - common;

    if ((a->n_mpi > 0 && b->n_mpi > 0 && common < common_share * all) ||
        (a->n_own > 0 && b->n_own > 0 &&
         count_common(a->own, a->n_own, b->own, b->n_own) == 0)) {
        return false;
    }
    return (common == all && (n_processes(p, x) < telling_processes ||
                              n_processes(p, y) < telling_processes)) ||
           !are_of_other_patterns(p, x, y);
}

static uint32_t program_of(struct programs *p, uint32_t run)
{
    for (uint32_t i = 0; i < p->n; i++) {
        if (is_same_program(p, p->exemplar[i], run)) {
            return i;
        }
    }
    p->exemplar[p->n] = run;
    return p->n++;
}

static void find_patterns(struct programs *p)
{
    uint32_t at = 0;

    for (uint32_t r = 0; r <= p->in->n_runs; r++) {
        while (at < p->in->n_patterns && p->in->patterns[at].run < r) {
            at++;
        }
        p->first_pattern[r] = at;
    }
}

static enum mpl_status tell_programs_apart(struct programs *p, struct work *works,
                                           struct mpl_err *err)
{
    const size_t n = p->in->n_runs;
    enum mpl_status st = MPL_OK;

    p->calls = MPL_NEW_ARRAY(p->scratch, n, struct calls);
    p->first_pattern = MPL_NEW_ARRAY(p->scratch, n + 1, uint32_t);
    p->exemplar = MPL_NEW_ARRAY(p->scratch, n, uint32_t);
    p->names = mpl_names_create();
    if (p->calls == NULL || p->first_pattern == NULL || p->exemplar == NULL ||
        p->names == NULL) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK) {
        find_patterns(p);
    }
    for (uint32_t r = 0; r < n && st == MPL_OK; r++) {
        if (mpl_run_is_usable(&p->in->runs[r])) {
            st = find_calls(p, p->in->runs[r].model, &p->calls[r], err);
            works[r].program = st == MPL_OK ? program_of(p, r) : 0;
        }
    }
    mpl_names_destroy(p->names);
    return st;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* "node7" and "node7.cluster" are one. */
static bool is_same_host(const char *x, const char *y)
{
    const size_t n = strcspn(x, ".");

    return strcspn(y, ".") == n && strncmp(x, y, n) == 0;
}

/* Started on a login node, it may have run on others, of whose cores nobody knows. */
static void mind_hosts(struct mpl_run *run)
{
    const char *started_on = run->machine.host;
    bool is_elsewhere = run->model != NULL && started_on != NULL;

    for (uint32_t p = 0; is_elsewhere && p < run->model->n_processes; p++) {
        const char *host = run->model->processes[p].host;

        is_elsewhere = host != NULL && !is_same_host(host, started_on);
    }
    if (is_elsewhere) {
        run->machine = (struct mpl_machine){ .host = started_on, .foreign_cores = NAN };
    }
}

/* What the manifest notes about the runs, found by the paths of their traces. */
static enum mpl_status take_manifest(const struct mpl_sets_input *in,
                                     struct mpl_arena *scratch, struct work *works,
                                     struct mpl_err *err)
{
    const struct mpl_manifest *m = in->manifest;
    size_t *noted = MPL_NEW_ARRAY(scratch, m->n, size_t);
    struct mpl_names *paths = mpl_names_create();
    enum mpl_status st = paths == NULL || noted == NULL ? mpl_nomem(err) : MPL_OK;

    for (size_t i = 0; i < m->n && st == MPL_OK; i++) {
        const uint32_t number = mpl_names_put(paths, m->runs[i].trace);

        if (number == MPL_NONE) {
            st = mpl_nomem(err);
        } else {
            noted[number] = i;
        }
    }
    for (size_t r = 0; r < in->n_runs && st == MPL_OK; r++) {
        const uint32_t number = mpl_names_find(paths, in->runs[r].path);

        if (number != MPL_NONE) {
            works[r].settings = m->runs[noted[number]].settings;
            in->runs[r].label = m->runs[noted[number]].label;
            in->runs[r].machine = m->runs[noted[number]].machine;
            mind_hosts(&in->runs[r]);
            works[r].expected = m->runs[noted[number]].processes;
        }
    }
    mpl_names_destroy(paths);
    return st;
}

enum mpl_status mpl_works_create(const struct mpl_sets_input *in, struct mpl_arena *arena,
                                 struct work **out, struct mpl_err *err)
{
    struct work *works = MPL_NEW_ARRAY(arena, in->n_runs, struct work);
    struct programs p = { .in = in, .scratch = mpl_arena_create() };
    enum mpl_status st = MPL_OK;

    if (works == NULL || p.scratch == NULL) {
        mpl_arena_destroy(p.scratch);
        return mpl_nomem(err);
    }
    for (size_t r = 0; r < in->n_runs; r++) {
        if (mpl_run_is_usable(&in->runs[r])) {
            measure(&in->runs[r], &works[r]);
        }
    }
    if (in->manifest != NULL) {
        st = take_manifest(in, p.scratch, works, err);
    }
    /* A single run is of one program; a look at all of its events would show nothing. */
    if (st == MPL_OK && in->n_runs > 1) {
        st = tell_programs_apart(&p, works, err);
    }
    mpl_arena_destroy(p.scratch);
    *out = works;
    return st;
}
