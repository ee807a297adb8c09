/*
 * Times. CLOCK_MONOTONIC is the clock of records: all processes of a machine read the same, and it never jumps. The
 * kernel makes it from the processor's counter where that runs evenly and alike on all cores; there the counter itself
 * is read, in half of the time, and now and then both, so that counts become times when the run is over.
 */
#include "config.h"

#include "trace/record_priv.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

enum { FIRST_GAP_MS = 50, TRIES = 5 };

bool mpl_has_counter;

static struct mpl_spool_tie first; /* When the program was loaded. */
static uint64_t gap;               /* Between ties, in counts. */
static uint64_t last;

uint64_t mpl_clock_ns(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec;
}

#ifdef __x86_64__
/* The kernel watches the counter, and takes another source where it does not trust it. */
static bool does_kernel_use_counter(void)
{
    char text[8] = "";
    const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                        O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return false;
    }
    const ssize_t n = read(fd, text, sizeof text - 1);
    (void) close(fd);
    return n == 4 && strcmp(text, "tsc\n") == 0;
}

static bool can_count(void)
{
    const char *asked = getenv("MARPLE_TRACE_CLOCK");
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;

    return (asked == NULL || strcmp(asked, "monotonic") != 0) &&
           __get_cpuid(0x80000007, &a, &b, &c, &d) == 1 &&
           (d >> 8 & 1) != 0 && /* "invariant TSC" */
           does_kernel_use_counter();
}
#else
static bool can_count(void)
{
    return false;
}
#endif

/* Both clocks at one moment: of several tries the one that nothing came between. */
static struct mpl_spool_tie read_both(void)
{
    struct mpl_spool_tie best = { 0 };
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < TRIES; i++) {
        const uint64_t begin = mpl_now();
        const uint64_t ns = mpl_clock_ns();
        const uint64_t end = mpl_now_behind();

        if (end - begin < least) {
            least = end - begin;
            best = (struct mpl_spool_tie){ begin + least / 2, ns };
        }
    }
    return best;
}

void mpl_time_load(void)
{
    if (getenv("MARPLE_TRACE_SPOOLS") != NULL && can_count()) {
        mpl_has_counter = true;
        first = read_both();
    }
}

/* When there is room for no more, every second one goes, and from then on they are twice as far apart. */
static void add(struct mpl_spool_head *head, struct mpl_spool_tie tie)
{
    if (head->n_ties == MPL_SPOOL_TIES) {
        for (uint32_t i = 0; i < MPL_SPOOL_TIES / 2; i++) {
            head->ties[i] = head->ties[2 * i];
        }
        head->n_ties = MPL_SPOOL_TIES / 2;
        gap *= 2;
    }
    head->ties[head->n_ties] = tie;
    __atomic_store_n(&head->n_ties, head->n_ties + 1, __ATOMIC_RELEASE);
    last = tie.ticks;
}

void mpl_time_open(struct mpl_spool_head *head)
{
    if (mpl_has_counter) {
        const struct mpl_spool_tie now = read_both();

        head->is_counted = 1;
        add(head, first);
        add(head, now);
        gap = mpl_time_of_ns((uint64_t) FIRST_GAP_MS * 1000000);
    }
}

uint64_t mpl_time_of_ns(uint64_t ns)
{
    const struct mpl_spool_head *head = mpl_spool_borrow();

    if (!mpl_has_counter || head == NULL || head->n_ties < 2) {
        return ns;
    }
    return (uint64_t) ((double) ns * (double) (head->ties[1].ticks - head->ties[0].ticks) /
                       (double) (head->ties[1].ns - head->ties[0].ns));
}

void mpl_time_tie(bool is_last)
{
    struct mpl_spool_head *head = mpl_spool_borrow();

    if (!mpl_has_counter || head == NULL || (!is_last && mpl_now() - last < gap)) {
        return;
    }
    mpl_lock();
    add(head, read_both());
    mpl_unlock();
}

static void append_file(char *text, const char *path)
{
    const size_t n = strlen(text);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, text + n, MPL_SPOOL_HOST - 1 - n) : 0;

    text[n + (got > 0 ? (size_t) got : 0)] = '\0';
    text[n + strcspn(text + n, "\n")] = '\0';
    if (fd >= 0) {
        (void) close(fd);
    }
}

/*
 * All processes of a machine read one clock, unless they are in different time namespaces. Who does not trust
 * that has each process measured.
 */
void mpl_clock_name(char *text)
{
    const char *asked = getenv("MARPLE_TRACE_CLOCKS");

    memset(text, 0, MPL_SPOOL_HOST);
    if (asked != NULL && strcmp(asked, "each") == 0) {
        (void) snprintf(text, MPL_SPOOL_HOST, "process %ld ", (long) getpid());
    }
    append_file(text, "/proc/sys/kernel/random/boot_id");
    const ssize_t n = (ssize_t) strlen(text);
    (void) readlink("/proc/self/ns/time", text + n, MPL_SPOOL_HOST - 1 - (size_t) n);
}
