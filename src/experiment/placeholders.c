/* Placeholders that people mistype, found before anything is started. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <ctype.h>
#include <string.h>

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

/* Braces may mean something to the program, so only a whole word that resembles one of ours is a mistake. */
enum mpl_status mpl_command_check_placeholders(const struct mpl_command *command,
                                               struct mpl_err *err)
{
    for (size_t i = 0; i < command->n; i++) {
        const char *word = command->words[i];
        char name[64];
        char small[64];
        const bool is_name = word[0] == '{' && name_in(word, name, small, sizeof name) &&
                             word[strlen(name) + 2] == '\0';
        const char *ours = is_name && !is_placeholder(name) ? placeholder_for(small) : NULL;

        if (ours != NULL) {
            return mpl_fail(err, MPL_E_USAGE,
                            "there is no placeholder {%s}; did you mean {%s}?", name, ours);
        }
    }
    return MPL_OK;
}
