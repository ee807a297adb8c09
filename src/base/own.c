/* Where the running program is, and what belongs to it. */
#include "config.h"

#include "base/base.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *mpl_own_program(struct mpl_arena *arena)
{
    char path[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

    return n > 0 ? mpl_arena_strndup(arena, path, (size_t) n) : NULL;
}

const char *mpl_own_directory(struct mpl_arena *arena)
{
    const char *path = mpl_own_program(arena);
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;

    return slash != NULL ? mpl_arena_strndup(arena, path, (size_t) (slash - path)) : NULL;
}

static bool can_execute(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

const char *mpl_program_file(const char *name, struct mpl_arena *arena)
{
    const char *path = getenv("PATH");

    if (strchr(name, '/') != NULL) {
        return can_execute(name) ? mpl_arena_strdup(arena, name) : NULL;
    }
    for (const char *at = path != NULL ? path : "/bin:/usr/bin"; at != NULL;) {
        const size_t n = strcspn(at, ":");
        const char *file =
            mpl_arena_printf(arena, "%.*s/%s", n > 0 ? (int) n : 1, n > 0 ? at : ".", name);

        if (file != NULL && can_execute(file)) {
            return file;
        }
        at = at[n] == ':' ? at + n + 1 : NULL;
    }
    return NULL;
}

const char *mpl_own_library(const char *file, struct mpl_arena *arena)
{
    const char *own = mpl_own_directory(arena);
    const char *const places[] = {
        own != NULL ? mpl_arena_printf(arena, "%s/.libs/%s", own, file) : NULL,
        mpl_arena_printf(arena, "%s/%s", MPL_PKGLIBDIR, file),
        own != NULL ? mpl_arena_printf(arena, "%s/../lib/marple/%s", own, file) : NULL,
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i] != NULL && access(places[i], R_OK) == 0) {
            return places[i];
        }
    }
    return NULL;
}
