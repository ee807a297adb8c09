#include "config.h"

#include "cli/vocab_priv.h"

#include <string.h>

/* Where the reading of the vocabulary stands. */
struct reader {
    const char *at;
    struct mpl_arena *arena;
    struct mpl_buf *words; /* struct mpl_vocab_word */
    const char *template;  /* NULL outside of a deftemplate */
    int depth;             /* of parentheses */
    bool is_short;         /* of memory */
};

/* Blanks, and a comment up to its line's end, which is kept for whoever wants it. */
static void skip(struct reader *r)
{
    while (*r->at != '\0') {
        if (*r->at == ';') {
            r->at += strcspn(r->at, "\n");
        } else if (strchr(" \t\r\n", *r->at) != NULL) {
            r->at++;
        } else {
            return;
        }
    }
}

static const char *take_symbol(struct reader *r)
{
    skip(r);
    const size_t n = strcspn(r->at, " \t\r\n();\"");
    const char *symbol = mpl_arena_strndup(r->arena, r->at, n);

    r->at += n;
    r->is_short = r->is_short || symbol == NULL;
    return symbol == NULL ? "" : symbol;
}

static const char *take_string(struct reader *r)
{
    const char *begin = ++r->at;
    char *string = NULL;
    char *p = NULL;

    while (*r->at != '\0' && *r->at != '"') {
        r->at += r->at[0] == '\\' && r->at[1] != '\0' ? 2 : 1;
    }
    p = string = mpl_arena_strndup(r->arena, begin, (size_t) (r->at - begin));
    r->at += *r->at == '"';
    r->is_short = r->is_short || string == NULL;
    for (const char *q = string; q != NULL && *q != '\0'; q++) {
        q += *q == '\\' && q[1] != '\0';
        *p++ = *q;
    }
    if (p != NULL) {
        *p = '\0';
    }
    return string == NULL ? "" : string;
}

static void add_word(struct reader *r, const char *of, const char *name)
{
    const struct mpl_vocab_word word = {
        .of = of, .name = name, .unit = "", .has_type = of != NULL, .says = ""
    };

    r->is_short |= !mpl_buf_put(r->words, &word);
}

static struct mpl_vocab_word *last_word(const struct reader *r)
{
    return r->template == NULL || r->words->n == 0 ? NULL
                                                   : mpl_buf_get(r->words, r->words->n - 1);
}

static void open_list(struct reader *r)
{
    r->at++;
    r->depth++;
    const char *head = take_symbol(r);

    if (r->depth == 1) {
        r->template = NULL;
        if (strcmp(head, "deftemplate") == 0) {
            const char *name = take_symbol(r);
            const char *colons = strstr(name, "::");

            /* "MAIN::metric" is "metric" to the reader. */
            r->template = colons == NULL ? name : colons + 2;
            add_word(r, NULL, r->template);
        }
    } else if (r->depth == 2 && r->template != NULL) {
        add_word(r, r->template, take_symbol(r));
    } else if (last_word(r) != NULL && strcmp(head, "type") == 0) {
        last_word(r)->unit = take_symbol(r);
    }
}

/* One line of a remark, from behind its semicolons; moves *p to the line's end. */
static const char *remark_line(struct reader *r, const char **p, const char *before)
{
    *p += strspn(*p, "; \t");
    const size_t n = strcspn(*p, "\n");
    const char *remark = mpl_arena_printf(r->arena, "%s%s%.*s", before,
                                          before[0] != '\0' ? " " : "", (int) n, *p);

    *p += n;
    r->is_short = r->is_short || remark == NULL;
    return remark == NULL ? "" : remark;
}

/* The remark behind a slot, on the line on which the slot ends and those that follow. */
static void take_remark(struct reader *r)
{
    const char *p = r->at + strspn(r->at, " \t)");

    if (last_word(r) == NULL || last_word(r)->of == NULL) {
        return;
    }
    while (*p == ';') {
        last_word(r)->says = remark_line(r, &p, last_word(r)->says);
        p += *p == '\n';
        p += strspn(p, " \t");
    }
}

enum mpl_status mpl_vocab_facts(const char *text, struct mpl_arena *arena,
                                struct mpl_buf *words, struct mpl_err *err)
{
    struct reader r = { .at = text, .arena = arena, .words = words };

    for (skip(&r); *r.at != '\0'; skip(&r)) {
        if (*r.at == '(') {
            open_list(&r);
        } else if (*r.at == ')') {
            r.at++;
            r.depth -= r.depth > 0;
            if (r.depth == 1) {
                take_remark(&r);
            }
        } else if (*r.at == '"') {
            const char *string = take_string(&r);
            if (r.depth == 1 && last_word(&r) != NULL) {
                last_word(&r)->says = string;
            }
        } else {
            (void) take_symbol(&r);
        }
    }
    return r.is_short ? mpl_nomem(err) : MPL_OK;
}
