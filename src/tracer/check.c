/* Whether the placeholders of a description stand for something. */
#include "config.h"

#include "tracer/tracer_priv.h"

#include <ctype.h>
#include <string.h>

struct checker {
    struct tracer_loader *loader;
    const char **names; /* of placeholders */
    size_t n;
};

static bool is_file_of(const struct part *part, const char *name)
{
    for (size_t i = 0; i < part->n_files; i++) {
        if (strcmp(part->files[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_file(const struct mpl_tracer_file *t, const char *name)
{
    bool is_there = is_file_of(&t->always, name) || is_file_of(&t->regions, name) ||
                    is_file_of(&t->counters, name);

    for (size_t i = 0; i < t->n_recorded && !is_there; i++) {
        is_there = is_file_of(&t->recorded[i].part, name);
    }
    return is_there;
}

static void check_name(const struct checker *c, const char *name, struct mpl_place place)
{
    if (strncmp(name, "file:", 5) == 0) {
        if (!has_file(c->loader->tracer, name + 5)) {
            mpl_tracer_fault(c->loader, place, "there is no file '%s' in 'files'",
                             name + 5);
        }
        return;
    }
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->names[i], name) == 0) {
            return;
        }
    }
    mpl_tracer_fault(c->loader, place, "nothing is known to put in place of '{%s}'%s", name,
                     mpl_tracer_hint(c->loader, name, c->names, c->n));
}

static void check_text(const struct checker *c, const struct mpl_yaml *node)
{
    const char *at = node->text;

    while ((at = strchr(at, '{')) != NULL) {
        const size_t n = strcspn(at + 1, "{}\n");
        struct mpl_place place = node->place;
        char *name = mpl_arena_strndup(c->loader->arena, at + 1, n);

        if (node->is_inline) {
            place.column += (unsigned) (at - node->text);
        }
        if (name == NULL) {
            c->loader->has_no_memory = true;
            return;
        }
        if (at[1 + n] != '}') {
            mpl_tracer_fault(c->loader, place, "'{' without '}'");
            return;
        }
        check_name(c, name, place);
        at += n + 2;
    }
}

static void check_tree(const struct checker *c, const struct mpl_yaml *node)
{
    static const char *const prose[] = { "says", "only", "why", "source", "never" };

    for (size_t i = 0; node->key != NULL && i < sizeof prose / sizeof *prose; i++) {
        if (strcmp(node->key, prose[i]) == 0) {
            return;
        }
    }
    if (node->kind == MPL_YAML_SCALAR) {
        check_text(c, node);
    }
    for (const struct mpl_yaml *child = node->first; child != NULL; child = child->next) {
        check_tree(c, child);
    }
}

void mpl_tracer_check(struct tracer_loader *loader, const struct mpl_yaml *root)
{
    static const char *const own[] = { "trace", "memory", "counters", "region", "counter" };
    const size_t n_own = sizeof own / sizeof *own;
    const struct mpl_tracer_file *t = loader->tracer;
    struct checker c = {
        .loader = loader,
        .names = mpl_tracer_array(loader, t->n_lists + n_own, sizeof *c.names),
    };

    if (c.names == NULL) {
        return;
    }
    for (size_t i = 0; i < n_own; i++) {
        c.names[c.n++] = own[i];
    }
    for (size_t i = 0; i < t->n_lists; i++) {
        c.names[c.n++] = t->lists[i].name;
    }
    check_tree(&c, root);
}
