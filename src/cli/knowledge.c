#include "config.h"

#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

static bool holds_knowledge(struct mpl_arena *arena, const char *directory)
{
    const char *file = mpl_arena_printf(arena, "%s/rules/vocabulary.clp", directory);

    return file != NULL && access(file, R_OK) == 0;
}

enum mpl_status mpl_knowledge_find(struct mpl_arena *arena, const char **out,
                                   struct mpl_err *err)
{
    /* What the user says counts, even if it is wrong: another place would be a surprise. */
    const char *asked = getenv("MARPLE_DATA");
    if (asked != NULL && asked[0] != '\0') {
        if (!holds_knowledge(arena, asked)) {
            return mpl_fail(err, MPL_E_IO,
                            "MARPLE_DATA is \"%s\", which holds no rules/vocabulary.clp",
                            asked);
        }
        *out = asked;
        return MPL_OK;
    }
    const char *own = mpl_own_directory(arena);
    const char *moved =
        own == NULL ? NULL : mpl_arena_printf(arena, "%s/../share/marple", own);
    const char *const places[] = { own, moved, MPL_PKGDATADIR };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i] != NULL && holds_knowledge(arena, places[i])) {
            *out = places[i];
            return MPL_OK;
        }
    }
    return mpl_fail(
        err, MPL_E_IO,
        "no patterns and rules in \"%s\" or \"%s\"; MARPLE_DATA can name their place",
        own != NULL ? own : ".", MPL_PKGDATADIR);
}
