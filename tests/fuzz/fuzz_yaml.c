/*
 * Feeds the YAML reader with texts nobody would write. With files as arguments, or "-"
 * for standard input, each is read once: that is the form fuzzers want, and the way to
 * look at a crash again. Without arguments it mutates texts of its own, always the same
 * way: that is the test. "-n ROUNDS SEED" goes further than the test does.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { DEPTH_LIMIT = 32, TEXT_LIMIT = 4096, ROUNDS = 6000 };

static const char *const seeds[] = {
    "id: mpi.late-sender\n"
    "says: A receive waits because the matching send starts after it.\n"
    "needs: [mpi.p2p, clock.corrected]\n"
    "match:\n"
    "  s: {event: mpi.send}\n"
    "  r: {event: mpi.recv, matches: s}\n"
    "  where: r.enter < s.enter\n"
    "lost:   {value: \"min(s.enter, r.leave) - r.enter\", unit: ns}\n"
    "blame:  s.location            # who is late, not who waits\n",
    "a: |\n  block\n   of lines\nb: >-\n  folded\n  text\nc: 'it''s'\nd: \"\\x41\\n\"\n",
    "- 1\n- [2, {a: b, c: [d]}]\n- - - x\n-\n  y: z\n? k\n: v\n",
    "&a x: *a\n!t b: !!str c\n%YAML 1.1\n---\n...\n---\n",
    "{a: [b, c, {d: e}], \"f\": 'g', ? h : i}\r\n\xEF\xBB\xBF\xC3\xA4: \xE2\x80\xA8\n",
};

/* Pieces that mean something to YAML, so that mutations get past the first token. */
static const char *const pieces[] = {
    ": ",       "- ",           "? ",   "[", "]",  "{",  "}",   ", ",  "'",
    "\"",       "|\n",          ">",    "#", "*a", "&a", "!t ", "---", "...",
    "\n",       "\t",           "  ",   "%", "\\", "\r", "a:",  "\\0", "\xC3",
    "\xC2\x85", "\xEF\xBB\xBF", "\x01",
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

static void check_node(const struct mpl_yaml *node, const struct mpl_yaml *parent,
                       const char *file)
{
    const bool is_member = parent != NULL && parent->kind == MPL_YAML_MAP;

    mpl_assert((node->key != NULL) == is_member);
    mpl_assert((node->text != NULL) == (node->kind == MPL_YAML_SCALAR));
    mpl_assert(node->kind != MPL_YAML_SCALAR || (node->n == 0 && node->first == NULL));
    mpl_assert(strcmp(node->place.file, file) == 0);
    mpl_assert(node->place.line > 0 && node->place.column > 0);
    mpl_assert(!is_member || (node->key_place.line > 0 && node->key_place.column > 0));
    mpl_assert(!is_member || mpl_yaml_find(parent, node->key) == node);
}

/* Depth is bounded by the reader, so recursion here is too. */
static void check_tree(const struct mpl_yaml *node, const struct mpl_yaml *parent,
                       const char *file, int depth)
{
    size_t n = 0;

    mpl_assert(depth <= DEPTH_LIMIT);
    check_node(node, parent, file);
    for (const struct mpl_yaml *child = node->first; child != NULL; child = child->next) {
        check_tree(child, node, file, depth + 1);
        n++;
    }
    mpl_assert(n == node->n);
}

/* Line ends as libyaml has them: also NEL, and the separators of lines and paragraphs. */
static size_t line_end_length(const char *at)
{
    if (at[0] == '\r') {
        return at[1] == '\n' ? 2 : 1;
    }
    if (at[0] == '\n') {
        return 1;
    }
    if (memcmp(at, "\xC2\x85", 2) == 0) {
        return 2;
    }
    return strncmp(at, "\xE2\x80\xA8", 3) == 0 || strncmp(at, "\xE2\x80\xA9", 3) == 0 ? 3
                                                                                      : 0;
}

/* The character at \p place of \p text, which is UTF-8 without NUL. */
static const char *find_place(const char *text, struct mpl_place place)
{
    for (unsigned line = 1; line < place.line; line++) {
        while (line_end_length(text) == 0) {
            /* To libyaml a last line without an end has one: "? key" has its value there. */
            if (*text == '\0') {
                mpl_assert(line + 1 == place.line && place.column == 1);
                return text;
            }
            text++;
        }
        text += line_end_length(text);
    }
    for (unsigned column = 1; column < place.column; column++) {
        mpl_assert(*text != '\0');
        do {
            text++;
        } while (((unsigned char) *text & 0xC0) == 0x80);
    }
    return text;
}

/* What is_inline promises, on which the columns in messages about formulas rest. */
static void check_columns(const struct mpl_yaml *node, const char *text)
{
    if (node->is_inline) {
        const char *at = find_place(text, node->place);

        mpl_assert(strncmp(at, node->text, strlen(node->text)) == 0);
    }
    for (const struct mpl_yaml *child = node->first; child != NULL; child = child->next) {
        check_columns(child, text);
    }
}

static void check_messages(const struct mpl_lint *lint, enum mpl_status st,
                           const struct mpl_err *err)
{
    FILE *out = fopen("/dev/null", "w");

    mpl_assert(st == MPL_OK || st == MPL_E_SYNTAX);
    mpl_assert((st == MPL_OK) == (mpl_lint_errors(lint) == 0));
    mpl_assert(err->code == st);
    for (size_t i = 0; i < mpl_lint_count(lint); i++) {
        mpl_assert(mpl_lint_get(lint, i)->place.line > 0);
        mpl_assert(mpl_lint_get(lint, i)->place.column > 0);
    }
    if (out != NULL) {
        mpl_lint_print(lint, out);
        fclose(out);
    }
}

static void read_once(const char *file, const char *text, size_t bytes)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_lint *lint = arena == NULL ? NULL : mpl_lint_create(arena);
    const struct mpl_yaml *root = NULL;
    struct mpl_err err = { 0 };

    mpl_assert(lint != NULL);

    const enum mpl_status st = mpl_yaml_parse(file, text, bytes, arena, lint, &root, &err);

    check_messages(lint, st, &err);
    mpl_assert(st == MPL_OK || root == NULL);
    if (root != NULL) {
        const bool has_mark = bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;

        check_tree(root, NULL, file, 0);
        check_columns(root, has_mark ? text + 3 : text);
    }
    mpl_arena_destroy(arena);
}

/* Replaces \p n_old bytes at \p at by \p new. */
static size_t splice(char *text, size_t bytes, size_t at, size_t n_old, const char *new,
                     size_t n_new)
{
    if (bytes - n_old + n_new > TEXT_LIMIT) {
        return bytes;
    }
    memmove(text + at + n_new, text + at + n_old, bytes - at - n_old);
    memcpy(text + at, new, n_new);
    return bytes - n_old + n_new;
}

static size_t mutate(char *text, size_t bytes, uint64_t *state)
{
    char part[64];
    const size_t at = pick(state, bytes + 1);
    const size_t rest = bytes - at;
    const size_t n_part = pick(state, sizeof part < rest ? sizeof part : rest + 1);
    const char *piece = pieces[pick(state, sizeof pieces / sizeof pieces[0])];

    switch (pick(state, 4)) {
    case 0: /* delete */
        return splice(text, bytes, at, n_part, "", 0);
    case 1: /* any byte */
        part[0] = (char) pick(state, 256);
        return splice(text, bytes, at, rest > 0 ? 1 : 0, part, 1);
    case 2: /* repeat what is elsewhere */
        memcpy(part, text + at, n_part);
        return splice(text, bytes, pick(state, bytes + 1), 0, part, n_part);
    default:
        return splice(text, bytes, at, 0, piece, strlen(piece));
    }
}

static void run_round(uint64_t round)
{
    /* A multiple of an odd number, so that no round starts from 0 or like another. */
    uint64_t state = (round + 1) * 0x9E3779B97F4A7C15u;
    const char *seed = seeds[pick(&state, sizeof seeds / sizeof seeds[0])];
    char text[TEXT_LIMIT + 1];
    size_t bytes = strlen(seed);

    memcpy(text, seed, bytes);
    for (size_t n = 1 + pick(&state, 12); n > 0; n--) {
        bytes = mutate(text, bytes, &state);
    }
    text[bytes] = '\0';
    read_once("mutated", text, bytes);
}

static int read_file(const char *path)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_err err = { 0 };
    char *text = NULL;
    size_t bytes = 0;

    mpl_assert(arena != NULL);
    if (mpl_file_read(strcmp(path, "-") == 0 ? "/dev/stdin" : path, SIZE_MAX / 4, arena,
                      &text, &bytes, &err) != MPL_OK) {
        mpl_err_print(&err, stderr);
        mpl_arena_destroy(arena);
        return EXIT_FAILURE;
    }
    read_once(path, text, bytes);
    mpl_arena_destroy(arena);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    const bool is_counted = argc == 4 && strcmp(argv[1], "-n") == 0;

    if (argc == 1 || is_counted) {
        const uint64_t rounds = is_counted ? strtoull(argv[2], NULL, 10) : ROUNDS;
        const uint64_t first = is_counted ? strtoull(argv[3], NULL, 10) : 0;

        for (uint64_t round = first; round < first + rounds; round++) {
            if (round % 1000 == 0) {
                /* After a crash, "-n 1000 ROUND" is where to look. */
                fprintf(stderr, "rounds from %llu\n", (unsigned long long) round);
            }
            run_round(round);
        }
        return EXIT_SUCCESS;
    }

    int status = EXIT_SUCCESS;

    for (int i = 1; i < argc; i++) {
        status |= read_file(argv[i]);
    }
    return status;
}
