/*
 * Private to why-not: the conditions of a rule as a tree, the facts as plain data, and what the
 * two make of each other. Free of CLIPS types.
 *
 *   whynot_read.c   conditions and actions of a rule from its text
 *   whynot_find.c   who concludes what, who asks for what, what a threshold means
 *   whynot_match.c  which facts meet a condition, given what earlier ones bound
 *   whynot_near.c   which facts come nearest to a condition that none meets
 *   whynot_words.c  conditions and facts in words for people
 *   whynot.c        why a finding is missing, as a tree
 *   whynot_why.c    what a rule that fired compares
 *   clips_whynot.c  facts and values from CLIPS
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

/** "(>= ?share ?*significant*)": a list, or one word or string. */
struct why_expr {
    bool is_list;
    bool is_string;
    const char *text; /**< Of a word or string. */
    const struct why_expr *first;
    const struct why_expr *next;
};

enum why_term_kind { TERM_ANY, TERM_LITERAL, TERM_VARIABLE, TERM_PREDICATE, TERM_EQUALS };

struct why_term {
    enum why_term_kind kind;
    bool is_negated;
    bool is_alternative; /**< Stands behind '|', not behind '&'. */
    const char *name;    /**< Of a variable, without "?" and "$?". */
    struct why_value literal;
    const struct why_expr *expr; /**< Behind ':' or '='. */
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
    const struct why_expr *test;
    const struct why_condition *first; /**< Inside of a group. */
    const struct why_condition *next;
};

/** The conditions of a rule, linked; \p *out is NULL when there are none. False: no memory. */
bool mpl_why_read(const struct mpl_source *source, const struct mpl_construct *construct,
                  struct mpl_arena *arena, const struct why_condition **out);
/** The actions of a rule, or the body of a function, as lists. False: no memory. */
bool mpl_why_read_actions(const struct mpl_source *source,
                          const struct mpl_construct *construct, struct mpl_arena *arena,
                          const struct why_expr **out);
/* ---- matching ---------------------------------------------------------------------------- */

/** What was bound up to a condition, the latest first; nodes are shared between matches. */
struct why_binding {
    const char *name; /**< NULL: the fact as a whole, matched by \p condition. */
    bool is_multi;
    size_t n;
    const struct why_value *values;
    const struct why_fact *fact;
    const struct why_condition *condition;
    const struct why_binding *next;
};

struct why_match {
    const struct why_binding *bound;
    const struct why_match *next;
};

struct why_matches {
    size_t n;
    const struct why_match *first;
    struct why_match *last;
};

/** A rule or function with what it does. */
struct why_text {
    const struct mpl_rule *rule; /**< NULL for a function. */
    const char *name;
    const struct mpl_source *source;
    const struct mpl_construct *construct;
    const struct why_expr *actions;
};

/** One answer under construction. */
struct whynot {
    struct mpl_infer *infer;
    const struct mpl_rules *rules;
    struct mpl_arena *arena;
    size_t n_texts;
    const struct why_text *texts; /**< Of all rules and functions. */
    size_t n_facts;
    const struct why_fact *facts;
    size_t n_steps; /**< Facts looked at, and expressions evaluated. */
    bool is_cut;    /**< There was too much to look at: the answer may miss something. */
    bool is_unsure; /**< An expression could not be evaluated. */
    bool is_nomem;
    struct mpl_buf told; /**< const struct mpl_rule *; those already explained. */
};

bool mpl_why_equal(const struct why_value *a, const struct why_value *b);
const struct why_binding *mpl_why_bound(const struct why_binding *bound, const char *name);
/** Those of \p in that meet \p condition, extended by what it binds. */
struct why_matches mpl_why_match(struct whynot *w, const struct why_condition *condition,
                                 struct why_matches in);
/** A match of no facts, with which a rule begins. */
struct why_matches mpl_why_match_nothing(struct whynot *w);
/** Ways in which \p fact meets one constraint. */
struct why_matches mpl_why_match_slot(struct whynot *w, const struct why_fact *fact,
                                      const struct why_constraint *constraint,
                                      const struct why_binding *bound);
/** Binds a variable to one value of \p fact. */
const struct why_binding *mpl_why_bind(struct whynot *w, const char *name,
                                       const struct why_value *value,
                                       const struct why_fact *fact,
                                       const struct why_binding *bound);
/** Evaluates with the variables replaced by what they are bound to. False: it failed. */
bool mpl_why_eval(struct whynot *w, const struct why_expr *expr,
                  const struct why_binding *bound, struct why_value *out);

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

/** A fact that does not meet a pattern. */
struct why_near {
    const struct why_fact *fact; /**< NULL: none of the template and the names asked for. */
    const struct why_constraint *constraint; /**< The first that it does not meet. */
    const struct why_binding *bound;         /**< With what the fact would have bound. */
    size_t n;                                /**< Facts that fail in the same way. */
};
struct why_near mpl_why_nearest_fact(struct whynot *w,
                                     const struct why_condition *condition,
                                     struct why_matches in);
/** The match for which a comparison misses by least. */
const struct why_binding *
mpl_why_nearest_match(struct whynot *w, const struct why_expr *test, struct why_matches in);

/* ---- words ------------------------------------------------------------------------------------ */

/** "run.share >= 0.05 (?*significant*)". Variables are called what they stand for. */
const char *mpl_why_words(struct whynot *w, const struct why_expr *expr,
                          const struct why_condition *conditions);
/** "run.share is 0.0123, run.lost is 3.1 s": the variables of \p expr. "" when it has none. */
const char *mpl_why_values(struct whynot *w, const struct why_expr *expr,
                           const struct why_condition *conditions,
                           const struct why_binding *bound);
/** "run.share = 0.0123", "finding late-process", … */
const char *mpl_why_fact_words(struct whynot *w, const struct why_fact *fact);
/** The predicate of a constraint that decides, or NULL. */
const struct why_expr *mpl_why_predicate(const struct why_constraint *constraint);
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

/** An answer that knows neither rules nor facts yet. Free its .told. */
struct whynot mpl_why_make(struct mpl_infer *infer, struct mpl_arena *arena);
/** A new node below \p parent; NULL without memory, which w remembers. */
struct mpl_why *mpl_why_say(struct whynot *w, struct mpl_why *parent,
                            enum mpl_why_kind kind, const char *fmt, ...) MPL_PRINTF(4, 5);
/** Below \p node, what the functions of rules that \p expr calls are for, and their thresholds. */
void mpl_why_say_functions(struct whynot *w, const struct why_expr *expr,
                           struct mpl_why *node);
/** NULL is passed on. */
void mpl_why_place(struct mpl_why *node, const char *file, unsigned line);

/* ---- CLIPS ----------------------------------------------------------------------------------- */

/** All facts but initial-fact, in the order of assertion. */
bool mpl_whynot_facts(struct mpl_infer *infer, struct mpl_arena *arena,
                      const struct why_fact **facts, size_t *n);
/** Evaluates one expression or global; false when it fails or gives several values. */
bool mpl_whynot_eval(struct mpl_infer *infer, const char *text, struct mpl_arena *arena,
                     struct why_value *out);

#endif
