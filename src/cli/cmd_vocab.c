#include "config.h"

#include "cli/cli_priv.h"
#include "cli/vocab_priv.h"

#include <string.h>

#include "metrics/metrics.h"
#include "view/view.h"

/* What a topic's words go into. */
struct listing {
    struct mpl_arena *arena;
    struct mpl_buf words; /* struct mpl_vocab_word */
    bool is_short;        /* of memory */
};

static void add(struct listing *list, struct mpl_vocab_word word)
{
    list->is_short = list->is_short || word.name == NULL || word.unit == NULL ||
                     !mpl_buf_put(&list->words, &word);
}

static void add_plain(struct listing *list, const char *name, const char *says)
{
    add(list, (struct mpl_vocab_word){ .name = name, .unit = "", .says = says });
}

/* The unit is printed into the arena; for numbers without a unit that is "1". */
static void add_with_unit(struct listing *list, const char *name, struct mpl_unit unit,
                          const char *says)
{
    char text[32];

    add(list, (struct mpl_vocab_word){
                  .name = name,
                  .unit = mpl_arena_strdup(list->arena, mpl_unit_text(unit, text)),
                  .says = says });
}

static enum mpl_status list_events(struct listing *list, struct mpl_err *err)
{
    size_t n = 0;
    const struct mpl_primitive *table = mpl_primitives(&n);

    (void) err;
    for (size_t i = 0; i < n; i++) {
        add_plain(list, table[i].name, table[i].says);
    }
    return MPL_OK;
}

static enum mpl_status list_metrics(struct listing *list, struct mpl_err *err)
{
    size_t n = 0;
    const struct mpl_metric_variable *table = mpl_metric_variables(&n);

    (void) err;
    for (size_t i = 0; i < n; i++) {
        const char *name = mpl_arena_printf(
            list->arena, "%s.%s", table[i].per_location ? "<role>" : "run", table[i].name);

        add_with_unit(list, name, table[i].unit, table[i].says);
    }
    return MPL_OK;
}

static enum mpl_status list_capabilities(struct listing *list, struct mpl_err *err)
{
    size_t n = 0;
    const struct mpl_capability *table = mpl_capability_table(&n);

    (void) err;
    for (size_t i = 0; i < n; i++) {
        add_plain(list, table[i].name, table[i].says);
    }
    return MPL_OK;
}

/* A file of the stock's rules. */
static enum mpl_status read_rules_file(const char *name, struct mpl_arena *arena,
                                       const char **path, char **text, size_t *bytes,
                                       struct mpl_err *err)
{
    const char *directory = NULL;
    const enum mpl_status st = mpl_knowledge_find(arena, &directory, err);

    if (st != MPL_OK) {
        return st;
    }
    *path = mpl_arena_printf(arena, "%s/rules/%s", directory, name);
    return *path == NULL ? mpl_nomem(err)
                         : mpl_file_read(*path, 1 << 20, arena, text, bytes, err);
}

/* From the very file that is loaded before any rule, so that it cannot be out of date. */
static enum mpl_status list_facts(struct listing *list, struct mpl_err *err)
{
    const char *path = NULL;
    char *text = NULL;
    size_t bytes = 0;
    const enum mpl_status st =
        read_rules_file("vocabulary.clp", list->arena, &path, &text, &bytes, err);

    return st == MPL_OK ? mpl_vocab_facts(text, list->arena, &list->words, err) : st;
}

static enum mpl_status list_terms(struct listing *list, struct mpl_err *err)
{
    const char *path = NULL;
    char *text = NULL;
    size_t bytes = 0;
    const enum mpl_status st =
        read_rules_file("terms.yaml", list->arena, &path, &text, &bytes, err);

    return st == MPL_OK ? mpl_vocab_terms(path, text, bytes, list->arena, &list->words, err)
                        : st;
}

static enum mpl_status list_views(struct listing *list, struct mpl_err *err)
{
    size_t n = 0;
    const struct mpl_view *const *views = mpl_views(&n);

    (void) err;
    for (size_t i = 0; i < n; i++) {
        add_plain(list, views[i]->name, views[i]->says);
        for (size_t k = 0; k < views[i]->n_columns; k++) {
            const struct mpl_column *c = &views[i]->columns[k];

            add(list, (struct mpl_vocab_word){ .of = views[i]->name,
                                               .name = c->name,
                                               .unit = c->unit == NULL ? "" : c->unit,
                                               .says = c->says });
        }
    }
    return MPL_OK;
}

struct topic {
    const char *name;
    const char *says;
    enum mpl_status (*list)(struct listing *list, struct mpl_err *err);
    const struct mpl_word *(*table)(size_t *n); /* or where its words stand */
};

static const struct topic topics[] = {
    { "events", "primitive events that a member of an abstract event may name", list_events,
      NULL },
    { "fields", "what a formula may read of a member", NULL, mpl_span_fields },
    { "topology", "what the formulas of roles may read of a location", NULL,
      mpl_role_variables },
    { "metrics", "variables that formulas of metrics may read", list_metrics, NULL },
    { "capabilities", "what a run may record or not, for \"needs\"", list_capabilities,
      NULL },
    { "facts", "fact templates of the stock that rules match and assert", list_facts,
      NULL },
    { "views", "views of a run, and the columns of their tables", list_views, NULL },
    { "terms", "terms of the report and what they mean", list_terms, NULL },
};
enum { N_TOPICS = sizeof topics / sizeof *topics };

struct vocab_opts {
    const struct topic *topic; /* NULL: the list of topics */
    enum mpl_format format;
};

static const struct mpl_option options[] = {
    MPL_FORMAT_OPTION(struct vocab_opts, format),
    { 0 },
};

static enum mpl_status take_topic(struct mpl_args *args, void *target, struct mpl_err *err)
{
    const struct topic **topic = (const struct topic **) target;
    const char *names[N_TOPICS];

    if (*topic != NULL) {
        return mpl_args_unexpected(args, err);
    }
    for (size_t i = 0; i < N_TOPICS; i++) {
        names[i] = topics[i].name;
        if (strcmp(args->value, names[i]) == 0) {
            *topic = &topics[i];
            return MPL_OK;
        }
    }
    const char *near = mpl_suggest(args->value, names, N_TOPICS);

    if (near != NULL) {
        return mpl_fail(err, MPL_E_USAGE, "unknown topic \"%s\"; did you mean \"%s\"?",
                        args->value, near);
    }
    return mpl_fail(err, MPL_E_USAGE,
                    "unknown topic \"%s\"; marple vocab alone lists the topics",
                    args->value);
}

static void print_text(const struct mpl_buf *words, FILE *out)
{
    size_t name_width = 0;
    size_t unit_width = 0;

    for (size_t i = 0; i < words->n; i++) {
        const struct mpl_vocab_word *w = mpl_buf_get(words, i);
        const size_t name = strlen(w->name) + (w->of != NULL ? 2 : 0);
        const size_t unit = strlen(w->unit);
        name_width = name > name_width ? name : name_width;
        unit_width = unit > unit_width ? unit : unit_width;
    }
    for (size_t i = 0; i < words->n; i++) {
        const struct mpl_vocab_word *w = mpl_buf_get(words, i);
        const char *indent = w->of != NULL ? "  " : "";
        if (w->says[0] == '\0') {
            mpl_text_print(out, "%s%-*s  %s\n", indent, (int) (name_width - strlen(indent)),
                           w->name, w->unit);
        } else {
            mpl_text_print(out, "%s%-*s  %-*s%s%s\n", indent,
                           (int) (name_width - strlen(indent)), w->name, (int) unit_width,
                           w->unit, unit_width > 0 ? "  " : "", w->says);
        }
    }
}

static enum mpl_status print_json(const char *topic, const struct mpl_buf *words, FILE *out,
                                  struct mpl_err *err)
{
    struct mpl_json json = mpl_json_begin();

    mpl_json_string(&json, "schema", "marple-vocab/1");
    mpl_json_string(&json, "topic", topic);
    mpl_json_array(&json, "words");
    for (size_t i = 0; i < words->n; i++) {
        const struct mpl_vocab_word *w = mpl_buf_get(words, i);

        mpl_json_object(&json, NULL);
        if (w->of != NULL) {
            mpl_json_string(&json, "of", w->of);
        }
        mpl_json_string(&json, "name", w->name);
        mpl_json_string(&json, w->has_type ? "type" : "unit",
                        w->unit[0] != '\0' ? w->unit : NULL);
        mpl_json_string(&json, "says", w->says[0] != '\0' ? w->says : NULL);
        mpl_json_end(&json);
    }
    mpl_json_end(&json);
    return mpl_json_write(&json, out, err);
}

void mpl_vocab_topics(const char *begin, FILE *out)
{
    for (size_t i = 0; i < N_TOPICS; i++) {
        if (strncmp(topics[i].name, begin, strlen(begin)) == 0) {
            mpl_text_print(out, "%s\n", topics[i].name);
        }
    }
}

static enum mpl_status vocab(const struct vocab_opts *opts, struct mpl_arena *arena,
                             FILE *out, struct mpl_err *err)
{
    struct listing list = { .arena = arena,
                            .words = mpl_buf_make(sizeof(struct mpl_vocab_word)) };
    size_t n = 0;
    enum mpl_status st = MPL_OK;

    if (opts->topic != NULL && opts->topic->table != NULL) {
        const struct mpl_word *table = opts->topic->table(&n);

        for (size_t i = 0; i < n; i++) {
            add_with_unit(&list, table[i].name, table[i].unit, table[i].says);
        }
    } else if (opts->topic != NULL) {
        st = opts->topic->list(&list, err);
    }
    for (size_t i = 0; opts->topic == NULL && i < N_TOPICS; i++) {
        add_plain(&list, topics[i].name, topics[i].says);
    }
    st = st == MPL_OK && list.is_short ? mpl_nomem(err) : st;
    if (st == MPL_OK && opts->format == MPL_FORMAT_JSON) {
        st = print_json(opts->topic != NULL ? opts->topic->name : "topics", &list.words,
                        out, err);
    } else if (st == MPL_OK) {
        print_text(&list.words, out);
    }
    mpl_buf_free(&list.words);
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct vocab_opts opts = { 0 };
    const enum mpl_status st = mpl_args_parse(args, &opts, take_topic, &opts.topic, err);

    return st == MPL_OK ? vocab(&opts, args->arena, out, err) : st;
}

const struct mpl_cmd mpl_cmd_vocab = {
    .name = "vocab",
    .operands = "[TOPIC]",
    .summary = "print the words that patterns and rules may use",
    .options = options,
    .run = run,
};
