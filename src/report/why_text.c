/* An answer as a tree, wrapped at the width of the page with its lines drawn through. */
#include "config.h"

#include "report/report_priv.h"

#include <string.h>

enum { LEAST_ROOM = 24 };

static size_t columns_of(const char *text, size_t bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes; i++) {
        n += ((unsigned char) text[i] & 0xc0U) != 0x80U;
    }
    return n;
}

/** Wraps \p text; its first line begins with \p head, the others with \p rest. */
static void write_wrapped(const struct page *page, const char *head, const char *rest,
                          const char *text)
{
    const size_t before = columns_of(rest, strlen(rest));
    const size_t width = (size_t) page->width;
    const size_t room = width > before + LEAST_ROOM ? width - before : LEAST_ROOM;
    const char *p = text + strspn(text, " \n");
    size_t used = 0;

    mpl_text_print(page->out, "%s", head);
    while (*p != '\0') {
        const size_t bytes = strcspn(p, " \n");
        const size_t n = columns_of(p, bytes);

        if (used > 0 && used + 1 + n > room) {
            mpl_text_print(page->out, "\n%s", rest);
            used = 0;
        } else if (used > 0) {
            (void) fputc(' ', page->out);
            used++;
        }
        mpl_text_print(page->out, "%.*s", (int) bytes, p);
        used += n;
        p += bytes;
        p += strspn(p, " \n");
    }
    (void) fputc('\n', page->out);
}

static const char *mark_of(enum mpl_why_kind kind)
{
    return kind == MPL_WHY_MET ? "✓ " : kind == MPL_WHY_FAILED ? "✗ " : "";
}

/** A rule is shown with its claim; a condition with its line in the rule's file. */
static const char *text_of(struct page *page, const struct mpl_why *node)
{
    const char *text = node->text;

    if (node->kind == MPL_WHY_RULE && node->says != NULL && node->says[0] != '\0') {
        text = mpl_arena_printf(page->scratch, "%s: %s", node->text, node->says);
    } else if (node->kind != MPL_WHY_RULE && node->place.file != NULL) {
        text = mpl_arena_printf(page->scratch, "%s (line %u)", text, node->place.line);
    }
    return text == NULL ? node->text : text;
}

/** "rules/master-worker.clp": enough to find it, and short. */
static const char *short_path(const char *path)
{
    const char *end = path + strlen(path);
    int n_slashes = 0;

    while (end > path && n_slashes < 2) {
        end--;
        n_slashes += *end == '/';
    }
    return n_slashes == 2 ? end + 1 : path;
}

/** What stands below the first text: the file of a rule, the meaning of others. NULL: nothing. */
static const char *more_of(struct page *page, const struct mpl_why *node)
{
    if (node->kind == MPL_WHY_RULE) {
        return node->place.file == NULL
                   ? NULL
                   : mpl_arena_printf(page->scratch, "%s:%u", short_path(node->place.file),
                                      node->place.line);
    }
    return node->says == NULL || node->says[0] == '\0' ? NULL : node->says;
}

static const char *joined(struct page *page, const char *a, const char *b)
{
    const char *text = mpl_arena_printf(page->scratch, "%s%s", a, b);

    return text == NULL ? "" : text;
}

static void write_node(struct page *page, const char *head, const char *rest,
                       const struct mpl_why *node)
{
    const char *more = more_of(page, node);

    write_wrapped(page, head, rest, text_of(page, node));
    if (more != NULL) {
        write_wrapped(page, rest, rest, more);
    }
}

static void draw(struct page *page, const struct mpl_why *node, const char *prefix)
{
    for (; node != NULL; node = node->next) {
        const bool is_last = node->next == NULL;
        const char *below = joined(page, prefix, is_last ? "   " : "│  ");
        const char *rest = node->first == NULL ? below : joined(page, below, "│  ");
        const char *head = joined(page, joined(page, prefix, is_last ? "└─ " : "├─ "),
                                  mark_of(node->kind));

        if (*mark_of(node->kind) != '\0' && node->first == NULL) {
            rest = joined(page, below, "  ");
        }
        write_node(page, head, rest, node);
        draw(page, node->first, below);
    }
}

/** What stands at the top begins at the margin; a line of distance separates several. */
static void draw_top(struct page *page, const struct mpl_why *node)
{
    for (bool is_first = true; node != NULL; node = node->next, is_first = false) {
        const char *rest = node->first == NULL ? "" : "│  ";

        if (!is_first) {
            (void) fputc('\n', page->out);
        }
        write_node(page, "", rest, node);
        draw(page, node->first, "");
    }
}

enum mpl_status mpl_report_why(const struct mpl_why *why,
                               const struct mpl_report_options *options, FILE *out,
                               struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
    if (why->text[0] != '\0') {
        mpl_page_say(&page, 0, "%s", why->text);
        if (why->first != NULL) {
            (void) fputc('\n', out);
        }
    }
    draw_top(&page, why->first);
    return mpl_page_end(&page, "answer", err);
}
