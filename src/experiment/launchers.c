/*
 * Which of the words is the program. Launchers are known by name, with those of their options that take
 * values; what is not known is guessed only where one word alone can be meant.
 */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Options with values as "-x" or, with two values, "-x+"; a word with "=" holds its own value. */
struct launcher {
    const char *name;      /* Without directory. */
    const char *processes; /* Options that tell the number of processes. */
    const char *valued;    /* Other options that take values. */
    const char *flags;     /* Options that take none. */
};

#define OPEN_MPI \
    "-c -hostfile --hostfile -machinefile --machinefile -default-hostfile " \
    "--default-hostfile -H -host --host -map-by --map-by -bind-to --bind-to -rank-by " \
    "--rank-by -x -mca+ --mca+ -gmca+ --gmca+ -am --am -tune --tune -prefix --prefix " \
    "-wdir --wdir -wd --wd -path --path -N -npernode --npernode -npersocket --npersocket " \
    "-ppr --ppr -rf -rankfile --rankfile -output-filename --output-filename -stdin " \
    "--stdin -timeout --timeout -report-uri --report-uri -ompi-server --ompi-server " \
    "-preload-files --preload-files -cpus-per-proc --cpus-per-proc -cpus-per-rank " \
    "--cpus-per-rank -cpu-set --cpu-set -cpu-list --cpu-list -personality --personality"
#define OPEN_MPI_FLAGS \
    "-oversubscribe --oversubscribe -nooversubscribe --nooversubscribe " \
    "-allow-run-as-root --allow-run-as-root -tag-output --tag-output -timestamp-output " \
    "--timestamp-output -v --verbose -q --quiet -report-bindings --report-bindings " \
    "-display-map --display-map -nolocal --nolocal -bynode --bynode -byslot --byslot " \
    "-bycore --bycore -bysocket --bysocket -s --preload-binary -use-hwthread-cpus " \
    "--use-hwthread-cpus -novm --novm -pernode --pernode -leave-session-attached " \
    "--leave-session-attached -d --debug-devel --display-allocation -display-allocation"
#define HYDRA \
    "-hosts -f -hostfile -machinefile -ppn -perhost -genv+ -env+ -genvlist -envlist " \
    "-wdir " \
    "-host -bind-to -map-by -membind -launcher -rmk -iface -outfile-pattern " \
    "-errfile-pattern -configfile -launcher-exec -usize -topolib -path -arch"
#define HYDRA_FLAGS \
    "-genvall -genvnone -envall -envnone -l -verbose -v -prepend-rank " \
    "-print-all-exitcodes"
#define SLURM \
    "-N --nodes -c --cpus-per-task -p --partition -t --time -A --account -J --job-name " \
    "-w " \
    "--nodelist -x --exclude -o --output -e --error -i --input -m --distribution -C " \
    "--constraint -D --chdir --mpi --mem --mem-per-cpu --cpu-bind --gres --gpus -G " \
    "--ntasks-per-node --reservation -q --qos -d --dependency --export --hint --jobid -r " \
    "--relative -T --threads -W --wait --mem-bind -B"
#define SLURM_FLAGS \
    "--exclusive --overlap -l --label -u --unbuffered -v --verbose -Q --quiet -s -O " \
    "--overcommit -K --kill-on-bad-exit --multi-prog -Z --no-allocate -E"

static const struct launcher launchers[] = {
    { "mpirun", "-np --np -n --n", OPEN_MPI " " HYDRA, OPEN_MPI_FLAGS " " HYDRA_FLAGS },
    { "mpiexec", "-np --np -n --n", OPEN_MPI " " HYDRA, OPEN_MPI_FLAGS " " HYDRA_FLAGS },
    { "orterun", "-np --np -n --n", OPEN_MPI, OPEN_MPI_FLAGS },
    { "mpiexec.hydra", "-np -n", HYDRA, HYDRA_FLAGS },
    { "mpirun.openmpi", "-np --np -n --n", OPEN_MPI, OPEN_MPI_FLAGS },
    { "mpiexec.openmpi", "-np --np -n --n", OPEN_MPI, OPEN_MPI_FLAGS },
    { "mpirun.mpich", "-np -n", HYDRA, HYDRA_FLAGS },
    { "mpiexec.mpich", "-np -n", HYDRA, HYDRA_FLAGS },
    { "prun", "-np --np -n --n", OPEN_MPI, OPEN_MPI_FLAGS },
    { "prterun", "-np --np -n --n", OPEN_MPI, OPEN_MPI_FLAGS },
    { "srun", "-n --ntasks", SLURM, SLURM_FLAGS },
    { "aprun", "-n --pes", "-N -d -S -cc -e -j -L -m -r -B -F -p -D", "-b -q -T -ss" },
    { "jsrun", "-p --np -n --nrs", "-a -c -g -r -d -b -l -E -h -o -e -k -t", "-X" },
};

static const struct launcher *find_launcher(const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *name = slash != NULL ? slash + 1 : word;

    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (strcmp(launchers[i].name, name) == 0) {
            return &launchers[i];
        }
    }
    return NULL;
}

/* How many values the option takes by this list; -1: it is not in it. */
static int values_of(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *p = list; *p != '\0'; p += strspn(p, " ")) {
        const size_t n = strcspn(p, " ");
        const bool is_double = n > 0 && p[n - 1] == '+';

        if (n - is_double == length && strncmp(p, word, length) == 0) {
            return is_double ? 2 : 1;
        }
        p += n;
    }
    return -1;
}

static uint32_t number_in(const char *text)
{
    char *end = NULL;
    const unsigned long number = strtoul(text, &end, 10);

    return end != text && *end == '\0' && number > 0 && number <= 100000000
               ? (uint32_t) number
               : 0;
}

/* "-n8", "-np8" and "--ntasks=8"; 0 when it is neither. */
static uint32_t number_within(const struct launcher *launcher, const char *word)
{
    const char *equals = strchr(word, '=');
    char name[64];

    if (equals != NULL && (size_t) (equals - word) < sizeof name) {
        (void) snprintf(name, sizeof name, "%.*s", (int) (equals - word), word);
        return values_of(launcher->processes, name) > 0 ? number_in(equals + 1) : 0;
    }
    const size_t length = strcspn(word, "0123456789");
    if (word[length] == '\0' || length < 2 || length >= sizeof name || word[1] == '-') {
        return 0;
    }
    (void) snprintf(name, sizeof name, "%.*s", (int) length, word);
    return values_of(launcher->processes, name) > 0 ? number_in(word + length) : 0;
}

/* Options of a launcher up to the word that is none. */
struct walk {
    size_t next;         /* The first word that is neither option nor value. */
    uint32_t processes;  /* 0: not said. */
    size_t said;         /* The word that says so; 0: none. */
    const char *unknown; /* The first option that nobody knows, NULL: none. */
};

static struct walk walk_options(const struct launcher *launcher, const char *const *words,
                                size_t n)
{
    struct walk walk = { .next = 1 };

    while (walk.next < n && words[walk.next][0] == '-') {
        const char *word = words[walk.next++];
        const int counts = values_of(launcher->processes, word);
        const int takes = values_of(launcher->valued, word);
        const uint32_t within = number_within(launcher, word);

        if (counts > 0) {
            walk.processes = walk.next < n ? number_in(words[walk.next]) : 0;
            walk.said = walk.next++;
        } else if (takes > 0) {
            walk.next += (size_t) takes;
        } else if (within > 0) {
            walk.processes = within;
            walk.said = walk.next - 1;
        } else if (strchr(word, '=') == NULL && strchr(word, '{') == NULL &&
                   values_of(launcher->flags, word) < 0 && walk.unknown == NULL) {
            walk.unknown = word;
        }
    }
    return walk;
}

uint32_t mpl_launch_processes(const char *const *words, size_t n)
{
    const struct launcher *launcher = n > 0 ? find_launcher(words[0]) : NULL;

    return launcher != NULL ? walk_options(launcher, words, n).processes : 0;
}

const char *mpl_command_varied(const struct mpl_command *command, struct mpl_arena *arena)
{
    const struct launcher *launcher =
        command->n > 0 ? find_launcher(command->words[0]) : NULL;
    const char **words = MPL_NEW_ARRAY(arena, command->n + 2, const char *);
    size_t n = 0;
    bool is_good = launcher != NULL && words != NULL;

    if (!is_good) {
        return NULL;
    }
    const struct walk walk = walk_options(launcher, command->words, command->n);
    for (size_t i = 0; i < command->n; i++) {
        const char *word = command->words[i];

        if (walk.said > 0 && i == walk.said) {
            /* "8", "-n8", "--ntasks=8" */
            word = mpl_arena_printf(arena, "%.*s{processes}",
                                    (int) strcspn(word, "0123456789"), word);
        }
        is_good &= word != NULL;
        words[n++] = word;
        if (i == 0 && walk.said == 0) {
            const char *option = mpl_arena_strndup(arena, launcher->processes,
                                                   strcspn(launcher->processes, " "));
            is_good &= option != NULL;
            words[n++] = option;
            words[n++] = "{processes}";
        }
    }
    return is_good ? mpl_words_print(words, n, arena) : NULL;
}

bool mpl_launch_wants_number(const char *const *words, size_t at)
{
    const struct launcher *launcher = at > 0 ? find_launcher(words[0]) : NULL;
    const char *word = words[at];
    char name[64];

    if (launcher == NULL) {
        return false;
    }
    if (word[0] != '-') {
        return values_of(launcher->processes, words[at - 1]) > 0;
    }
    (void) snprintf(name, sizeof name, "%.*s", (int) strcspn(word, "={"), word);
    return values_of(launcher->processes, name) > 0;
}

const char *mpl_launcher_like(const char *name)
{
    const char *names[sizeof launchers / sizeof *launchers];

    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        names[i] = launchers[i].name;
    }
    return mpl_suggest(name, names, sizeof names / sizeof *names);
}

/* Options that name other machines, another folder, or another way to find programs. */
#define ELSEWHERE \
    "-H -host --host -hosts -hostfile --hostfile -machinefile --machinefile " \
    "-default-hostfile --default-hostfile -f -rf -rankfile --rankfile -configfile -wdir " \
    "--wdir -wd --wd -path --path -preload-binary --preload-binary -s"

bool mpl_launch_is_local(const char *const *words, size_t program)
{
    const struct launcher *launcher = find_launcher(words[0]);

    /* Batch systems may start it where this machine's files are not. */
    if (launcher != NULL && values_of("srun aprun jsrun prun", launcher->name) > 0) {
        return false;
    }
    for (size_t i = 1; i < program; i++) {
        char name[64];

        (void) snprintf(name, sizeof name, "%.*s", (int) strcspn(words[i], "="), words[i]);
        if (values_of(ELSEWHERE, name) > 0) {
            return false;
        }
    }
    return true;
}

static bool is_program(const char *word)
{
    struct stat st;

    return strchr(word, '/') != NULL && word[0] != '-' && stat(word, &st) == 0 &&
           S_ISREG(st.st_mode) && access(word, X_OK) == 0;
}

static enum mpl_status fail_ambiguous(const char *why, struct mpl_err *err)
{
    return mpl_fail(err, MPL_E_USAGE,
                    "it is not clear where the tracer belongs: %s; write {tracer} in front "
                    "of the program",
                    why);
}

/* No word names a program: perhaps because one of them is misspelt. */
static enum mpl_status fail_unfound(const char *const *words, size_t n, struct mpl_err *err)
{
    const char *near =
        n > 0 && strchr(words[0], '/') == NULL ? mpl_launcher_like(words[0]) : NULL;

    if (near != NULL && find_launcher(words[0]) == NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        "there is no launcher \"%s\"; did you mean \"%s\"?", words[0],
                        near);
    }
    for (size_t i = 0; i < n; i++) {
        if ((words[i][0] == '/' || words[i][0] == '.') && strchr(words[i], '/') != NULL &&
            strchr(words[i], '{') == NULL && access(words[i], F_OK) != 0) {
            return mpl_fail(
                err, MPL_E_USAGE,
                "no word names a program by its path, and \"%s\" does not exist", words[i]);
        }
    }
    return fail_ambiguous("no word names a program by its path", err);
}

/* The only word that names a file that can be executed. */
static enum mpl_status guess(const char *const *words, size_t n, size_t *program,
                             struct mpl_err *err)
{
    size_t found = n;

    for (size_t i = 0; i < n; i++) {
        if (is_program(words[i]) && (i > 0 || find_launcher(words[0]) == NULL)) {
            if (found < n) {
                return fail_ambiguous("several words name programs", err);
            }
            found = i;
        }
    }
    if (found == n && n > 0 && find_launcher(words[0]) == NULL && n == 1) {
        found = 0; /* A program on PATH without arguments. */
    }
    if (found == n) {
        return fail_unfound(words, n, err);
    }
    *program = found;
    return MPL_OK;
}

enum mpl_status mpl_program_find(const char *const *words, size_t n, size_t *program,
                                 struct mpl_err *err)
{
    const struct launcher *launcher = n > 0 ? find_launcher(words[0]) : NULL;

    if (launcher == NULL) {
        return guess(words, n, program, err);
    }
    const struct walk walk = walk_options(launcher, words, n);
    if (walk.unknown != NULL) {
        /* It may take a value, so the next word need not be the program. */
        return guess(words, n, program, err);
    }
    for (size_t i = walk.next; i < n; i++) {
        if (strcmp(words[i], ":") == 0) {
            return fail_ambiguous("several programs are started, separated by \":\"", err);
        }
    }
    if (walk.next >= n) {
        return mpl_fail(err, MPL_E_USAGE, "there is no program behind \"%s\"", words[0]);
    }
    *program = walk.next;
    return MPL_OK;
}
