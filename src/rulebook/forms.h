/* The texts of rules: their pieces, the trees that these form, and the constructs among them. */
#ifndef MPL_RULEBOOK_FORMS_H
#define MPL_RULEBOOK_FORMS_H

#include "rulebook/rulebook.h"

/** What a text of rules may hold at most. */
enum {
    MPL_RULE_FILE_BYTES = 4 << 20,
    MPL_SCAN_DEPTH = 100,  /**< Beyond some 10^5, CLIPS' parser runs out of stack. */
    MPL_CALL_DEPTH = 1000, /**< Of nested expressions over a chain of deffunctions. */
    MPL_NAME_BYTES = 200,  /**< Longest name of a construct. */
    MPL_FAULTS = 100,      /**< Of one kind that are reported; what follows adds nothing. */
    MPL_ALTERNATIVES =
        256, /**< Rules that CLIPS makes of one, for its `or`; and `|` in one. */
    MPL_LIST_PARTS = 2000, /**< Of one list; CLIPS takes the square or cube of it. */
    MPL_WORDS = 20000,     /**< Of one construct. */
    /*
     * Longest text and list that a rule can make. Some functions of CLIPS (str-index, subset)
     * take the square of it in one go, so this also bounds how late a limit is noticed.
     */
    MPL_TEXT_BYTES = 256 << 10
};

enum mpl_form_kind {
    MPL_FORM_END,
    MPL_FORM_OPEN,
    MPL_FORM_CLOSE,
    MPL_FORM_STRING,
    MPL_FORM_WORD,
    MPL_FORM_OTHER
};

struct mpl_form_token {
    enum mpl_form_kind kind;
    size_t begin, end;     /**< Offsets into the text; quotes of a string included. */
    unsigned line, column; /**< Of its first byte, from 1. */
    bool is_closed;        /**< A string has its second quote. */
};

struct mpl_scanner {
    const char *text;
    size_t bytes;
    size_t at;
    size_t line_begin; /**< Offset of the current line. */
    unsigned line;
};

struct mpl_scanner mpl_scanner_make(const char *text, size_t bytes);
struct mpl_form_token mpl_scanner_next(struct mpl_scanner *scanner);
/** The text of a token in \p arena: strings without quotes and escapes; NULL without memory. */
char *mpl_token_text(const struct mpl_scanner *scanner, struct mpl_form_token token,
                     struct mpl_arena *arena);
bool mpl_token_is(const struct mpl_scanner *scanner, struct mpl_form_token token,
                  const char *word);

/** A list, a word, a string, or what stands between them ('&', '|', '~'). */
struct mpl_form {
    enum mpl_form_kind kind; /**< MPL_FORM_OPEN for a list. */
    const char *text;        /**< Of a string or word; "" of a list. */
    struct mpl_place place;
    const char *source; /**< As it stands in the text. */
    size_t bytes;
    const struct mpl_form *first; /**< Of a list. */
    const struct mpl_form *next;
};

/** The next form of a balanced text; NULL at the end of its list, which is passed, or without memory. */
struct mpl_form *mpl_form_read(struct mpl_scanner *scanner, const char *file,
                               struct mpl_arena *arena);
/** The forms of a text, one behind the other. What is wrong with it goes to \p lint. */
enum mpl_status mpl_forms_read(const char *file, const char *text, size_t bytes,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct mpl_form **first, struct mpl_err *err);
/** The word that a list begins with; "" where it begins otherwise. */
const char *mpl_form_head(const struct mpl_form *form);
bool mpl_form_is(const struct mpl_form *form, const char *head);
/** The first value of "(name value …)" in a list; NULL when there is none. */
const struct mpl_form *mpl_form_slot(const struct mpl_form *fact, const char *name);

/* ---- constructs ------------------------------------------------------------------ */

enum mpl_construct_kind {
    MPL_CONSTRUCT_RULE,
    MPL_CONSTRUCT_TEMPLATE,
    MPL_CONSTRUCT_FACTS,
    MPL_CONSTRUCT_GLOBAL,
    MPL_CONSTRUCT_FUNCTION,
    MPL_CONSTRUCT_MODULE
};

/** "(defrule CAUSES::x …)" as found in a text. */
struct mpl_construct {
    enum mpl_construct_kind kind;
    const char *keyword; /**< "defrule" */
    const char *module;  /**< "MAIN" when the text names none. */
    const char *name;    /**< Without module; "" for globals. */
    const char *says;    /**< Its comment string; "" when there is none. */
    size_t begin, end;   /**< Offsets of its parentheses. */
    unsigned first_line, last_line;
    struct mpl_place name_place;
    unsigned depth; /**< Deepest nesting. */
    size_t n_words; /**< Functions: all words of the body. Globals: their names. */
    const char *const *words;
    const unsigned *word_lines;
};

struct mpl_source {
    const char *file;
    const char
        *replaces; /**< Path of the file of that name that it stands in for, or NULL. */
    const char *text;
    size_t bytes;
    size_t n;
    const struct mpl_construct *constructs;
};

struct mpl_rules {
    size_t n_sources;
    const struct mpl_source *const *sources;
    size_t n_rules;
    const struct mpl_rule *rules; /**< In the order of the sources. */
    struct mpl_lint *lint;        /**< Where the faults go that CLIPS finds in them. */
};

#endif
