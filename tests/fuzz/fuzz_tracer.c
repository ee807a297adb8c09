/*
 * Feeds the loader of tracers with mutations of the descriptions that are shipped, and settles a recording
 * with those that it takes. Always the same mutations: that is the test. With files as arguments,
 * each is read once; "-n ROUNDS SEED" goes further than the test does.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/tracer_priv.h"

enum { TEXT_LIMIT = 1 << 14, ROUNDS = 400 };

static const char *const shipped[] = { "tracers/eztrace.yaml", "tracers/scorep.yaml",
                                       "tests/system/tau.yaml" };

/* Pieces that mean something to the loader. */
static const char *const pieces[] = {
    "{trace}",   "{file:scorep.filter}",
    "{region}",  "{counter}",
    "{memory}",  "{counters}",
    "{modules}", "{",
    "}",         "{}",
    "{file:}",   "{file:x}",
    "\"{\"",     "\"\\n\"",
    "\"\\x01\"", ": ",
    "\n",        "  ",
    "set: ",     "add: ",
    "files: ",   "environment: ",
    "only: ",    "words: ",
    "start: ",   "join: ",
    "lines: ",   "5",
    "[]",        "unsafe: ",
    "any: ",     "\xC3\xA4",
};

/* The sequence of xorshift64 (Marsaglia 2003): the same on every machine. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t pick(uint64_t *state, size_t n)
{
    return (size_t) (next_random(state) % n);
}

/* Every text of the settings must end: a sum shows that all of it can be read. */
static size_t read_all(const struct mpl_settings *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_launch; i++) {
        n += strlen(s->launch[i]);
    }
    for (size_t i = 0; i < s->n_environment; i++) {
        n += strlen(s->environment[i].name) + strlen(s->environment[i].value);
    }
    for (size_t i = 0; i < s->n_files; i++) {
        n += strlen(s->files[i].name) + strlen(s->files[i].text);
    }
    for (size_t i = 0; i < s->n_build; i++) {
        n += strlen(s->build[i]);
    }
    return n;
}

static void settle(const struct mpl_tracer_file *tracer, struct mpl_arena *arena)
{
    static const char *const regions[] = { "f(int, char)", "a\nb{region}" };
    static const char *const counters[] = { "PAPI_TOT_INS", "x" };
    size_t n = 0;
    const struct mpl_capability *table = mpl_capability_table(&n);
    const char **all = MPL_NEW_ARRAY(arena, n, const char *);
    struct mpl_recording recording = { .capabilities = all, .n_capabilities = n };
    struct mpl_settings settings = { 0 };

    mpl_assert(all != NULL);
    for (size_t i = 0; i < n; i++) {
        all[i] = table[i].name;
    }
    for (int i = 0; i < 2; i++) {
        mpl_assert(mpl_tracer_settle(tracer, &recording, 1 << 20, arena, &settings, NULL) ==
                   MPL_OK);
        mpl_assert(read_all(&settings) < SIZE_MAX);
        recording.regions = regions;
        recording.n_regions = 2;
        recording.counters = counters;
        recording.n_counters = 2;
    }
}

/* Whether the loader took it. */
static bool try(const char *text, size_t bytes)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_lint *lint = mpl_lint_create(arena);
    struct mpl_tracer_file *tracer = MPL_NEW(arena, struct mpl_tracer_file);
    struct tracer_loader loader = { .arena = arena, .lint = lint, .tracer = tracer };
    const struct mpl_yaml *root = NULL;
    bool is_taken = false;

    mpl_assert(lint != NULL && tracer != NULL);
    if (mpl_yaml_parse("tracer.yaml", text, bytes, arena, lint, &root, NULL) == MPL_OK &&
        root != NULL && root->kind == MPL_YAML_MAP) {
        tracer->name = "x";
        mpl_tracer_load(&loader, root);
        is_taken = !loader.has_fault;
        mpl_assert(is_taken == (mpl_lint_errors(lint) == 0));
    }
    if (is_taken) {
        settle(tracer, arena);
    }
    mpl_arena_destroy(arena);
    return is_taken;
}

/* Puts a piece over or between, or takes something out; the new length. */
static size_t mutate(char *text, size_t bytes, uint64_t *state)
{
    const char *piece = pieces[pick(state, sizeof pieces / sizeof *pieces)];
    const size_t at = pick(state, bytes);
    const bool is_inserted = pick(state, 2) == 0;
    const size_t more = pick(state, 4) == 0 ? 0 : strlen(piece);
    size_t less = is_inserted && more > 0 ? 0 : 1 + pick(state, 8);

    less = less > bytes - at ? bytes - at : less;
    if (bytes + more - less >= TEXT_LIMIT) {
        return bytes;
    }
    memmove(text + at + more, text + at + less, bytes - at - less);
    memcpy(text + at, piece, more);
    return bytes + more - less;
}

static char *read_text(const char *path, size_t *bytes, struct mpl_arena *arena)
{
    char *text = NULL;
    struct mpl_err err = { 0 };

    if (mpl_file_read(path, TEXT_LIMIT, arena, &text, bytes, &err) != MPL_OK) {
        mpl_err_print(&err, stderr);
        exit(EXIT_FAILURE);
    }
    return text;
}

/* How many mutations of a file the loader takes. */
static size_t fuzz(const char *path, size_t rounds, uint64_t seed, struct mpl_arena *arena)
{
    static char text[TEXT_LIMIT];
    size_t n = 0;
    const char *whole = read_text(path, &n, arena);
    uint64_t state = seed;
    size_t n_taken = 0;

    mpl_assert(try(whole, n));
    for (size_t i = 0; i < rounds; i++) {
        size_t bytes = n;

        memcpy(text, whole, n);
        for (size_t k = 1 + pick(&state, 4); k > 0 && bytes > 0; k--) {
            bytes = mutate(text, bytes, &state);
        }
        n_taken += try(text, bytes);
    }
    return n_taken;
}

int main(int argc, char **argv)
{
    const char *top = getenv("top_srcdir");
    const bool is_long = argc == 4 && strcmp(argv[1], "-n") == 0;
    const size_t rounds = is_long ? strtoul(argv[2], NULL, 10) : ROUNDS;
    const uint64_t seed = is_long ? strtoull(argv[3], NULL, 10) : 20261122;
    struct mpl_arena *arena = mpl_arena_create();
    size_t n_taken = 0;
    size_t bytes = 0;

    mpl_assert(arena != NULL && seed != 0);
    for (int i = 1; i < argc && !is_long; i++) {
        const char *text = read_text(argv[i], &bytes, arena);

        printf("%s: %s\n", argv[i], try(text, bytes) ? "taken" : "refused");
    }
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped && (argc == 1 || is_long);
         i++) {
        n_taken +=
            fuzz(mpl_arena_printf(arena, "%s/%s", top == NULL ? "." : top, shipped[i]),
                 rounds, seed + i, arena);
    }
    mpl_arena_destroy(arena);
    /* Where all are refused, nothing behind the loader was tried. */
    return argc > 1 || n_taken > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
