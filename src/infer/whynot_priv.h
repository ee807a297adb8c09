/*
 * Private to why-not: the conditions of a rule as a tree, the facts as plain data, and what the
 * two make of each other. Free of CLIPS types.
 *
 *   whynot_read.c   conditions and actions of a rule from its text
 *   whynot_find.c   who concludes what, who asks for what, what a threshold means
 *   whynot_near.c   which facts come nearest to a condition that none meets
 *   whynot_words.c  conditions and facts in words for people
 *   whynot.c        why a finding is missing, as a tree
 *   whynot_why.c    what a rule that fired compares
 *   clips_whynot.c  facts from CLIPS, and which of them meet conditions
 */
#ifndef MPL_INFER_WHYNOT_PRIV_H
#define MPL_INFER_WHYNOT_PRIV_H

#include "infer/infer_priv.h"

/* ---- facts -------------------------------------------------------------------------- */

enum why_value_kind { WHY_SYMBOL, WHY_STRING, WHY_FLOAT, WHY_INTEGER, WHY_OTHER };

struct why_value {
    enum why_value_kind kind;
    const char *text; /**< Strings without quotes. Of numbers, too. */
    double number;    /**< Of FLOAT and INTEGER. */
};

struct why_slot {
    const char *name;
    size_t n; /**< 1 unless it is a multislot. */
    const struct why_value *values;
};

struct why_fact {
    const char *template;
    long long index; /**< As CLIPS counts. */
    size_t n;
    const struct why_slot *slots;
};

/** NULL where there is no such slot. */
const struct why_slot *mpl_why_slot(const struct why_fact *fact, const char *name);
/** The text of a slot of one value; "" where there is none. */
const char *mpl_why_slot_text(const struct why_fact *fact, const char *name);

/* ---- conditions ------------------------------------------------------------------------ */

enum why_term_kind { TERM_ANY, TERM_LITERAL, TERM_VARIABLE, TERM_PREDICATE, TERM_EQUALS };

struct why_term {
    enum why_term_kind kind;
    bool is_negated;
    bool is_alternative; /**< Stands behind '|', not behind '&'. */
    const char *name;    /**< Of a variable, without "?" and "$?". */
    struct why_value literal;
    const struct form *expr; /**< Behind ':' or '='. */
    const struct why_term *next;
};

/** What one value of a slot, or several ("$?x"), must be. */
struct why_item {
    bool is_multi;
    const struct why_term *terms;
    const struct why_item *next;
};

struct why_constraint {
    const char *slot;
    const char *source; /**< "(slot …)" as it stands in the rule. */
    size_t bytes;
    const struct why_item *items;
    const struct why_constraint *next;
};

enum why_condition_kind {
    CONDITION_PATTERN,
    CONDITION_TEST,
    CONDITION_AND, /**< `and` and `logical` */
    CONDITION_OR,
    CONDITION_NOT,
    CONDITION_EXISTS,
    CONDITION_FORALL
};

struct why_condition {
    enum why_condition_kind kind;
    unsigned line;       /**< In the file. */
    const char *text;    /**< As it stands in the rule, blanks and comments as one blank. */
    const char *address; /**< "f" of "?f <- (…)", or NULL. */
    const char *template;
    const struct why_constraint *constraints;
    const struct form *test;
    const struct why_condition *first; /**< Inside of a group. */
    const struct why_condition *next;
};

/** The conditions of a rule, linked; \p *out is NULL when there are none. False: no memory. */
bool mpl_why_read(const struct mpl_source *source, const struct mpl_construct *construct,
                  struct mpl_arena *arena, const struct why_condition **out);
/** The actions of a rule, or the body of a function, as lists. False: no memory. */
bool mpl_why_read_actions(const struct mpl_source *source,
                          const struct mpl_construct *construct, struct mpl_arena *arena,
                          const struct form **out);
/* ---- matching ---------------------------------------------------------------------------- */

/** Which facts meet conditions together, the last first. */
struct why_binding {
    const struct why_condition *condition;
    const struct why_fact *fact; /**< NULL where the condition is no pattern. */
    const struct why_binding *next;
};

/** Conditions that must be met together; groups `and` and `logical` are taken apart. */
struct why_row {
    const char *module; /**< Of the rule. */
    size_t n;
    const struct why_condition **conditions;
};

/** The combinations of facts that meet conditions. */
struct why_met {
    size_t n;
    const struct why_binding *bound; /**< The first in the order of assertion; or NULL. */
    size_t failed;                   /**< Of the tests that it does not meet, the first. */
    bool varies;                     /**< Others miss them by more. */
};

/** A rule or function with what it does. */
struct why_text {
    const struct mpl_rule *rule; /**< NULL for a function. */
    const char *name;
    const struct mpl_source *source;
    const struct mpl_construct *construct;
    const struct form *actions;
};

/** One answer under construction. Memory that is missing is noted by its arena. */
struct whynot {
    struct mpl_infer *infer;
    const struct mpl_rules *rules;
    struct mpl_arena *arena;
    size_t n_texts;
    const struct why_text *texts; /**< Of all rules and functions. */
    size_t n_facts;
    const struct why_fact *facts;
    bool is_unsure;           /**< A condition could not be evaluated. */
    struct mpl_buf explained; /**< const struct mpl_rule *; those already explained. */
};

/** The slot that a variable stands for, and of which fact; NULL where it stands for none as a whole. */
const struct why_slot *mpl_why_bound(const struct why_binding *bound, const char *name,
                                     const struct why_fact **fact);
/** The fact of a pattern; NULL where it has none. */
const struct why_fact *mpl_why_fact_for(const struct why_binding *bound,
                                        const struct why_condition *condition);

/* ---- texts -------------------------------------------------------------------------------- */

/** Reads the actions of all rules and functions into w->texts. */
bool mpl_why_read_texts(struct whynot *w);
/** A rule, without its actions. False: it is not there. */
bool mpl_why_find_rule(const struct mpl_rules *rules, const char *name,
                       struct why_text *out);
/** Whether a rule, or a function that it calls, asserts (finding … (name \p name)). */
bool mpl_why_concludes(const struct whynot *w, const struct why_text *rule,
                       const char *name);
/** Whether a rule, or a function that it calls, may assert a fact that meets pattern \p c. */
bool mpl_why_asserts(const struct whynot *w, const struct why_text *rule,
                     const struct why_condition *c);
/** Whether facts of that deftemplate are an affair of the rules, not of the vocabulary. */
bool mpl_why_is_helper(const struct whynot *w, const char *template);
/** Whether a rule, or a function that it calls, names \p metric and asserts needs. */
bool mpl_why_asks(const struct whynot *w, const struct why_text *rule, const char *metric);
/** No rule concludes a finding \p name: says so, with a name that is near. */
enum mpl_status mpl_why_unknown(const struct whynot *w, const char *name,
                                struct mpl_err *err);
/** Comment before the definition of a global ("?*x*"), on one line; "" when there is none. */
const char *mpl_why_global_says(const struct mpl_rules *rules, const char *name,
                                struct mpl_arena *arena);

/* ---- near misses --------------------------------------------------------------------------- */

/** What comes nearest to a condition that nothing meets. */
struct why_near {
    const struct why_binding *bound; /**< With what the fact would have bound. */
    const struct why_fact *fact; /**< NULL: none of the template and the names asked for. */
    const struct why_constraint *constraint; /**< The one that it does not meet. */
    bool has_others;                         /**< Other facts come less near. */
};
/** Of a pattern behind \p before, of which \p in is a match. */
struct why_near mpl_why_nearest_fact(struct whynot *w, const struct why_row *before,
                                     const struct why_binding *in,
                                     const struct why_condition *pattern);
/* ---- words ------------------------------------------------------------------------------------ */

/** "run.share >= 0.05 (?*significant*)". Variables are called what they stand for. */
const char *mpl_why_words(struct whynot *w, const struct form *expr,
                          const struct why_condition *conditions);
/** "run.share is 0.0123, run.lost is 3.1 s": the variables of \p expr. "" when it has none. */
const char *mpl_why_values(struct whynot *w, const struct form *expr,
                           const struct why_condition *conditions,
                           const struct why_binding *bound);
/** "run.share = 0.0123", "finding late-process", … */
const char *mpl_why_fact_words(struct whynot *w, const struct why_fact *fact);
/** The predicate of a constraint that decides, or NULL. */
const struct form *mpl_why_predicate(const struct why_constraint *constraint);
/** What a constraint wants of a slot, in words: "other than "message-passing"". */
const char *mpl_why_constraint_words(struct whynot *w,
                                     const struct why_constraint *constraint,
                                     const struct why_condition *conditions,
                                     const struct why_binding *bound);
/** The plain value that a pattern wants in a slot; NULL when it wants none or no plain one. */
const char *mpl_why_wanted(const struct why_condition *condition, const char *slot);

/** "pattern other than master-worker": what a pattern wants but for the run. */
const char *mpl_why_pattern_words(struct whynot *w, const struct why_condition *condition,
                                  const struct why_condition *conditions,
                                  const struct why_binding *bound);

/* ---- the answer ---------------------------------------------------------------------------- */

/** An answer that knows neither rules nor facts yet. Free its .explained. */
struct whynot mpl_why_make(struct mpl_infer *infer, struct mpl_arena *arena);
/** A new node below \p parent; NULL without memory, which w remembers. */
struct mpl_why *mpl_why_say(struct whynot *w, struct mpl_why *parent,
                            enum mpl_why_kind kind, const char *fmt, ...) MPL_PRINTF(4, 5);
/** Below \p node, what the functions of rules that \p expr calls are for, and their thresholds. */
void mpl_why_say_functions(struct whynot *w, const struct form *expr, struct mpl_why *node);
/** NULL is passed on. */
void mpl_why_place(struct mpl_why *node, const char *file, unsigned line);

/* ---- CLIPS ----------------------------------------------------------------------------------- */

/** All facts but initial-fact, in the order of assertion. */
bool mpl_whynot_facts(struct mpl_infer *infer, struct mpl_arena *arena,
                      const struct why_fact **facts, size_t *n);
/** The value of a global; false when it has several. */
bool mpl_whynot_global(struct mpl_infer *infer, const char *name, struct mpl_arena *arena,
                       struct why_value *out);

/** \p row with \p first and those behind it. */
struct why_row mpl_why_extend(struct whynot *w, const struct why_row *row,
                              const struct why_condition *first);
/** What meets \p row; of that, the one that misses \p tests by least. */
struct why_met mpl_why_match(struct whynot *w, const struct why_row *row,
                             const struct form *const *tests, size_t n_tests);

#endif
