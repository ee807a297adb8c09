/* An experiment as lines for a shell, to be pasted by a person; marple itself uses no shell. */
#include "config.h"

#include "report/report_priv.h"

#include <string.h>

struct lines {
    struct mpl_arena *arena;
    const char *text; /* NULL after memory ran out */
    const struct mpl_planned *experiment;
    uint32_t processes;
};

static void put(struct lines *l, const char *fmt, ...) MPL_PRINTF(2, 3);

static void put(struct lines *l, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *more = mpl_arena_vprintf(l->arena, fmt, args);
    va_end(args);
    l->text = l->text == NULL || more == NULL
                  ? NULL
                  : mpl_arena_printf(l->arena, "%s%s", l->text, more);
}

/* Text that is the shell's as it stands. */
static void put_text(struct lines *l, const char *text, size_t n)
{
    const char *piece = mpl_arena_strndup(l->arena, text, n);
    const char *quoted = piece == NULL ? NULL : mpl_shell_quote(l->arena, piece);

    if (quoted == NULL) {
        l->text = NULL;
    } else {
        put(l, "%s", quoted);
    }
}

/* The length of {trace}, {marple} or {file:NAME}; 0: the text is neither. */
static size_t length_of_place(const char *text)
{
    const size_t n = strcspn(text, "}") + 1;

    return strncmp(text, "{trace}", 7) == 0 || strncmp(text, "{marple}", 8) == 0 ||
                   (strncmp(text, "{file:", 6) == 0 && text[n - 1] == '}')
               ? n
               : 0;
}

/* {trace} becomes a directory below the current one, where Score-P makes it in any case, and
 * {file:NAME} the path of a file there. */
static void put_place(struct lines *l, const char *place, size_t n)
{
    if (strncmp(place, "{file:", 6) == 0) {
        put(l, "\"$PWD\"/");
        put_text(l, place + 6, n - 7);
    } else if (strncmp(place, "{marple}", 8) == 0) {
        put(l, "marple");
    } else {
        put(l, "%s-np%u%s", l->experiment->id, l->processes,
            l->experiment->repetitions > 1 ? "-\"$run\"" : "");
    }
}

static void put_word(struct lines *l, const char *word)
{
    if (*word == '\0') {
        put_text(l, word, 0);
    }
    while (*word != '\0') {
        size_t n = length_of_place(word);

        if (n > 0) {
            put_place(l, word, n);
        } else {
            for (n = 1; word[n] != '\0' && length_of_place(word + n) == 0;) {
                n++;
            }
            put_text(l, word, n);
        }
        word += n;
    }
}

static void put_files(struct lines *l, const struct mpl_settings *s)
{
    for (size_t i = 0; i < s->n_files; i++) {
        const char *text = s->files[i].text;
        const char *end = "END_OF_FILE";
        const bool is_open = text[0] != '\0' && text[strlen(text) - 1] != '\n';

        /* A line that the text does not hold: the names of functions in it are the trace's. */
        while (end != NULL && strstr(text, end) != NULL) {
            end = mpl_arena_printf(l->arena, "%s_", end);
        }
        put(l, "cat > ");
        put_word(l, s->files[i].name);
        put(l, " <<'%s'\n%s%s%s\n", end != NULL ? end : "", text, is_open ? "\n" : "",
            end != NULL ? end : "");
    }
}

/* A comment of one line, whatever the text holds. */
static void put_comment(struct lines *l, const char *before, const char *text,
                        const char *behind)
{
    char *line = mpl_arena_strdup(l->arena, text);

    for (char *at = line; at != NULL && *at != '\0'; at++) {
        *at = (unsigned char) *at < ' ' ? ' ' : *at;
    }
    put(l, "# %s%s%s\n", before, line != NULL ? line : "", behind);
}

/* What names the trace is another for every run; the rest is said once. */
static void put_environment(struct lines *l, const struct mpl_settings *s, bool is_of_run,
                            const char *indent)
{
    for (size_t i = 0; i < s->n_environment; i++) {
        const struct mpl_setting_pair *pair = &s->environment[i];

        if ((strstr(pair->value, "{trace}") != NULL) == is_of_run) {
            put(l, "%sexport %s=", indent, pair->name);
            put_word(l, pair->value);
            put(l, "\n");
        }
    }
}

static void put_words(struct lines *l, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(l, "%s", i > 0 ? " " : "");
        put_word(l, words[i]);
    }
}

static void put_run(struct lines *l, const struct mpl_settings *s)
{
    const bool is_by_hand = s->n_by_hand > 0;
    const bool is_loop = l->experiment->repetitions > 1;
    const char *indent = is_loop ? "  " : "";

    if (is_loop) {
        put(l, "for run in");
        for (uint32_t i = 1; i <= l->experiment->repetitions; i++) {
            put(l, " %u", i);
        }
        put(l, "; do\n");
    }
    put_environment(l, s, true, indent);
    put(l, "%s", indent);
    put_words(l, s->by_hand, s->n_by_hand);
    put(l, "%smpirun -np %u ", is_by_hand ? " " : "", l->processes);
    if (!is_by_hand && s->n_launch > 0) {
        put_words(l, s->launch, s->n_launch);
        put(l, " ");
    }
    put(l, "./app\n");
    if (!is_by_hand && s->n_finish > 0) {
        put(l, "%s", indent);
        put_words(l, s->finish, s->n_finish);
        put(l, "\n");
    }
    put(l, "%s", is_loop ? "done\n" : "");
}

const char *mpl_report_plan_shell(const struct mpl_planned *experiment,
                                  struct mpl_arena *arena)
{
    struct lines l = { .arena = arena, .text = "", .experiment = experiment };
    const struct mpl_settings *s = experiment->settings;

    if (s == NULL) {
        return NULL;
    }
    if (experiment->problem != NULL) {
        put_comment(&l, "Not as it is: ", experiment->problem, "");
    }
    /* A program that is built already is not built anew by pasting. */
    if (s->needs_build != NULL && l.experiment->is_built) {
        put_comment(&l, "The run at hand shows that the program is built for ",
                    mpl_tracer_file_name(s->tracer), ". To build it so again:");
    } else if (s->needs_build != NULL) {
        put_comment(&l, "Once, as ", s->needs_build, "; not if it is built so already.");
    }
    for (size_t i = 0; i < s->n_build; i++) {
        put(&l, "%s%s\n", l.experiment->is_built ? "# " : "", s->build[i]);
    }
    put_files(&l, s);
    if (experiment->knob != NULL) {
        put_comment(&l, "Change in the program or its input: ", experiment->knob, "");
    }
    put_environment(&l, s, false, "");
    for (size_t i = 0; i < experiment->n_processes; i++) {
        l.processes = experiment->processes[i];
        put_run(&l, s);
    }
    return l.text;
}
