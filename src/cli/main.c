#include "config.h"

#include "cli/cli.h"

#include <signal.h>
#include <unistd.h>

/* A failed assertion has said what is wrong; here it only gets the exit status of a bug. */
static void tell_bug(int signal_number)
{
    (void) signal_number;
    _exit(MPL_EXIT_BUG);
}

int main(int argc, char **argv)
{
    /* A caller may leave out even the program's name. */
    const int n = argc > 0 ? argc - 1 : 0;

    mpl_alloc_keep_freed();
    (void) signal(SIGABRT, tell_bug);
    return mpl_cli_main(n, (const char *const *) argv + 1, stdout);
}
