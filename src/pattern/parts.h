/* A pattern from inside: what the loader makes, and whoever looks for it in a run reads. */
#ifndef MPL_PATTERN_PARTS_H
#define MPL_PATTERN_PARTS_H

#include "pattern/automaton.h"
#include "pattern/pattern.h"

/* ---- vocabulary -------------------------------------------------------------------- */

/** How a primitive is distinguished from others. */
enum mpl_primitive_test {
    MPL_TEST_COMPUTE,
    MPL_TEST_CALL, /**< Any call. */
    MPL_TEST_P2P,
    MPL_TEST_SEND, /**< At least one send is posted. */
    MPL_TEST_SSEND,
    MPL_TEST_RECV,       /**< At least one receive is completed. */
    MPL_TEST_COLLECTIVE, /**< Of one of the operations. */
    MPL_TEST_OTHER,
    MPL_TEST_REGION, /**< Any span; its region decides. */
};

struct mpl_primitive_row {
    enum mpl_primitive_test test;
    uint32_t ops; /**< Bit per enum mpl_coll_op, for collectives. */
};
/** Parallel to mpl_primitives(). */
const struct mpl_primitive_row *mpl_primitive_row(uint32_t primitive);
/** MPL_NONE if there is none of that name. */
uint32_t mpl_primitive_find(const char *name);
enum { MPL_OPS_ALL = (1U << MPL_COLL_OPS) - 1 };
/** Bit of the operation named "MPI_Allreduce" or "allreduce"; 0 if there is none. */
uint32_t mpl_op_find(const char *name);

enum mpl_field {
    MPL_FIELD_ENTER,
    MPL_FIELD_LEAVE,
    MPL_FIELD_DURATION,
    MPL_FIELD_WAIT,
    MPL_FIELD_TRANSFER,
    MPL_FIELD_BYTES,
    MPL_FIELD_TAG,
    MPL_FIELD_PEER,
    MPL_FIELD_RANK,
    MPL_FIELD_PLACE,
    MPL_FIELD_LATE,
    MPL_FIELD_UNSURE,
    MPL_FIELD_ASKS,
    MPL_FIELDS
};
/** MPL_NONE if there is none of that name. */
uint32_t mpl_field_find(const char *name);

/** Attributes that every instance has. */
enum {
    MPL_OWN_ENTER,
    MPL_OWN_LEAVE,
    MPL_OWN_DURATION,
    MPL_OWN_LOCATION,
    MPL_OWN_INDEX,
    MPL_OWN_ATTRIBUTES
};

/** "peers", "share_with.master"; in \p arena, NULL when out of memory. */
const char *mpl_role_variable_name(const struct mpl_pattern *pattern, uint32_t variable,
                                   struct mpl_arena *arena);

/* ---- parts of a pattern -------------------------------------------------------------- */

enum {
    MPL_ROLES_MAX = 32, /**< A set of roles is one word. */
    /* What attributes read and links start from is followed by recursion; no pattern that a
       person writes comes near. */
    MPL_EVENTS_MAX = 64,
    MPL_ATTRIBUTES_MAX = 128,
    MPL_ASSOCIATED_MAX = 128,
    MPL_LINK_CANDIDATES =
        32, /**< Spans that a link's condition over other spans is tried on. */
};

struct mpl_role_definition {
    const char *name;
    bool is_one;    /**< count: 1 */
    bool has_fault; /**< Its count has an error. */
    uint32_t at_least;
    const char *where_text; /**< NULL: every location that takes part. */
    const struct mpl_formula *where;
    const struct mpl_formula *score; /**< NULL: all equal. */
};

/** What an event must be to stand for a member. MPL_NONE and NULL: does not matter. */
struct mpl_span_filter {
    uint32_t primitive;      /**< MPL_NONE: an instance of an abstract event. */
    uint32_t event;          /**< That event, or MPL_NONE. */
    uint32_t to, from, root; /**< Roles. */
    uint32_t ops;            /**< 0: any. */
    uint32_t n_tags;         /**< 0: any. */
    const uint32_t *tags;
    const char *region;              /**< Glob. */
    const struct mpl_formula *where; /**< Over the fields of the span. */
};

static inline struct mpl_span_filter mpl_filter_any(void)
{
    return (struct mpl_span_filter){ .primitive = MPL_NONE,
                                     .event = MPL_NONE,
                                     .to = MPL_NONE,
                                     .from = MPL_NONE,
                                     .root = MPL_NONE };
}

struct mpl_member {
    const char *name;
    struct mpl_place place;
    struct mpl_span_filter filter;
    uint32_t
        on; /**< Role whose locations it is looked for on, other ones than the event's; MPL_NONE. */
    /** Of one that is on another location, bit per member that it is concurrent with; else 0. */
    uint64_t beside;
    struct mpl_occurrence occurs;
};

enum mpl_associated_link {
    MPL_LINK_MATCH,
    MPL_LINK_PREVIOUS,
    MPL_LINK_NEXT,
    MPL_LINK_CONTAINING
};

struct mpl_associated {
    const char *name;
    struct mpl_place place;
    enum mpl_associated_link link;
    uint32_t
        base; /**< Name that it starts from: a member, or an associated one before it. */
    struct mpl_span_filter filter;
    /** Over its own fields and those of names before it; NULL. One over its own is the filter's. */
    const struct mpl_formula *where;
    uint32_t
        stop; /**< Name that the search does not go beyond; MPL_NONE: it ends by itself. */
    bool is_list;      /**< The match of a repeated member. */
    bool is_explained; /**< It counts for coverage: the other end of a member. */
};

/** What a formula of an event reads: a field of a span, or an attribute of an instance. */
struct mpl_formula_slot {
    uint32_t name;  /**< Members, then associated; MPL_NONE: the instance itself. */
    uint32_t field; /**< enum mpl_field, or the number of an attribute. */
    enum mpl_slot_relation {
        MPL_SLOT_FIELD,
        MPL_SLOT_PRECEDES, /**< What \p name is to \p other; there is no field. */
        MPL_SLOT_CONCURRENT
    } relation;
    uint32_t other;
};

struct mpl_constraint {
    const char *text;
    const struct mpl_formula *formula;
    /**
     * The name in "defined(name.enter)" or "not defined(name.enter)", the usual constraint:
     * whether it stands for anything is known without a formula. MPL_NONE for other formulas.
     */
    uint32_t present;
    bool is_absent; /**< With "not". */
};

struct mpl_attribute {
    const char *name;
    struct mpl_unit unit;
    bool is_unit_known; /**< False after a fault in what is stated. */
    struct mpl_place place;
    const struct mpl_formula *formula; /**< NULL for the built-in ones, which come first. */
    bool reads_index; /**< Its value depends on the number of the instance. */
    bool asks_order;  /**< It reads what must have come before what. */
};

struct mpl_event_definition {
    const char *name;
    struct mpl_place place;
    uint32_t role;
    bool has_fault; /**< Its head or the names of its attributes have an error. */
    bool is_strict;
    const struct mpl_automaton *automaton; /**< NULL after a fault in the expression. */
    uint32_t n_members;
    struct mpl_member *members;
    uint32_t n_associated;
    struct mpl_associated *associated;
    uint32_t n_constraints;
    struct mpl_constraint *constraints;
    uint32_t n_attributes;
    struct mpl_attribute *attributes;
    uint32_t n_slots;
    const struct mpl_formula_slot *slots; /**< By slot number of the event's formulas. */
    uint32_t level; /**< Above those of all events that recognising it needs. */
    bool
        is_wide; /**< Recognising it needs instances of other locations, or values of them all. */
};

/* Of a pattern and those that it extends, the base's first; for the module metrics. */
struct mpl_yaml_sections {
    const struct mpl_yaml *const *items;
    size_t n;
};

struct mpl_pattern {
    const char *name;
    const char *says;
    const char *file;
    const struct mpl_pattern *base; /**< That it extends; NULL. */
    const char *replaces; /**< File of the pattern of the same name before it, or NULL. */
    bool has_fault; /**< Nothing can be tried with it, but its metrics can be checked. */
    double minimum_coverage;
    double minimum_fit;
    const struct mpl_yaml
        *merged; /**< The file with its bases, for patterns that extend it. */
    uint32_t n_roles;
    struct mpl_role_definition *roles;
    uint32_t n_events;
    struct mpl_event_definition *events;
    uint32_t n_needs;
    const struct mpl_capability **needs;
    struct mpl_yaml_sections metrics, experiments;
    size_t n_examples;
    const struct mpl_pattern_example *examples;
};

static inline bool mpl_event_name_is_list(const struct mpl_event_definition *event,
                                          uint32_t name)
{
    return name < event->n_members ? event->members[name].occurs.is_repeated
                                   : event->associated[name - event->n_members].is_list;
}

/** The event of which \p name is an instance, or MPL_NONE when it is a span. */
static inline uint32_t mpl_event_name_instance(const struct mpl_event_definition *event,
                                               uint32_t name)
{
    return name < event->n_members
               ? event->members[name].filter.event
               : event->associated[name - event->n_members].filter.event;
}

/** Members come first, then the associated ones. */
static inline const char *mpl_event_name(const struct mpl_event_definition *event,
                                         uint32_t name)
{
    return name < event->n_members ? event->members[name].name
                                   : event->associated[name - event->n_members].name;
}

/** Along a location, not to the other end of a message or an instance around. */
static inline bool mpl_link_is_along(enum mpl_associated_link link)
{
    return link == MPL_LINK_PREVIOUS || link == MPL_LINK_NEXT;
}

/** Member or associated of that name, or MPL_NONE. */
uint32_t mpl_event_name_find(const struct mpl_event_definition *event, const char *name,
                             size_t bytes);
uint32_t mpl_event_attribute_find(const struct mpl_event_definition *event,
                                  const char *name);

#endif
