#include "config.h"

#include "plan/plan_priv.h"

#include <string.h>

bool mpl_texts_has(const struct texts *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

bool mpl_texts_add(struct planner *p, struct texts *list, const char *text)
{
    if (text == NULL) {
        return false;
    }
    if (mpl_texts_has(list, text)) {
        return true;
    }
    const char **items = MPL_NEW_ARRAY(p->arena, list->n + 1, const char *);

    if (items == NULL) {
        return false;
    }
    if (list->n > 0) {
        memcpy(items, list->items, list->n * sizeof *items);
    }
    items[list->n++] = text;
    list->items = items;
    return true;
}

bool mpl_texts_add_all(struct planner *p, struct texts *list, const char *const *texts,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!mpl_texts_add(p, list, texts[i])) {
            return false;
        }
    }
    return true;
}

const char *mpl_texts_join(struct planner *p, const struct texts *list)
{
    const char *text = "";

    for (size_t i = 0; i < list->n && text != NULL; i++) {
        text = mpl_arena_printf(p->arena, "%s%s%s", text,
                                i == 0             ? ""
                                : i + 1 == list->n ? "; and "
                                                   : "; ",
                                list->items[i]);
    }
    return text;
}
