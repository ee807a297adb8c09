/*
 * Text traces: characters to tokens, tokens to items, items to a model. doc/text-traces.md is
 * the description for authors.
 */
#ifndef MPL_READ_TEXT_PRIV_H
#define MPL_READ_TEXT_PRIV_H

#include "read/read.h"

/* ---- tokens ------------------------------------------------------------------------ */

enum mpl_text_token_kind {
    MPL_TOKEN_END,
    MPL_TOKEN_WORD,   /**< Also a text in double quotes. */
    MPL_TOKEN_NUMBER, /**< "12", "0.5", "15ms" */
    MPL_TOKEN_RANGE,  /**< ".." */
    MPL_TOKEN_MARK,   /**< One of : { } / + - */
};

struct mpl_text_token {
    enum mpl_text_token_kind kind;
    const char *at; /**< In the text; not terminated. */
    size_t n;
    unsigned line;
    unsigned column;
    bool is_first; /**< Of its line. */
};

/** Moves over the text; the current token is in `token`. */
struct mpl_lexer {
    const char *file;
    const char *at;
    const char *end;
    const char *line_start;
    unsigned line;
    bool is_line_empty; /**< No token of this line so far. */
    struct mpl_text_token token;
    struct mpl_lint *lint;
    const char *unit; /**< "us", from the comments before the first token; or NULL. */
    bool has_token;   /**< A token has been seen: later comments set no unit. */
};

void mpl_lexer_start(struct mpl_lexer *lexer, const char *file, const char *text,
                     size_t bytes, struct mpl_lint *lint);
/** Advances; returns false at the end of the text. */
bool mpl_text_lexer_next(struct mpl_lexer *lexer);
bool mpl_text_token_is(const struct mpl_text_token *token, const char *word);
struct mpl_place mpl_token_place(const struct mpl_lexer *lexer,
                                 const struct mpl_text_token *token);
/** Nanoseconds of "s", "ms", "us" or "ns"; 0 for other words. */
int64_t mpl_text_unit_ns(const char *word, size_t n);

/* ---- items ---------------------------------------------------------------------------- */

enum mpl_text_shape {
    MPL_TEXT_COMPUTE,
    MPL_TEXT_REGION, /**< Opens a region; an item of shape CLOSE ends it. */
    MPL_TEXT_CLOSE,
    MPL_TEXT_PLAIN, /**< A call that leaves no record but enter and leave. */
    MPL_TEXT_SEND,
    MPL_TEXT_RECV,
    MPL_TEXT_SENDRECV,
    MPL_TEXT_ISEND,
    MPL_TEXT_IRECV,
    MPL_TEXT_WAIT,
    MPL_TEXT_COLL,
    MPL_TEXT_ICOLL,
};

struct mpl_text_verb {
    const char *word;
    enum mpl_text_shape shape;
    const char *call; /**< Region of the call; NULL for compute and region. */
    enum mpl_coll_op op;
};

/** NULL when \p word is none. */
const struct mpl_text_verb *mpl_text_verb_find(const char *word, size_t n);
/** Fills \p words with all verbs, as far as there is room; returns how many. */
size_t mpl_text_verb_words(const char **words, size_t room);

/** A word of the text with its place, copied. text is NULL where the item has none. */
struct mpl_text_word {
    const char *text;
    struct mpl_place place;
};

enum { MPL_TEXT_NULL_RANK = -2, MPL_TEXT_NO_RANK = -1 };

/** A rank that an item names. */
struct mpl_text_rank {
    int64_t rank; /**< MPL_TEXT_NULL_RANK for "null", MPL_TEXT_NO_RANK when not given. */
    struct mpl_place place;
};

struct mpl_text_item {
    const struct mpl_text_verb *verb; /**< NULL for CLOSE. */
    enum mpl_text_shape shape;
    struct mpl_place place;
    uint32_t location; /**< Index into mpl_text.locations. */
    int64_t begin_ns;
    int64_t end_ns;
    struct mpl_text_word name; /**< Of a region, or `in NAME` of compute. */
    struct mpl_text_word comm;
    struct mpl_text_word label; /**< `as NAME` */
    uint32_t outer;     /**< Of a region: the open one around it; MPL_NONE if none. */
    size_t first_label; /**< `for NAMES`: into mpl_text.labels. */
    size_t n_labels;
    struct mpl_text_rank to;
    struct mpl_text_rank from;
    struct mpl_text_rank root;
    struct mpl_place end_place; /**< Of `B` in A..B. */
    uint32_t tag;
    uint64_t sent_bytes;
    uint64_t received_bytes;
    bool is_unfinished; /**< The run ends before the call does. */
};

struct mpl_text_location {
    uint32_t rank;
    uint32_t thread;
    struct mpl_place place;
    int64_t last_ns; /**< End of its last item. */
    uint32_t open;   /**< Innermost open region: index into items; MPL_NONE if none. */
    const char *unfinished; /**< The call that it never comes out of; NULL if none. */
};

struct mpl_text_comm {
    const char *name;
    struct mpl_place place;
    size_t first_rank; /**< Into mpl_text.ranks. */
    size_t n_ranks;
    size_t n_remote; /**< Ranks behind them, of the other group. */
};

/** The machine of some ranks. */
struct mpl_text_host {
    const char *name;
    size_t first_rank; /**< Into mpl_text.ranks. */
    size_t n_ranks;
};

struct mpl_text_clock {
    struct mpl_text_rank rank;
    int64_t offset_ns;
};

/** A whole text, parsed but not checked against itself. */
struct mpl_text {
    struct mpl_arena *arena; /**< Of the words. */
    struct mpl_lint *lint;
    struct mpl_buf items;
    struct mpl_buf labels;       /**< struct mpl_text_word */
    struct mpl_buf locations;    /**< struct mpl_text_location, in order of first sight. */
    struct mpl_map *location_of; /**< Of rank and thread, 32 bits each. */
    struct mpl_buf comms;
    struct mpl_buf hosts;
    struct mpl_buf ranks; /**< struct mpl_text_rank, members of comms and hosts. */
    struct mpl_buf clocks;
    bool is_out_of_memory;
};

void mpl_text_start(struct mpl_text *text, struct mpl_arena *arena, struct mpl_lint *lint);
void mpl_text_free(struct mpl_text *text);
/** Everything wrong goes to text->lint. */
void mpl_text_parse(struct mpl_text *text, const char *file, const char *bytes, size_t n);

/* ---- model -------------------------------------------------------------------------------- */

/** Errors of meaning go to text->lint; then *out is not written. */
enum mpl_status mpl_text_build(const struct mpl_text *text, struct mpl_arena *arena,
                               struct mpl_model **out, struct mpl_err *err);

#endif
