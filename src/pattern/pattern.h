/*
 * Takes:        pattern files (YAML).
 * Makes:        patterns: roles, abstract events with their automata, formulas, metrics and experiments as they stand, examples.
 * Leaves alone: whether a trace follows one (recognize), and what its metrics are worth (metrics).
 */
#ifndef MPL_PATTERN_PATTERN_H
#define MPL_PATTERN_PATTERN_H

#include "formula/formula.h"
#include "model/model.h"

/*
 * A pattern file. Every key is checked; unknown or repeated keys are errors with a suggestion.
 * For those who write patterns: doc/patterns.md.
 *
 *   pattern: master-worker
 *   says: One sentence.
 *   extends: other-pattern            # optional: take its sections, then refine by name
 *   roles:
 *     master:
 *       count: 1                      # 1 | many; with 1 the best-scoring location is taken
 *       where: "peers >= 2 and …"     # formula over the communication topology, per location
 *       score: "messages"             # for count: 1; the largest wins, ties by lowest rank
 *     worker:                         # roles are bound in the order written; a later formula
 *       count: many                   # may read sent_to.master, received_from.master
 *       where: "…"
 *       at_least: 2                   # fewer locations: the pattern does not fit
 *   events:
 *     TaskLifeCycle:
 *       on: worker                    # the role on whose locations it is recognised
 *       says: One sentence.
 *       expression: request? assign work+
 *       strict: false                 # optional
 *       members:
 *         request: {event: send, to: master}
 *         assign:  {event: recv, from: master}
 *         work:    {event: compute}
 *       associated:
 *         take:   {match: request}           # span of the other end of the member's message
 *         give:   {match: assign}
 *         setup:  {previous: give, event: compute}  # nearest earlier span of that kind there
 *         result: {next: work, event: send, to: master}
 *         inside: {containing: assign, instance: Other}  # instance of another type around it
 *       where: "defined(result.enter)"  # or a sequence of formulas; all must hold
 *       attributes:
 *         wait:  {value: assign.wait, unit: s, says: "…"}
 *   metrics: …                        # see metrics/metrics.h
 *   examples:                         # traces on which it must fire, or stay quiet
 *     fires: [farm.trace]             # files beside the pattern, or texts in block scalars;
 *     quiet: [{file: ring.trace, instances: {TaskLifeCycle: 0}}]
 *   needs: [receive-completions]      # capabilities without which the pattern is not tried
 *   minimum_coverage: 0.8             # of messages and collectives, and
 *   minimum_fit: 0.8                  # from which on the pattern is chosen
 *
 * Member `event:` names a primitive (mpl_primitives: compute, send, recv, p2p, collective,
 * barrier, call, region, …), or another abstract event of the same pattern that runs on the same
 * role: its spans are hidden then, and the instance stands at its last span. Filters: to/from (role), tag (number or list), region (glob on the region's name),
 * op (collective operation), root (role), where (formula over the span's own fields).
 *
 * Operators: juxtaposition (sequence), | choice, & concurrent (any interleaving on one location),
 * + * ? repetition, parentheses. | binds weakest, then &, then sequence.
 *
 * Across locations: a member that is an event on another role, or on another location of the same
 * one (`on: worker`), stands alone beside &, as b or b?. It is an instance that is concurrent with
 * what else the & joins: neither is before the other (mpl_causality_relate()), as Hercule's Δ and
 * DESIGN have it. Which: on the first of the 32 next locations of that role, by number and around, that
 * has such instances, the first of them. One partner for each match, so that cost is linear in the
 * events, times the logarithm of a location's; all pairs would be a square, and one witness is enough to
 * know that there is one. Without a partner there is no match, unless it is optional. Whether something
 * is concurrent is not known where the absence of a chain proves nothing: then it does not match, and
 * what rests on it is undefined, with mpl_recognition_doubt() as reason.
 * precedes(a, b) and concurrent(a, b) in `where` and attributes say the same of any two names.
 *
 * Meaning. On each location of the role, take the spans that match any member ("events of
 * interest"); with `strict` take all spans. Then find, from left to right, the leftmost longest
 * match, and continue behind it: a regular expression over events. (An attempt to extend a
 * complete match is given up after 4,096 further events of interest, so that cost stays linear.)
 * Between two calls there always is one compute span, which may be empty: where `compute` is a
 * member, an expression has to say what it is there, too ("ask gap get work+").
 * A match that meets all `where` constraints is an instance; one that does not counts against fit,
 * unless all its message ends belong to instances of other event types of the pattern.
 *
 * Links: `match` of a repeated member is a list; `next` starts behind its last span, `previous`
 * before its first. A name that leads nowhere is undefined.
 *
 * Fields of a member or associated span: enter leave duration wait transfer (duration - wait)
 * bytes tag peer (rank) rank late (1 if wait > 0) unsure (1 if the partner is unknown).
 * Times are seconds since the beginning of the run window (see mpl_window). A member that may
 * occur more than once (+ or *) is a list. An optional member that is absent is undefined.
 * Built-in attributes of every instance: enter, leave, duration, location (rank), index.
 */

/** A primitive event: what `event:` of a member may name beside the pattern's own events. */
struct mpl_primitive {
    const char *name; /**< "recv" */
    const char *says; /**< One sentence. */
    bool has_message; /**< tag, peer and the filters to, from, tag make sense. */
};
/** The table behind `marple vocab events`. */
const struct mpl_primitive *mpl_primitives(size_t *n);

/** A word with a unit: a field of spans (assign.enter), or a variable of role formulas. */
struct mpl_word {
    const char *name;
    struct mpl_unit unit;
    const char *says;
};
const struct mpl_word *mpl_span_fields(size_t *n);
/** Fixed ones by name; those per bound role as "sent_to.<role>". */
const struct mpl_word *mpl_role_variables(size_t *n);

/** Variables of role formulas; behind the fixed ones there are some per role of the pattern. */
enum mpl_role_variable_kind {
    MPL_VAR_RANK,
    MPL_VAR_SIZE,
    MPL_VAR_PEERS,
    MPL_VAR_MESSAGES,
    MPL_VAR_SENDS,
    MPL_VAR_RECEIVES,
    MPL_VAR_SENT_BYTES,
    MPL_VAR_RECEIVED_BYTES,
    MPL_VAR_COLLECTIVES,
    MPL_VAR_CALLS,
    MPL_VAR_UNSEEN,
    MPL_VAR_COMPUTE,
    MPL_VAR_WAITING,
    MPL_VAR_READY_WAIT,
    MPL_VAR_WRONG_ORDERS,
    MPL_VAR_SENDERS,
    MPL_VAR_RECEIVERS,
    MPL_VAR_DEGREE,
    MPL_VAR_MUTUAL_SHARE,
    MPL_VAR_LEVEL,
    MPL_VAR_CHILDREN,
    MPL_VAR_HEIGHT,
    MPL_VAR_STAGE,
    MPL_VAR_ASKS,
    MPL_VAR_ASKED,
    MPL_VAR_ECCENTRICITY,
    MPL_VAR_EDGES,
    MPL_VAR_COMPONENTS,
    MPL_VAR_FIXED,
    /* Per role, from MPL_VAR_FIXED + role * MPL_VAR_PER_ROLE on. */
    MPL_VAR_SENT_TO = 0,
    MPL_VAR_RECEIVED_FROM,
    MPL_VAR_TRAFFIC_WITH,
    MPL_VAR_SHARE_WITH,
    MPL_VAR_IS,
    MPL_VAR_PER_ROLE
};

/** Why formulas of roles, filters and metrics cannot have precedes() and concurrent(). */
extern const char mpl_relation_misplaced[];

struct mpl_pattern;

/** A set of loaded patterns. Later files of the same pattern name replace earlier ones. */
struct mpl_patterns;

/**
 * \p builtin_directories: in order; files *.yaml in each, sorted by name; TEMPLATE.yaml is skipped.
 * Errors: MPL_E_SYNTAX when any file has an error; all messages are in \p lint. Then \p out has what
 * could be read, so that the metrics can be checked, too; it may hold patterns that
 * mpl_pattern_has_fault() and is good for nothing else. With other errors \p out stays as it is.
 */
enum mpl_status mpl_patterns_load(const char *const *directories, size_t n,
                                  struct mpl_arena *arena, struct mpl_lint *lint,
                                  const struct mpl_patterns **out, struct mpl_err *err);
/** One pattern from memory, on top of \p base (may be NULL) for `extends`. Errors: as above. */
enum mpl_status mpl_patterns_parse(const char *file, const char *text, size_t bytes,
                                   const struct mpl_patterns *base, struct mpl_arena *arena,
                                   struct mpl_lint *lint, const struct mpl_patterns **out,
                                   struct mpl_err *err);
size_t mpl_patterns_count(const struct mpl_patterns *patterns);
const struct mpl_pattern *mpl_patterns_get(const struct mpl_patterns *patterns, size_t i);
const struct mpl_pattern *mpl_patterns_find(const struct mpl_patterns *patterns,
                                            const char *name);

/** Whether an error was reported about the pattern, the count of a role, or the head of an event or the
 *  names of its attributes. */
bool mpl_pattern_has_fault(const struct mpl_pattern *pattern);
bool mpl_pattern_role_has_fault(const struct mpl_pattern *pattern, uint32_t role);
bool mpl_pattern_event_has_fault(const struct mpl_pattern *pattern, uint32_t event);
const char *mpl_pattern_name(const struct mpl_pattern *pattern);
const char *mpl_pattern_says(const struct mpl_pattern *pattern);
/** Whether it says so itself, or one of those that it extends. */
bool mpl_pattern_extends(const struct mpl_pattern *pattern, const struct mpl_pattern *base);
const char *mpl_pattern_file(const struct mpl_pattern *pattern);
/** The file whose pattern of the same name it stands in for; NULL: there is none. */
const char *mpl_pattern_replaces(const struct mpl_pattern *pattern);
/** The sections of its file on top of those that it extends, for lint and for showing. */
const struct mpl_yaml *mpl_pattern_tree(const struct mpl_pattern *pattern);
/** Whether it says how a program is built; one that need explain nothing (minimum coverage 0) only
 *  measures what all programs have. */
bool mpl_pattern_is_structural(const struct mpl_pattern *pattern);
/** Message coverage and fit from which on the pattern is chosen; 0.8 where it does not say. */
double mpl_pattern_minimum_coverage(const struct mpl_pattern *pattern);
double mpl_pattern_minimum_fit(const struct mpl_pattern *pattern);
size_t mpl_pattern_role_count(const struct mpl_pattern *pattern);
const char *mpl_pattern_role(const struct mpl_pattern *pattern, size_t i);
/** Whether role \p i is that of exactly one location (count: 1). */
bool mpl_pattern_role_is_one(const struct mpl_pattern *pattern, size_t i);
/** Index or MPL_NONE. */
uint32_t mpl_pattern_find_role(const struct mpl_pattern *pattern, const char *role);
size_t mpl_pattern_event_count(const struct mpl_pattern *pattern);
const char *mpl_pattern_event(const struct mpl_pattern *pattern, size_t i);
uint32_t mpl_pattern_find_event(const struct mpl_pattern *pattern, const char *event);
/** Role index on which event \p event is recognised. */
uint32_t mpl_pattern_event_role(const struct mpl_pattern *pattern, uint32_t event);
/** Attributes: the built-in ones first. */
size_t mpl_pattern_attribute_count(const struct mpl_pattern *pattern, uint32_t event);
const char *mpl_pattern_attribute(const struct mpl_pattern *pattern, uint32_t event,
                                  size_t i);
struct mpl_unit mpl_pattern_attribute_unit(const struct mpl_pattern *pattern,
                                           uint32_t event, size_t i);
uint32_t mpl_pattern_find_attribute(const struct mpl_pattern *pattern, uint32_t event,
                                    const char *name);
/** The `metrics` sections, base pattern's first (refined ones replace), for the metrics module. */
size_t mpl_pattern_metric_sections(const struct mpl_pattern *pattern,
                                   const struct mpl_yaml *const **sections);
/** The `experiments` sections, likewise. */
size_t mpl_pattern_experiment_sections(const struct mpl_pattern *pattern,
                                       const struct mpl_yaml *const **sections);

/** A trace on which a pattern must fire or stay quiet. */
struct mpl_pattern_example {
    bool is_quiet;    /**< The pattern must not be chosen on it. */
    const char *says; /**< One sentence, or NULL. */
    const char *text; /**< A text trace; NULL when it is a file. */
    const char *file; /**< Path: as written, below the pattern file's directory. */
    struct mpl_place place;
    size_t n_expected;
    const struct mpl_expected_count {
        uint32_t event;
        uint32_t instances;
    } * expected;
};
size_t mpl_pattern_example_count(const struct mpl_pattern *pattern);
const struct mpl_pattern_example *mpl_pattern_example(const struct mpl_pattern *pattern,
                                                      size_t i);

#endif
