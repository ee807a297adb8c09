#include "config.h"

#include "pattern/load_priv.h"

#include <ctype.h>
#include <string.h>

const char *const mpl_filter_keys[MPL_FILTER_KEYS] = { "event",  "to", "from", "tag",
                                                       "region", "op", "root", "where" };

/* ---- which event -------------------------------------------------------------------- */

static void fail_unknown(struct mpl_loader *loader, const struct mpl_yaml *node)
{
    const struct mpl_pattern *pattern = loader->pattern;
    size_t n;
    const struct mpl_primitive *table = mpl_primitives(&n);
    const char **names = mpl_load_array(loader, n + pattern->n_events, sizeof *names);

    if (names == NULL) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = table[i].name;
    }
    for (uint32_t i = 0; i < pattern->n_events; i++) {
        names[n + i] = pattern->events[i].name;
    }
    mpl_load_error(loader, node->place, "there is no event '%s'%s", node->text,
                   mpl_load_hint(loader, node->text, names, n + pattern->n_events));
}

uint32_t mpl_load_event(struct mpl_loader *loader, const struct mpl_yaml *node)
{
    const uint32_t event = mpl_pattern_find_event(loader->pattern, node->text);

    if (event == MPL_NONE) {
        fail_unknown(loader, node);
    }
    return event;
}

static void load_kind(struct mpl_loader *loader, const struct mpl_yaml *map,
                      struct mpl_span_filter *filter)
{
    const struct mpl_yaml *node = mpl_yaml_find(map, "event");

    if (node == NULL) {
        mpl_load_error(loader, map->key_place, "'%s' lacks 'event': which kind it is",
                       map->key);
        return;
    }
    if (mpl_load_text(loader, node, "'event'") == NULL) {
        return;
    }
    filter->primitive = mpl_primitive_find(node->text);
    if (filter->primitive != MPL_NONE) {
        return;
    }
    filter->event = mpl_load_event(loader, node);
}

/* ---- filters --------------------------------------------------------------------------- */

static void load_tags(struct mpl_loader *loader, const struct mpl_yaml *node,
                      struct mpl_span_filter *filter)
{
    const bool is_list = node->kind == MPL_YAML_SEQ;
    const size_t n = is_list ? node->n : 1;
    uint32_t *tags = mpl_load_array(loader, n, sizeof *tags);
    const struct mpl_yaml *item = is_list ? node->first : node;

    if (tags == NULL) {
        return;
    }
    if (n == 0) {
        mpl_load_error(loader, node->place, "'tag' is an empty list");
    }
    for (size_t i = 0; i < n; i++) {
        if (mpl_load_number(loader, item, "'tag'", 0, MPL_LOAD_ANY,
                            &tags[filter->n_tags])) {
            filter->n_tags++;
        }
        item = item->next;
    }
    filter->tags = tags;
}

/* "allreduce" of MPI_Allreduce, to suggest. */
static const char *bare_name(struct mpl_loader *loader, enum mpl_coll_op op)
{
    const char *full = mpl_coll_op_name(op);
    char *name =
        mpl_arena_strdup(loader->arena, strncmp(full, "MPI_", 4) == 0 ? full + 4 : full);

    for (char *at = name; at != NULL && *at != '\0'; at++) {
        *at = (char) tolower((unsigned char) *at);
    }
    loader->has_no_memory = loader->has_no_memory || name == NULL;
    return name == NULL ? "" : name;
}

static void load_op(struct mpl_loader *loader, const struct mpl_yaml *node,
                    struct mpl_span_filter *filter)
{
    const char *names[MPL_COLL_OPS];
    const char *text = mpl_load_text(loader, node, "'op'");
    const uint32_t op = text == NULL ? 0 : mpl_op_find(text);

    filter->ops |= op;
    if (text == NULL || op != 0) {
        return;
    }
    for (int i = 0; i < MPL_COLL_OPS; i++) {
        names[i] = bare_name(loader, (enum mpl_coll_op) i);
    }
    mpl_load_error(loader, node->place, "there is no collective operation '%s'%s", text,
                   mpl_load_hint(loader, text, names, MPL_COLL_OPS));
}

static void load_ops(struct mpl_loader *loader, const struct mpl_yaml *node,
                     struct mpl_span_filter *filter)
{
    if (node->kind != MPL_YAML_SEQ) {
        load_op(loader, node, filter);
        return;
    }
    for (const struct mpl_yaml *item = node->first; item != NULL; item = item->next) {
        load_op(loader, item, filter);
    }
}

/* A filter that can never hold is a mistake, not a filter. */
static void check_sense(struct mpl_loader *loader, const struct mpl_yaml *map,
                        const struct mpl_span_filter *filter)
{
    static const char *const of_messages[] = { "to", "from", "tag" };
    static const char *const of_collectives[] = { "op", "root" };
    const enum mpl_primitive_test test = mpl_primitive_row(filter->primitive)->test;
    size_t n;
    const struct mpl_primitive *primitive = &mpl_primitives(&n)[filter->primitive];
    const bool is_send = test == MPL_TEST_SEND || test == MPL_TEST_SSEND;

    for (size_t i = 0; i < sizeof of_messages / sizeof *of_messages; i++) {
        const struct mpl_yaml *node = mpl_yaml_find(map, of_messages[i]);

        if (node != NULL && (!primitive->has_message || (is_send && i == 1) ||
                             (test == MPL_TEST_RECV && i == 0))) {
            mpl_load_error(loader, node->key_place, "'%s' has no meaning for '%s'%s",
                           node->key, primitive->name,
                           is_send                  ? "; a send goes 'to' a role"
                           : primitive->has_message ? "; a receive comes 'from' a role"
                                                    : "");
        }
    }
    for (size_t i = 0; i < sizeof of_collectives / sizeof *of_collectives; i++) {
        const struct mpl_yaml *node = mpl_yaml_find(map, of_collectives[i]);

        if (node != NULL && test != MPL_TEST_COLLECTIVE && test != MPL_TEST_CALL) {
            mpl_load_error(loader, node->key_place, "'%s' has no meaning for '%s'",
                           node->key, primitive->name);
        }
    }
    if (test == MPL_TEST_REGION && filter->region == NULL) {
        mpl_load_error(loader, map->key_place,
                       "'%s' lacks 'region': the name of the function", map->key);
    }
}

static void refuse_filters(struct mpl_loader *loader, const struct mpl_yaml *map)
{
    for (int i = 1; i < MPL_FILTER_KEYS; i++) {
        const struct mpl_yaml *node = mpl_yaml_find(map, mpl_filter_keys[i]);

        if (node != NULL) {
            mpl_load_error(
                loader, node->key_place,
                "'%s' filters primitive events; '%s' is an event of the pattern, "
                "with a 'where' of its own",
                node->key, mpl_yaml_find(map, "event")->text);
        }
    }
}

void mpl_load_filter(struct mpl_loader *loader, const struct mpl_yaml *map,
                     struct mpl_span_filter *filter, bool is_link)
{
    const struct mpl_yaml *node;

    *filter = mpl_filter_any();
    load_kind(loader, map, filter);
    if (filter->event != MPL_NONE) {
        refuse_filters(loader, map);
        return;
    }
    if ((node = mpl_yaml_find(map, "to")) != NULL) {
        filter->to = mpl_load_role(loader, node);
    }
    if ((node = mpl_yaml_find(map, "from")) != NULL) {
        filter->from = mpl_load_role(loader, node);
    }
    if ((node = mpl_yaml_find(map, "root")) != NULL) {
        filter->root = mpl_load_role(loader, node);
    }
    if ((node = mpl_yaml_find(map, "tag")) != NULL) {
        load_tags(loader, node, filter);
    }
    if ((node = mpl_yaml_find(map, "op")) != NULL) {
        load_ops(loader, node, filter);
    }
    if ((node = mpl_yaml_find(map, "region")) != NULL) {
        filter->region = mpl_load_text(loader, node, "'region'");
    }
    if ((node = mpl_yaml_find(map, "where")) != NULL &&
        !(is_link && mpl_load_reads_others(node))) {
        filter->where = mpl_load_span_formula(loader, node);
    }
    if (filter->primitive != MPL_NONE) {
        check_sense(loader, map, filter);
    }
}
