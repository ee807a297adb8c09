/*
 * Private to src/infer; free of CLIPS types, so that only clips_*.c see its macros.
 *
 * The files, in the order in which a rule text passes them:
 *   scan.c         finds the constructs of a text and what is wrong with their outer form
 *   forms.c        reads them as trees
 *   rules.c        reads directories
 *   together.c     compares constructs with one another
 *   clips_cage.c   an environment that can do no harm, and the guarded way into it
 *   kept.def, deny.def   which functions of CLIPS rules may call
 *   clips_watch.c  makes CLIPS pass by the limits while it matches facts, and end that early
 *   clips_bound.c  functions of CLIPS in a form that cannot go wrong
 *   clips_lists.c  counts what is to become a list before CLIPS makes it
 *   clips_text.c   functions that rules have in addition
 *   text.c         formats and label lists for them
 *   clips_load.c   hands constructs to CLIPS
 *   clips_report.c  turns its complaints into messages
 *   clips_names.c  finds the variables and globals that they are about
 *   clips_facts.c  checks slots, asserts facts, reads facts
 *   clips_run.c    fires rules and notes what each of them matched and asserted
 *   clips_measures.c  notes which other runs rules ask for
 *   clips_expectations.c  notes what models expect of other runs
 *   records.c      what the host may ask afterwards
 *   ruletest.c     rule tests: given facts, expected findings
 */
#ifndef MPL_INFER_INFER_PRIV_H
#define MPL_INFER_INFER_PRIV_H

#include "infer/infer.h"

enum {
    MPL_SCAN_DEPTH = 100,  /**< Beyond some 10^5, CLIPS' parser runs out of stack. */
    MPL_CALL_DEPTH = 1000, /**< Of nested expressions over a chain of deffunctions. */
    MPL_RULE_FILE_BYTES = 4 << 20,
    MPL_NAME_BYTES = 200, /**< Longest name of a construct. */
    MPL_FAULTS = 100,     /**< Of one kind that are reported; what follows adds nothing. */
    MPL_ALTERNATIVES =
        256, /**< Rules that CLIPS makes of one, for its `or`; and `|` in one. */
    MPL_LIST_PARTS = 2000, /**< Of one list; CLIPS takes the square or cube of it. */
    MPL_WORDS = 20000,     /**< Of one construct. */
    /*
     * Longest text and list that a rule can make. Some functions of CLIPS (str-index, subset)
     * take the square of it in one go, so this also bounds how late a limit is noticed.
     */
    MPL_TEXT_BYTES = 256 << 10,
    MPL_MULTIFIELD_ITEMS = 100000,
    MPL_FACT_BYTES = 4 << 20, /**< It is copied for findings, and by `modify`. */
    MPL_DEFAULTS = 4,         /**< Computed ones, of one deftemplate. */
    MPL_ARGUMENTS =
        10000, /**< Of one call, with expand$; CLIPS' own functions take no more. */
};

/* ---- scan ------------------------------------------------------------------ */

enum mpl_token_kind {
    TOKEN_END,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_STRING,
    TOKEN_WORD,
    TOKEN_OTHER
};

struct mpl_token {
    enum mpl_token_kind kind;
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
struct mpl_token mpl_scanner_next(struct mpl_scanner *scanner);
/** The text of a token in \p arena: strings without quotes and escapes; NULL without memory. */
char *mpl_token_text(const struct mpl_scanner *scanner, struct mpl_token token,
                     struct mpl_arena *arena);
bool mpl_token_is(const struct mpl_scanner *scanner, struct mpl_token token,
                  const char *word);

/** A list, a word, a string, or what stands between them ('&', '|', '~'). */
struct form {
    enum mpl_token_kind kind; /**< TOKEN_OPEN for a list. */
    const char *text;         /**< Of a string or word; "" of a list. */
    struct mpl_place place;
    const char *source; /**< As it stands in the text. */
    size_t bytes;
    const struct form *first; /**< Of a list. */
    const struct form *next;
};

/** The next form of a balanced text; NULL at the end of its list, which is passed, or without memory. */
struct form *mpl_form_read(struct mpl_scanner *scanner, const char *file,
                           struct mpl_arena *arena);
/** The forms of a text, one behind the other. What is wrong with it goes to \p lint. */
enum mpl_status mpl_forms_read(const char *file, const char *text, size_t bytes,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct form **first, struct mpl_err *err);
/** The word that a list begins with; "" where it begins otherwise. */
const char *mpl_form_head(const struct form *form);
bool mpl_form_is(const struct form *form, const char *head);
/** The first value of "(name value …)" in a list; NULL when there is none. */
const struct form *mpl_form_slot(const struct form *fact, const char *name);

enum mpl_construct_kind {
    CONSTRUCT_RULE,
    CONSTRUCT_TEMPLATE,
    CONSTRUCT_FACTS,
    CONSTRUCT_GLOBAL,
    CONSTRUCT_FUNCTION,
    CONSTRUCT_MODULE
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

/**
 * False, and said, where there is a control character: CLIPS takes some of them for the end of the
 * text, C takes NUL for it, and terminals take others for commands.
 */
bool mpl_scan_bytes(const char *file, const char *text, size_t bytes,
                    struct mpl_lint *lint);
/** Finds the constructs of \p source (file, text, bytes are set). Faults go to \p lint. */
enum mpl_status mpl_scan(struct mpl_source *source, struct mpl_arena *arena,
                         struct mpl_lint *lint, struct mpl_err *err);

/* ---- texts for people ------------------------------------------------------------ */

/** The next literal of a (text …) format, and the placeholder behind it. */
struct text_piece {
    size_t literal_bytes; /**< From the beginning of the piece. */
    const char *spec;     /**< Between the braces; NULL when no placeholder follows. */
    size_t spec_bytes;
    bool is_known;    /**< The placeholder is one of {} {s} {%} {n} {.0} … {.9}. */
    const char *rest; /**< Where the next piece begins. */
};
/** "{{" stands for one brace. */
struct text_piece mpl_text_piece(const char *format);

/**
 * "1 to 7" for three and more locations in a row, sorted by rank and thread, each once. Of more than eight parts the
 * first three and "22 others".
 * \p *n labels become \p *n parts. NULL without memory.
 */
const char **mpl_label_runs(struct mpl_arena *arena, const char *const *labels, size_t *n);

/* ---- rules ------------------------------------------------------------------- */

struct mpl_rules {
    size_t n_sources;
    const struct mpl_source *const *sources;
    size_t n_rules;
    const struct mpl_rule *rules; /**< In the order of the sources. */
    struct mpl_lint
        *unchecked; /**< Where CLIPS' faults go when it first sees the texts; NULL:
                                       it has seen them. */
};

/**
 * Per construct of \p rules, source by source, whether it is needed where the host asserts only what \p limits
 * say. NULL without memory.
 */
bool *mpl_rules_choose(const struct mpl_rules *rules, const struct mpl_infer_limits *limits,
                       struct mpl_arena *arena);
/** 0 for vocabulary.clp, 1 for thresholds.clp, 2 for the others: the order of loading. */
int mpl_rule_file_order(const char *path);
/** Names that are defined twice, unknown modules, recursion. False without memory. */
bool mpl_rules_check_together(const struct mpl_rules *rules, struct mpl_lint *lint);
/** The rule of that full name ("CAUSES::x"), or of that name in any module; or NULL. */
const struct mpl_rule *mpl_rules_find(const struct mpl_rules *rules, const char *name);

/** Loads all sources into an environment of its own, for the faults that CLIPS finds. */
enum mpl_status mpl_rules_check(const struct mpl_rules *rules, struct mpl_lint *lint,
                                struct mpl_err *err);

#endif
