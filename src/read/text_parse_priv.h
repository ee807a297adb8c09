/* The parser of text traces while it runs: what its two files share. */
#ifndef MPL_READ_TEXT_PARSE_PRIV_H
#define MPL_READ_TEXT_PARSE_PRIV_H

#include "read/text_priv.h"

enum { MPL_TEXT_MOST_RANKS = 100000 };

struct mpl_parser {
    struct mpl_lexer lexer;
    struct mpl_text *text;
    struct mpl_lint *lint;
    size_t errors_before;
    int64_t unit_ns;
    uint32_t location; /**< Of the rank line; MPL_NONE before the first. */
};

/** Place of the current token. */
struct mpl_place mpl_parser_place(const struct mpl_parser *parser);
/** "expected X, found Y" at the current token; always false. */
bool mpl_parser_expected(struct mpl_parser *parser, const char *what);
/** The current token is an unknown word: says so, with the nearest verb or option. */
void mpl_parser_unknown_word(struct mpl_parser *parser);
bool mpl_parser_is_mark(const struct mpl_parser *parser, char mark);

/* All of these take the current token, or complain and return false. */

/** A time in the file's unit, or with a unit of its own where \p may_have_unit. */
bool mpl_parser_take_time(struct mpl_parser *parser, bool may_have_unit, int64_t *out);
bool mpl_parser_take_name(struct mpl_parser *parser, const char *what,
                          struct mpl_text_word *out);
bool mpl_parser_take_rank(struct mpl_parser *parser, bool may_be_null,
                          struct mpl_text_rank *out);
/** All options of an item, checked against its verb. */
bool mpl_parser_take_options(struct mpl_parser *parser, struct mpl_text_item *item);

#endif
