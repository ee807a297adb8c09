/*
 * What viewers of traces are given: tracks, slices that nest in them, marks with flows between them, counters. It is
 * one stream, and each format is one writer of it; nothing of it is kept.
 */
#ifndef MPL_DRAW_EXPORT_PRIV_H
#define MPL_DRAW_EXPORT_PRIV_H

#include "draw/draw.h"

/** A text without control characters, in UTF-8, and not long: what a trace holds must go through
    mpl_export_clean(). */
struct mpl_export_text {
    uint32_t
        number; /**< From 1: texts that come again, and always with this number; 0: any. */
    const char *text;
};

enum mpl_export_unit { MPL_EXPORT_SLICES, MPL_EXPORT_COUNT, MPL_EXPORT_BYTES };
struct mpl_export_track {
    uint32_t number; /**< From 1. */
    uint32_t rank;   /**< Tracks stand in this order. */
    enum mpl_export_unit unit;
    const char *name;
};

enum mpl_export_category {
    MPL_EXPORT_CALL,
    MPL_EXPORT_COMPUTE,
    MPL_EXPORT_WAIT,
    MPL_EXPORT_MESSAGE,
    MPL_EXPORT_PATH,
    MPL_EXPORT_STEP,
    MPL_EXPORT_ROLE,
    MPL_EXPORT_FINDING,
    MPL_EXPORT_CATEGORIES
};
extern const char *const mpl_export_categories[MPL_EXPORT_CATEGORIES];

enum mpl_export_key {
    MPL_EXPORT_RECORD, /* "5#123", as marple order takes it */
    MPL_EXPORT_CLASS,
    MPL_EXPORT_COMM,
    MPL_EXPORT_ROOT,
    MPL_EXPORT_WAITING,
    MPL_EXPORT_WAITS_FOR,
    MPL_EXPORT_KIND,
    MPL_EXPORT_PEER,
    MPL_EXPORT_TAG,
    MPL_EXPORT_SIZE,
    MPL_EXPORT_LOCATION,
    MPL_EXPORT_LAST_BEGIN,
    MPL_EXPORT_PATTERN,
    MPL_EXPORT_LOST,
    MPL_EXPORT_CERTAINTY,
    MPL_EXPORT_FIX,
    MPL_EXPORT_KEYS
};
extern const char *const mpl_export_keys[MPL_EXPORT_KEYS];

struct mpl_export_argument {
    enum mpl_export_key key;
    struct mpl_export_text text; /**< .text NULL: a number. */
    uint64_t number;
};
enum { MPL_EXPORT_ARGUMENTS = 5 };

/** A slice, or a mark if it has no length. Arguments lie where who makes it has room for them. */
struct mpl_export_slice {
    uint32_t track;
    enum mpl_export_category category;
    int64_t begin_ns; /**< Since the first event of the run. */
    int64_t end_ns;
    struct mpl_export_text name;
    uint64_t flow; /**< Of marks: 0, or a number that exactly one other mark has. */
    bool is_flow_begin;
    size_t n_arguments;
    struct mpl_export_argument *arguments; /**< NULL: there are none. */
};

/** Calls of begin() and end() nest, per track; other tracks may come in between. */
struct mpl_export_writer {
    void (*track)(struct mpl_export_writer *w, const struct mpl_export_track *track);
    void (*begin)(struct mpl_export_writer *w, const struct mpl_export_slice *slice);
    void (*end)(struct mpl_export_writer *w, const struct mpl_export_slice *slice);
    void (*mark)(struct mpl_export_writer *w, const struct mpl_export_slice *mark);
    void (*count)(struct mpl_export_writer *w, const struct mpl_export_track *track,
                  int64_t time_ns, int64_t value);
    void (*close)(struct mpl_export_writer *w);
    FILE *out;
    uint32_t n_names; /**< Numbers of names go from 1 to this one, … */
    uint32_t n_texts; /**< … and those of texts of arguments to this one. */
    bool *has_name;   /**< Per number: it has been written. */
    bool *has_text;
    int failed; /**< errno of the first bytes that could not be written; nothing is written then. */
    uint64_t n_bytes;
    size_t n_held;
    unsigned char held[1 << 17]; /**< Not yet written. */
};
/** NULL: no memory. */
struct mpl_export_writer *mpl_perfetto_writer(struct mpl_arena *arena, FILE *out);
struct mpl_export_writer *mpl_chrome_writer(struct mpl_arena *arena, FILE *out);
void mpl_export_flush(struct mpl_export_writer *w);

/*
 * One event is put together where it will be written from: it begins at mpl_export_room(), and mpl_export_took() is
 * given where it ends. A name and all arguments have room, each with a text that mpl_export_clean() made, twice.
 */
enum { MPL_EXPORT_EVENT_BYTES = 1 << 14 };
static inline unsigned char *mpl_export_room(struct mpl_export_writer *w)
{
    if (sizeof w->held - w->n_held < MPL_EXPORT_EVENT_BYTES) {
        mpl_export_flush(w);
    }
    return w->held + w->n_held;
}
static inline void mpl_export_took(struct mpl_export_writer *w, const unsigned char *end)
{
    w->n_held = (size_t) (end - w->held);
    mpl_assert(w->n_held <= sizeof w->held);
}

/** Names behind those of regions. */
enum mpl_export_word {
    MPL_EXPORT_WORD_WAIT = 1,
    MPL_EXPORT_WORD_SEND,
    MPL_EXPORT_WORD_RECEIVE,
    MPL_EXPORT_WORDS = MPL_EXPORT_WORD_RECEIVE
};

/* ---- what is written -------------------------------------------------------------------------- */

struct mpl_exporting {
    struct mpl_export_writer *writer;
    struct mpl_selection *s;
    const struct mpl_diagnosis *d;
    const struct mpl_run *run;
    struct mpl_arena *arena;
    uint32_t n_tracks;    /* that are there */
    const char **regions; /* clean */
    const char **comms;   /* clean */
    const char **rank_of; /* per location: "rank 3", "rank 3 thread 2" */
    uint32_t *track_of;   /* per location; 0: not selected */
    const struct mpl_records
        *records; /* of the location that is written; NULL: not known */
    struct mpl_export_counts counted;
};

/** As much of \p text as a viewer has room for, with "…" behind it; "?" without memory. */
const char *mpl_export_clean(struct mpl_arena *arena, const char *text);
int64_t mpl_export_ns(const struct mpl_exporting *x, int64_t ticks);
/** Whether a span is written. */
bool mpl_export_has_span(const struct mpl_exporting *x, uint32_t location, uint32_t span);
/** Opens a track behind those that there are. */
struct mpl_export_track mpl_export_open_track(struct mpl_exporting *x, const char *name,
                                              enum mpl_export_unit unit);
/** When a message end is recorded, but not outside of its call. */
int64_t mpl_export_message_ticks(const struct mpl_exporting *x, uint32_t location,
                                 const struct mpl_span *span, uint32_t message);
/** The same number for both ends of a message that are written; 0 where only one is. */
uint64_t mpl_export_flow(const struct mpl_exporting *x, uint32_t location, uint32_t message,
                         bool is_send, struct mpl_end partner);

/** What each location does. */
void mpl_export_locations(struct mpl_exporting *x, const struct mpl_progress *progress);
/** How many wait, and how many bytes are on their way. */
enum mpl_status mpl_export_counters(struct mpl_exporting *x, struct mpl_err *err);
/** Critical path, steps, findings, roles. */
enum mpl_status mpl_export_analysis(struct mpl_exporting *x, struct mpl_err *err);

#endif
