#include "config.h"

#include "../fuzz/cage.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/** What a child tells its parent, in memory that they share. Worker w does w, w + workers, ... */
struct slot {
    struct cage_tally tally;
    uint64_t at; /**< The input that it is trying. */
    pid_t pid;
    bool has_entered;
    bool is_done;
};

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static void work(const struct cage *cage, struct slot *slot, unsigned worker)
{
    (void) signal(SIGALRM, SIG_DFL);
    cage->enter(cage->context, worker);
    slot->has_entered = true;
    for (; slot->at < cage->n; slot->at += cage->n_workers) {
        (void) alarm(cage->timeout_s);
        slot->tally.n_status[cage->run(cage->context, slot->at)]++;
    }
    slot->is_done = true;
    _exit(EXIT_SUCCESS);
}

static void start(const struct cage *cage, struct slot *slot, unsigned worker)
{
    pid_t pid;

    (void) fflush(NULL);
    slot->has_entered = false;
    pid = fork();
    if (pid < 0) {
        fail("fork");
    }
    if (pid == 0) {
        work(cage, slot, worker);
    }
    slot->pid = pid; /* Not in the child, which would store its 0 there. */
}

/* The child has ended inside of an input. */
static void count_end(const struct cage *cage, struct slot *slot, int status)
{
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    char what[64];

    if (number == SIGALRM) {
        slot->tally.n_hangs++;
        (void) snprintf(what, sizeof what, "no end after %u s", cage->timeout_s);
    } else if (number == SIGABRT) {
        slot->tally.n_bugs++;
        (void) snprintf(what, sizeof what, "failed assertion");
    } else {
        slot->tally.n_signals++;
        (void) snprintf(what, sizeof what, "signal %d, status %d", number,
                        WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    cage->tell(cage->context, slot->at, what);
    slot->at += cage->n_workers;
}

static void add(struct cage_tally *sum, const struct cage_tally *one)
{
    for (size_t i = 0; i < CAGE_STATUSES; i++) {
        sum->n_status[i] += one->n_status[i];
    }
    sum->n_bugs += one->n_bugs;
    sum->n_signals += one->n_signals;
    sum->n_hangs += one->n_hangs;
}

void cage_run(const struct cage *cage, struct cage_tally *tally)
{
    struct slot *slots =
        (struct slot *) mmap(NULL, CAGE_WORKERS_MOST * sizeof *slots,
                             PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned n_left = cage->n_workers;

    if (slots == MAP_FAILED) {
        fail("mmap");
    }
    for (unsigned w = 0; w < cage->n_workers; w++) {
        slots[w].at = w;
        start(cage, &slots[w], w);
    }
    while (n_left > 0) {
        int status;
        const pid_t pid = wait(&status);

        for (unsigned w = 0; w < cage->n_workers; w++) {
            if (slots[w].pid != pid) {
                continue;
            }
            if (!slots[w].has_entered) {
                fprintf(stderr, "a child cannot begin its work\n");
                exit(EXIT_FAILURE);
            }
            if (!slots[w].is_done) {
                count_end(cage, &slots[w], status);
                start(cage, &slots[w], w);
            } else {
                add(tally, &slots[w].tally);
                n_left--;
            }
        }
    }
    (void) munmap(slots, CAGE_WORKERS_MOST * sizeof *slots);
}

bool cage_is_clean(const struct cage_tally *tally)
{
    return tally->n_bugs == 0 && tally->n_signals == 0 && tally->n_hangs == 0 &&
           tally->n_status[CAGE_STATUSES - 1] == 0;
}

void cage_print(const struct cage_tally *tally)
{
    for (size_t i = 0; i < CAGE_STATUSES; i++) {
        if (tally->n_status[i] > 0) {
            printf("  exit status %zu: %" PRIu64 "\n", i, tally->n_status[i]);
        }
    }
    printf("  failed assertions: %" PRIu64 ", signals: %" PRIu64 ", hangs: %" PRIu64 "\n",
           tally->n_bugs, tally->n_signals, tally->n_hangs);
}

void cage_be_quiet(void)
{
    const int fd = open("/dev/null", O_WRONLY);

    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0) {
        fail("/dev/null");
    }
    (void) close(fd);
}

size_t cage_pick(uint64_t *state, size_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (size_t) (*state % n);
}
