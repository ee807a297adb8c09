/*
 * YAML as a tree with places. libyaml's event interface is used and not its documents:
 * those keep the last of two equal keys in silence, follow aliases into cycles, and
 * need 38 s for 100,000 nested brackets. Building the tree here means that what a
 * pattern author cannot have meant is an error with a line and a column.
 */
#include "config.h"

#include "base/yaml_priv.h"

#include <string.h>

enum {
    DEPTH_LIMIT = 32,
    BYTES_LIMIT = 16 * 1024 * 1024,
    /* After so many, the reader repairs the first ones and asks again. */
    ERRORS_LIMIT = 20
};

/* A map or sequence whose end has not come yet. */
struct frame {
    struct mpl_yaml *node;
    struct mpl_yaml *last; /* Youngest child. */
    const char *key;       /* Of the value that comes next; NULL: a key comes next. */
    struct mpl_place key_place;
    bool is_flow;          /* A map in braces, where a key needs no ':'. */
    yaml_mark_t key_start; /* Of the key that comes last. */
    yaml_mark_t key_end;
};

struct builder {
    const char *file; /* In the arena. */
    const char *text; /* What is read. */
    size_t bytes;
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    struct mpl_yaml *root;
    struct frame stack[DEPTH_LIMIT];
    size_t depth;
    /*
     * Members seen so far, by hash of map and key, so that 100,000 keys in one map do
     * not cost 10^10 comparisons: the number of a node in members.
     */
    struct mpl_map *keys;
    struct mpl_buf members; /* struct member */
    size_t n_errors;        /* Of this text. */
    size_t skip_depth;      /* Open collections inside a key, which are left out. */
    bool is_out_of_memory;
    bool is_over; /* An error after which reading on makes no sense. */
};

struct member {
    const struct mpl_yaml *map;
    const char *key;
    unsigned line;
};

static struct mpl_place place_at(const struct builder *b, const yaml_mark_t *mark)
{
    return (struct mpl_place){ b->file, (unsigned) mark->line + 1,
                               (unsigned) mark->column + 1 };
}

static void complain(struct builder *b, struct mpl_place place, const char *fmt, ...)
    MPL_PRINTF(3, 4);

static void complain(struct builder *b, struct mpl_place place, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    mpl_lint_vadd(b->lint, MPL_LINT_ERROR, place, fmt, args);
    va_end(args);
    if (++b->n_errors == ERRORS_LIMIT) {
        mpl_lint_add(b->lint, MPL_LINT_ERROR, place,
                     "too many errors; the rest of the text is not checked");
        b->is_over = true;
    }
}

/* Remembers that \p map has \p key; complains if it had it already. */
static void remember_key(struct builder *b, const struct mpl_yaml *map, const char *key,
                         struct mpl_place place)
{
    uint64_t hash = mpl_hash_bytes(key, strlen(key), (uintptr_t) map);

    for (;; hash++) {
        const uint32_t known = mpl_map_find(b->keys, hash);

        if (known == MPL_NONE) {
            break;
        }

        const struct member *member = mpl_buf_get(&b->members, known);

        if (member->map == map && strcmp(member->key, key) == 0) {
            complain(b, place, "duplicate key '%s' (first at line %u)", key, member->line);
            return;
        }
    }

    b->is_out_of_memory |=
        !mpl_buf_put(&b->members, &(struct member){ map, key, place.line }) ||
        !mpl_map_put(b->keys, hash, (uint32_t) (b->members.n - 1));
}

static bool is_key_next(const struct builder *b)
{
    if (b->depth == 0) {
        return false;
    }

    const struct frame *top = &b->stack[b->depth - 1];

    return top->node->kind == MPL_YAML_MAP && top->key == NULL;
}

/* A new node in its place in the tree; NULL when out of memory. */
static struct mpl_yaml *add_node(struct builder *b, enum mpl_yaml_kind kind,
                                 struct mpl_place place)
{
    struct mpl_yaml *node = MPL_NEW(b->arena, struct mpl_yaml);

    if (node == NULL) {
        b->is_out_of_memory = true;
        return NULL;
    }
    node->kind = kind;
    node->place = place;
    if (b->depth == 0) {
        b->root = node;
        return node;
    }

    struct frame *top = &b->stack[b->depth - 1];

    node->key = top->key;
    node->key_place = top->key_place;
    if (top->last == NULL) {
        top->node->first = node;
    } else {
        top->last->next = node;
    }
    top->last = node;
    top->node->n++;
    top->key = NULL;
    top->key_place = (struct mpl_place){ 0 };
    return node;
}

static void refuse_decoration(struct builder *b, const yaml_mark_t *mark,
                              const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor != NULL) {
        complain(b, place_at(b, mark),
                 "anchors ('&%s') are not supported; write the value where it is needed, "
                 "or quote a text that begins with '&'",
                 (const char *) anchor);
    }
    if (tag != NULL) {
        complain(b, place_at(b, mark),
                 "tags ('%s') are not supported; every value is a text here, "
                 "so leave the tag out or quote a text that begins with '!'",
                 (const char *) tag);
    }
}

static void on_alias(struct builder *b, const yaml_event_t *event)
{
    complain(b, place_at(b, &event->start_mark),
             "aliases ('*%s') are not supported; write the value again, "
             "or quote a text that begins with '*'",
             (const char *) event->data.alias.anchor);
    if (b->skip_depth > 0) {
        return;
    }
    /* Something has to stand there, or keys and values would change places. */
    if (is_key_next(b)) {
        b->stack[b->depth - 1].key = "";
        return;
    }

    struct mpl_yaml *node = add_node(b, MPL_YAML_SCALAR, place_at(b, &event->start_mark));

    if (node != NULL) {
        node->text = "";
    }
}

static void on_key(struct builder *b, const char *text, struct mpl_place place)
{
    struct frame *top = &b->stack[b->depth - 1];

    top->key = text;
    top->key_place = place;
    if (*text == '\0') {
        complain(b, place, "a key is missing before ':'");
        return;
    }
    remember_key(b, top->node, text, place);
}

static bool is_quoted(yaml_scalar_style_t style)
{
    return style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
           style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
}

/*
 * Whether byte i of the text is column place.column + i of the file. An escape takes more
 * columns than it makes characters, but not than it makes bytes ("\L" is one character of
 * three bytes): so the text must be as long as its columns in both.
 */
static bool is_one_to_one(const yaml_event_t *event)
{
    const yaml_scalar_style_t style = event->data.scalar.style;
    const size_t bytes = event->data.scalar.length;
    const size_t columns = event->end_mark.column - event->start_mark.column;

    if (event->start_mark.line != event->end_mark.line ||
        !(is_quoted(style) || style == YAML_PLAIN_SCALAR_STYLE)) {
        return false;
    }
    return columns == bytes + (is_quoted(style) ? 2 : 0) &&
           mpl_utf8_count((const char *) event->data.scalar.value, bytes) == bytes;
}

/*
 * "{says: Making, mean.}" is YAML for a key "mean." without a value. Keys without ':' mean nothing
 * here, so behind a comma one is the rest of a text.
 */
static void refuse_split_text(struct builder *b, const yaml_event_t *event)
{
    const struct frame *top = b->depth == 0 ? NULL : &b->stack[b->depth - 1];

    if (top == NULL || !top->is_flow || top->key == NULL || event->data.scalar.length > 0 ||
        event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
        return;
    }
    const size_t key = mpl_yaml_offset(b->text, b->bytes, &top->key_start);
    const size_t end = mpl_yaml_offset(b->text, b->bytes, &event->start_mark);
    const size_t key_end = mpl_yaml_offset(b->text, b->bytes, &top->key_end);
    size_t comma = key;

    if (memchr(b->text + key_end, ':', end - key_end) != NULL) {
        return;
    }
    while (comma > 0 && strchr(" \t\n", b->text[comma - 1]) != NULL) {
        comma--;
    }
    if (comma > 0 && b->text[comma - 1] == ',') {
        struct mpl_place place = top->key_place;

        /* The comma itself, if it stands in the same line. */
        place.column -=
            top->key_start.column > key - comma ? (unsigned) (key - comma) + 1 : 0;
        complain(b, place, "a comma ends a value inside { }; put the text in quotes");
    }
}

static void on_scalar(struct builder *b, const yaml_event_t *event)
{
    const char *value = (const char *) event->data.scalar.value;
    struct mpl_place place = place_at(b, &event->start_mark);

    refuse_decoration(b, &event->start_mark, event->data.scalar.anchor,
                      event->data.scalar.tag);
    if (strlen(value) != event->data.scalar.length) {
        complain(b, place, "a text must not contain the character NUL (\"\\0\")");
    }
    if (b->skip_depth > 0) {
        return;
    }

    const char *text = mpl_arena_strdup(b->arena, value);

    if (text == NULL) {
        b->is_out_of_memory = true;
        return;
    }
    if (is_quoted(event->data.scalar.style)) {
        place.column++;
    }
    if (is_key_next(b)) {
        b->stack[b->depth - 1].key_start = event->start_mark;
        b->stack[b->depth - 1].key_end = event->end_mark;
        on_key(b, text, place);
        return;
    }
    refuse_split_text(b, event);

    struct mpl_yaml *node = add_node(b, MPL_YAML_SCALAR, place);

    if (node != NULL) {
        node->text = text;
        node->is_inline = is_one_to_one(event);
    }
}

static void on_start(struct builder *b, enum mpl_yaml_kind kind, const yaml_event_t *event)
{
    const bool is_map = kind == MPL_YAML_MAP;
    const struct mpl_place place = place_at(b, &event->start_mark);

    refuse_decoration(
        b, &event->start_mark,
        is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
        is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag);
    if (b->depth + b->skip_depth == DEPTH_LIMIT) {
        complain(b, place, "nested deeper than %d levels", DEPTH_LIMIT);
        b->is_over = true;
        return;
    }
    if (b->skip_depth > 0) {
        b->skip_depth++;
        return;
    }
    if (is_key_next(b)) {
        complain(b, place, "a key must be a text, not a %s", is_map ? "map" : "sequence");
        b->stack[b->depth - 1].key = "";
        b->skip_depth = 1;
        return;
    }

    struct mpl_yaml *node = add_node(b, kind, place);

    if (node != NULL) {
        b->stack[b->depth++] = (struct frame){
            .node = node,
            .is_flow = is_map && event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
        };
    }
}

static void on_event(struct builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->root != NULL) {
            complain(b, place_at(b, &event->start_mark),
                     "a second document begins here; a file holds one");
            b->is_over = true;
        }
        break;
    case YAML_ALIAS_EVENT:
        on_alias(b, event);
        break;
    case YAML_SCALAR_EVENT:
        on_scalar(b, event);
        break;
    case YAML_MAPPING_START_EVENT:
        on_start(b, MPL_YAML_MAP, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        on_start(b, MPL_YAML_SEQ, event);
        break;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        if (b->skip_depth > 0) {
            b->skip_depth--;
        } else {
            b->depth--;
        }
        break;
    case YAML_STREAM_END_EVENT:
        b->is_over = true;
        break;
    default:
        break;
    }
}

/* The place of byte \p offset, for errors that come before libyaml counts lines. */
static struct mpl_place place_of_byte(const struct builder *b, const char *text,
                                      size_t offset)
{
    size_t start = 0;
    unsigned line = 1;

    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            start = i + 1;
            line++;
        }
    }
    return (struct mpl_place){
        b->file, line, (unsigned) mpl_utf8_count(text + start, offset - start) + 1
    };
}

static bool is_at_tab(const yaml_parser_t *parser)
{
    return parser->buffer.pointer != NULL && parser->buffer.pointer < parser->buffer.last &&
           *parser->buffer.pointer == '\t';
}

/* The scanner and the parser know what they were in the middle of. */
static void complain_in_context(struct builder *b, const yaml_parser_t *parser,
                                const char *text, size_t bytes)
{
    const char *problem = parser->error == YAML_SCANNER_ERROR && is_at_tab(parser)
                              ? mpl_yaml_tab
                              : parser->problem;
    const struct mpl_yaml_advice *advice = mpl_yaml_advice(problem);
    const struct mpl_place place = place_at(b, &parser->problem_mark);

    if (strcmp(problem, "did not find expected key") == 0 &&
        !mpl_yaml_is_first_on_line(text, bytes, &parser->problem_mark)) {
        complain(b, place, "the value ends before this; quote the whole text");
    } else if (strncmp(problem, "did not find expected ',' or", 28) == 0 &&
               parser->context_mark.line == parser->problem_mark.line) {
        complain(b, place, "%s is expected here; a text with ': ' in it needs quotes",
                 problem + strlen("did not find expected "));
    } else if (advice != NULL && advice->is_at_start && parser->context != NULL) {
        complain(b, place_at(b, &parser->context_mark), "%s", advice->text);
    } else if (advice != NULL) {
        complain(b, place, "%s", advice->text);
    } else if (parser->context == NULL ||
               parser->context_mark.line == parser->problem_mark.line) {
        complain(b, place, "%s", problem);
    } else {
        complain(b, place, "%s %s that begins at line %zu", problem, parser->context,
                 parser->context_mark.line + 1);
    }
}

static void complain_about_syntax(struct builder *b, const yaml_parser_t *parser,
                                  const char *text, size_t bytes)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        b->is_out_of_memory = true;
        return;
    }
    if (parser->error != YAML_READER_ERROR) {
        complain_in_context(b, parser, text, bytes);
        return;
    }

    const size_t offset = parser->problem_offset < bytes ? parser->problem_offset : bytes;
    const size_t first_bad = mpl_yaml_bad_byte(text, bytes);

    /* libyaml points somewhere into a broken character; we at its first byte. */
    if (first_bad <= offset && first_bad < bytes) {
        complain(b, place_of_byte(b, text, first_bad),
                 "byte 0x%02x is not UTF-8; the text must be UTF-8",
                 (unsigned) (unsigned char) text[first_bad]);
    } else {
        complain(b, place_of_byte(b, text, offset), "%s (0x%02x)", parser->problem,
                 (unsigned) parser->problem_value);
    }
}

static void build_tree(struct builder *b, yaml_parser_t *parser, const char *text,
                       size_t bytes)
{
    while (!b->is_over && !b->is_out_of_memory) {
        yaml_event_t event;

        if (!yaml_parser_parse(parser, &event)) {
            complain_about_syntax(b, parser, text, bytes);
            return;
        }
        on_event(b, &event);
        yaml_event_delete(&event);
    }
}

/* A byte-order mark is not content, and would shift the first line by a column. */
static void skip_byte_order_mark(const char **text, size_t *bytes)
{
    if (*bytes >= 3 && memcmp(*text, "\xEF\xBB\xBF", 3) == 0) {
        *text += 3;
        *bytes -= 3;
    }
}

static void parse_text(struct builder *b, const char *text, size_t bytes)
{
    yaml_parser_t parser;

    if (!yaml_parser_initialize(&parser)) {
        b->is_out_of_memory = true;
        return;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *) text, bytes);
    build_tree(b, &parser, text, bytes);
    yaml_parser_delete(&parser);
}

enum mpl_status mpl_yaml_parse(const char *file, const char *text, size_t bytes,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct mpl_yaml **root, struct mpl_err *err)
{
    const size_t first_message = mpl_lint_count(lint);
    struct builder b = {
        .file = mpl_arena_strdup(arena, file),
        .arena = arena,
        .lint = lint,
        .keys = mpl_map_create(),
        .members = mpl_buf_make(sizeof(struct member)),
    };

    b.is_out_of_memory = b.file == NULL || b.keys == NULL;
    if (!b.is_out_of_memory && bytes > BYTES_LIMIT) {
        complain(&b, (struct mpl_place){ .file = b.file }, "the text is larger than %d MiB",
                 BYTES_LIMIT / 1024 / 1024);
    } else if (!b.is_out_of_memory) {
        skip_byte_order_mark(&text, &bytes);
        b.text = text;
        b.bytes = bytes;
        mpl_lint_source(lint, file, text, bytes);
        parse_text(&b, text, bytes);
    }
    mpl_map_destroy(b.keys);
    mpl_buf_free(&b.members);
    if (b.is_out_of_memory) {
        return mpl_nomem(err);
    }
    if (b.n_errors > 0) {
        return mpl_lint_fail_from(lint, first_message, err);
    }
    *root = b.root;
    return MPL_OK;
}

const struct mpl_yaml *mpl_yaml_find(const struct mpl_yaml *map, const char *key)
{
    const struct mpl_yaml *member = map->kind == MPL_YAML_MAP ? map->first : NULL;

    while (member != NULL && strcmp(member->key, key) != 0) {
        member = member->next;
    }
    return member;
}

const struct mpl_yaml *mpl_yaml_find_unknown(const struct mpl_yaml *member,
                                             const char *const *keys, size_t n)
{
    for (; member != NULL; member = member->next) {
        size_t i = 0;

        while (i < n && strcmp(keys[i], member->key) != 0) {
            i++;
        }
        if (i == n) {
            break;
        }
    }
    return member;
}
