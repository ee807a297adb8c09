/* What people mistype in a command, found before anything is started. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* ---- placeholders ------------------------------------------------------------------------ */

static const char *const placeholders[] = { "processes", "args", "tracer" };
enum { N_PLACEHOLDERS = sizeof placeholders / sizeof *placeholders };

/* What others call them; too far from our names to be taken for typing errors. */
static const char *const meant[][2] = {
    { "procs", "processes" },      { "proc", "processes" },   { "nprocs", "processes" },
    { "np", "processes" },         { "nproc", "processes" },  { "num_procs", "processes" },
    { "ranks", "processes" },      { "nranks", "processes" }, { "ntasks", "processes" },
    { "arguments", "args" },       { "argv", "args" },        { "tool", "tracer" },
    { "nprocesses", "processes" },
};

/* The placeholder that \p name, in small letters, is meant for; NULL: none. */
static const char *placeholder_for(const char *name)
{
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
        if (strcmp(meant[i][0], name) == 0) {
            return meant[i][1];
        }
    }
    return mpl_suggest(name, placeholders, N_PLACEHOLDERS);
}

static bool is_placeholder(const char *name)
{
    for (size_t i = 0; i < N_PLACEHOLDERS; i++) {
        if (strcmp(placeholders[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The name in the braces at \p open as it stands there and in small letters; false: it is no name. */
static bool name_in(const char *open, char *name, char *small, size_t size)
{
    size_t n = 0;

    while (isalpha((unsigned char) open[n + 1]) || open[n + 1] == '_') {
        n++;
    }
    if (n == 0 || n >= size || open[n + 1] != '}') {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        name[i] = open[i + 1];
        small[i] = (char) tolower((unsigned char) name[i]);
    }
    name[n] = small[n] = '\0';
    return true;
}

/* Braces may mean something to the program, so only a whole word that resembles one of ours is a
 * mistake, or what stands where a launcher wants a number. */
enum mpl_status mpl_command_check_placeholders(const struct mpl_command *command,
                                               struct mpl_err *err)
{
    for (size_t i = 0; i < command->n; i++) {
        const bool is_number = mpl_launch_wants_number(command->words, i);

        for (const char *p = command->words[i]; (p = strchr(p, '{')) != NULL; p++) {
            char name[64];
            char small[64];
            const bool is_name = name_in(p, name, small, sizeof name);
            const bool is_all =
                is_name && p == command->words[i] && p[strlen(name) + 2] == '\0';
            const char *ours = !is_name || is_placeholder(name) ? NULL
                               : is_number                      ? "processes"
                               : is_all                         ? placeholder_for(small)
                                                                : NULL;

            if (ours != NULL) {
                return mpl_fail(err, MPL_E_USAGE,
                                "there is no placeholder {%s}; did you mean {%s}?", name,
                                ours);
            }
        }
    }
    return MPL_OK;
}

/* ---- a tracer of the user's own -------------------------------------------------------------- */

/* Programs that start what stands behind them. */
static bool is_wrapper(const char *word)
{
    static const char *const names[] = {
        "env",     "nice",   "time",  "timeout", "taskset",
        "numactl", "stdbuf", "nohup", "setsid",  "strace"
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name_of(word)) == 0) {
            return true;
        }
    }
    return false;
}

static const char *tracer_named(const struct mpl_tracers *tracers, const char *word)
{
    for (size_t i = 0; i < mpl_tracers_count(tracers); i++) {
        size_t n = 0;
        const char *const *ask =
            mpl_tracer_version_command(mpl_tracers_get(tracers, i), &n);

        const char *name = n == 0                            ? NULL
                           : strcmp(ask[0], "{marple}") == 0 ? "marple"
                                                             : name_of(ask[0]);

        if (name != NULL && strcmp(name, name_of(word)) == 0) {
            return name;
        }
    }
    return NULL;
}

/* Words behind the program are its own. */
static enum mpl_status check_tracer(const struct mpl_command *command,
                                    const struct mpl_tracers *tracers, size_t program,
                                    struct mpl_err *err)
{
    size_t end = program < command->n ? program + 1 : command->n;

    for (size_t i = 0; i < end; i++) {
        const char *tracer = tracer_named(tracers, command->words[i]);

        if (tracer != NULL) {
            return mpl_fail(
                err, MPL_E_USAGE,
                "the command starts \"%s\" itself, and marple would start it once "
                "more; leave it and its options out",
                tracer);
        }
        end = i == program && is_wrapper(command->words[i]) ? command->n : end;
    }
    return MPL_OK;
}

/* ---- programs that are not there -------------------------------------------------------------- */

/* Why the file cannot be executed; NULL when it can. */
static const char *fault_of(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0) {
        return "does not exist";
    }
    if (S_ISDIR(st.st_mode)) {
        return "is a directory";
    }
    return access(path, X_OK) == 0 ? NULL : "may not be executed (chmod +x makes it so)";
}

/* Writes where on PATH it is. What a system without PATH looks through is its own affair. */
static bool find_on_path(const char *name, char *found, size_t size)
{
    const char *folders = getenv("PATH");

    size_t length = 0;

    for (const char *p = folders; p != NULL; p = p[length] == ':' ? p + length + 1 : NULL) {
        length = strcspn(p, ":");
        const int n = (int) length;
        if (snprintf(found, size, "%.*s/%s", n > 0 ? n : 1, n > 0 ? p : ".", name) <
                (int) size &&
            fault_of(found) == NULL) {
            return true;
        }
    }
    return false;
}

static bool is_on_path(const char *name)
{
    char path[PATH_MAX];

    return getenv("PATH") == NULL || find_on_path(name, path, sizeof path);
}

/* Launchers and tracers find a program in the current folder, too; a launcher itself is ours to find. */
static enum mpl_status check_name(const char *name, bool is_launcher, struct mpl_err *err)
{
    const bool is_here = fault_of(name) == NULL;
    const char *near = is_launcher ? mpl_launcher_like(name) : NULL;

    if (is_on_path(name) || (is_here && !is_launcher)) {
        return MPL_OK;
    }
    if (is_launcher && strchr(name, '=') != NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        "\"%s\" is no program; set variables in front of marple, or write "
                        "env %s",
                        name, name);
    }
    if (near == NULL && !is_here) {
        return mpl_fail(err, MPL_E_USAGE, "there is no program \"%s\" on PATH", name);
    }
    return mpl_fail(err, MPL_E_USAGE,
                    "there is no program \"%s\" on PATH; did you mean \"%s%s\"?", name,
                    is_here ? "./" : "", is_here ? name : near);
}

static enum mpl_status check_word(const char *word, bool is_launcher, struct mpl_err *err)
{
    /* What is filled in is not known yet. */
    if (strchr(word, '{') != NULL) {
        return MPL_OK;
    }
    if (strchr(word, '/') == NULL) {
        return check_name(word, is_launcher, err);
    }
    const char *fault = fault_of(word);
    return fault == NULL ? MPL_OK
                         : mpl_fail(err, MPL_E_USAGE, "the program \"%s\" %s", word, fault);
}

/* The word behind {tracer}, or else what the launcher starts; command->n: nobody can tell. */
static size_t program_in(const struct mpl_command *command)
{
    size_t program = command->n;

    for (size_t i = 0; i + 1 < command->n; i++) {
        if (strcmp(command->words[i], "{tracer}") == 0) {
            return i + 1;
        }
    }
    return mpl_program_find(command->words, command->n, &program, NULL) == MPL_OK
               ? program
               : command->n;
}

const char *mpl_command_file(const struct mpl_command *command, struct mpl_arena *arena)
{
    const size_t program = program_in(command);
    const char *word = program < command->n ? command->words[program] : NULL;
    char path[PATH_MAX];

    if (word == NULL) {
        return NULL;
    }
    if (strchr(word, '/') == NULL && find_on_path(word, path, sizeof path)) {
        return mpl_arena_strdup(arena, path);
    }
    return fault_of(word) == NULL ? mpl_arena_strdup(arena, word) : NULL;
}

enum mpl_status mpl_command_check_tracer(const struct mpl_command *command,
                                         const struct mpl_tracers *tracers,
                                         struct mpl_err *err)
{
    return check_tracer(command, tracers, program_in(command), err);
}

enum mpl_status mpl_command_check_programs(const struct mpl_command *command,
                                           struct mpl_err *err)
{
    const size_t program = program_in(command);
    enum mpl_status st = command->n > 0 && strcmp(command->words[0], "{tracer}") != 0
                             ? check_word(command->words[0], program != 0, err)
                             : MPL_OK;

    if (st == MPL_OK && program > 0 && program < command->n &&
        mpl_launch_is_local(command->words, program)) {
        st = check_word(command->words[program], false, err);
    }
    return st;
}
