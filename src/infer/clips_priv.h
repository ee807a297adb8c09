/*
 * The only header that includes CLIPS, and only clips_*.c include it: its macros (TRUE, FLOAT,
 * STRING, globle, …) would rewrite other code.
 */
#ifndef MPL_INFER_CLIPS_PRIV_H
#define MPL_INFER_CLIPS_PRIV_H

#include "infer/infer_priv.h"

#include <setjmp.h>

#include <clips/clips.h>

/* ---- the cage ------------------------------------------------------------------ */

struct load;

/** Why CLIPS may not go on. */
enum cage_stop {
    CAGE_FREE,
    CAGE_SECONDS,
    CAGE_MEMORY,
    CAGE_FIRINGS,
    CAGE_ERRORS,
    CAGE_GAVE_UP, /**< CLIPS wanted to end the process: it found no memory, or a bug of its own. */
    CAGE_NOMEM /**< We found no memory. */
};

/** How CLIPS evaluates an expression of some kind. */
typedef intBool mpl_primitive(void *env, void *value, DATA_OBJECT *result);

/** Kinds of expressions: three of clips_watch.c, five of clips_lists.c. */
enum { CAGE_PRIMITIVES = 8 };
/** Those that CLIPS has, too. */
enum { REPLACED_BIND, REPLACED_SLOT, REPLACED_CALL, N_REPLACED };

/** What has become part of lists. */
struct cage_count {
    size_t n_items;
    size_t bytes; /**< With texts; of facts only. */
    bool is_fact;
};

/** Of the facts of one template that fill the same slots, in the same order; see clips_assert.c. */
enum { CAGE_FORM_SLOTS = 12 };
struct cage_form {
    struct deftemplate *template; /**< NULL: there is none. */
    size_t n;
    const char *names[CAGE_FORM_SLOTS];
    enum mpl_slot_kind kinds[CAGE_FORM_SLOTS];
    size_t positions[CAGE_FORM_SLOTS];
    struct symbolHashNode *texts[CAGE_FORM_SLOTS]; /**< Of the latest fact; held. */
    bool is_metric;                                /**< With all slots of one; then */
    size_t
        metric[CAGE_FORM_SLOTS]; /**< the place of each, in an order of clips_assert.c. */
};

struct cage {
    void *env;
    struct mpl_infer *infer;          /**< NULL while rules are only checked. */
    struct mpl_metric_facts *metrics; /**< Likewise; known also while all facts go. */
    struct mpl_withheld
        *withheld;         /**< Metrics that no rule can use; NULL: there are none. */
    struct mpl_asks *asks; /**< NULL until somebody wants to know. */
    const bool *chosen;    /**< Per construct, source by source, whether it is loaded. */
    struct load *load;     /**< NULL unless rules are being loaded. */
    struct mpl_infer_limits limits;
    enum cage_stop stop;
    const struct mpl_rule *stopped_in;  /**< The rule that was firing then, or NULL. */
    const struct mpl_rule *matched_for; /**< Whose conditions were matched then, or NULL. */
    bool is_match_to_blame;             /**< And that took much. */
    uint64_t
        match_began_bytes; /**< What CLIPS held before the fact that is being matched. */
    double match_began_s;  /**< NAN until it has taken a while. */
    const struct factPatternNode *matched_node; /**< The last that was watched, or NULL. */
    bool is_lost;              /**< Left by a jump; nothing may touch env any more. */
    uint64_t list_began_bytes; /**< Memory before a list of all facts; 0 outside of one. */
    struct mpl_arena *reserve; /**< For the way out when there is no memory; then NULL. */
    double spent_s;            /**< Processor time inside, before this entry. */
    double
        entered_s; /**< The thread's processor time at this entry; NAN: nobody has asked. */
    unsigned ticks;
    struct cage_form form; /**< Of the latest fact of the host. */
    jmp_buf jump;
    const struct mpl_rule *failed_in; /**< Whose conditions CLIPS spoke of, or NULL. */
    struct mpl_buf said; /**< char; what CLIPS wrote to werror since it was last cleared. */
    struct mpl_buf shown;    /**< char; the unfinished line of printout. */
    struct cage_count count; /**< Of the innermost call that makes lists. */
    size_t n_primitives;
    struct entityRecord primitives[CAGE_PRIMITIVES];
    mpl_primitive *replaced[N_REPLACED]; /**< What CLIPS does itself. */
    struct mpl_arena *watches;           /**< What CLIPS points to; must outlive env. */
};

/** \p cage must stay where it is until closed. Zero limits become the defaults. */
enum mpl_status mpl_cage_open(struct cage *cage, const struct mpl_infer_limits *limits,
                              struct mpl_err *err);
/** A cage that is lost leaves its environment behind: destroying it crashes CLIPS. */
void mpl_cage_close(struct cage *cage);

/**
 * Does \p work, the only place from where CLIPS may be called. False when CLIPS had to be left by
 * a jump; then the cage is lost and \p work did not return. Work holds no resources of its own.
 */
bool mpl_cage_enter(struct cage *cage, void (*work)(void *context), void *context);
/** Likewise for what is done very often, and of which the first 1024 looks at the limits are not timed. */
bool mpl_cage_enter_shortly(struct cage *cage, void (*work)(void *context), void *context);

/** Looks at the limits and stops CLIPS when one is reached. False once it is stopped. */
bool mpl_cage_check(struct cage *cage);
/** What CLIPS holds, with what malloc adds to it. */
uint64_t mpl_cage_bytes(const struct cage *cage);
/** Processor time inside, so far. */
double mpl_cage_seconds(struct cage *cage);
/** A fact is about to be matched, or to be taken out of what it matched. */
void mpl_cage_begin_match(struct cage *cage);
/** Whose conditions are being matched; one of them where they share some; or NULL. */
const struct mpl_rule *mpl_cage_matched_rule(struct cage *cage);
/** False where another match would have reached the limit as well. */
bool mpl_cage_is_match_to_blame(struct cage *cage);
/** Sees to it that CLIPS comes by mpl_cage_check() while it matches facts. All rules are loaded. */
void mpl_cage_watch_matching(struct cage *cage);

/** Has \p evaluate done for expressions of that kind. What was done before, or NULL. */
mpl_primitive *mpl_cage_install(struct cage *cage, int kind, mpl_primitive *evaluate);

/** A reason of ours to stop. */
void mpl_cage_stop(struct cage *cage, enum cage_stop why);
/** MPL_OK, or MPL_E_LIMIT or MPL_E_NOMEM with the reason. */
enum mpl_status mpl_cage_status(const struct cage *cage, struct mpl_err *err);

/** What CLIPS said, as a string; "" when nothing or when memory ran out. */
const char *mpl_cage_said(struct cage *cage);
void mpl_cage_forget(struct cage *cage);

/** Defines the functions that rules have in addition to those of CLIPS. */
void mpl_cage_add_functions(struct cage *cage);
/** Those that find metrics by what they are of: clips_metrics.c. */
void mpl_cage_add_metric_functions(struct cage *cage);
/** Puts functions that cannot go wrong in place of some of CLIPS. */
void mpl_cage_bound_functions(struct cage *cage);
/** Sees to it that no call makes a list that is too long, or many without a look at the limits. */
void mpl_cage_bound_lists(struct cage *cage);

/** Lets \p with do the work of a function of CLIPS; \p returns as in EnvDefineFunction. */
void mpl_cage_replace(void *env, const char *name, int (*with)(void), char returns);
/** Of a FLOAT or INTEGER. */
double mpl_cage_number(const DATA_OBJECT *value);
/** Ends the rule with a message, as an error of CLIPS' own functions would. */
void mpl_cage_fail(void *env, const char *message);

/** Why a function is not there, or NULL when nobody took it away. */
const char *mpl_cage_why_denied(const char *function);
/** Why rules may not name a function that is there, or NULL when they may. */
const char *mpl_cage_why_hidden(const char *function);

/* ---- loading ------------------------------------------------------------------- */

/**
 * Loads all sources, in which CLIPS has found no fault before, and asserts the deffacts. Faults go to \p lint.
 * Errors: MPL_E_SYNTAX when there was one; MPL_E_LIMIT; MPL_E_NOMEM.
 */
enum mpl_status mpl_cage_load(struct cage *cage, const struct mpl_rules *rules,
                              struct mpl_lint *lint, struct mpl_err *err);

/** As mpl_cage_load(), for texts that CLIPS sees first, and the vocabulary is compared with what the engine asserts and reads. */
enum mpl_status mpl_cage_load_checked(struct cage *cage, const struct mpl_rules *rules,
                                      struct mpl_lint *lint, struct mpl_err *err);

/** What is being loaded; CLIPS calls back in the middle of it. */
struct load {
    struct cage *cage;
    const struct mpl_rules *rules;
    const struct mpl_source *source;
    const struct mpl_construct *construct;
    const bool *chosen; /**< Per construct, source by source. */
    bool is_seen; /**< By CLIPS, without faults: what only finds faults is left out. */
    struct mpl_lint *lint;
    struct mpl_arena *scratch;
    size_t n_faults;
    unsigned n_computed; /**< Values of defaults, in this deftemplate. */
    const struct mpl_construct
        *reported; /**< Has a reported fault of CLIPS; others follow from it. */
};

/** Where the construct that is being loaded begins. */
struct mpl_place mpl_load_place(const struct load *load);
/** Over the text of the construct that is being loaded. */
struct mpl_scanner mpl_load_scanner(const struct load *load);
/** Where in the file a token of that scanner stands. */
struct mpl_place mpl_load_place_of(const struct load *load, struct mpl_form_token token);
/** Of the list that begins with \p word in that line; the line where there is none. */
struct mpl_place mpl_load_place_of_word(const struct load *load, struct mpl_place line,
                                        const char *word);
/**
 * Reports what CLIPS would pass in silence or not explain: facts of deftemplates that nobody
 * declared, and a rule without arrow. False when there was any.
 */
bool mpl_load_review(struct load *load);
/** Adds what CLIPS \p said about it to lint, in our words. */
void mpl_load_report(struct load *load, struct mpl_place place, const char *said);

/**
 * The same for variables and globals without a value, at the place of their use; false where CLIPS
 * said something else.
 */
bool mpl_load_report_name(struct load *load, struct mpl_place place, const char *said);

/** The slot of that deftemplate whose name is near, or NULL. */
const char *mpl_suggest_slot(void *env, const char *template, const char *slot);
/** The deftemplate whose name is near, or NULL. */
const char *mpl_suggest_template(void *env, const char *word);

/** "[CODE] " removed, lines joined by "; ", without CLIPS' trailing parts. */
char *mpl_clips_tidy(struct mpl_arena *arena, const char *said);

/** Before a construct is loaded: CLIPS makes no copy of it, in which deep nesting would overflow a buffer. */
void mpl_cage_stop_copying(void *env);

/* ---- facts --------------------------------------------------------------------- */

/** NULL where there is none of that name; else its place among the slots of a fact. */
struct templateSlot *mpl_template_slot(const struct deftemplate *template, const char *name,
                                       size_t *position);
/** What is wrong with a value of a slot, or NULL. Texts in \p arena. */
const char *mpl_value_fault(void *env, struct mpl_arena *arena, int type, void *value,
                            struct constraintRecord *constraints);
/** A sentence about the first slot of \p fact with a wrong value, or NULL. */
const char *mpl_fact_fault(struct cage *cage, struct fact *fact, struct mpl_arena *arena);

/** With their texts; where that is above MPL_FACT_BYTES, some number above it. */
size_t mpl_items_bytes(const struct field *items, long n);
/** All of its slots together. */
bool mpl_fact_is_too_large(const struct fact *fact);
extern const char mpl_too_large_fact[];
/** NULL where there is no such slot or no text in it, or no memory. */
const char *mpl_fact_text(struct cage *cage, struct fact *fact, const char *slot,
                          struct mpl_arena *arena);
/** The text as CLIPS keeps it, once however often it is used; NULL where there is none. */
const void *mpl_field_symbol(const struct field *field);
/** NaN where there is no number. */
double mpl_field_number(const struct field *field);
/** NaN where there is no number. */
double mpl_fact_number(struct cage *cage, struct fact *fact, const char *slot);
/** The texts of a multislot. False without memory. */
bool mpl_fact_texts(struct cage *cage, struct fact *fact, const char *slot,
                    struct mpl_arena *arena, const char *const **texts, size_t *n);
/** The numbers of a multislot, those above 0. False without memory. */
bool mpl_fact_counts(struct cage *cage, struct fact *fact, const char *slot,
                     struct mpl_arena *arena, const uint32_t **counts, size_t *n);
/** The fact as CLIPS prints it; NULL without memory. */
char *mpl_fact_print(struct cage *cage, struct fact *fact, struct mpl_arena *arena);
bool mpl_fact_is(const struct fact *fact, const char *template);

/* ---- facts metric, by what they are of ------------------------------------------ */

enum { MPL_OF_RUN, MPL_OF_PATTERN, MPL_OF_NAME, MPL_OF_LOCATION, MPL_OF_PARTS };
/** What the host gives as a fact `metric`; texts are symbols of CLIPS. */
struct mpl_metric_given {
    const void *of[MPL_OF_PARTS];
    const void *unit;
    double value; /**< Rounded as in facts. */
    double rank, n;
};

struct mpl_metric_facts;
/** What it notes lives on the heap until mpl_metric_facts_free(). NULL without memory. */
struct mpl_metric_facts *mpl_metric_facts_create(struct mpl_arena *arena);
void mpl_metric_facts_free(struct mpl_metric_facts *metrics); /* NULL is allowed */
/** In constant time; false without memory. */
bool mpl_metric_facts_add(struct mpl_metric_facts *metrics, struct fact *fact);
/** Knows only those that are there now, of a deffacts; false without memory. */
bool mpl_metric_facts_restart(struct mpl_metric_facts *metrics, void *env);
/** Before CLIPS retracts it, in constant time. */
void mpl_metric_facts_remove(struct mpl_metric_facts *metrics, const struct fact *fact);

/** Notes one that is no fact of \p template; false without memory. */
bool mpl_metric_facts_withhold(struct mpl_metric_facts *metrics,
                               const struct deftemplate *template,
                               const struct mpl_metric_given *given);
/** Whether none of the same run, pattern and name is there. */
bool mpl_metric_facts_is_first(const struct mpl_metric_facts *metrics,
                               const struct mpl_metric_given *given);
/** The one of those parts that is no fact, or MPL_NONE; fills in what it is. */
uint32_t mpl_metric_facts_find_withheld(const struct mpl_metric_facts *metrics,
                                        struct mpl_metric_given *given);
/** The first from \p i on that is no fact, or MPL_NONE. */
uint32_t mpl_metric_facts_next_withheld(const struct mpl_metric_facts *metrics, uint32_t i);
/** Asserts one that is no fact. */
void mpl_metric_facts_release(struct mpl_metric_facts *metrics, void *env, uint32_t i);

/* ---- metrics that rules cannot use: clips_demand.c ------------------------------------ */

/** Whether \p given need not be asserted; then it is noted. */
bool mpl_withheld_take(struct cage *cage, const struct mpl_metric_given *given);
/** \p fact is about to be matched: what waited for it is asserted. */
void mpl_withheld_note(struct cage *cage, struct fact *fact);
/** Whether the fact that is being asserted is one that was noted before. */
bool mpl_withheld_is_releasing(const struct cage *cage);
/** All become facts, for somebody who looks at facts otherwise than rules do. */
void mpl_withheld_release_all(struct cage *cage);
/** All facts are gone; false without memory. */
bool mpl_withheld_restart(struct cage *cage);
void mpl_withheld_free(struct mpl_withheld *withheld); /* NULL is allowed */

/* ---- metrics that conditions ask for: clips_needs.c ----------------------------------- */

void mpl_asks_free(struct mpl_asks *asks); /* NULL is allowed */

/* ---- records ------------------------------------------------------------------- */

/** A reason, and the record of the finding that it cites, or MPL_NONE. */
struct cited {
    struct mpl_reason reason;
    uint32_t record;
};

struct finding_record {
    struct mpl_finding finding;
    struct mpl_reason *because; /**< The same as finding.because. */
    uint32_t *because_record;   /**< For each reason its record, or MPL_NONE. */
    const char *fact_text;      /**< As CLIPS prints it; NULL: nothing has cited it. */
    bool is_withdrawn;
    size_t position; /**< Among those not withdrawn; set after each run. */
};

struct mpl_infer {
    struct cage cage;
    const struct mpl_rules *rules;
    struct mpl_arena *arena;         /**< It lies there, too. */
    struct mpl_names *rule_numbers;  /**< Full name -> index into rules. */
    struct mpl_map *finding_by_fact; /**< Fact index -> number of the finding record. */
    struct mpl_buf findings;         /**< struct finding_record * */
    struct mpl_buf visible;  /**< struct mpl_finding *; those not withdrawn, after a run. */
    struct mpl_buf measures; /**< see clips_measures.c */
    struct mpl_buf expectations;   /**< see clips_expectations.c */
    struct mpl_buf firings;        /**< struct mpl_firing */
    struct mpl_buf errors;         /**< struct mpl_lint_message */
    struct mpl_buf basis;          /**< struct fact *, matched by the current firing. */
    struct mpl_buf refused;        /**< struct fact *, asserted with wrong values. */
    struct mpl_buf reasons;        /**< struct cited, of the current firing. */
    const struct mpl_rule *firing; /**< NULL outside of a firing. */
    bool has_reasons;              /**< reasons are those of the current firing. */
};

/** Looks up "CAUSES::x"; NULL for a rule that we did not load. */
const struct mpl_rule *mpl_infer_rule(const struct mpl_infer *infer, const char *name);
/** Turns what CLIPS said into an error of the current rule, if it said anything. */
void mpl_infer_take_error(struct mpl_infer *infer);
/** Of mpl_infer.measures. */
struct mpl_buf mpl_infer_measures_make(void);
/** Notes a fact `measure` of the current firing; false without memory. */
bool mpl_infer_note_measure(struct mpl_infer *infer, struct fact *fact);
void mpl_infer_withdraw_measure(struct mpl_infer *infer, const struct fact *fact);
/** Of mpl_infer.expectations. */
struct mpl_buf mpl_infer_expectations_make(void);
/** Notes a fact `expectation` of the current firing; false without memory. */
bool mpl_infer_note_expectation(struct mpl_infer *infer, struct fact *fact);
void mpl_infer_withdraw_expectation(struct mpl_infer *infer, const struct fact *fact);
/** The hooks of CLIPS that note who asserted what, and why. */
void mpl_infer_add_hooks(struct mpl_infer *infer);

#endif
