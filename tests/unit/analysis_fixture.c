#include "config.h"

#include "analysis_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- programs ------------------------------------------------------------------------------- */

char *program_text(const struct program *program, const int64_t *shift_us,
                   struct mpl_arena *arena)
{
    char *text = mpl_arena_strdup(arena, "unit us\n");

    for (uint32_t r = 0; r < program->n_ranks; r++) {
        const size_t room = 2 * strlen(program->text[r]) + 64;
        char *line = mpl_arena_alloc(arena, room);
        size_t n = 0;

        for (const char *c = program->text[r]; *c != '\0'; c++) {
            if (*c != '%') {
                line[n++] = *c;
                continue;
            }
            char *end;
            const long long at = strtoll(c + 1, &end, 10);

            n += (size_t) snprintf(line + n, room - n, "%lld",
                                   at + (shift_us != NULL ? (long long) shift_us[r] : 0));
            c = end - 1;
        }
        line[n] = '\0';
        text = mpl_arena_printf(arena, "%srank %u: %s\n", text, (unsigned) r, line);
    }
    return text;
}

void program_add(struct program *program, struct mpl_arena *arena, uint32_t rank,
                 const char *item, int64_t from_us, int64_t to_us, const char *rest)
{
    const char *before = program->text[rank] != NULL ? program->text[rank] : "";

    program->text[rank] =
        mpl_arena_printf(arena, "%s%s %%%lld..%%%lld %s  ", before, item,
                         10000 + (long long) from_us, 10000 + (long long) to_us, rest);
}

static int64_t draw(unsigned *state, int64_t below)
{
    *state = *state * 1103515245u + 12345u;
    return (int64_t) (*state >> 8) % below;
}

static void ring_round(struct program *p, struct mpl_arena *arena, int64_t *now,
                       unsigned *state)
{
    int64_t sent[LAB_RANKS];
    char rest[32];

    for (uint32_t r = 0; r < p->n_ranks; r++) {
        sent[r] = now[r];
        (void) snprintf(rest, sizeof rest, "to %u", (unsigned) ((r + 1) % p->n_ranks));
        program_add(p, arena, r, "send", now[r], now[r] + 3, rest);
        now[r] += 3;
    }
    for (uint32_t r = 0; r < p->n_ranks; r++) {
        const uint32_t from = (r + p->n_ranks - 1) % p->n_ranks;
        const int64_t arrives = sent[from] + 20 + draw(state, 40);
        const int64_t leave = (arrives > now[r] ? arrives : now[r]) + 1;

        (void) snprintf(rest, sizeof rest, "from %u", (unsigned) from);
        program_add(p, arena, r, "recv", now[r], leave, rest);
        now[r] = leave;
    }
}

static void barrier_round(struct program *p, struct mpl_arena *arena, int64_t *now,
                          unsigned *state)
{
    int64_t last = 0;

    for (uint32_t r = 0; r < p->n_ranks; r++) {
        last = now[r] > last ? now[r] : last;
    }
    for (uint32_t r = 0; r < p->n_ranks; r++) {
        const int64_t leave = last + 20 + draw(state, 30);

        program_add(p, arena, r, "barrier", now[r], leave, "");
        now[r] = leave;
    }
}

static void scan_round(struct program *p, struct mpl_arena *arena, int64_t *now,
                       unsigned *state)
{
    int64_t last = 0;

    for (uint32_t r = 0; r < p->n_ranks; r++) {
        last = now[r] > last ? now[r] : last;

        const int64_t leave = last + 20 + draw(state, 30);

        program_add(p, arena, r, "scan", now[r], leave, "bytes 8");
        now[r] = leave;
    }
}

static void bcast_round(struct program *p, struct mpl_arena *arena, int64_t *now,
                        unsigned *state)
{
    const uint32_t root = (uint32_t) draw(state, p->n_ranks);
    const int64_t sent = now[root];
    char rest[32];

    (void) snprintf(rest, sizeof rest, "root %u bytes 8", (unsigned) root);
    for (uint32_t r = 0; r < p->n_ranks; r++) {
        const int64_t arrives = sent + 20 + draw(state, 30);
        const int64_t leave =
            r == root ? now[r] + 2 : (arrives > now[r] ? arrives : now[r]) + 1;

        program_add(p, arena, r, "bcast", now[r], leave, rest);
        now[r] = leave;
    }
}

struct program program_draw(unsigned seed, struct mpl_arena *arena)
{
    unsigned state = seed * 2654435761u + 17;
    struct program p = { .n_ranks = 3 + (uint32_t) draw(&state, 4) };
    int64_t now[LAB_RANKS] = { 0 };

    for (int round = 0; round < 12; round++) {
        for (uint32_t r = 0; r < p.n_ranks; r++) {
            const int64_t work = 40 + draw(&state, 120) + (r == seed % p.n_ranks ? 90 : 0);

            program_add(&p, arena, r, "compute", now[r], now[r] + work, "");
            now[r] += work;
        }
        switch (draw(&state, 5)) {
        case 0:
            barrier_round(&p, arena, now, &state);
            break;
        case 1:
            scan_round(&p, arena, now, &state);
            break;
        case 2:
            bcast_round(&p, arena, now, &state);
            break;
        default:
            ring_round(&p, arena, now, &state);
        }
    }
    return p;
}

struct program late_sender(int64_t room_us, struct mpl_arena *arena)
{
    struct program p = { .n_ranks = 2 };

    for (int round = 0; round < 20; round++) {
        const int64_t t = round * (61 + 2 * room_us);
        const int64_t answer = t + 60 + room_us;

        program_add(&p, arena, 0, "compute", t, t + 60, "");
        program_add(&p, arena, 0, "send", t + 60, t + 61, "to 1");
        program_add(&p, arena, 1, "compute", t, t + 30, "");
        program_add(&p, arena, 1, "recv", t + 30, answer, "from 0");
        program_add(&p, arena, 1, "send", answer, answer + 1, "to 0");
        program_add(&p, arena, 0, "recv", answer + room_us / 2, answer + room_us, "from 1");
    }
    return p;
}

/* ---- diagnoses ---------------------------------------------------------------------------------- */

struct mpl_analysis *analyse_path(const char *path, const struct mpl_progress *progress)
{
    const char *top = getenv("top_srcdir");
    const char *knowledge[] = { top != NULL ? top : "." };
    const struct mpl_analysis_options options = { .knowledge = knowledge,
                                                  .n_knowledge = 1,
                                                  .progress = progress };
    struct mpl_analysis *a = NULL;
    struct mpl_err err = { 0 };
    const enum mpl_status st = mpl_analysis_run(&path, 1, &options, &a, &err);

    ck_assert_msg(st == MPL_OK, "%s", err.cause[0].text);
    return a;
}

struct mpl_analysis *analyse_text(const char *text)
{
    const char *tmp = getenv("TMPDIR");
    char path[4096];
    const size_t n = strlen(text);
    int fd;

    (void) snprintf(path, sizeof path, "%s/marple-analysis-XXXXXX",
                    tmp != NULL ? tmp : "/tmp");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, n), (ssize_t) n);
    (void) close(fd);

    struct mpl_analysis *a = analyse_path(path, NULL);

    (void) unlink(path);
    ck_assert_msg(a->diagnosis.verdict != MPL_VERDICT_UNUSABLE, "%s\n%s",
                  a->diagnosis.summary, text);
    return a;
}

const struct mpl_diagnosed *find_finding(const struct mpl_analysis *a, const char *name)
{
    for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
        if (strcmp(a->diagnosis.findings[i].finding->name, name) == 0) {
            return &a->diagnosis.findings[i];
        }
    }
    return NULL;
}

struct mpl_clock *set_bounds(struct mpl_analysis *a, const int64_t *bound_us)
{
    const uint32_t n = a->runs[0].model->n_locations;
    const int64_t ticks_per_us = (int64_t) a->runs[0].model->ticks_per_s / 1000000;
    struct mpl_clock *clock = MPL_NEW(a->arena, struct mpl_clock);
    int64_t *low = MPL_NEW_ARRAY(a->arena, n, int64_t);
    int64_t *high = MPL_NEW_ARRAY(a->arena, n, int64_t);

    ck_assert_ptr_nonnull(clock);
    ck_assert_ptr_nonnull(low);
    ck_assert_ptr_nonnull(high);
    *clock = *a->runs[0].clock;
    clock->source = MPL_CLOCK_MESSAGES;
    for (uint32_t l = 0; l < n; l++) {
        high[l] = bound_us[l] == INT64_MAX ? INT64_MAX : bound_us[l] * ticks_per_us;
        low[l] = bound_us[l] == INT64_MAX ? INT64_MIN : -high[l];
    }
    clock->low_ticks = low;
    clock->high_ticks = high;
    clock->bound_ticks = high;
    a->runs[0].clock = clock;
    return clock;
}

enum mpl_status weigh_clocks(struct mpl_analysis *a, struct mpl_err *err)
{
    const enum mpl_status st = mpl_clocks_doubt(a, a->arena, &a->clock_doubts, err);

    return st == MPL_OK ? mpl_clocks_weigh(a, err) : st;
}
