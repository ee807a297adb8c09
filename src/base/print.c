/*
 * printf() for a reader at a terminal. Names of regions, paths, texts of patterns and rules come from
 * files that nobody has vouched for: printed as they are, they could move the cursor, hide a line or
 * add one that looks like ours. So what %s brings in is shown as text, and only the format, which is
 * ours, can end a line.
 */
#include "config.h"

#include "base/base_priv.h"

#include <stdlib.h>
#include <string.h>

enum { SPEC_BYTES = 48 };

/* One conversion, its stars replaced by numbers, so that a single argument is left to take. */
struct spec {
    char text[SPEC_BYTES]; /* As printf() takes it: "%-8.3f". */
    int width;             /* Negative: flush left. */
    int precision;         /* -1: none. */
    char length[3];        /* "", "l", "ll", "z". */
    char conversion;       /* 'd', 's', … */
};

/* A list of arguments that functions can take from in turn, and what shows the texts among them. */
struct arguments {
    va_list list;
    mpl_text_show *show;
};

/* The number at \p *at, or the next argument for a star. */
static int read_number(const char **at, struct arguments *args)
{
    if (**at == '*') {
        (*at)++;
        return va_arg(args->list, int);
    }
    return (int) strtol(*at, (char **) at, 10);
}

/* Reads the conversion behind a '%'; returns what follows it. */
static const char *read_spec(const char *at, struct arguments *args, struct spec *spec)
{
    const size_t n_flags = strspn(at, "-+ #0");
    char flags[6] = "";
    size_t n = 0;

    memcpy(flags, at, n_flags < sizeof flags ? n_flags : sizeof flags - 1);
    at += n_flags;
    spec->width = *at == '*' || (*at >= '1' && *at <= '9') ? read_number(&at, args) : 0;
    if (strchr(flags, '-') != NULL && spec->width > 0) {
        spec->width = -spec->width;
    }
    spec->precision = -1;
    if (*at == '.') {
        at++;
        spec->precision = read_number(&at, args);
    }
    while (n + 1 < sizeof spec->length && strchr("lz", *at) != NULL) {
        spec->length[n++] = *at++;
    }
    spec->length[n] = '\0';
    spec->conversion = *at;
    (void) snprintf(spec->text, sizeof spec->text, "%%%s*.*%s%c", flags, spec->length, *at);
    return at + 1;
}

static void print_text(FILE *out, const struct spec *spec, const char *text,
                       mpl_text_show *show)
{
    const size_t n =
        spec->precision < 0 ? strlen(text) : strnlen(text, (size_t) spec->precision);
    const int room = abs(spec->width) - (int) mpl_utf8_count(text, n);
    const int blanks = room > 0 ? room : 0;

    fprintf(out, "%*s", spec->width > 0 ? blanks : 0, "");
    show(out, text, n);
    fprintf(out, "%*s", spec->width < 0 ? blanks : 0, "");
}

static void print_signed(FILE *out, const struct spec *spec, struct arguments *args)
{
    if (strcmp(spec->length, "ll") == 0) {
        fprintf(out, spec->text, spec->width, spec->precision,
                va_arg(args->list, long long));
    } else if (strcmp(spec->length, "") == 0) {
        fprintf(out, spec->text, spec->width, spec->precision, va_arg(args->list, int));
    } else {
        fprintf(out, spec->text, spec->width, spec->precision, va_arg(args->list, long));
    }
}

static void print_unsigned(FILE *out, const struct spec *spec, struct arguments *args)
{
    if (strcmp(spec->length, "ll") == 0) {
        fprintf(out, spec->text, spec->width, spec->precision,
                va_arg(args->list, unsigned long long));
    } else if (strcmp(spec->length, "z") == 0) {
        fprintf(out, spec->text, spec->width, spec->precision, va_arg(args->list, size_t));
    } else if (strcmp(spec->length, "l") == 0) {
        fprintf(out, spec->text, spec->width, spec->precision,
                va_arg(args->list, unsigned long));
    } else {
        fprintf(out, spec->text, spec->width, spec->precision,
                va_arg(args->list, unsigned));
    }
}

static void print_argument(FILE *out, const struct spec *spec, struct arguments *args)
{
    switch (spec->conversion) {
    case '%':
        fputc('%', out);
        return;
    case 's':
        print_text(out, spec, va_arg(args->list, const char *), args->show);
        return;
    case 'c': {
        const char text[] = { (char) va_arg(args->list, int), '\0' };

        print_text(out, spec, text, args->show);
        return;
    }
    case 'd':
        print_signed(out, spec, args);
        return;
    case 'u':
    case 'x':
        print_unsigned(out, spec, args);
        return;
    case 'e':
    case 'f':
    case 'g':
        fprintf(out, spec->text, spec->width, spec->precision, va_arg(args->list, double));
        return;
    default:
        mpl_assert(!"a conversion that no message of ours uses");
    }
}

void mpl_text_vprint_as(FILE *out, const char *fmt, va_list list, mpl_text_show *show)
{
    struct arguments args = { .show = show };

    va_copy(args.list, list);
    while (*fmt != '\0') {
        const size_t n = strcspn(fmt, "%");

        fwrite(fmt, 1, n, out);
        fmt += n;
        if (*fmt == '%') {
            struct spec spec;

            fmt = read_spec(fmt + 1, &args, &spec);
            print_argument(out, &spec, &args);
        }
    }
    va_end(args.list);
}

void mpl_text_vprint(FILE *out, const char *fmt, va_list list)
{
    mpl_text_vprint_as(out, fmt, list, mpl_text_print_clean);
}

void mpl_text_print(FILE *out, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    mpl_text_vprint(out, fmt, args);
    va_end(args);
}

char *mpl_text_vformat(struct mpl_arena *arena, const char *fmt, va_list args)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    if (out == NULL) {
        return NULL;
    }
    mpl_text_vprint(out, fmt, args);

    const bool is_whole = !ferror(out);
    char *copy = NULL;

    if (fclose(out) == 0 && is_whole) {
        copy = mpl_arena_strdup(arena, text);
    }
    free(text);
    return copy;
}
