#include "config.h"

#include "base/base_priv.h"

#include <string.h>

struct source {
    const char *file;
    const char *text;
    size_t n_bytes;
    struct source *next;
};

struct mpl_lint {
    struct mpl_arena *arena; /* Borrowed. */
    struct source *sources;  /* Youngest first. */
    struct mpl_lint_message **messages;
    size_t n;
    size_t room;
    size_t n_errors;
    bool has_lost; /* A message found no memory; errors are counted all the same. */
};

struct mpl_lint *mpl_lint_create(struct mpl_arena *arena)
{
    struct mpl_lint *lint = MPL_NEW(arena, struct mpl_lint);

    if (lint != NULL) {
        lint->arena = arena;
    }
    return lint;
}

static const struct source *find_source(const struct mpl_lint *lint, const char *file)
{
    const struct source *source = lint->sources;

    while (source != NULL && strcmp(source->file, file) != 0) {
        source = source->next;
    }
    return source;
}

void mpl_lint_source(struct mpl_lint *lint, const char *file, const char *text,
                     size_t bytes)
{
    const struct source *known = find_source(lint, file);

    if (known != NULL && known->n_bytes == bytes && memcmp(known->text, text, bytes) == 0) {
        return;
    }

    /* Without memory the messages come without quoted lines; nothing else is lost. */
    struct source *source = MPL_NEW(lint->arena, struct source);
    char *name = mpl_arena_strdup(lint->arena, file);
    char *copy = mpl_arena_alloc(lint->arena, bytes + 1);

    if (source == NULL || name == NULL || copy == NULL) {
        return;
    }
    if (bytes > 0) {
        memcpy(copy, text, bytes);
    }
    *source = (struct source){ name, copy, bytes, lint->sources };
    lint->sources = source;
}

/* Line ends are \n, \r\n or a lone \r, as YAML has them. */
static size_t line_end(const char *text, size_t n, size_t from)
{
    while (from < n && text[from] != '\n' && text[from] != '\r') {
        from++;
    }
    return from;
}

/* A copy of the line that \p place is on; NULL when unknown or out of memory. */
static const char *quote_line(struct mpl_lint *lint, struct mpl_place place)
{
    const struct source *source =
        place.file == NULL || place.line == 0 ? NULL : find_source(lint, place.file);

    if (source == NULL) {
        return NULL;
    }

    const char *text = source->text;
    size_t start = 0;
    size_t end = line_end(text, source->n_bytes, 0);

    for (unsigned line = 1; line < place.line; line++) {
        if (end == source->n_bytes) {
            return NULL;
        }
        start = end + (text[end] == '\r' && text[end + 1] == '\n' ? 2 : 1);
        end = line_end(text, source->n_bytes, start);
    }
    return mpl_arena_strndup(lint->arena, text + start, end - start);
}

static bool make_room(struct mpl_lint *lint)
{
    if (lint->n < lint->room) {
        return true;
    }

    const size_t room = lint->room == 0 ? 8 : lint->room * 2;
    struct mpl_lint_message **messages =
        MPL_NEW_ARRAY(lint->arena, room, struct mpl_lint_message *);

    if (messages == NULL) {
        return false;
    }
    if (lint->n > 0) {
        memcpy(messages, lint->messages, lint->n * sizeof *messages);
    }
    lint->messages = messages;
    lint->room = room;
    return true;
}

static struct mpl_lint_message *
create_message(struct mpl_lint *lint, struct mpl_place place, const char *fmt, va_list args)
{
    struct mpl_lint_message *message = MPL_NEW(lint->arena, struct mpl_lint_message);

    if (message == NULL || !make_room(lint)) {
        return NULL;
    }
    message->place = place;
    message->text = mpl_arena_vprintf(lint->arena, fmt, args);
    if (place.file != NULL) {
        message->place.file = mpl_arena_strdup(lint->arena, place.file);
        if (message->place.file == NULL) {
            return NULL;
        }
    }
    message->source = quote_line(lint, place);
    return message->text == NULL ? NULL : message;
}

void mpl_lint_vadd(struct mpl_lint *lint, enum mpl_severity severity,
                   struct mpl_place place, const char *fmt, va_list args)
{
    struct mpl_lint_message *message = create_message(lint, place, fmt, args);

    if (severity == MPL_LINT_ERROR) {
        lint->n_errors++;
    }
    if (message == NULL) {
        lint->has_lost = true;
        return;
    }
    message->severity = severity;
    lint->messages[lint->n++] = message;
}

void mpl_lint_add(struct mpl_lint *lint, enum mpl_severity severity, struct mpl_place place,
                  const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    mpl_lint_vadd(lint, severity, place, fmt, args);
    va_end(args);
}

size_t mpl_lint_errors(const struct mpl_lint *lint)
{
    return lint->n_errors;
}

size_t mpl_lint_count(const struct mpl_lint *lint)
{
    return lint->n;
}

const struct mpl_lint_message *mpl_lint_get(const struct mpl_lint *lint, size_t i)
{
    mpl_assert(i < lint->n);
    return lint->messages[i];
}

static void print_place(const struct mpl_place *place, FILE *out)
{
    if (place->file == NULL) {
        return;
    }
    mpl_text_print(out, "%s", place->file);
    if (place->line > 0) {
        fprintf(out, ":%u", place->line);
    }
    if (place->line > 0 && place->column > 0) {
        fprintf(out, ":%u", place->column);
    }
    fputs(": ", out);
}

/* Bytes of the first \p n characters of \p text, which may be shorter. */
static size_t bytes_of(const char *text, size_t n)
{
    const size_t length = strlen(text);
    size_t i = 0;

    for (; n > 0 && i < length; n--) {
        const size_t step = mpl_utf8_length(text + i, length - i);

        i += step == 0 ? 1 : step;
    }
    return i;
}

/* Of a line longer than a screen only the surroundings of the place are of interest. */
enum { LINE_WIDTH = 120, LEFT_OF_PLACE = 60 };

static void print_line(const char *line, unsigned column, FILE *out)
{
    size_t skipped = 0; /* Characters left out at the start. */

    if (column > LINE_WIDTH) {
        skipped = column - LEFT_OF_PLACE;
        line += bytes_of(line, skipped);
    }

    const size_t shown = bytes_of(line, LINE_WIDTH);

    fputs(skipped > 0 ? "  ..." : "  ", out);
    mpl_text_print_clean(out, line, shown);
    fputs(line[shown] == '\0' ? "\n" : "...\n", out);
    if (column == 0) {
        return;
    }

    const size_t before = bytes_of(line, column - 1 - skipped);

    fputs(skipped > 0 ? "     " : "  ", out);
    for (size_t i = 0; i < before;) {
        const size_t step = mpl_utf8_length(line + i, before - i);

        /* A tab is as wide below as above only if it is a tab there too. */
        fputc(line[i] == '\t' ? '\t' : ' ', out);
        i += step == 0 ? 1 : step;
    }
    fputs("^\n", out);
}

void mpl_lint_print(const struct mpl_lint *lint, FILE *out)
{
    for (size_t i = 0; i < lint->n; i++) {
        const struct mpl_lint_message *message = lint->messages[i];

        print_place(&message->place, out);
        mpl_text_print(out, "%s: %s\n",
                       message->severity == MPL_LINT_ERROR ? "error" : "warning",
                       message->text);
        if (message->source != NULL) {
            print_line(message->source, message->place.column, out);
        }
    }
    if (lint->has_lost) {
        fputs("error: out of memory; there are more messages\n", out);
    }
}

enum mpl_status mpl_lint_fail_from(const struct mpl_lint *lint, size_t from,
                                   struct mpl_err *err)
{
    const struct mpl_lint_message *first = NULL;
    size_t n = 0;

    for (size_t i = from; i < lint->n; i++) {
        if (lint->messages[i]->severity == MPL_LINT_ERROR) {
            first = first == NULL ? lint->messages[i] : first;
            n++;
        }
    }
    if (first == NULL || lint->has_lost) {
        return mpl_nomem(err);
    }

    char more[48] = "";
    const struct mpl_place *place = &first->place;
    const char *file = place->file == NULL ? "" : place->file;

    if (n > 1) {
        (void) snprintf(more, sizeof more, " (and %zu more)", n - 1);
    }
    if (place->line == 0) {
        return mpl_fail(err, MPL_E_SYNTAX, "%s%s%s%s", file, *file == '\0' ? "" : ": ",
                        first->text, more);
    }
    if (place->column == 0) {
        return mpl_fail(err, MPL_E_SYNTAX, "%s:%u: %s%s", file, place->line, first->text,
                        more);
    }
    return mpl_fail(err, MPL_E_SYNTAX, "%s:%u:%u: %s%s", file, place->line, place->column,
                    first->text, more);
}

enum mpl_status mpl_lint_fail(const struct mpl_lint *lint, struct mpl_err *err)
{
    return lint->n_errors == 0 ? MPL_OK : mpl_lint_fail_from(lint, 0, err);
}
