/*
 * Traces made record by record, for the tests of match and clock: any number of
 * communicators, threads, clocks of their own, and records that no tracer should write.
 */
#ifndef MPL_TESTS_MATCH_FIXTURE_H
#define MPL_TESTS_MATCH_FIXTURE_H

#include "clock/clock.h"

/** A trace under construction. The model lives in the arena given at its creation. */
struct trace;

/**
 * \p n_processes with \p n_threads locations each. Communicator 0 is the world, 1 is "self".
 * Ticks are nanoseconds; the tracer is Score-P.
 */
struct trace *trace_create(struct mpl_arena *arena, uint32_t n_processes,
                           uint32_t n_threads);
/** Must be called for each trace, also for those that have become a model. */
void trace_destroy(struct trace *trace);

/** A communicator of these processes, in the order of its ranks. */
uint32_t trace_comm(struct trace *trace, const uint32_t *members, uint32_t n);
void trace_set_tracer(struct trace *trace, enum mpl_tracer tracer);
void trace_set_receive_completions(struct trace *trace, bool has_them);
void trace_set_base(struct trace *trace, uint32_t location, uint64_t base_ticks);
void trace_set_damaged(struct trace *trace, uint32_t location);
void trace_add_offset(struct trace *trace, uint32_t location, uint64_t time_ticks,
                      int64_t offset_ticks);

/* All times are ticks since the base of the location. */
void trace_record(struct trace *trace, uint32_t location, int64_t ticks,
                  enum mpl_event_kind kind);
/** A turn in a team: \p kind is TEAM_BEGIN or TEAM_END; \p team may be MPL_NONE. */
void trace_team(struct trace *trace, uint32_t location, int64_t ticks,
                enum mpl_event_kind kind, uint32_t team);
/** A lock, or a thread that is created, with its number. */
void trace_numbered(struct trace *trace, uint32_t location, int64_t ticks,
                    enum mpl_thread_act act, uint32_t object, uint32_t number);
void trace_enter(struct trace *trace, uint32_t location, int64_t ticks, const char *region);
void trace_leave(struct trace *trace, uint32_t location, int64_t ticks, const char *region);

/** Whom a message end names, as recorded. */
struct address {
    uint32_t comm; /**< MPL_NONE: unknown. */
    uint32_t rank; /**< MPL_NONE: MPI_PROC_NULL. */
    uint32_t tag;
};

/** A whole call that sends, recorded at \p from; returns the message. */
uint32_t trace_send(struct trace *trace, uint32_t location, int64_t from, int64_t to,
                    const char *region, struct address address, uint64_t bytes);
/** A whole blocking receive, recorded at \p to. */
uint32_t trace_recv(struct trace *trace, uint32_t location, int64_t from, int64_t to,
                    struct address address, uint64_t bytes);
/** Posts a receive at \p ticks, inside a call of its own; returns the message. */
uint32_t trace_post(struct trace *trace, uint32_t location, int64_t ticks);
/** Completes it, at the end of a wait from \p from to \p to. */
void trace_complete(struct trace *trace, uint32_t location, int64_t from, int64_t to,
                    uint32_t message, struct address address, uint64_t bytes);
/** The same with a communicator that is not sure, and recorded as the world. */
void trace_complete_unsure(struct trace *trace, uint32_t location, int64_t from, int64_t to,
                           uint32_t message, struct address address, uint64_t bytes);

/** A whole collective with 8 bytes both ways; \p root is a process or MPL_NONE. */
uint32_t trace_coll(struct trace *trace, uint32_t location, int64_t from, int64_t to,
                    uint32_t comm, enum mpl_coll_op op, uint32_t root);
void trace_set_coll_bytes(struct trace *trace, uint32_t location, uint32_t part,
                          uint64_t sent_bytes, uint64_t received_bytes);
/** One that never ends, unless trace_coll_end() follows. */
uint32_t trace_coll_begin(struct trace *trace, uint32_t location, int64_t ticks);
/** Ends it, with 8 bytes both ways. */
void trace_coll_end(struct trace *trace, uint32_t location, int64_t ticks, uint32_t part,
                    uint32_t comm, enum mpl_coll_op op, uint32_t root);
/** Says that it began in a call of its own, such as MPI_Ibarrier. */
void trace_set_coll_immediate(struct trace *trace, uint32_t location, uint32_t part);
/** Forgets what a location has recorded after \p ticks; only records of threads and regions. */
void trace_cut_at(struct trace *trace, uint32_t location, int64_t ticks);

/** Ends the construction. */
struct mpl_model *trace_model(struct trace *trace);

/** Matches; fails the test when that fails. */
const struct mpl_match *trace_match(const struct mpl_model *model, struct mpl_arena *arena);
/** Asserts that it is matched, and returns the message number of the partner. */
void assert_partners(const struct mpl_match *match, uint32_t location, uint32_t message,
                     uint32_t other, uint32_t other_message);
void assert_unmatched(const struct mpl_match *match, uint32_t location, uint32_t message);
/** What every result must fulfil; linear in messages and parts. */
void check_match(const struct mpl_model *model, const struct mpl_match *match);
/** Count of a quality note; 0 if there is none. */
uint64_t note_count(const struct mpl_model *model, const char *note);

/** The path of a real trace, or of a file of it, in \p arena. */
const char *trace_path(struct mpl_arena *arena, const char *trace, const char *file);

#endif
