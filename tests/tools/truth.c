#include "config.h"

#include "truth.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct moment {
    uint64_t ticks;
    int64_t offset_ticks;
};

/* The model of clock-truth-drift.txt; zeroed where there is none. */
struct drift {
    double first_ns, off_s, ppm, amp_s, per_s;
};

struct rank_truth {
    struct mpl_buf read; /* struct moment, while the file is read. */
    size_t n_moments;
    const struct moment *moment;
    bool has_drift;
    struct drift drift;
};

struct truth {
    uint32_t n_ranks;
    struct rank_truth *rank;
};

/* ---- reading -------------------------------------------------------------------------- */

static bool add_moment(struct rank_truth *rank, struct moment moment)
{
    struct moment *added = mpl_buf_add(&rank->read);

    if (added != NULL) {
        *added = moment;
    }
    return added != NULL;
}

static enum mpl_status read_line(struct truth *truth, const char *line, struct mpl_err *err)
{
    struct drift d = { 0 };
    double epoch_s;
    int64_t number[2] = { 0 };
    uint32_t rank;
    bool has_room = true;
    const int n_drift = sscanf(line, "%" SCNu32 " %lf %lf %lf %lf %lf %lf", &rank,
                               &d.first_ns, &epoch_s, &d.off_s, &d.ppm, &d.amp_s, &d.per_s);
    uint64_t ticks = 0;

    if (n_drift < 2 || rank >= truth->n_ranks) {
        return mpl_fail(err, MPL_E_SYNTAX, "no rank of the trace: \"%.40s\"", line);
    }
    if (n_drift == 7) {
        truth->rank[rank].has_drift = true;
        truth->rank[rank].drift = d;
    } else if (n_drift == 3 &&
               sscanf(line, "%*u %" SCNu64 " %" SCNd64, &ticks, &number[1]) == 2) {
        has_room = add_moment(&truth->rank[rank], (struct moment){ ticks, number[1] });
    } else if (n_drift == 2 && sscanf(line, "%*u %" SCNd64, &number[0]) == 1) {
        has_room = add_moment(&truth->rank[rank], (struct moment){ 0, number[0] });
    } else {
        return mpl_fail(err, MPL_E_SYNTAX, "neither 2, 3 nor 7 columns: \"%.40s\"", line);
    }
    return has_room ? MPL_OK : mpl_nomem(err);
}

static enum mpl_status take_moments(struct truth *truth, struct mpl_arena *arena,
                                    struct mpl_err *err)
{
    for (uint32_t r = 0; r < truth->n_ranks; r++) {
        struct rank_truth *rank = &truth->rank[r];

        rank->n_moments = rank->read.n;
        rank->moment = mpl_buf_take(&rank->read, arena);
        if (rank->moment == NULL) {
            return mpl_nomem(err);
        }
        if (rank->n_moments == 0 && !rank->has_drift) {
            return mpl_fail(err, MPL_E_SYNTAX, "nothing about rank %" PRIu32, r);
        }
        for (size_t i = 1; i < rank->n_moments; i++) {
            if (rank->moment[i].ticks <= rank->moment[i - 1].ticks) {
                return mpl_fail(err, MPL_E_SYNTAX,
                                "the times of rank %" PRIu32 " do not ascend", r);
            }
        }
    }
    return MPL_OK;
}

static enum mpl_status read_lines(struct truth *truth, FILE *file, struct mpl_err *err)
{
    char line[256];
    enum mpl_status st = MPL_OK;

    while (st == MPL_OK && fgets(line, sizeof line, file) != NULL) {
        if (line[0] != '#' && line[0] != '\n') {
            st = read_line(truth, line, err);
        }
    }
    return st;
}

enum mpl_status truth_read(const char *path, uint32_t n_ranks, struct mpl_arena *arena,
                           const struct truth **out, struct mpl_err *err)
{
    struct truth *truth = MPL_NEW(arena, struct truth);
    FILE *file = fopen(path, "r");
    enum mpl_status st;

    if (file == NULL) {
        return mpl_fail(err, MPL_E_IO, "%s: %s", path, strerror(errno));
    }
    if (truth != NULL) {
        truth->n_ranks = n_ranks;
        truth->rank = MPL_NEW_ARRAY(arena, n_ranks, struct rank_truth);
    }
    if (truth == NULL || truth->rank == NULL) {
        (void) fclose(file);
        return mpl_nomem(err);
    }
    for (uint32_t r = 0; r < n_ranks; r++) {
        truth->rank[r].read = mpl_buf_make(sizeof(struct moment));
    }
    st = read_lines(truth, file, err);
    (void) fclose(file);
    if (st == MPL_OK) {
        st = take_moments(truth, arena, err);
    }
    for (uint32_t r = 0; r < n_ranks; r++) {
        mpl_buf_free(&truth->rank[r].read);
    }
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "reading %s", path);
    }
    *out = truth;
    return MPL_OK;
}

/* ---- asking ------------------------------------------------------------------------------- */

static double local_s(const struct drift *d, double t)
{
    return t + d->off_s + t * d->ppm * 1e-6 +
           (d->amp_s == 0 ? 0 : d->amp_s * sin(2 * acos(-1) * t / d->per_s));
}

/* Clocks gain some 1e-4, so the fixed point is reached to a nanosecond in a few steps. */
static double true_s(const struct drift *d, uint64_t ticks)
{
    const double w = ((double) ticks + d->first_ns) * 1e-9;
    double t = w - d->off_s;

    for (int i = 0; i < 6; i++) {
        t += w - local_s(d, t);
    }
    return t;
}

static int64_t between(const struct rank_truth *rank, uint64_t ticks)
{
    const struct moment *moment = rank->moment;
    size_t low = 0;
    size_t high = rank->n_moments - 1;

    if (ticks <= moment[low].ticks) {
        return moment[low].offset_ticks;
    }
    if (ticks >= moment[high].ticks) {
        return moment[high].offset_ticks;
    }
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (moment[middle].ticks <= ticks) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return moment[low].offset_ticks +
           (int64_t) llround(
               (double) (moment[high].offset_ticks - moment[low].offset_ticks) *
               ((double) (ticks - moment[low].ticks) /
                (double) (moment[high].ticks - moment[low].ticks)));
}

int64_t truth_offset_ticks(const struct truth *truth, uint32_t rank, uint64_t ticks)
{
    const struct rank_truth *r = &truth->rank[rank];

    if (r->has_drift) {
        const struct drift *zero = &truth->rank[0].drift;

        return (int64_t) llround(local_s(zero, true_s(&r->drift, ticks)) * 1e9 -
                                 zero->first_ns - (double) ticks);
    }
    return between(r, ticks);
}

uint64_t truth_on_clock_of(const struct truth *truth, uint32_t reference, uint32_t rank,
                           uint64_t ticks)
{
    const uint64_t zero = ticks + (uint64_t) truth_offset_ticks(truth, rank, ticks);
    uint64_t shown = zero;

    for (int i = 0; i < 8 && reference > 0; i++) {
        shown = zero - (uint64_t) truth_offset_ticks(truth, reference, shown);
    }
    return reference == rank ? ticks : shown;
}
