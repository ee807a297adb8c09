/* What the files of spool share: spools as they are read, communicators as all processes see them, the archive. */
#ifndef MPL_SPOOL_SPOOL_PRIV_H
#define MPL_SPOOL_SPOOL_PRIV_H

#include "archive/archive.h"
#include "spool/spool.h"
#include "trace/trace.h"

#include <otf2/otf2.h>

/* ---- reading (load.c) ------------------------------------------------------------------- */

/** A spool, mapped. */
struct spool {
    const char *path;
    const struct mpl_spool_head *head;
    const uint8_t *bytes;
    size_t n_bytes;
    uint32_t n_threads;
    const struct chunk *chunks; /**< By thread, and in the order of their numbers. */
    size_t n_chunks;
    const struct mpl_spool_tie
        *ties; /**< What makes counts times: at least two, or NULL. */
    size_t n_ties;
};

/** Where records of a thread are. */
struct chunk {
    uint32_t thread; /**< From 0. */
    uint64_t number;
    size_t offset;
};

struct spools {
    struct spool *all; /**< Ascending by rank. */
    uint32_t n;
    uint32_t n_processes; /**< Of MPI_COMM_WORLD. */
};

/** Must be closed, whatever it returns. */
enum mpl_status mpl_spools_open(const char *directory, struct mpl_arena *arena,
                                struct spools *out, struct mpl_err *err);
void mpl_spools_close(struct spools *spools);
/** The spool of a rank; NULL: it left none. */
const struct spool *mpl_spools_find(const struct spools *spools, uint32_t rank);

/** A record, all of whose words are there. */
struct record {
    uint8_t kind; /**< enum mpl_spool_kind, or of a later version. */
    uint16_t small;
    uint32_t large;
    uint64_t time_ns;
    const uint64_t *
        words; /**< From the first one on, which is not repeated here: words[2] is the third. */
    unsigned n_words;
};

/** A way through the records of one thread. */
struct walk {
    const struct spool *spool;
    uint32_t thread;
    size_t chunk;       /**< The next one to look at. */
    const uint64_t *at; /**< The next record; NULL: in the next chunk. */
    const uint64_t *end;
    size_t tie; /**< The times of records ascend, so the way through ties is short. */
};

/* ---- counts and times (ticks.c) ----------------------------------------------------------------- */

/** Finds out for all spools how counts become times. False: no memory. */
bool mpl_ticks_find(struct spools *spools, struct mpl_arena *arena);
/** A time of that spool in ns; \p tie is where to look first, and found anew. */
uint64_t mpl_ticks_to_ns(const struct spool *spool, uint64_t ticks, size_t *tie);

struct walk mpl_walk_start(const struct spool *spool, uint32_t thread);
bool mpl_walk_next(struct walk *walk, struct record *record);

/** Something that is known of a process. */
struct property {
    const char *key; /**< Begins with "MARPLE::". */
    const char *value;
};

/** The next property on the way, in \p arena. False: there is none, or no memory. */
bool mpl_property_next(struct walk *walk, struct mpl_arena *arena,
                       struct property *property);

/* ---- communicators (comms.c) ------------------------------------------------------------------ */

/** A communicator as all of its members see it. */
struct comm {
    uint8_t made;    /**< enum mpl_spool_made */
    uint32_t parent; /**< Of the same array. */
    uint32_t n_members;
    uint32_t *members; /**< World ranks by rank in it; of MPI_COMM_SELF none. */
    const char *name;
    uint32_t
        other; /**< Between two groups: the one whose group is the remote one; MPL_NONE: not found. */
    uint32_t leader;    /**< World rank of its first member. */
    uint32_t remote;    /**< World rank of the remote group's. */
    uint32_t reference; /**< In the archive. */
    uint64_t key;       /**< Equal for all members of a pair of groups. */
};

/** Numbers of a process to communicators. */
struct comm_map {
    uint32_t *of; /**< MPL_NONE: a communicator of which nothing is known. */
    uint32_t n;
};

struct comms {
    struct mpl_buf all;    /**< struct comm */
    struct comm_map *maps; /**< By spool. */
    uint32_t n_references;
};

enum mpl_status mpl_comms_find(const struct spools *spools, struct mpl_arena *arena,
                               struct comms *out, struct mpl_err *err);
/** Which one it is in a process; NULL: unknown. */
const struct comm *mpl_comms_get(const struct comms *comms, uint32_t spool,
                                 uint32_t number);

/* ---- places in the program (sites.c) ------------------------------------------------------------ */

/** A function of the program. */
struct site_function {
    const char *name;
    const char *linkage; /**< Its name for the linker; NULL: the same. */
    const char *file;    /**< NULL: unknown. */
    uint32_t first_line;
};

struct site_line {
    const char *file;
    uint32_t line;
};

/** What an OTF2 CallingContext says. */
struct site_context {
    uint32_t function;
    uint32_t line;   /**< Of sites.lines; MPL_NONE: unknown. */
    uint32_t parent; /**< Of sites.contexts; MPL_NONE: unknown. */
};

/** Places of all processes; what is equal is there once. */
struct sites {
    struct mpl_buf functions; /**< struct site_function */
    struct mpl_buf lines;     /**< struct site_line */
    struct mpl_buf contexts;  /**< struct site_context */
    struct mpl_buf *of; /**< By spool: contexts (uint32_t) of its places, by number. */
};

struct sites_finder;

/** What is needed while places are found; NULL: no memory. To be closed. */
struct sites_finder *mpl_sites_find_begin(struct sites *sites, uint32_t n_spools,
                                          struct mpl_arena *arena);
/** Looks at a record of a spool, whatever it is. False: no memory. */
bool mpl_sites_see(struct sites_finder *finder, const struct record *r);
/** All records of a spool were seen. False: no memory. */
bool mpl_sites_resolve(struct sites_finder *finder, uint32_t spool);
void mpl_sites_find_end(struct sites_finder *finder); /**< NULL is allowed. */
/** The context of a place; MPL_NONE: unknown. */
uint32_t mpl_sites_get(const struct sites *sites, uint32_t spool, uint32_t site);
void mpl_sites_free(struct sites *sites, uint32_t n_spools);

/* ---- the archive (write.c, define.c, events.c) --------------------------------------------------- */

/** What is found out about all records before any is written. */
struct survey {
    uint64_t begin_ns; /**< The first time and the last one, on the clock of rank 0. */
    uint64_t end_ns;
    uint64_t begin_utc_ns;       /**< What the calendar said at begin_ns. */
    uint32_t regions[MPL_CALLS]; /**< By call; MPL_NONE: it does not occur. */
    bool has_one_clock;          /**< All processes read the same. */
    uint32_t n_regions;          /**< Of calls that occur. */
    bool has_samples;            /**< Of CPU time. */
    bool has_teams;              /**< Of threads. */
    bool has_switches;           /**< Recording was off for a while. */
    struct mpl_buf *is_done; /**< By spool, a bit for each request: its end was recorded. */
};

/** Clocks: what to add to the times of a process. */
struct clock_point {
    uint64_t time_ns;
    int64_t offset_ns;
    int64_t error_ns;
};

struct archive {
    const struct spools *spools;
    struct comms comms;
    struct survey survey;
    struct sites sites;
    struct mpl_arena *arena;
    struct mpl_spool_summary *summary;
    const char *command; /**< Of the run; NULL: not known. */
    const uint64_t
        *locations;      /**< mpl_location_of(), in the order in which they are written. */
    uint64_t **n_events; /**< Written, by spool and thread. */
    uint64_t ended_ns;   /**< When the run ended on this machine; 0: not known. */
};

/** Attributes of events, by reference. */
enum {
    ATTRIBUTE_ANY_SOURCE,
    ATTRIBUTE_ANY_TAG,
    ATTRIBUTE_ASKED_SOURCE,
    ATTRIBUTE_ASKED_TAG,
    ATTRIBUTE_ASKED_COMM,
    ATTRIBUTE_CALL_SITE,
    N_ATTRIBUTES
};

/** Members of the metric class 0. */
enum { METRIC_CPU_TIME, METRIC_VOLUNTARY, METRIC_INVOLUNTARY, METRIC_CORE, N_METRICS };

/** When a process of this machine was ended that was cut off, by the clock that it read; 0: not known, or it was not. */
uint64_t mpl_archive_ended_ns(const struct archive *archive, uint32_t spool);
uint64_t mpl_location_of(uint32_t rank, uint32_t thread);
/** The spool of the \p i-th location's process, or NULL; \p thread is the location's number in it. */
const struct spool *mpl_archive_spool(const struct archive *archive, uint32_t i,
                                      uint32_t *thread);
/** Reference of the communicator that stands for the threads of a process. */
uint32_t mpl_team_of(const struct archive *archive, uint32_t spool);
/** Finds out what definitions need and no single event has. False: no memory. */
bool mpl_survey_make(struct archive *archive);
/** Whether the end of a request of that spool was recorded. */
bool mpl_survey_is_done(const struct survey *survey, uint32_t spool, uint64_t request);
/** Comparisons of the clock that process \p spool reads with that of rank 0 into \p points, whose items are
 *  struct clock_point, ascending. False: no memory. */
bool mpl_spool_clock_points(const struct archive *archive, uint32_t spool,
                            struct mpl_buf *points);
/* What struct mpl_otf2_parts asks for; the context is a struct archive. Of comparisons there are none, or at least two. */
OTF2_ErrorCode mpl_archive_clock(void *archive, uint32_t location, OTF2_DefWriter *writer);
void mpl_archive_events(void *archive, uint32_t location, struct mpl_record_writer *writer);
OTF2_ErrorCode mpl_archive_define(void *archive, OTF2_GlobalDefWriter *writer);
OTF2_ErrorCode mpl_archive_properties(void *archive, OTF2_Archive *otf2);

#endif
