/* What a run ran on, and how it was started: a slow run may have no other reason. */
#include "config.h"

#include "trace/record_priv.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TEXT = 2000, MOST_CORES = 4096 };

extern char **environ;

static void put(struct mpl_track *track, const char *key, const char *value)
{
    char text[MOST_TEXT];

    (void) snprintf(text, sizeof text, "%s=%.*s", key, MOST_TEXT - 32, value);
    mpl_put_text(track, mpl_now(), MPL_SPOOL_PROPERTY, 0, text);
}

static void put_number(struct mpl_track *track, const char *key, long value)
{
    char text[32];

    (void) snprintf(text, sizeof text, "%ld", value);
    put(track, key, text);
}

/* The first \p room bytes of a file at most, as text. */
static size_t read_file(const char *path, char *text, size_t room)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got = 0;

    while (fd >= 0 && n + 1 < room && (got = read(fd, text + n, room - 1 - n)) > 0) {
        n += (size_t) got;
    }
    text[n] = '\0';
    if (fd >= 0) {
        (void) close(fd);
    }
    return n;
}

/* As "0-3,8". */
static void write_ranges(const cpu_set_t *cores, size_t bytes, char *text, size_t room)
{
    size_t n = 0;

    text[0] = '\0';
    for (int i = 0; i < MOST_CORES && n < room; i++) {
        int last = i;

        if (!CPU_ISSET_S((size_t) i, bytes, cores)) {
            continue;
        }
        while (last + 1 < MOST_CORES && CPU_ISSET_S((size_t) last + 1, bytes, cores)) {
            last++;
        }
        const char *comma = n > 0 ? "," : "";
        const int got = last > i ? snprintf(text + n, room - n, "%s%d-%d", comma, i, last)
                                 : snprintf(text + n, room - n, "%s%d", comma, i);
        n += got > 0 ? (size_t) got : 0;
        i = last;
    }
}

static void put_cores(struct mpl_track *track)
{
    unsigned long mask[MOST_CORES / (8 * sizeof(unsigned long))] = { 0 };
    cpu_set_t *cores = (cpu_set_t *) mask;
    char text[MOST_TEXT];
    double load = 0;

    if (sched_getaffinity(0, sizeof mask, cores) == 0) {
        write_ranges(cores, sizeof mask, text, sizeof text);
        put(track, "CORES", text);
        put_number(track, "N_CORES", CPU_COUNT_S(sizeof mask, cores));
    }
    put_number(track, "MACHINE_CORES", sysconf(_SC_NPROCESSORS_ONLN));
    if (getloadavg(&load, 1) == 1) {
        /* In hundredths: how a program writes fractions depends on its locale. */
        put_number(track, "LOAD", (long) (load * 100 + 0.5));
    }
}

/* Of this process, beginning with the program; of a whole run the one who starts it knows more. */
static void put_command(struct mpl_track *track)
{
    char text[MOST_TEXT];
    const size_t n = read_file("/proc/self/cmdline", text, sizeof text);

    for (size_t i = 0; i + 1 < n; i++) {
        text[i] = text[i] == '\0' ? ' ' : text[i];
    }
    put(track, "COMMAND", text);
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Variables that set something in an MPI or in the networks below it, and are not those by which its own processes talk
 * to each other. */
static bool is_setting(const char *variable)
{
    static const char *const settings[] = { "OMPI_MCA_", "PMIX_MCA_", "MPIR_CVAR_",
                                            "MPICH_",    "UCX_",      "FI_",
                                            "PSM2_",     "HCOLL_",    "OMP_" };
    static const char *const others[] = {
        "OMPI_MCA_orte_",          "OMPI_MCA_ess",
        "OMPI_MCA_pmix",           "OMPI_MCA_plm",
        "OMPI_MCA_shmem_",         "OMPI_MCA_initial_wdir",
        "MPICH_INTERFACE_HOSTNAME"
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (begins_with(variable, others[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (begins_with(variable, settings[i])) {
            return true;
        }
    }
    return false;
}

static void put_settings(struct mpl_track *track)
{
    char text[MOST_TEXT] = "";
    size_t n = 0;

    for (char **variable = environ; *variable != NULL && n < sizeof text; variable++) {
        if (is_setting(*variable)) {
            const int got =
                snprintf(text + n, sizeof text - n, "%s%s", n > 0 ? " " : "", *variable);
            n += got > 0 ? (size_t) got : 0;
        }
    }
    if (n > 0) {
        put(track, "MPI_SETTINGS", text);
    }
}

static void put_mpi(struct mpl_track *track, int provided)
{
    static const char *const levels[] = { "single", "funneled", "serialized", "multiple" };
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int n = 0;

    if (PMPI_Get_library_version(version, &n) == MPI_SUCCESS) {
        version[strcspn(version, "\n")] = '\0';
        put(track, "MPI_LIBRARY", version);
    }
    put(track, "THREADS",
        levels[provided >= MPI_THREAD_MULTIPLE     ? 3
               : provided == MPI_THREAD_SERIALIZED ? 2
               : provided == MPI_THREAD_FUNNELED   ? 1
                                                   : 0]);
}

void mpl_properties(struct mpl_track *track, int provided)
{
    put_mpi(track, provided);
    put_settings(track);
    put_command(track);
    put_cores(track);
}

void mpl_properties_end(struct mpl_track *track)
{
    int (*n_threads)(void);

    /* LLVM's runtime, which has the functions of GCC's too, reports its threads (openmp.c). */
    *(void **) &n_threads = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    if (n_threads != NULL && n_threads() > 1 &&
        dlsym(RTLD_DEFAULT, "GOMP_parallel") != NULL &&
        dlsym(RTLD_DEFAULT, "__kmpc_fork_call") == NULL) {
        put(track, "UNSEEN_THREADS", "GCC's OpenMP runtime");
    }
}
