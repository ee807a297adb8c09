/*
 * Whether a program can be an MPI program at all. Asked only of one that left nothing behind: its file
 * names MPI's functions if it calls them itself; through a library, an interpreter or another
 * program that it starts, it may call them all the same.
 */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <string.h>

enum { CHUNK = 1 << 16, OVERLAP = 64 };

/* What has been seen in a file so far. */
struct mentions {
    bool is_elf;
    bool is_mpi;
    bool is_door; /* Through which MPI may come in. */
};

static bool holds(const char *bytes, size_t n, const char *text, size_t length)
{
    return memmem(bytes, n, text, length) != NULL;
}

/* Libraries that every program may need and that do not call MPI. */
static bool is_plain_library(const char *name, size_t n)
{
    static const char *const plain[] = { "libc.",        "libm.",       "libdl.",
                                         "librt.",       "libpthread.", "libgcc_s.",
                                         "libstdc++.",   "libgomp.",    "libgfortran.",
                                         "libquadmath.", "libatomic." };

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (n >= strlen(plain[i]) && strncmp(name, plain[i], strlen(plain[i])) == 0) {
            return true;
        }
    }
    return n < 3 || strncmp(name, "lib", 3) != 0;
}

static bool needs_libraries(const char *bytes, size_t n)
{
    const char *end = bytes + n;

    for (const char *at = bytes; (at = memmem(at, (size_t) (end - at), ".so", 3)) != NULL;
         at++) {
        const char *name = at;

        while (name > bytes && name[-1] > ' ' && name[-1] != '/') {
            name--;
        }
        if (!is_plain_library(name, (size_t) (at - name) + 1)) {
            return true;
        }
    }
    return false;
}

static void look(struct mentions *m, const char *bytes, size_t n)
{
    static const char *const doors[] = { "dlopen", "execv",  "execl", "posix_spawn",
                                         "fexec",  "system", "popen" };

    m->is_mpi |= holds(bytes, n, "MPI_", 4) || holds(bytes, n, "mpi_", 4) ||
                 (!m->is_elf && (holds(bytes, n, "mpi", 3) || holds(bytes, n, "MPI", 3)));
    for (size_t i = 0; i < sizeof doors / sizeof *doors; i++) {
        m->is_door |= holds(bytes, n, doors[i], strlen(doors[i]));
    }
    m->is_door |= needs_libraries(bytes, n);
}

enum mpl_speaks mpl_program_speaks_of_mpi(const char *path)
{
    char bytes[CHUNK + OVERLAP];
    struct mentions m = { 0 };
    FILE *in = NULL;
    size_t kept = 0;
    size_t n = 0;

    if (mpl_file_stream(path, &in, NULL) != MPL_OK) {
        return MPL_SPEAKS_OF_MPI; /* Nothing can be said against it. */
    }
    while (!m.is_mpi && (n = fread(bytes + kept, 1, CHUNK, in)) > 0) {
        const size_t all = kept + n;

        m.is_elf |= kept == 0 && all > 4 && memcmp(bytes, "\177ELF", 4) == 0;
        look(&m, bytes, all);
        kept = all < OVERLAP ? all : OVERLAP;
        memmove(bytes, bytes + all - kept, kept);
    }
    const bool is_bad = ferror(in) != 0;
    (void) fclose(in);
    return is_bad || m.is_mpi       ? MPL_SPEAKS_OF_MPI
           : m.is_elf && !m.is_door ? MPL_SPEAKS_NOT
                                    : MPL_SPEAKS_UNKNOWN;
}
