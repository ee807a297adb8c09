/* The user's command with its placeholders replaced; a word stays a word, whatever it holds. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <string.h>

bool mpl_command_has(const struct mpl_command *command, const char *placeholder)
{
    for (size_t i = 0; i < command->n; i++) {
        if (strstr(command->words[i], placeholder) != NULL) {
            return true;
        }
    }
    return false;
}

static bool add_word(struct mpl_buf *words, const char *word)
{
    return word != NULL && mpl_buf_put(words, &word);
}

/* {args}: its words are separated by blanks and not quoted. */
static bool add_args(struct mpl_buf *words, const char *args, struct mpl_arena *arena)
{
    for (const char *p = args; p != NULL && *(p += strspn(p, " \t\n")) != '\0';) {
        const size_t n = strcspn(p, " \t\n");

        if (!add_word(words, mpl_arena_strndup(arena, p, n))) {
            return false;
        }
        p += n;
    }
    return true;
}

/* Every {processes} in a word by the number. */
static const char *fill_word(const char *word, uint32_t processes, struct mpl_arena *arena)
{
    static const char mark[] = "{processes}";
    const char *found = NULL;

    while (word != NULL && (found = strstr(word, mark)) != NULL) {
        word = mpl_arena_printf(arena, "%.*s%u%s", (int) (found - word), word, processes,
                                found + sizeof mark - 1);
    }
    return word;
}

static bool add_launch(struct mpl_buf *words, const struct filling *filling)
{
    bool is_good = true;

    for (size_t i = 0; i < filling->n_launch && is_good; i++) {
        is_good = add_word(words, filling->launch[i]);
    }
    return is_good;
}

static bool fill_all(const struct mpl_command *command, const struct filling *filling,
                     struct mpl_arena *arena, struct mpl_buf *words)
{
    bool is_good = mpl_command_has(command, "{tracer}") || add_launch(words, filling);

    for (size_t i = 0; i < command->n && is_good; i++) {
        const char *word = command->words[i];

        if (strcmp(word, "{args}") == 0) {
            is_good = add_args(words, command->args, arena);
        } else if (strcmp(word, "{tracer}") == 0) {
            is_good = add_launch(words, filling);
        } else {
            is_good = add_word(words, fill_word(word, filling->processes, arena));
        }
    }
    return is_good;
}

static enum mpl_status check(const struct mpl_command *command,
                             const struct filling *filling, struct mpl_err *err)
{
    if (command->n == 0) {
        return mpl_fail(err, MPL_E_USAGE, "there is no command");
    }
    if (filling->processes == 0 && mpl_command_has(command, "{processes}")) {
        return mpl_fail(err, MPL_E_USAGE, "the number for {processes} is not known");
    }
    for (size_t i = 0; i < command->n; i++) {
        const char *word = command->words[i];
        const char *inside = strstr(word, "{args}") != NULL     ? "{args}"
                             : strstr(word, "{tracer}") != NULL ? "{tracer}"
                                                                : NULL;
        if (inside != NULL && strcmp(word, inside) != 0) {
            return mpl_fail(err, MPL_E_USAGE, "%s must be a word of its own, not in \"%s\"",
                            inside, word);
        }
    }
    return MPL_OK;
}

enum mpl_status mpl_command_fill(const struct mpl_command *command,
                                 const struct filling *filling, struct mpl_arena *arena,
                                 const char *const **words, size_t *n, struct mpl_err *err)
{
    struct mpl_buf all = mpl_buf_make(sizeof(const char *));
    enum mpl_status st = check(command, filling, err);

    if (st == MPL_OK && !fill_all(command, filling, arena, &all)) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK && all.n == 0) {
        st = mpl_fail(err, MPL_E_USAGE, "nothing is left of the command");
    }
    const size_t count = all.n;
    const char *const *taken = st == MPL_OK ? mpl_buf_take(&all, arena) : NULL;
    mpl_buf_free(&all);
    if (st == MPL_OK && taken == NULL) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK) {
        *words = taken;
        *n = count;
    }
    return st;
}

enum mpl_status mpl_command_with(const struct mpl_command *command,
                                 const char *const *launch, size_t n_launch,
                                 struct mpl_arena *arena, const char *const **words,
                                 size_t *n, struct mpl_err *err)
{
    const struct filling filling = { .launch = launch, .n_launch = n_launch };

    return mpl_command_fill(command, &filling, arena, words, n, err);
}

bool mpl_command_lacks_place(const struct mpl_command *command,
                             const struct mpl_tracer_file *tracer)
{
    return mpl_tracer_needs_place(tracer) && !mpl_command_has(command, "{tracer}");
}

enum mpl_status mpl_command_check(const struct mpl_command *command,
                                  const struct mpl_tracer_file *tracer, struct mpl_err *err)
{
    const struct filling filling = { .processes = 1 };
    struct mpl_arena *scratch = mpl_arena_create();
    const char *const *words = NULL;
    size_t n = 0;

    enum mpl_status st = mpl_command_fill(command, &filling, scratch, &words, &n, err);
    if (st == MPL_OK && tracer != NULL && mpl_command_lacks_place(command, tracer)) {
        st = mpl_fail(err, MPL_E_USAGE,
                      "the command does not say where %s belongs: write "
                      "{tracer} in front of the program",
                      mpl_tracer_file_name(tracer));
    }
    mpl_arena_destroy(scratch);
    return st;
}

bool mpl_command_is_same(const struct mpl_command *x, const struct mpl_command *y)
{
    const char *const x_args = x->args != NULL ? x->args : "";
    const char *const y_args = y->args != NULL ? y->args : "";
    bool is_same = x->n == y->n && strcmp(x_args, y_args) == 0;

    for (size_t i = 0; i < x->n && is_same; i++) {
        is_same = strcmp(x->words[i], y->words[i]) == 0;
    }
    return is_same;
}

/* As a person would type it: quoted where a shell would see more than a word. */
const char *mpl_words_print(const char *const *words, size_t n, struct mpl_arena *arena)
{
    const char *text = "";

    for (size_t i = 0; i < n && text != NULL; i++) {
        const char *word = mpl_shell_quote(arena, words[i]);

        text = word == NULL
                   ? NULL
                   : mpl_arena_printf(arena, "%s%s%s", text, i > 0 ? " " : "", word);
    }
    return text;
}

/* Launchers look into the current directory, too. */
static const char *file_of(const char *word, struct mpl_arena *arena)
{
    const char *path = mpl_program_file(word, arena);
    const char *here = path == NULL ? mpl_arena_printf(arena, "./%s", word) : NULL;

    return here != NULL ? mpl_program_file(here, arena) : path;
}

size_t mpl_command_program(const struct mpl_command *command, struct mpl_arena *arena)
{
    for (size_t i = 0; i + 1 < command->n; i++) {
        if (strcmp(command->words[i], "{tracer}") == 0) {
            return i + 1;
        }
    }
    for (size_t i = 1; i < command->n; i++) {
        if (file_of(command->words[i], arena) != NULL) {
            return i;
        }
    }
    return 0;
}

const char *mpl_command_file(const struct mpl_command *command, struct mpl_arena *arena)
{
    return file_of(command->words[mpl_command_program(command, arena)], arena);
}

const char *mpl_command_name(const struct mpl_command *command, struct mpl_arena *arena)
{
    const char *word = mpl_file_name(command->words[mpl_command_program(command, arena)]);

    return word[0] != '\0' && word[0] != '{' ? word : "program";
}
