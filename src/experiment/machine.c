/*
 * The machine that a program is measured on: how many cores it may use, and what else keeps them busy. Times
 * of a run that others disturb say little of the program.
 */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static FILE *open_below(const char *root, const char *path)
{
    char whole[4096];
    const int n = snprintf(whole, sizeof whole, "%s%s", root, path);

    return n > 0 && (size_t) n < sizeof whole ? fopen(whole, "r") : NULL;
}

/* The first two words of a file; false: it is not there. */
static bool read_words(const char *root, const char *path, char first[32], char second[32])
{
    FILE *in = open_below(root, path);

    first[0] = second[0] = '\0';
    if (in == NULL) {
        return false;
    }
    (void) fscanf(in, "%31s %31s", first, second);
    (void) fclose(in);
    return first[0] != '\0';
}

/* How many cores' time a control group grants; infinite where it does not say. */
static double quota_at(const char *root, const char *folder)
{
    char path[4200];
    char quota[32];
    char period[32];
    char unused[32];
    double cores = INFINITY;

    (void) snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (!read_words(root, path, quota, period)) {
        /* The first version of control groups has a file for each of the two. */
        (void) snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
        (void) read_words(root, path, period, unused);
        (void) snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
        (void) read_words(root, path, quota, unused);
    }
    if (strtod(quota, NULL) > 0 && strtod(period, NULL) > 0) {
        cores = strtod(quota, NULL) / strtod(period, NULL);
    }
    return cores;
}

/* The least of what a control group and those around it grant. */
static double quota_of(const char *root, const char *mount, const char *group)
{
    char folder[4096];
    const int n = snprintf(folder, sizeof folder, "%s%s", mount, group);
    double cores = INFINITY;

    if (n <= 0 || (size_t) n >= sizeof folder) {
        return cores;
    }
    for (;;) {
        char *slash = strrchr(folder, '/');

        cores = fmin(cores, quota_at(root, folder));
        if (slash == NULL || (size_t) (slash - folder) < strlen(mount)) {
            return cores;
        }
        *slash = '\0';
    }
}

/* Whether the controllers of a line, "cpu,cpuacct", are those of the processors' time. */
static bool grants_time(const char *controllers)
{
    const char *at = strstr(controllers, "cpu");

    return at != NULL && (at == controllers || at[-1] == ',') &&
           (at[3] == '\0' || at[3] == ',');
}

/* By "0::/a/b", or "4:cpu,cpuacct:/a/b" of the first version, in /proc/self/cgroup. */
static double find_quota(const char *root)
{
    char line[4096];
    FILE *in = open_below(root, "/proc/self/cgroup");
    double cores = INFINITY;

    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        char mount[256] = "/sys/fs/cgroup";

        if (group == NULL) {
            continue;
        }
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        controllers++;
        if (controllers[0] != '\0') {
            (void) snprintf(mount, sizeof mount, "/sys/fs/cgroup/%.200s", controllers);
        }
        if (controllers[0] == '\0' || grants_time(controllers)) {
            cores = fmin(cores, quota_of(root, mount, group));
        }
    }
    if (in != NULL) {
        (void) fclose(in);
    }
    return cores;
}

/* Those that the system lets us run on; 0: it does not say. */
static uint32_t allowed_cores(cpu_set_t *set)
{
    CPU_ZERO(set);
    return sched_getaffinity(0, sizeof *set, set) == 0 ? (uint32_t) CPU_COUNT(set) : 0;
}

uint32_t mpl_machine_cores(const char *root)
{
    cpu_set_t set;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const double quota = find_quota(root);
    uint32_t cores = allowed_cores(&set);

    if (cores == 0) {
        cores = online > 0 ? (uint32_t) online : 1;
    }
    return quota < (double) cores ? (uint32_t) ceil(quota) : cores;
}

/* Everything but idle and waiting for disks; what a hypervisor took away is busy, too. */
static double busy_ticks(const char *line)
{
    double of[8] = { 0 };

    if (sscanf(line, "%*s %lf %lf %lf %lf %lf %lf %lf %lf", &of[0], &of[1], &of[2], &of[3],
               &of[4], &of[5], &of[6], &of[7]) < 4) {
        return NAN;
    }
    return of[0] + of[1] + of[2] + of[5] + of[6] + of[7];
}

/* Of the cores that we may run on, in seconds. */
static double busy_seconds(const char *root)
{
    char line[4096];
    cpu_set_t set;
    unsigned core = 0;
    double ticks = NAN;
    const double per_s = (double) sysconf(_SC_CLK_TCK);
    const bool are_known = allowed_cores(&set) > 0;
    FILE *in = open_below(root, "/proc/stat");

    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        if (sscanf(line, "cpu%u", &core) == 1 && are_known && core < CPU_SETSIZE &&
            CPU_ISSET(core, &set)) {
            ticks = (isnan(ticks) ? 0 : ticks) + busy_ticks(line);
        }
    }
    if (in != NULL) {
        (void) fclose(in);
    }
    return per_s > 0 ? ticks / per_s : NAN;
}

static double seconds_of(int who)
{
    struct rusage used;

    if (getrusage(who, &used) != 0) {
        return NAN;
    }
    return (double) (used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double) (used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

struct machine_look mpl_machine_look(const char *root)
{
    char load[32];
    char unused[32];
    char *end = load;
    struct machine_look look = { .load = NAN,
                                 .busy_s = busy_seconds(root),
                                 .own_s = seconds_of(RUSAGE_SELF) +
                                          seconds_of(RUSAGE_CHILDREN) };

    if (read_words(root, "/proc/loadavg", load, unused)) {
        const double value = strtod(load, &end);

        look.load = end != load && value >= 0 ? value : NAN;
    }
    return look;
}

double mpl_machine_foreign(const struct machine_look *before,
                           const struct machine_look *after, double duration_s)
{
    const double busy_s = after->busy_s - before->busy_s;
    const double own_s = after->own_s - before->own_s;

    /* Some containers count nothing at all. */
    if (!(busy_s > 0) || !(duration_s > 0)) {
        return NAN;
    }
    return fmax(0, busy_s - own_s) / duration_s;
}
