/* Conditions and actions of a rule as trees, read from its text. */
#ifndef MPL_RULEBOOK_CONDITIONS_H
#define MPL_RULEBOOK_CONDITIONS_H

#include "rulebook/forms.h"

enum mpl_rule_value_kind {
    MPL_RULE_SYMBOL,
    MPL_RULE_STRING,
    MPL_RULE_FLOAT,
    MPL_RULE_INTEGER,
    MPL_RULE_OTHER
};

struct mpl_rule_value {
    enum mpl_rule_value_kind kind;
    const char *text; /**< Strings without quotes. Of numbers, too. */
    double number;    /**< Of FLOAT and INTEGER. */
};

enum mpl_rule_term_kind {
    MPL_TERM_ANY,
    MPL_TERM_LITERAL,
    MPL_TERM_VARIABLE,
    MPL_TERM_PREDICATE,
    MPL_TERM_EQUALS
};

struct mpl_rule_term {
    enum mpl_rule_term_kind kind;
    bool is_negated;
    bool is_alternative; /**< Stands behind '|', not behind '&'. */
    const char *name;    /**< Of a variable, without "?" and "$?". */
    struct mpl_rule_value literal;
    const struct mpl_form *expr; /**< Behind ':' or '='. */
    const struct mpl_rule_term *next;
};

/** What one value of a slot, or several ("$?x"), must be. */
struct mpl_rule_item {
    bool is_multi;
    const struct mpl_rule_term *terms;
    const struct mpl_rule_item *next;
};

struct mpl_rule_constraint {
    const char *slot;
    const char *source; /**< "(slot …)" as it stands in the rule. */
    size_t bytes;
    const struct mpl_rule_item *items;
    const struct mpl_rule_constraint *next;
};

enum mpl_rule_condition_kind {
    MPL_CONDITION_PATTERN,
    MPL_CONDITION_TEST,
    MPL_CONDITION_AND, /**< `and` and `logical` */
    MPL_CONDITION_OR,
    MPL_CONDITION_NOT,
    MPL_CONDITION_EXISTS,
    MPL_CONDITION_FORALL
};

struct mpl_rule_condition {
    enum mpl_rule_condition_kind kind;
    unsigned line;       /**< In the file. */
    const char *text;    /**< As it stands in the rule, blanks and comments as one blank. */
    const char *address; /**< "f" of "?f <- (…)", or NULL. */
    const char *template;
    const struct mpl_rule_constraint *constraints;
    const struct mpl_form *test;
    const struct mpl_rule_condition *first; /**< Inside of a group. */
    const struct mpl_rule_condition *next;
};

/** The conditions of a rule, linked; \p *out is NULL when there are none. False: no memory. */
bool mpl_rule_conditions(const struct mpl_source *source,
                         const struct mpl_construct *construct, struct mpl_arena *arena,
                         const struct mpl_rule_condition **out);
/** What a slot must be; NULL where the condition does not say. */
const struct mpl_rule_item *mpl_rule_item_of(const struct mpl_rule_condition *condition,
                                             const char *slot);
/** The first term of a slot of one value that is a variable, or nothing but a literal; else NULL. */
const struct mpl_rule_term *mpl_rule_plain_term(const struct mpl_rule_condition *condition,
                                                const char *slot);
/** Where the name of a run or pattern comes from. */
struct mpl_rule_origin {
    const char *literal; /**< It is written out; NULL: */
    size_t condition;    /**< that condition binds it, see mpl_rule_turn, */
    const char *template;
    const char *slot; /**< in this slot. */
};
/** A condition that asks for a metric, when its turn has come: once those before it are met. */
struct mpl_rule_turn {
    const char *metric;
    size_t
        condition; /**< Number among those that stand in no other one but `and` and `logical`, without `test`. */
    unsigned line;
    struct mpl_rule_origin run, pattern;
};
struct mpl_rule_turns {
    size_t n;
    const struct mpl_rule_turn *items;
    bool begins_with_test; /**< Before anything that needs a fact. */
};
/**
 * The conditions of a rule that ask for metrics: those about a metric whose run and pattern are known from the conditions
 * before. They stand neither in a `not` or `or` nor behind an `or`, (not (or …)) or (not (test …)). False without memory.
 */
bool mpl_rule_turns(const struct mpl_source *source, const struct mpl_construct *construct,
                    struct mpl_arena *arena, struct mpl_rule_turns *out);

/** The actions of a rule, or the body of a function, as lists. False: no memory. */
bool mpl_rule_actions(const struct mpl_source *source,
                      const struct mpl_construct *construct, struct mpl_arena *arena,
                      const struct mpl_form **out);

#endif
