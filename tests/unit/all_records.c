/* all_records DIRECTORY ROUNDS: writes the archive of sync_archive.h, for tests by script. */
#include "config.h"

#include "sync_archive.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: all_records DIRECTORY ROUNDS\n");
        return 2;
    }
    return sync_archive_write(argv[1], (unsigned) atoi(argv[2])) ? 0 : 1;
}
