/*
 * Which MPI a command uses before it runs: that with which one of its words is linked, directly or through a library;
 * and whether anything can be preloaded into it at all.
 */
#include "config.h"

#include "cli/trace_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_LIST = 256 * 1024, MOST_PARTS = 64 };

/* Its loader: NULL where it has none, as a static program or a script. */
static const char *read_loader(int fd, const ElfW(Ehdr) * head, struct mpl_arena *arena)
{
    for (unsigned i = 0; i < head->e_phnum && i < MOST_PARTS; i++) {
        ElfW(Phdr) part;

        if (pread(fd, &part, sizeof part,
                  (off_t) (head->e_phoff + i * (uint64_t) head->e_phentsize)) !=
            (ssize_t) sizeof part) {
            return NULL;
        }
        if (part.p_type == PT_INTERP && part.p_filesz > 1 && part.p_filesz < PATH_MAX) {
            char *path = (char *) mpl_arena_alloc(arena, part.p_filesz + 1);

            return path != NULL && pread(fd, path, part.p_filesz, (off_t) part.p_offset) ==
                                       (ssize_t) part.p_filesz
                       ? path
                       : NULL;
        }
    }
    return NULL;
}

/* What the loader would load, without running the program. NULL: it does not tell. */
static const char *list_libraries(const char *loader, const char *path,
                                  struct mpl_arena *arena)
{
    char *text = (char *) mpl_arena_alloc(arena, MOST_LIST + 1);
    size_t n = 0;
    ssize_t got = 0;
    pid_t child = -1;
    int ends[2];

    if (text == NULL || pipe2(ends, O_CLOEXEC) != 0) {
        return NULL;
    }
    child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_RDWR);

        (void) dup2(null, STDIN_FILENO);
        (void) dup2(null, STDERR_FILENO);
        (void) dup2(ends[1], STDOUT_FILENO);
        (void) execl(loader, loader, "--list", path, (char *) NULL);
        _exit(127);
    }
    (void) close(ends[1]);
    while (child > 0 && n < MOST_LIST &&
           (got = read(ends[0], text + n, MOST_LIST - n)) != 0) {
        n += got > 0 ? (size_t) got : 0;
        if (got < 0 && errno != EINTR) {
            break;
        }
    }
    (void) close(ends[0]);
    if (child > 0) {
        (void) waitpid(child, NULL, 0);
    }
    return text;
}

/* Both have a libmpi.so; MPICH and what has its binary interface numbered it 12, and Debian calls it libmpich. */
static const char *mpi_of(const char *libraries)
{
    if (strstr(libraries, "libmpich.so") != NULL ||
        strstr(libraries, "libmpi.so.12") != NULL) {
        return "mpich";
    }
    return strstr(libraries, "libmpi.so.") != NULL ? "openmpi" : NULL;
}

/* The loader ignores LD_PRELOAD of a program that gets other rights than who starts it. */
static bool gets_rights(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 &&
           (((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
            ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid()));
}

static bool is_elf(int fd, ElfW(Ehdr) * head)
{
    return pread(fd, head, sizeof *head, 0) == (ssize_t) sizeof *head &&
           memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
           head->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
}

/* What one file adds to what is known. */
static void look_at(const char *path, int fd, struct mpl_trace_program *program,
                    struct mpl_arena *arena)
{
    ElfW(Ehdr) head;

    if (gets_rights(fd)) {
        program->obstacle = "it runs with other rights than yours (setuid), so that "
                            "nothing may be preloaded into it";
    } else if (is_elf(fd, &head)) {
        const char *loader = read_loader(fd, &head, arena);
        const char *libraries = loader != NULL ? list_libraries(loader, path, arena) : NULL;

        program->mpi = libraries != NULL ? mpi_of(libraries) : NULL;
        if (loader == NULL) {
            program->obstacle = "it is linked statically, so that nothing can be "
                                "preloaded into it; link it with a shared MPI";
        } else if (program->mpi == NULL && libraries != NULL &&
                   strstr(libraries, "libopen-pal.so") != NULL) {
            program->launcher = "openmpi";
        } else if (strstr(path, "hydra") != NULL) {
            program->launcher = "mpich";
        }
    }
}

struct mpl_trace_program mpl_trace_look(const char *const *words, size_t n,
                                        struct mpl_arena *arena)
{
    struct mpl_trace_program program = { .word = words[0] };

    for (size_t i = 0; i < n && program.mpi == NULL; i++) {
        char whole[PATH_MAX];
        const char *had = program.obstacle;
        const char *path = mpl_program_file(words[i], arena);
        /* Launchers look into the current directory, too. A pipe must not be waited for. */
        const bool is_there = realpath(path != NULL ? path : words[i], whole) != NULL;
        const int fd = is_there ? open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

        if (fd >= 0) {
            look_at(whole, fd, &program, arena);
            (void) close(fd);
        }
        if (program.mpi != NULL || program.obstacle != had) {
            program.word = words[i];
        }
    }
    return program;
}
