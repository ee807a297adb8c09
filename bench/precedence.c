/*
 * Measures what it takes to know who was first, on one core:
 *
 *     precedence MARPLE YARDSTICK ANCHOR...
 *
 * Per trace: CPU seconds of libotf2's local readers with empty callbacks, of making the net of dependences
 * and its timestamps, of the critical path, and of marple diagnose; and ratios. Then nanoseconds of a
 * question on a halo exchange of 256 processes (tests/tools/programs.h), inside of a cluster and
 * across, beside the same question to plain vectors, and the bytes of the timestamps; of all times that of the shortest turn. Ends
 * with 1 when a command fails, never because of a number.
 */
#include "config.h"

#include "../tests/tools/programs.h"
#include "causality/causality.h"
#include "critical/critical.h"
#include "measure.h"
#include "read/read.h"

#include <stdio.h>

enum { N_QUESTIONS = 100000 };

/* ---- traces ------------------------------------------------------------------------------------------ */

/* The run's events, their net and its timestamps; and the bytes of these. */
static double timestamps_s(const struct mpl_events *events, double *bytes)
{
    double seconds[TURNS];

    for (int i = 0; i < TURNS; i++) {
        struct mpl_arena *arena = mpl_arena_create();
        const double begin_s = now_s();
        struct mpl_precedences *precedences = mpl_precedences_create(
            mpl_events_model(events), mpl_events_match(events), arena);
        struct mpl_causality *causality = NULL;

        if (precedences == NULL ||
            mpl_precedences_get(precedences, &causality, NULL) != MPL_OK) {
            die("out of memory");
        }
        seconds[i] = now_s() - begin_s;
        *bytes = (double) mpl_causality_size(causality).bytes;
        mpl_arena_destroy(arena);
    }
    return shortest(seconds);
}

static double critical_s(const struct mpl_events *events)
{
    double seconds[TURNS];

    for (int i = 0; i < TURNS; i++) {
        struct mpl_arena *arena = mpl_arena_create();
        const struct mpl_critical *critical = NULL;
        const double begin_s = now_s();

        if (mpl_critical_create(events, arena, &critical, NULL) != MPL_OK) {
            die("out of memory");
        }
        seconds[i] = now_s() - begin_s;
        mpl_arena_destroy(arena);
    }
    return shortest(seconds);
}

static void measure_trace(char **argv, char *anchor)
{
    /* execv() promises to leave it alone, but its type does not say so. */
    static char word[] = "diagnose";
    char *const yardstick[] = { argv[2], anchor, NULL };
    char *const diagnose[] = { argv[1], word, anchor, NULL };
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_model *model = NULL;
    const struct mpl_match *match = NULL;
    const struct mpl_clock *clocks = NULL;
    const struct mpl_events *events = NULL;
    const double read_s = command(yardstick).cpu_s;
    const double diagnose_s = command(diagnose).cpu_s;
    double bytes = 0;

    if (mpl_read(anchor, arena, NULL, &model, NULL) != MPL_OK ||
        mpl_match_create(model, arena, &match, NULL) != MPL_OK ||
        mpl_clock_correct(model, match, NULL, NULL, arena, &clocks, NULL) != MPL_OK ||
        mpl_events_create(model, match, clocks, arena, &events, NULL) != MPL_OK) {
        die("cannot read the trace");
    }

    const double stamps_s = timestamps_s(events, &bytes);
    const double path_s = critical_s(events);

    printf("%12llu  %9u  %8.3f  %8.3f  %5.2f  %8.1f  %8.3f  %8.3f  %5.3f\n",
           (unsigned long long) model->n_events, model->n_locations, read_s, stamps_s,
           stamps_s / read_s, bytes / (double) model->n_events, path_s, diagnose_s,
           path_s / diagnose_s);
    mpl_arena_destroy(arena);
}

/* ---- questions ----------------------------------------------------------------------------------------- */

struct question {
    struct mpl_moment event;
    uint32_t location;
};

/* Questions that look at one number, or at more. */
static void draw(struct mpl_net *net, struct mpl_causality *c, bool is_inside,
                 struct question *questions)
{
    uint64_t dice = 2001;

    for (size_t n = 0; n < N_QUESTIONS;) {
        const uint64_t before = mpl_causality_cost(c).questions;
        struct question q;

        dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        q.event.location = (uint32_t) (dice >> 33) % net->n_tracks;
        q.event.event =
            (uint32_t) (dice >> 17) % net->model->locations[q.event.location].n_events;
        /* Who is near is seldom drawn among all. */
        q.location = is_inside
                         ? (q.event.location + (uint32_t) (dice >> 50) % 5) % net->n_tracks
                         : (uint32_t) (dice >> 41) % net->n_tracks;
        (void) mpl_causality_past(c, q.event, q.location);
        if (q.location != q.event.location &&
            (mpl_causality_cost(c).questions - before <= 1) == is_inside) {
            questions[n++] = q;
        }
    }
}

static double question_ns(struct mpl_causality *c, const struct question *questions)
{
    double seconds[TURNS];
    uint64_t sum = 0;

    for (int i = 0; i < TURNS; i++) {
        const double begin_s = now_s();

        for (size_t n = 0; n < N_QUESTIONS; n++) {
            sum += mpl_causality_past(c, questions[n].event, questions[n].location);
        }
        seconds[i] = now_s() - begin_s;
    }
    if (sum == 0) {
        die("nobody was first");
    }
    return 1e9 * shortest(seconds) / N_QUESTIONS;
}

static double n_events(const struct mpl_net *net)
{
    double n = 0;

    for (uint32_t l = 0; l < net->n_tracks; l++) {
        n += net->model->locations[l].n_events;
    }
    return n;
}

static void measure_questions(void)
{
    static const struct mpl_causality_options plain = { .n_levels = 0 };
    static const struct mpl_causality_options options[] = {
        { MPL_CLUSTER_INFORMED, 1, { MPL_USUAL_CLUSTER } }, /* What marple uses. */
        { MPL_CLUSTER_INFORMED, 2, { 8, 64 } },
        { MPL_CLUSTER_INFORMED, 3, { 4, 16, 64 } },
    };
    static struct question questions[N_QUESTIONS];
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_net *net = program_make(PROGRAM_HALO, arena);
    struct mpl_causality *vectors = NULL;

    if (net == NULL || mpl_causality_create(net, &plain, &vectors, NULL) != MPL_OK) {
        die("out of memory");
    }
    printf("\n%12s  %8s  %10s  %11s  %6s  %8s\n", "clusters", "question", "vectors ns",
           "clusters ns", "ratio", "B/event");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        struct mpl_causality *c = NULL;
        char most[32] = "";

        if (mpl_causality_create(net, &options[i], &c, NULL) != MPL_OK) {
            die("out of memory");
        }
        for (uint32_t k = 0, n = 0; k < options[i].n_levels; k++) {
            n += (uint32_t) snprintf(most + n, sizeof most - n, k == 0 ? "%u" : " %u",
                                     options[i].most[k]);
        }
        for (int is_inside = 1; is_inside >= 0; is_inside--) {
            draw(net, c, is_inside == 1, questions);

            const double plain_ns = question_ns(vectors, questions);
            const double ns = question_ns(c, questions);

            printf("%12s  %8s  %10.1f  %11.1f  %6.1f  %8.1f%s\n", most,
                   is_inside == 1 ? "inside" : "across", plain_ns, ns, ns / plain_ns,
                   (double) mpl_causality_size(c).bytes / n_events(net),
                   i == 0 ? "  used" : "");
        }
        mpl_causality_destroy(c);
    }
    mpl_causality_destroy(vectors);
    mpl_arena_destroy(arena);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: precedence MARPLE YARDSTICK ANCHOR...\n");
        return 2;
    }
    printf("%12s  %9s  %8s  %8s  %5s  %8s  %8s  %8s  %5s\n", "events", "locations", "(a) s",
           "stamps s", "s/a", "B/event", "path s", "(b) s", "p/b");
    for (int i = 3; i < argc; i++) {
        measure_trace(argv, argv[i]);
    }
    measure_questions();
    return 0;
}
