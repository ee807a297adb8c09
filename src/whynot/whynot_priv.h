/*
 * Private to src/whynot.
 *
 *   find.c    who concludes what, who asks for what, what a threshold means
 *   near.c    which facts come nearest to a condition that none meets
 *   words.c   conditions and facts in words for people
 *   whynot.c  why a finding is missing, as a tree
 *   why.c     what a rule that fired compares
 */
#ifndef MPL_WHYNOT_WHYNOT_PRIV_H
#define MPL_WHYNOT_WHYNOT_PRIV_H

#include "infer/ask.h"
#include "whynot/whynot.h"

/* ---- facts -------------------------------------------------------------------------- */

/** NULL where there is no such slot. */
const struct mpl_rule_slot *mpl_why_slot(const struct mpl_rule_fact *fact,
                                         const char *name);
/** The text of a slot of one value; "" where there is none. */
const char *mpl_why_slot_text(const struct mpl_rule_fact *fact, const char *name);

/* ---- matching ---------------------------------------------------------------------------- */

/** Which facts meet conditions together, the last first. */
struct why_binding {
    const struct mpl_rule_condition *condition;
    const struct mpl_rule_fact *fact; /**< NULL where the condition is no pattern. */
    const struct why_binding *next;
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
    const struct mpl_form *actions;
};

/** One answer under construction. Memory that is missing is noted by its arena. */
struct whynot {
    struct mpl_infer *infer;
    const struct mpl_rules *rules;
    struct mpl_arena *arena;
    size_t n_texts;
    const struct why_text *texts; /**< Of all rules and functions. */
    size_t n_facts;
    const struct mpl_rule_fact *facts;
    bool is_unsure;           /**< A condition could not be evaluated. */
    struct mpl_buf explained; /**< const struct mpl_rule *; those already explained. */
};

/** The slot that a variable stands for, and of which fact; NULL where it stands for none as a whole. */
const struct mpl_rule_slot *mpl_why_bound(const struct why_binding *bound, const char *name,
                                          const struct mpl_rule_fact **fact);
/** The fact of a pattern; NULL where it has none. */
const struct mpl_rule_fact *mpl_why_fact_for(const struct why_binding *bound,
                                             const struct mpl_rule_condition *condition);

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
                     const struct mpl_rule_condition *c);
/** Whether facts of that deftemplate are an affair of the rules, not of the vocabulary. */
bool mpl_why_is_helper(const struct whynot *w, const char *template);
/** Whether a condition of a rule asks for \p metric. */
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
    const struct mpl_rule_fact
        *fact; /**< NULL: none of the template and the names asked for. */
    const struct mpl_rule_constraint *constraint; /**< The one that it does not meet. */
    bool has_others;                              /**< Other facts come less near. */
};
/** Of a pattern behind \p before, of which \p in is a match. */
struct why_near mpl_why_nearest_fact(struct whynot *w, const struct mpl_rule_row *before,
                                     const struct why_binding *in,
                                     const struct mpl_rule_condition *pattern);
/* ---- words ------------------------------------------------------------------------------------ */

/** "run.share >= 0.05 (?*significant*)". Variables are called what they stand for. */
const char *mpl_why_words(struct whynot *w, const struct mpl_form *expr,
                          const struct mpl_rule_condition *conditions);
/** "run.share is 0.0123, run.lost is 3.1 s": the variables of \p expr. "" when it has none. */
const char *mpl_why_values(struct whynot *w, const struct mpl_form *expr,
                           const struct mpl_rule_condition *conditions,
                           const struct why_binding *bound);
/** "run.share = 0.0123", "finding late-process", … */
const char *mpl_why_fact_words(struct whynot *w, const struct mpl_rule_fact *fact);
/** The predicate of a constraint that decides, or NULL. */
const struct mpl_form *mpl_why_predicate(const struct mpl_rule_constraint *constraint);
/** What a constraint wants of a slot, in words: "other than "message-passing"". */
const char *mpl_why_constraint_words(struct whynot *w,
                                     const struct mpl_rule_constraint *constraint,
                                     const struct mpl_rule_condition *conditions,
                                     const struct why_binding *bound);
/** The plain value that a pattern wants in a slot; NULL when it wants none or no plain one. */
const char *mpl_why_wanted(const struct mpl_rule_condition *condition, const char *slot);

/** "pattern other than master-worker": what a pattern wants but for the run. */
const char *mpl_why_pattern_words(struct whynot *w,
                                  const struct mpl_rule_condition *condition,
                                  const struct mpl_rule_condition *conditions,
                                  const struct why_binding *bound);

/* ---- the answer ---------------------------------------------------------------------------- */

/** An answer that knows neither rules nor facts yet. Free its .explained. */
struct whynot mpl_why_make(struct mpl_infer *infer, struct mpl_arena *arena);
/** A new node below \p parent; NULL without memory, which w remembers. */
struct mpl_why *mpl_why_say(struct whynot *w, struct mpl_why *parent,
                            enum mpl_why_kind kind, const char *fmt, ...) MPL_PRINTF(4, 5);
/** Below \p node, what the functions of rules that \p expr calls are for, and their thresholds. */
void mpl_why_say_functions(struct whynot *w, const struct mpl_form *expr,
                           struct mpl_why *node);
/** NULL is passed on. */
void mpl_why_place(struct mpl_why *node, const char *file, unsigned line);

/* ---- rows ------------------------------------------------------------------------------------ */

/** \p row with \p first and those behind it; groups `and` and `logical` are taken apart. */
struct mpl_rule_row mpl_why_extend(struct whynot *w, const struct mpl_rule_row *row,
                                   const struct mpl_rule_condition *first);
/** What meets \p row; of that, the one that misses \p tests by least. */
struct why_met mpl_why_match(struct whynot *w, const struct mpl_rule_row *row,
                             const struct mpl_form *const *tests, size_t n_tests);

#endif
