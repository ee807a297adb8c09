#include "config.h"

#include "base/base.h"

#include <signal.h>

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
enum { N_ENDS = sizeof ends / sizeof *ends };

unsigned mpl_ends_hold(void)
{
    sigset_t blocked;
    sigset_t more;
    unsigned held = 0;

    (void) sigemptyset(&more);
    (void) sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (unsigned i = 0; i < N_ENDS; i++) {
        struct sigaction now;

        /* What nohup makes us ignore would be kept for later if it were held back. */
        if (sigismember(&blocked, ends[i]) == 0 && sigaction(ends[i], NULL, &now) == 0 &&
            now.sa_handler != SIG_IGN) {
            (void) sigaddset(&more, ends[i]);
            held |= 1U << i;
        }
    }
    (void) sigprocmask(SIG_BLOCK, &more, NULL);
    return held;
}

bool mpl_ends_are_asked_for(void)
{
    sigset_t pending;
    bool are = false;

    for (size_t i = 0; sigpending(&pending) == 0 && i < N_ENDS; i++) {
        are = are || sigismember(&pending, ends[i]) == 1;
    }
    return are;
}

void mpl_ends_let_go(unsigned held)
{
    sigset_t freed;

    (void) sigemptyset(&freed);
    for (unsigned i = 0; i < N_ENDS; i++) {
        if ((held & 1U << i) != 0) {
            (void) sigaddset(&freed, ends[i]);
        }
    }
    (void) sigprocmask(SIG_UNBLOCK, &freed, NULL);
}
