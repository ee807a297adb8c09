#include "traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

const char *traces_folder(void)
{
    const char *folder = getenv("MARPLE_TRACES");
    struct stat status;

    return folder != NULL && stat(folder, &status) == 0 && S_ISDIR(status.st_mode) ? folder
                                                                                   : NULL;
}

bool traces_are_there(const char *what)
{
    const bool are_there = traces_folder() != NULL;

    if (!are_there) {
        /* tests/lib/unit makes a result of it. */
        printf("# SKIP %s: MARPLE_TRACES names no folder of traces\n", what);
    }
    return are_there;
}
