/* Private to src/pattern: what the files of the loader share. */
#ifndef MPL_PATTERN_LOAD_PRIV_H
#define MPL_PATTERN_LOAD_PRIV_H

#include "pattern/parts.h"

/** What the files of the loader share. Faults go to lint and loading goes on. */
struct mpl_loader {
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    struct mpl_pattern *pattern; /**< Under construction. */
    const char *own_file;        /**< Of the pattern itself, not of its bases. */
    size_t first_message;        /**< Of the lint, when loading began. */
    bool has_fault;              /**< An error was reported. */
    bool has_no_memory;
};

void mpl_load_error(struct mpl_loader *loader, struct mpl_place place, const char *fmt, ...)
    MPL_PRINTF(3, 4);
void mpl_load_warn(struct mpl_loader *loader, struct mpl_place place, const char *fmt, ...)
    MPL_PRINTF(3, 4);
/** "; did you mean 'x'?" or "". \p words may be NULL after a lack of memory. */
const char *mpl_load_hint(struct mpl_loader *loader, const char *word,
                          const char *const *words, size_t n);
/** The names of \p n things of \p size bytes, the first member of each of which is its name. NULL: no memory. */
const char **mpl_load_names(struct mpl_loader *loader, const void *things, size_t n,
                            size_t size);
/** Zeroed; NULL, remembered, when out of memory. */
void *mpl_load_array(struct mpl_loader *loader, size_t n, size_t size);
/** Each key of \p map must be in \p keys; \p what is "an event". */
void mpl_load_keys(struct mpl_loader *loader, const struct mpl_yaml *map,
                   const char *const *keys, size_t n, const char *what);
/** The text of a scalar that is not empty; else NULL and a message about \p what. */
const char *mpl_load_text(struct mpl_loader *loader, const struct mpl_yaml *node,
                          const char *what);
/** The text of 'says', NULL without. */
const char *mpl_load_says(struct mpl_loader *loader, const struct mpl_yaml *map);
/** A map, else false and a message. */
bool mpl_load_is_map(struct mpl_loader *loader, const struct mpl_yaml *node,
                     const char *what);
/** No upper bound that anybody would meet. */
enum { MPL_LOAD_ANY = INT32_MAX };
/** A whole number in lowest … highest, else a message. */
bool mpl_load_number(struct mpl_loader *loader, const struct mpl_yaml *node,
                     const char *what, uint32_t lowest, uint32_t highest, uint32_t *out);
bool mpl_load_share(struct mpl_loader *loader, const struct mpl_yaml *node,
                    const char *what, double *out);
/** A name that formulas can read: letters, digits, _; else a message. */
bool mpl_load_is_name(struct mpl_loader *loader, const char *name, struct mpl_place place,
                      const char *what);
/** Role of that name, or MPL_NONE and a message. */
uint32_t mpl_load_role(struct mpl_loader *loader, const struct mpl_yaml *node);

/** Event of the pattern of that name (a text), or MPL_NONE and a message. */
uint32_t mpl_load_event(struct mpl_loader *loader, const struct mpl_yaml *node);

/** The file's tree on top of its base's: sections by name, the base's first. NULL: no memory. */
const struct mpl_yaml *mpl_pattern_merge(struct mpl_arena *arena,
                                         const struct mpl_yaml *base,
                                         const struct mpl_yaml *own);
/** Fills loader->pattern from a merged tree. */
void mpl_load_pattern(struct mpl_loader *loader, const struct mpl_yaml *root);
void mpl_load_roles(struct mpl_loader *loader, const struct mpl_yaml *roles);
/** Warns of calls in the expression between which there is no compute span. */
void mpl_load_gaps(struct mpl_loader *loader, const struct mpl_yaml *expression,
                   const struct mpl_event_definition *event);
void mpl_load_events(struct mpl_loader *loader, const struct mpl_yaml *events);
void mpl_load_examples(struct mpl_loader *loader, const struct mpl_yaml *examples);
/** Which kind of event, and its filters. A `where` with fields of other spans is left to
 *  mpl_load_event_formulas(), for links; members cannot have one. */
void mpl_load_filter(struct mpl_loader *loader, const struct mpl_yaml *map,
                     struct mpl_span_filter *filter, bool is_link);
/** Whether a formula, a text, has names with a dot in them. */
bool mpl_load_reads_others(const struct mpl_yaml *where);

enum { MPL_FILTER_KEYS = 8 };
extern const char *const mpl_filter_keys[MPL_FILTER_KEYS];

/** Formulas of a role, of a span's own fields, of an event. NULL when there is a fault. */
const struct mpl_formula *mpl_load_role_formula(struct mpl_loader *loader,
                                                const struct mpl_yaml *node, uint32_t role);
const struct mpl_formula *mpl_load_span_formula(struct mpl_loader *loader,
                                                const struct mpl_yaml *node);
/** The where and attributes of an event: after all events have members and attribute names. */
void mpl_load_event_formulas(struct mpl_loader *loader, const struct mpl_yaml *map,
                             struct mpl_event_definition *event);
/** Sets the levels; cycles between events or attributes are messages. */
void mpl_load_order(struct mpl_loader *loader);

#endif
