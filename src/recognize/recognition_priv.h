/*
 * A recognition inside the module: roles, instances, and what names of an instance stand for.
 */
#ifndef MPL_RECOGNIZE_RECOGNITION_PRIV_H
#define MPL_RECOGNIZE_RECOGNITION_PRIV_H

#include "pattern/parts.h"
#include "recognize/matcher_priv.h"
#include "recognize/recognize.h"

/** Spans of a location: between start-up and shut-down first … end-1, of an instance first … end. */
struct mpl_range {
    uint32_t first, end;
};

/* ---- instances ------------------------------------------------------------------------ */

/** An instance: most have the shape of an earlier one, later. */
struct mpl_shaped {
    uint32_t base; /**< The first span of the match; 0 where instances stand among spans. */
    uint32_t shape;
};

/**
 * Instances of one event on one location, in order. A word of a shape says what a member stands for:
 * MPL_NONE, how far a span is behind the base (or the number of an instance on this location), or, with MPL_WORD_LIST,
 * the place in lists of a count and that many of these.
 */
struct mpl_segment {
    uint32_t location;
    uint32_t n;
    size_t first; /**< Index of its first instance among all of the event; known when all
                                are searched. */
    const struct mpl_shaped *shaped; /**< n */
    const uint32_t *
        words; /**< Per shape mpl_shape_words(): stride, then the least and the greatest item. */
    const uint32_t *lists;
};

enum { MPL_WORD_LIST = 1U << 31 };

/** How many things a word stands for, and the \p i-th. Inline: profiles are full of them. */
static inline uint32_t mpl_word_count(uint32_t word, const uint32_t *lists)
{
    if (word == MPL_NONE) {
        return 0;
    }
    return (word & MPL_WORD_LIST) == 0 ? 1 : lists[word & ~MPL_WORD_LIST];
}

static inline uint32_t mpl_word_item(uint32_t word, const uint32_t *lists, uint32_t i)
{
    return (word & MPL_WORD_LIST) == 0 ? word : lists[(word & ~MPL_WORD_LIST) + 1 + i];
}

/** All of these, from the base on. */
static inline const uint32_t *mpl_word_items(const uint32_t *word, const uint32_t *lists)
{
    return (*word & MPL_WORD_LIST) == 0 ? word : lists + (*word & ~MPL_WORD_LIST) + 1;
}

struct mpl_instances {
    uint32_t stride;         /**< Words per instance: members in the expression. */
    bool is_flat;            /**< No member is an instance of another event. */
    const uint32_t *word_of; /**< Per member: its word, or MPL_NONE. */
    const uint32_t *
        inner_of; /**< Per word: the event that its member is an instance of, or MPL_NONE. */
    uint32_t n_segments;          /**< Locations of the role. */
    struct mpl_segment *segments; /**< Ascending by location. */
    size_t n;
    double **columns; /**< Per attribute: NULL until asked for. */
    bool *is_wanted;  /**< Per attribute: made with the first column that is asked for. */
    bool is_making;   /**< Columns of this event are under way. */
    uint32_t *locations;     /**< Per instance; NULL until asked for. */
    struct mpl_range *spans; /**< Per instance, its first and last; NULL until needed, */
    uint32_t *segment_of;    /**< and then per location its segment, or MPL_NONE. */
    /** Why it was not known what came first, for a match that therefore is none; NULL: it was known. */
    const char *match_doubt;
};

static inline uint32_t mpl_shape_words(const struct mpl_instances *instances)
{
    return instances->stride + 2;
}

/** The segment that holds an instance; there must be one. */
const struct mpl_segment *mpl_instances_segment(const struct mpl_instances *instances,
                                                size_t index);

/** Spans of one kind on a location; see finders.c. */
struct mpl_finder;

/** What links along locations look for: few kinds of spans, each looked for by many. */
struct mpl_finders {
    uint32_t n_kinds;
    const struct mpl_span_filter **filters; /**< Per kind. */
    uint32_t **of_event; /**< Per event and associated event: its kind, or MPL_NONE. */
    struct mpl_finder ***of_kind; /**< Per kind and location; NULL: not made yet. */
    const struct mpl_finders
        *shared; /**< Of the recognition that this is a copy of; NULL: of none. */
};

/** Of all instances of an event, the column of an attribute, or, with MPL_NONE, their spans. */
struct mpl_lack {
    bool is_some;
    uint32_t event;
    uint32_t attribute;
};

struct mpl_recognition {
    const struct mpl_pattern *pattern;
    const struct mpl_events *events;
    struct mpl_topology *topology; /**< NULL when the search is over. */
    const struct mpl_model *model;
    struct mpl_arena *arena;
    struct mpl_window window;
    bool is_part; /**< Of the run: not all that is recorded counts. */
    struct mpl_role *roles;
    uint32_t *roles_of_location; /**< Bit per role. */
    uint32_t *roles_of_process;
    uint32_t n_requests;
    const struct mpl_topology_arc
        *requests; /**< Whose messages ask for others; sorted by (from, to). */
    struct mpl_range
        *ranges; /**< Per location: its spans between start-up and shut-down. */
    struct mpl_instances *instances; /**< Per event. */
    struct mpl_finders finders;
    /** Per location: bit per message end, and behind them per collective; NULL outside of roles. */
    uint64_t **explained;
    uint64_t *n_ends;       /**< Per location: message ends and collectives that count. */
    uint64_t n_fitting;     /**< Matches of all events that met all constraints, and */
    uint64_t n_failing;     /**< those that count against fit. */
    uint64_t **n_failed;    /**< Per event and constraint. */
    bool *is_searched;      /**< Per location: for the instances of all events. */
    double needed_coverage; /**< The search may stop when less is certain. */
    bool has_stopped;       /**< It has: message_coverage is an upper bound. */
    double message_coverage;
    double likely_coverage; /**< The same; after a stop, of what was searched. */
    double time_coverage;
    /** Why it may be unknown what came first, if attributes have asked; NULL: all is known. */
    const char *value_doubt;
    /** A copy's: of what nobody has made yet it says that it lacks it. */
    bool is_copy;
    struct mpl_lack lack;
};

/**
 * The same recognition for one of several threads: with an arena, which the caller destroys, and finders of its own.
 * Instances are those of \p r. False: out of memory.
 */
bool mpl_recognition_copy(const struct mpl_recognition *r, struct mpl_recognition *copy);

/** Words of 64 bits in what is explained on a location. */
static inline size_t mpl_explained_words(const struct mpl_model *model, uint32_t location)
{
    const struct mpl_location *loc = &model->locations[location];

    return ((size_t) loc->n_messages + loc->n_collectives + 63) / 64;
}

struct mpl_bound;
struct mpl_rows;
struct mpl_shape_rule;

/* ---- spans and filters -------------------------------------------------------------------- */

struct mpl_range mpl_range_of(const struct mpl_events *events, uint32_t location);

/**
 * Calls that no filter distinguishes. That of the first \p message of one, or, with parts, what all kinds of its
 * messages are together.
 */
struct mpl_kind {
    uint32_t span;                /**< One of them, */
    uint32_t message;             /**< with that message, or with MPL_NONE. */
    uint32_t first_part, n_parts; /**< Kinds of the messages of calls with several. */
};

/** Of the calls of one location between start-up and shut-down. */
struct mpl_kinds {
    uint32_t n;
    const struct mpl_kind *kinds;
    const uint32_t *parts;
    const uint32_t *of_call;
    const uint32_t
        *ends; /**< Per call: its only end, MPL_NONE without one, MPL_MANY_ENDS. */
    bool is_compute_alike; /**< What lies between is in one region, or in none. */
};

/** The kinds of calls of a location. NULL: they are not made. */
const struct mpl_kinds *mpl_kinds_get(const struct mpl_topology *t, uint32_t location);
/** What filters see of calls of a kind without parts. */
struct mpl_span mpl_kind_span(const struct mpl_events *events, uint32_t location,
                              const struct mpl_kind *kind);
/**
 * Makes those of \p n \p locations that are not made yet, by as many threads as may be had; \p locations is overwritten.
 * Errors: MPL_E_NOMEM.
 */
enum mpl_status mpl_kinds_prepare(struct mpl_topology *t, uint32_t *locations, uint32_t n,
                                  struct mpl_err *err);

/** Copies the requests to where recognition keeps them: its topology is gone by then. */
enum mpl_status mpl_requests_copy(const struct mpl_peer_graph *graph,
                                  struct mpl_recognition *r, struct mpl_err *err);

/** Whether what \p own sends to \p peer (or receives from it) asks for other messages. */
bool mpl_requests_has(const struct mpl_recognition *r, uint32_t own, uint32_t peer,
                      bool is_send);

/** Whether \p filter asks for messages like this one. */
bool mpl_filter_wants_message(const struct mpl_recognition *r,
                              const struct mpl_span_filter *filter, uint32_t location,
                              uint32_t message);
/** Whether a span of \p location may stand for \p filter; its `where` is not looked at. */
bool mpl_filter_takes(const struct mpl_recognition *r, const struct mpl_span_filter *filter,
                      uint32_t location, const struct mpl_span *span);
/** Whether the `where` of a filter holds for a span. */
bool mpl_filter_holds(const struct mpl_recognition *r, const struct mpl_span_filter *filter,
                      uint32_t location, uint32_t at);
/** First message end of span \p at that \p filter asks for, or MPL_NONE. */
uint32_t mpl_filter_message_at(const struct mpl_recognition *r,
                               const struct mpl_span_filter *filter, uint32_t location,
                               uint32_t at);
/** Whether its spans may be collectives. */
bool mpl_filter_has_collectives(const struct mpl_span_filter *filter);
/** Whether its spans can have messages at all. */
bool mpl_filter_has_messages(const struct mpl_span_filter *filter);
/** A field of what \p bounds stand for, which are spans or absent, in some rows. */
void mpl_span_read(const struct mpl_recognition *r, const struct mpl_span_filter *filter,
                   const struct mpl_bound *bounds, const struct mpl_rows *rows,
                   enum mpl_field field, double *values);

/** Whether a field says when a span was or how long: each has it, whatever filter it has passed. */
bool mpl_field_is_time(enum mpl_field field);
/** Such a field of \p n spans of a location. */
void mpl_spans_read(const struct mpl_recognition *r, uint32_t location,
                    const uint32_t *spans, size_t n, enum mpl_field field, double *values);

/* ---- one instance ---------------------------------------------------------------------------- */

enum mpl_bound_kind { MPL_BOUND_ABSENT, MPL_BOUND_SPAN, MPL_BOUND_INSTANCE };

/** What a name stands for in an instance. */
struct mpl_bound {
    uint8_t kind; /**< enum mpl_bound_kind */
    bool has_no_message;
    bool has_no_end; /**< Neither a message nor a collective. */
    uint32_t location;
    uint32_t at;      /**< Span, or number of the instance on its location. */
    uint32_t message; /**< The only message end that it is about; MPL_NONE: not known. */
};

/**
 * An end of communication is a message end of the location, or behind them one of its collectives:
 * number n_messages is collective 0. This is "several" where one is expected.
 */
#define MPL_MANY_ENDS (MPL_NONE - 1)

/**
 * What a pass has found out about the spans of its location, for one event type. So links along
 * the location and ends of members cost no question to events.
 */
struct mpl_near {
    uint32_t location;
    const uint16_t *letters; /**< Per span. */
    const uint64_t *links;   /**< Per letter: bit per associated event that it may be. */
    const uint32_t
        *ends; /**< Per call: its only end, MPL_NONE without one, MPL_MANY_ENDS. */
    struct mpl_range range;
};

/** Numbers of rows, ascending. */
struct mpl_rows {
    uint32_t n;
    uint8_t at[MPL_FORMULA_ROWS];
};
/** A bit per row. */
typedef uint64_t mpl_row_set[MPL_FORMULA_ROW_WORDS];

/** An instance, or a match that may become one. */
struct mpl_row {
    uint32_t location;
    uint32_t number; /**< On its location; MPL_NONE for what is not counted yet. */
    uint32_t base;   /**< As in struct mpl_segment, and so are these: */
    const uint32_t *words;
    const uint32_t *lists;
};

static inline struct mpl_row mpl_segment_row(const struct mpl_instances *instances,
                                             const struct mpl_segment *segment,
                                             uint32_t number)
{
    const struct mpl_shaped *shaped = &segment->shaped[number];

    return (struct mpl_row){ segment->location, number, shaped->base,
                             segment->words +
                                 (size_t) shaped->shape * mpl_shape_words(instances),
                             segment->lists };
}

/** How many things word \p word of a row stands for, and the \p i-th: a span, or the number of an instance. */
static inline uint32_t mpl_row_count(const struct mpl_row *row, uint32_t word)
{
    return mpl_word_count(row->words[word], row->lists);
}
static inline uint32_t mpl_row_item(const struct mpl_row *row, uint32_t word, uint32_t i)
{
    return row->base + mpl_word_item(row->words[word], row->lists, i);
}

/**
 * Some of these under examination, of one event. What names stand for, fields and values of formulas are found for many rows
 * at once, for those that somebody asks about, and kept until the next rows.
 */
struct mpl_instance_view {
    struct mpl_recognition *r;
    uint32_t event;
    const struct mpl_event_definition *definition;
    const struct mpl_instances *instances;
    struct mpl_arena *arena;
    const struct mpl_near *near; /**< During the pass over their location; else NULL. */
    uint32_t n_most;             /**< Rows that there is room for. */
    uint32_t n;
    struct mpl_row *rows;
    uint32_t at;        /**< The row that is looked at alone, */
    struct mpl_row row; /**< and what it is. */
    /** Per name, slot or attribute: for which rows it is known. */
    mpl_row_set *is_bound, *is_read, *is_valued;
    /** Per name, slot and attribute: a value per row. NULL until needed. */
    struct mpl_bound **bounds;
    double **scalars;
    struct mpl_list **lists;
    double **attributes;
    struct mpl_buf *items; /**< double, per slot: what is in the lists. */
    struct mpl_buf spans;  /**< uint32_t: room for those of a list of each row. */
    /** Rows that follow each other and have the same words: where each stretch of them ends. */
    uint32_t n_alike; /**< 0: not looked for. */
    uint16_t *alike;
    uint32_t *
        *near_instance; /**< Per associated event and segment: where one was found last. */
    double **temps; /**< Per attribute, then per associated event, then per constraint. */
    struct mpl_shape_rule *shape_rules; /**< Per attribute; see shapes.c. */
    uint32_t n_talking;
    uint32_t n_talking_members;
    uint32_t *talking;  /**< Names whose ends count for coverage, members first. */
    bool has_relations; /**< Some formula of the pattern asks what came first. */
    bool has_no_memory;
};

/** With room for \p n_most rows, or MPL_FORMULA_ROWS. NULL: out of memory. Its lists are on the heap until
 *  mpl_view_close(). */
struct mpl_instance_view *mpl_view_open(struct mpl_recognition *r, uint32_t event,
                                        size_t n_most, struct mpl_arena *arena);
void mpl_view_close(struct mpl_instance_view *view); /* NULL is allowed */
/** Whether some formula of the pattern asks what came first. */
bool mpl_view_asks_what_came_first(const struct mpl_pattern *pattern);
/** Starts anew with \p n rows that the caller has filled in; near (may be NULL) must be about their location. */
void mpl_view_begin(struct mpl_instance_view *view, uint32_t n,
                    const struct mpl_near *near);
/** With as many rows of the \p n instances from \p first on as there is room for. */
void mpl_view_fill(struct mpl_instance_view *view, size_t first, size_t n);
/** Looks at one row alone: row is that. */
void mpl_view_go(struct mpl_instance_view *view, uint32_t at);
/** Finds out what \p name stands for in some rows. */
void mpl_view_bind(struct mpl_instance_view *view, uint32_t name, const uint64_t *rows);
/** What \p name stands for in the row that is looked at; of a repeated member its first span. */
struct mpl_bound *mpl_view_bound(struct mpl_instance_view *view, uint32_t name);
/** The values of an attribute, those of \p rows filled in; NULL without memory. */
const double *mpl_view_attribute(struct mpl_instance_view *view, uint32_t attribute,
                                 const uint64_t *rows);
/** Takes from \p rows those for which constraint \p number does not hold; */
void mpl_view_test(struct mpl_instance_view *view, uint32_t number, uint64_t *rows);
/** or the condition of associated event \p number, which its name stands for as it does now. */
void mpl_view_test_link(struct mpl_instance_view *view, uint32_t number, uint64_t *rows);
/** The first \p n rows. */
static inline void mpl_rows_first(uint32_t n, uint64_t *rows)
{
    for (uint32_t w = 0; w < MPL_FORMULA_ROW_WORDS; w++) {
        rows[w] = n >= 64 * (w + 1) ? ~UINT64_C(0)
                  : n <= 64 * w     ? 0
                                    : ~UINT64_C(0) >> (64 * (w + 1) - n);
    }
}
static inline void mpl_row_leave_out(uint64_t *rows, uint32_t i)
{
    rows[i / 64] &= ~(UINT64_C(1) << i % 64);
}
static inline void mpl_rows_list(const uint64_t *rows, struct mpl_rows *list)
{
    uint32_t n = 0;

    for (uint32_t w = 0; w < MPL_FORMULA_ROW_WORDS; w++) {
        uint64_t left = rows[w];

        /* Mostly all of them: written such that the compiler makes 16 at once. */
        if (left == UINT64_MAX) {
            uint8_t *at = list->at + n;

            for (uint8_t i = 0; i < 64; i++) {
                at[i] = (uint8_t) (64 * w + i);
            }
            n += 64;
            left = 0;
        }
        for (; left != 0; left &= left - 1) {
            list->at[n++] = (uint8_t) (64 * w + (uint32_t) __builtin_ctzll(left));
        }
    }
    list->n = n;
}
/** A slot that is a relation: 1, 0, or undefined where it is not known or something is absent. */
double mpl_view_relation(struct mpl_instance_view *view,
                         const struct mpl_formula_slot *slot);
/** Finds what a member on another location stands for, into \p bound. */
void mpl_view_bind_beside(struct mpl_instance_view *view, uint32_t member,
                          struct mpl_bound *bound);
/** Takes from \p rows those that lack a member on another location which must be there. */
void mpl_view_test_beside(struct mpl_instance_view *view, uint64_t *rows);
/** Numbers the kinds of spans that links look for. False: out of memory. */
bool mpl_finders_prepare(struct mpl_recognition *r);
/** What \p from has found out about spans of a location, for all who ask \p into. */
void mpl_finders_hand_over(struct mpl_recognition *from, struct mpl_recognition *into,
                           uint32_t location);
/**
 * From span \p at of some rows, on the location of each row's bound, to the nearest one beyond that fits the filter of associated event
 * \p number, a link along the location, or MPL_NONE. Its condition over other spans is not looked at. The view says so when it
 * has no memory.
 */
void mpl_finder_find(struct mpl_instance_view *view, uint32_t number,
                     const struct mpl_rows *rows, const struct mpl_bound *bounds,
                     bool is_next, uint32_t *at);
/** First and last spans of all instances of an event, and where those of a location are, if they are not known. False: out of memory. */
bool mpl_instances_make_spans(struct mpl_recognition *r, uint32_t event);
/** Follows the link of associated event \p number in some rows. */
void mpl_link_follow(struct mpl_instance_view *view, uint32_t number, const uint64_t *rows);
/** The other end of what \p base is about, likewise; \p filter is that of the base. */
void mpl_link_match(struct mpl_instance_view *view, const struct mpl_bound *base,
                    const struct mpl_span_filter *filter, struct mpl_bound *bound);
/** Binds a span, with what the pass knows of its messages. */
void mpl_view_bind_span(const struct mpl_instance_view *view, uint32_t location,
                        uint32_t at, struct mpl_bound *bound);
/** The \p i-th thing that a repeated member of a row stands for, or the match of one; */
void mpl_view_bind_item(struct mpl_instance_view *view, const struct mpl_row *row,
                        uint32_t name, uint32_t i, struct mpl_bound *bound);
/** and the number of the word that says how many these are. */
uint32_t mpl_view_list_word(const struct mpl_instance_view *view, uint32_t name);
const struct mpl_span_filter *
mpl_event_name_filter(const struct mpl_event_definition *event, uint32_t name);
/** The message end that a span is about, as \p filter asks for it; MPL_NONE without one. */
uint32_t mpl_bound_message(const struct mpl_recognition *r, const struct mpl_bound *bound,
                           const struct mpl_span_filter *filter);
/** First and last span of a thing on a location: of an instance of event \p inner, or, with MPL_NONE, a span itself; */
struct mpl_range mpl_item_spans(const struct mpl_recognition *r, uint32_t inner,
                                uint32_t location, uint32_t item);
/** of what \p name is bound to; */
struct mpl_range mpl_bound_spans(const struct mpl_instance_view *view, uint32_t name,
                                 const struct mpl_bound *bound);
/** of an instance, by its number in a segment or as a row. */
struct mpl_range mpl_segment_spans(const struct mpl_recognition *r, uint32_t event,
                                   const struct mpl_segment *segment, uint32_t number);
struct mpl_range mpl_row_spans(const struct mpl_recognition *r, uint32_t event,
                               const struct mpl_row *row);
/** Widens \p range by what a member of an instance stands for; false: it is absent. */
bool mpl_member_widen(const struct mpl_recognition *r, uint32_t event, uint32_t member,
                      const struct mpl_row *row, struct mpl_range *range);
/** The segment of an event on a location, or NULL. */
struct mpl_segment *mpl_instances_find(const struct mpl_instances *instances,
                                       uint32_t location);
/** Calls \p visit for each span that \p name stands for, until it answers false. */
typedef bool mpl_bound_visit(void *context, uint32_t name, struct mpl_bound *bound);
bool mpl_view_each(struct mpl_instance_view *view, uint32_t name, mpl_bound_visit *visit,
                   void *context);
/** Calls \p visit for each end of communication that \p name stands for, until it answers false; */
typedef bool mpl_end_visit(void *context, uint32_t location, uint32_t end);
bool mpl_view_ends(struct mpl_instance_view *view, uint32_t name, mpl_end_visit *visit,
                   void *context);
/** or for those of a span for which it stands. */
bool mpl_view_span_ends(const struct mpl_instance_view *view, uint32_t name,
                        uint32_t location, uint32_t at, mpl_end_visit *visit,
                        void *context);

/** Whether a slot is a time of spans on the location of the instance, which each of them has. */
static inline bool mpl_slot_is_plain(const struct mpl_event_definition *event,
                                     const struct mpl_formula_slot *slot)
{
    return slot->name < event->n_members && event->members[slot->name].beside == 0 &&
           event->members[slot->name].filter.event == MPL_NONE &&
           mpl_field_is_time((enum mpl_field) slot->field);
}

/* ---- what shapes say ------------------------------------------------------------------------------ */

/** Room for what is known of attributes. False: out of memory. */
bool mpl_shapes_prepare(struct mpl_instance_view *view);
/**
 * Leaves in \p rows only those of which the value of an attribute has to be found: that of another one of them, i, is the value
 * of row like[i]. False: that of each, and \p like says nothing.
 */
bool mpl_shapes_thin(const struct mpl_instance_view *view, uint32_t attribute,
                     uint64_t *rows, uint8_t *like);

/* ---- matches that repeat others ------------------------------------------------------------------- */

/** What is known of matches of an event that were tested on a location. */
struct mpl_repeats;
/** For the rows of \p view, in the arena of that; its buffers are on the heap until mpl_repeats_close(). NULL: out of memory. */
struct mpl_repeats *mpl_repeats_open(struct mpl_instance_view *view);
void mpl_repeats_close(struct mpl_repeats *repeats); /* NULL is allowed */
/** Forgets all matches: another location, or other letters. */
void mpl_repeats_forget(struct mpl_repeats *repeats);
/**
 * Takes from \p rows those whose test would have the same answer as that of an earlier match, and puts the constraint into \p failing
 * that they fail, or MPL_NONE.
 * Cost: linear in their spans, and in what the test has read.
 */
void mpl_repeats_answer(struct mpl_repeats *repeats, uint64_t *rows, uint32_t *failing);
/** Some of \p rows, whose tests have just been made, serve the next ones. The view says so when it has no memory. */
void mpl_repeats_learn(struct mpl_repeats *repeats, const uint64_t *rows,
                       const uint32_t *failing);

/* ---- stages ------------------------------------------------------------------------------------- */

/** Letters of one location, and per event of a group the members that each stands for. */
struct mpl_letter_stream;
/** Lives in \p arena, its buffers on the heap until mpl_stream_close(). NULL: no memory. */
struct mpl_letter_stream *mpl_stream_open(const struct mpl_recognition *r,
                                          struct mpl_arena *arena);
void mpl_stream_close(struct mpl_letter_stream *stream); /* NULL is allowed */
/**
 * Reads the spans of a location for \p n_events events that run on it.
 * Errors: MPL_E_LIMIT with more kinds of spans than letters; MPL_E_NOMEM.
 */
enum mpl_status mpl_stream_read(struct mpl_letter_stream *stream, uint32_t location,
                                const uint32_t *events, uint32_t n_events,
                                struct mpl_err *err);
/**
 * The letters for the \p i-th of these events; instances of other events that it has as members
 * stand among the spans. Valid until the next call.
 */
enum mpl_status mpl_stream_letters(struct mpl_letter_stream *stream, uint32_t i,
                                   struct mpl_letters *out, struct mpl_err *err);
/** What was found out about spans, for the event whose letters were given last. */
const struct mpl_near *mpl_stream_near(const struct mpl_letter_stream *stream);
/** Whether instances stand among the spans; where none do, a span stands at its number. */
bool mpl_stream_has_items(const struct mpl_letter_stream *stream);
/** The span, or number of the instance, at a position of the letters given last. */
uint32_t mpl_stream_at(const struct mpl_letter_stream *stream, uint32_t position);

/** The search of one location after the other, of which several may go on at a time. */
struct mpl_search;

/** An end that a search explains on a location that another one may be at. */
struct mpl_mark {
    uint32_t location;
    uint32_t end;
};

/**
 * \p marks: takes struct mpl_mark; NULL where nobody else searches: then they count at once. The search lives in \p arena,
 * its buffers on the heap until mpl_search_close(). NULL: out of memory.
 */
struct mpl_search *mpl_search_open(struct mpl_recognition *r, struct mpl_buf *marks,
                                   struct mpl_arena *arena);
void mpl_search_close(struct mpl_search *search); /* NULL is allowed */
/** Finds the instances of the events of a level on a location. */
enum mpl_status mpl_search_location(struct mpl_search *search, uint32_t location,
                                    uint32_t level, struct mpl_err *err);
/** Counts the matches that failed and that nothing has explained since, in \p r. */
void mpl_search_count_failed(const struct mpl_search *search, struct mpl_recognition *r);

static inline void mpl_end_set_explained(struct mpl_recognition *r, uint32_t location,
                                         uint32_t end)
{
    r->explained[location][end / 64] |= UINT64_C(1) << end % 64;
}

/** MPL_END with \p *reason when a role is not to be found. */
enum mpl_status mpl_roles_bind(struct mpl_recognition *r, struct mpl_topology *topology,
                               const struct mpl_role_binding *bindings, size_t n_bindings,
                               const char **reason, struct mpl_err *err);
/** Fills instances and fit. */
enum mpl_status mpl_instances_find_all(struct mpl_recognition *r, struct mpl_err *err);
/**
 * Whether less than the needed coverage is certain by the locations that have been searched; then message_coverage
 * is what the others may bring it to. Cost: linear in the messages that are not explained there.
 */
bool mpl_coverage_falls_short(struct mpl_recognition *r);
void mpl_coverage_measure(struct mpl_recognition *r);

#endif
