#include "config.h"

#include "base/base_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mpl_ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text);
    const size_t n_end = strlen(end);

    return n > n_end && strcmp(text + n - n_end, end) == 0;
}

/*
 * Numbers are put together from whole ones: printf("%f") and strtod() follow LC_NUMERIC,
 * which a program that uses our library may have set.
 */
static void print_decimal(char *text, size_t room, double value, int decimals)
{
    static const unsigned long long powers[] = { 1, 10, 100, 1000 };
    const unsigned long long power = powers[decimals];
    const unsigned long long scaled = (unsigned long long) llround(value * (double) power);

    if (decimals == 0) {
        (void) snprintf(text, room, "%llu", scaled);
    } else {
        (void) snprintf(text, room, "%llu.%0*llu", scaled / power, decimals,
                        scaled % power);
    }
}

/* \p value rounded to three significant digits, so that 999.7 us can become 1.00 ms. */
static double round_to_three_digits(double value)
{
    const double last_digit = pow(10, floor(log10(value)) - 2);

    return last_digit > 0 ? round(value / last_digit) * last_digit : value;
}

static int decimals_of(double value)
{
    return value >= 100 ? 0 : value >= 10 ? 1 : 2;
}

/* Clocks tick in whole nanoseconds: "85 ns", not "85.0 ns". */
static void drop_zeros(char *text)
{
    size_t n = strlen(text);

    if (strchr(text, '.') == NULL) {
        return;
    }
    while (text[n - 1] == '0') {
        n--;
    }
    text[text[n - 1] == '.' ? n - 1 : n] = '\0';
}

/* The number alone, in the unit returned. \p seconds is positive. */
static const char *print_seconds(char *text, size_t room, double seconds)
{
    const double rounded = round_to_three_digits(seconds);

    if (rounded >= 1e15) {
        (void) snprintf(text, room, "%.0e", seconds);
        return "s";
    }
    if (rounded >= 0.1) {
        const double shown = rounded >= 1000 ? seconds : rounded;

        print_decimal(text, room, shown, rounded < 1 ? 3 : decimals_of(rounded));
        return "s";
    }
    /* The factor shows 1.00 ms also where 1e-3 was rounded to a hair below. */
    if (rounded * (1 + 1e-9) >= 1e-3) {
        print_decimal(text, room, rounded * 1e3, decimals_of(rounded * 1e3));
        return "ms";
    }
    if (rounded * (1 + 1e-9) >= 1e-6) {
        print_decimal(text, room, rounded * 1e6, decimals_of(rounded * 1e6));
        return "us";
    }
    print_decimal(text, room, rounded * 1e9,
                  rounded < 1e-9 ? 3 : decimals_of(rounded * 1e9));
    drop_zeros(text);
    return "ns";
}

char *mpl_text_seconds(struct mpl_arena *arena, double seconds)
{
    if (!isfinite(seconds)) {
        return mpl_arena_strdup(arena, "unknown");
    }
    if (seconds == 0) {
        return mpl_arena_strdup(arena, "0 s");
    }

    char text[40];
    const char *unit = print_seconds(text, sizeof text, fabs(seconds));

    return mpl_arena_printf(arena, "%s%s %s", seconds < 0 ? "-" : "", text, unit);
}

char *mpl_text_share(struct mpl_arena *arena, double share)
{
    if (!isfinite(share)) {
        return mpl_arena_strdup(arena, "unknown");
    }

    const double percent = fabs(share) * 100;
    char text[40];

    if (percent >= 1e15) {
        (void) snprintf(text, sizeof text, "%.0e", percent);
    } else {
        print_decimal(text, sizeof text, percent, 1);
    }
    return mpl_arena_printf(arena, "%s%s %%",
                            share < 0 && strcmp(text, "0.0") != 0 ? "-" : "", text);
}

char *mpl_text_count(struct mpl_arena *arena, uint64_t n)
{
    char text[32];
    char *at = text + sizeof text - 1;

    *at = '\0';
    for (int digits = 0; digits == 0 || n > 0; digits++, n /= 10) {
        if (digits > 0 && digits % 3 == 0) {
            *--at = ',';
        }
        *--at = (char) ('0' + n % 10);
    }
    return mpl_arena_strdup(arena, at);
}

static bool is_unit(const char *word, size_t n)
{
    static const char *const units[] = { "s", "ms", "us", "ns", "%", "B" };

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i]) == n && strncmp(word, units[i], n) == 0) {
            return true;
        }
    }
    return false;
}

/* The bytes that stay on one line: a word, and with a number the unit behind it. */
static size_t unbroken(const char *text, size_t n)
{
    const size_t end = strcspn(text, " ") < n ? strcspn(text, " ") : n;

    if (end == 0 || end >= n || text[end - 1] < '0' || text[end - 1] > '9') {
        return end;
    }
    size_t next = end + 1;

    while (next < n && text[next] != ' ') {
        next++;
    }
    size_t unit = next - (end + 1);

    while (unit > 0 && strchr(".,;:)", text[end + unit]) != NULL) {
        unit--;
    }
    return is_unit(text + end + 1, unit) ? next : end;
}

static size_t room_of(int width, int taken)
{
    return width > taken ? (size_t) (width - taken) : 1;
}

/* Prints one paragraph, which holds no line end, behind a label on its first line; further lines begin
 * behind \p inner blanks. */
static void wrap_paragraph(FILE *out, const char *text, size_t n, const char *label,
                           int indent, int inner, int width)
{
    size_t room = room_of(width, indent + (int) mpl_utf8_count(label, strlen(label)));
    size_t used = 0; /* Characters on the line so far. */

    mpl_text_print(out, "%*s%s", n > 0 ? indent : 0, "", label);
    for (size_t i = 0; i < n;) {
        const size_t end = i + unbroken(text + i, n - i);
        const size_t word = mpl_utf8_count(text + i, end - i);

        if (word > 0) {
            const bool is_first = used == 0;
            const bool is_full = !is_first && used + 1 + word > room;

            if (is_full) {
                fputc('\n', out);
                room = room_of(width, inner);
                used = 0;
            }
            fprintf(out, "%*s", is_full ? inner : is_first ? 0 : 1, "");
            mpl_text_print_clean(out, text + i, end - i);
            used += word + (is_first || is_full ? 0 : 1);
        }
        i = end + 1;
    }
    fputc('\n', out);
}

void mpl_text_hang(FILE *out, const char *label, const char *text, int indent, int width)
{
    const int begin = indent < 0 ? 0 : indent;
    const int inner = begin + (int) mpl_utf8_count(label, strlen(label));

    do {
        const size_t n = strcspn(text, "\n");

        wrap_paragraph(out, text, n, label, begin, inner, width);
        text += n + (text[n] == '\n' ? 1 : 0);
    } while (*text != '\0');
}

void mpl_text_wrap(FILE *out, const char *text, int indent, int width)
{
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");

        wrap_paragraph(out, text, n, "", indent < 0 ? 0 : indent, indent < 0 ? 0 : indent,
                       width);
        text += n + (text[n] == '\n' ? 1 : 0);
    }
}

void mpl_text_lead(FILE *out, const char *label, const char *text, int inner, int width)
{
    wrap_paragraph(out, text, strlen(text), label, 0, inner, width);
}

size_t mpl_text_columns(const char *text)
{
    return mpl_utf8_count(text, strlen(text));
}

void mpl_draft_open(struct mpl_draft *draft)
{
    *draft = (struct mpl_draft){ 0 };
    draft->out = open_memstream(&draft->text, &draft->n);
}

size_t mpl_draft_close(struct mpl_draft *draft)
{
    size_t n_lines = 0;

    if (draft->out != NULL) {
        (void) fclose(draft->out);
    }
    for (size_t i = 0; i < draft->n && draft->text != NULL; i++) {
        n_lines += draft->text[i] == '\n';
    }
    free(draft->text);
    return n_lines;
}

/* ---- cutting ------------------------------------------------------------------------------ */

/* Where a text that is wrapped stands, and where it may end. */
struct fitting {
    size_t first;   /* Columns of the first line, */
    size_t further; /* and of the others. */
    size_t lines;
    size_t line;     /* From 1. */
    size_t used;     /* Columns of that line. */
    size_t cut;      /* Bytes up to the last word behind which " …" fits, */
    size_t clause;   /* the last such word that ends a clause outside of parentheses, */
    size_t sentence; /* and the end of the last sentence that fits. */
    int n_open;      /* Parentheses. */
};

static void count_parentheses(struct fitting *f, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        f->n_open += word[i] == '(' ? 1 : word[i] == ')' ? -1 : 0;
    }
}

/* Where a text that does not fit ends: a sentence needs no mark, a clause must not be a mere beginning. */
static char *cut_text(struct mpl_arena *arena, const char *text, const struct fitting *f)
{
    if (f->sentence > 0) {
        return mpl_arena_strndup(arena, text, f->sentence);
    }
    const size_t cut = 3 * f->clause > 2 * f->cut ? f->clause - 1 : f->cut;

    return mpl_arena_printf(arena, "%.*s%s", (int) cut, text, cut > 0 ? " …" : "…");
}

/* Whether the word that ends at \p end still fits. */
static bool place_word(struct fitting *f, const char *text, size_t end, size_t columns)
{
    const bool is_full =
        f->used > 0 && f->used + 1 + columns > (f->line == 1 ? f->first : f->further);

    f->line += is_full ? 1 : 0;
    f->used = is_full || f->used == 0 ? columns : f->used + 1 + columns;
    const size_t room = f->line == 1 ? f->first : f->further;

    if (f->line > f->lines || f->used > room) {
        return false;
    }
    if (f->line < f->lines || f->used + 2 <= room) {
        f->cut = end;
        f->clause = f->n_open == 0 && strchr(";:", text[end - 1]) != NULL ? end : f->clause;
    }
    if (text[end - 1] == '.') {
        f->sentence = end;
    }
    return true;
}

char *mpl_text_fit(struct mpl_arena *arena, const char *text, int first, int further,
                   int lines)
{
    struct fitting f = { .first = room_of(first, 0),
                         .further = room_of(further, 0),
                         .lines = (size_t) lines,
                         .line = 1 };
    char *copy = mpl_arena_strdup(arena, text);
    const size_t n = strlen(text);

    for (size_t i = 0; copy != NULL && i < n; i++) {
        copy[i] = copy[i] == '\n' ? ' ' : copy[i];
    }
    for (size_t i = 0; copy != NULL && i < n;) {
        const size_t end = i + unbroken(copy + i, n - i);

        count_parentheses(&f, copy + i, end - i);
        if (end > i && !place_word(&f, copy, end, mpl_utf8_count(copy + i, end - i))) {
            return cut_text(arena, copy, &f);
        }
        i = end + 1;
    }
    return copy;
}

int mpl_text_sentence(const char *text)
{
    const char *end = strstr(text, ". ");

    return end != NULL ? (int) (end - text) + 1 : (int) strlen(text);
}
