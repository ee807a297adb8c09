#include "effort.h"

#include <stdlib.h>
#include <string.h>

int seeds_of(int all)
{
    const char *effort = getenv("MARPLE_TESTS");

    return effort != NULL && strcmp(effort, "full") == 0 ? all : (all + 5) / 6;
}
