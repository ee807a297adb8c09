/*
 * Iterated local champion search, as in the case study of the paper DiffTrace: in each process one thread looks for short
 * tours, and another one asks from time to time who has the shortest, until nobody finds a shorter one.
 *
 * ilcs [BUG PROCESS THREAD]: with a bug of its Table X, by number; 0: without.
 */
#include <mpi.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CITIES = 40, WORKERS = 1, PATIENCE = 12, INFINITE_AT = 20, ROUND_US = 3000 };

struct champion {
    double length;
    unsigned char tour[CITIES];
};
struct worker {
    int number; /* From 1. */
    struct champion best;
};

static struct worker workers[WORKERS];
static struct champion shared; /* The shortest of the process. */
static atomic_bool goes_on = true;
static double city[CITIES][2];
static int rank;
static int bug;
static int buggy_process;
static int buggy_thread;

/* Bugs of a kind come in up to four: in one thread of one process, in that thread of all, in one process, in all. */
static bool misses_lock(int first, int thread)
{
    return (bug == first && rank == buggy_process && thread == buggy_thread) ||
           (bug == first + 1 && thread == buggy_thread) ||
           (bug == first + 2 && rank == buggy_process) || bug == first + 3;
}

static double length_of(const unsigned char *tour)
{
    double sum = 0;

    for (int i = 0; i < CITIES; i++) {
        const double *a = city[tour[i]];
        const double *b = city[tour[(i + 1) % CITIES]];

        sum += (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
    }
    return sum;
}

/* A tour from a seed, and what exchanging stretches makes of it. */
static struct champion search(unsigned seed)
{
    struct champion c;

    for (int i = 0; i < CITIES; i++) {
        c.tour[i] = (unsigned char) i;
    }
    for (int i = CITIES - 1; i > 0; i--) {
        const int k = rand_r(&seed) % (i + 1);
        const unsigned char swap = c.tour[i];

        c.tour[i] = c.tour[k];
        c.tour[k] = swap;
    }
    c.length = length_of(c.tour);
    for (int n = 0; n < 200; n++) {
        const int i = rand_r(&seed) % CITIES;
        const int k = rand_r(&seed) % CITIES;
        unsigned char swap = c.tour[i];
        double length;

        c.tour[i] = c.tour[k];
        c.tour[k] = swap;
        length = length_of(c.tour);
        if (length < c.length) {
            c.length = length;
        } else {
            swap = c.tour[i];
            c.tour[i] = c.tour[k];
            c.tour[k] = swap;
        }
    }
    return c;
}

static void copy(struct champion *to, const struct champion *from, bool is_locked)
{
    if (is_locked) {
#pragma omp critical
        *to = *from;
    } else {
        *to = *from;
    }
}

static void work(struct worker *w)
{
    for (unsigned n = 0; atomic_load(&goes_on); n++) {
        const struct champion c =
            search(n * 7919U + (unsigned) rank * 131U + (unsigned) w->number);

        while (bug == 19 && rank == buggy_process && w->number == buggy_thread &&
               n == INFINITE_AT) {
            usleep(1000);
        }
        if (c.length < w->best.length) {
            copy(&w->best, &c, !misses_lock(9, w->number));
            if (c.length < shared.length) {
                copy(&shared, &c, !misses_lock(13, w->number));
            }
        }
        usleep(200);
    }
}

/* Who has the shortest tour tells all others. */
static double agree(struct champion *global)
{
    const bool is_mine = rank == buggy_process;
    const int n_first = (bug == 2 && is_mine) || bug == 3 ? 1 : 2;
    const int n_second = (bug == 5 && is_mine) || bug == 6 ? 1 : 2;
    const int more = (bug == 7 && is_mine) || bug == 8 ? 8 : 0;
    char buffer[sizeof *global + 8] = { 0 };
    double mine[2] = { shared.length, 0 };
    double least[2] = { 1e9, 0 };
    int champion[2] = { 0, 0 };
    int all[2] = { 0, 0 };

    MPI_Allreduce(mine, least, n_first, MPI_DOUBLE, bug == 1 && is_mine ? MPI_MAX : MPI_MIN,
                  MPI_COMM_WORLD);
    champion[0] = mine[0] <= least[0] ? rank : 1 << 20;
    MPI_Allreduce(champion, all, n_second, MPI_INT, bug == 4 && is_mine ? MPI_MAX : MPI_MIN,
                  MPI_COMM_WORLD);
    all[0] = all[0] < 0 || all[0] >= 1 << 20 ? 0 : all[0];
    if (all[0] == rank) {
        const bool is_locked = !(bug == 17 && is_mine) && bug != 18;

        copy((struct champion *) buffer, &shared, is_locked);
    }
    MPI_Bcast(buffer, (int) sizeof *global + more, MPI_BYTE, all[0], MPI_COMM_WORLD);
    memcpy(global, buffer, sizeof *global);
    return global->length;
}

/* Until nobody has found anything shorter for some rounds. */
static void lead(struct champion *global)
{
    double before = 1e9;

    for (int unchanged = 0; unchanged < PATIENCE;) {
        usleep(ROUND_US);

        const double least = agree(global);

        unchanged = least < before ? 0 : unchanged + 1;
        before = least < before ? least : before;
    }
    atomic_store(&goes_on, false);
}

int main(int argc, char **argv)
{
    struct champion global = { .length = 1e9 };
    int provided;
    int n_all = 0;
    int n = WORKERS;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc == 4) {
        bug = atoi(argv[1]);
        buggy_process = atoi(argv[2]);
        buggy_thread = atoi(argv[3]);
    }
    srand(1);
    for (int i = 0; i < CITIES; i++) {
        city[i][0] = rand() % 100;
        city[i][1] = rand() % 100;
    }
    MPI_Reduce(&n, &n_all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    shared.length = 1e9;
    MPI_Barrier(MPI_COMM_WORLD);
#pragma omp parallel num_threads(WORKERS + 1)
    {
        const int thread = omp_get_thread_num();

        if (thread == 0) {
            lead(&global);
        } else {
            workers[thread - 1] = (struct worker){ thread, { .length = 1e9 } };
            work(&workers[thread - 1]);
        }
    }
    agree(&global);
    if (rank == 0) {
        printf("%d workers: %.0f\n", n_all, global.length);
    }
    MPI_Finalize();
    return 0;
}
