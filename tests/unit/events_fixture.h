/*
 * Traces made by hand, record by record, for the tests of events: also such that no tracer
 * should write. One tick is one microsecond.
 */
#ifndef MPL_TESTS_EVENTS_FIXTURE_H
#define MPL_TESTS_EVENTS_FIXTURE_H

#include <check.h>
#include <math.h>

#include "events/events.h"

/** A trace under construction. Lives in the arena given at its creation. */
struct fixture;

/** \p n_ranks processes of \p n_threads locations each; fails the test when out of memory. */
struct fixture *fixture_create(struct mpl_arena *arena, uint32_t n_ranks,
                               uint32_t n_threads);
void fixture_set_tracer(struct fixture *f, enum mpl_tracer tracer);
/** Receives posted for ever, as in EZTrace's traces of C programs. */
void fixture_set_receive_completions(struct fixture *f, bool has_them);

void fixture_enter(struct fixture *f, uint32_t location, int64_t us, const char *region);
void fixture_leave(struct fixture *f, uint32_t location, int64_t us, const char *region);
void fixture_record(struct fixture *f, uint32_t location, int64_t us,
                    enum mpl_event_kind kind);

/* Records of messages; \p peer is a rank, MPL_NONE for MPI_PROC_NULL. They return the message. */
uint32_t fixture_send(struct fixture *f, uint32_t location, int64_t us, uint32_t peer,
                      uint32_t tag);
uint32_t fixture_isend(struct fixture *f, uint32_t location, int64_t us, uint32_t peer,
                       uint32_t tag);
void fixture_isend_done(struct fixture *f, uint32_t location, int64_t us, uint32_t message);
uint32_t fixture_recv(struct fixture *f, uint32_t location, int64_t us, uint32_t peer,
                      uint32_t tag);
uint32_t fixture_post(struct fixture *f, uint32_t location, int64_t us);
void fixture_irecv(struct fixture *f, uint32_t location, int64_t us, uint32_t message,
                   uint32_t peer, uint32_t tag);

/** A collective of all ranks: its beginning, returning the part, and its end. */
uint32_t fixture_coll_begin(struct fixture *f, uint32_t location, int64_t us);
void fixture_coll_end(struct fixture *f, uint32_t location, int64_t us, uint32_t part,
                      enum mpl_coll_op op, uint32_t root, uint64_t sent_bytes,
                      uint64_t received_bytes);
void fixture_set_immediate(struct fixture *f, uint32_t location, uint32_t part);

/* Whole calls, with the name of the region. */
void fixture_call(struct fixture *f, uint32_t location, int64_t from_us, int64_t to_us,
                  const char *region);
void fixture_call_send(struct fixture *f, uint32_t location, int64_t from_us, int64_t to_us,
                       const char *region, uint32_t peer, uint32_t tag);
void fixture_call_recv(struct fixture *f, uint32_t location, int64_t from_us, int64_t to_us,
                       uint32_t peer, uint32_t tag);
void fixture_call_coll(struct fixture *f, uint32_t location, int64_t from_us, int64_t to_us,
                       enum mpl_coll_op op, uint32_t root);

/** Ends the construction, matches, and builds the events. */
const struct mpl_events *fixture_events(struct fixture *f);
/** Of it, whole then. */
struct mpl_model *fixture_model(const struct fixture *f);

/* A microsecond is a tick here, so seconds compare after rounding to whole ones. */
#define ASSERT_US(seconds, us) ck_assert_int_eq(llround((seconds) *1e6), (us))

/** The span waits \p us for \p culprit, and that is known. */
void fixture_assert_wait(const struct mpl_events *events, uint32_t location, uint32_t span,
                         enum mpl_wait_kind kind, int64_t us, uint32_t culprit);
void fixture_assert_span(const struct mpl_events *events, uint32_t location, uint32_t span,
                         enum mpl_span_class class, int64_t enter_us, int64_t leave_us);

#endif
