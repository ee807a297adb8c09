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
    (void) signal(SIGABRT, tell_bug);
    return mpl_cli_main(argc - 1, argv + (argc > 0), stdout);
}
