#include "config.h"

#include "base/base_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Grows by what came, not by what stat() promised: pipes and /proc promise nothing. */
static enum mpl_status read_all(FILE *in, size_t limit, char **bytes, size_t *n,
                                struct mpl_err *err)
{
    size_t room = 0;

    for (;;) {
        if (*n + 1 >= room) {
            room = room == 0 ? 16 * 1024 : room * 2;

            char *grown = mpl_heap_resize(*bytes, room, 1);

            if (grown == NULL) {
                return mpl_nomem(err);
            }
            *bytes = grown;
        }

        const size_t got = fread(*bytes + *n, 1, room - *n - 1, in);

        *n += got;
        if (*n > limit) {
            return mpl_fail(err, MPL_E_LIMIT, "it is larger than %zu bytes", limit);
        }
        if (got == 0) {
            return ferror(in) ? mpl_fail(err, MPL_E_IO, "%s", strerror(errno)) : MPL_OK;
        }
    }
}

enum mpl_status mpl_file_read(const char *path, size_t limit, struct mpl_arena *arena,
                              char **text, size_t *bytes, struct mpl_err *err)
{
    FILE *in = fopen(path, "rb");
    enum mpl_status st = MPL_OK;
    char *all = NULL;
    size_t n = 0;

    if (in == NULL) {
        st = mpl_fail(err, MPL_E_IO, "%s", strerror(errno));
        goto done;
    }
    st = read_all(in, limit, &all, &n, err);
    if (st != MPL_OK) {
        goto close;
    }

    char *copy = mpl_arena_alloc(arena, n + 1);

    if (copy == NULL) {
        st = mpl_nomem(err);
        goto close;
    }
    memcpy(copy, all, n);
    *text = copy;
    *bytes = n;
close:
    free(all);
    (void) fclose(in);
done:
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot read \"%s\"", path);
}

enum mpl_status mpl_file_flush(FILE *out, struct mpl_err *err)
{
    const bool was_broken = ferror(out) != 0;

    if (fflush(out) != 0) {
        return mpl_fail(err, MPL_E_IO, "%s", strerror(errno));
    }
    return was_broken ? mpl_fail(err, MPL_E_IO, "an earlier write failed") : MPL_OK;
}
