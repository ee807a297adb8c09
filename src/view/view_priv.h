/* Shared by the views. */
#ifndef MPL_VIEW_VIEW_PRIV_H
#define MPL_VIEW_VIEW_PRIV_H

#include "view/view.h"

/* ---- cells -------------------------------------------------------------------------------- */

/* No number for 0 where it means nobody; a text that is NULL is none either. */
struct mpl_cell mpl_cell_text(const char *text);
struct mpl_cell mpl_cell_whole(uint64_t whole);
struct mpl_cell mpl_cell_number(double number); /* NaN: none */
struct mpl_cell mpl_cell_none(void);
/* A duration, and a moment since the first event of the run: the time line begins with it. */
struct mpl_cell mpl_cell_seconds(const struct mpl_selection *s, int64_t ticks);
/* The label of a location, its host, the names of a communicator and of a region; MPL_NONE is nobody. */
struct mpl_cell mpl_cell_location(const struct mpl_selection *s, uint32_t location);
struct mpl_cell mpl_cell_host(const struct mpl_selection *s, uint32_t location);
struct mpl_cell mpl_cell_comm(const struct mpl_selection *s, uint32_t comm);
struct mpl_cell mpl_cell_region(const struct mpl_selection *s, uint32_t region);

/* ---- the selection ---------------------------------------------------------------------------- */

/* The selection, step by step. Steps must be found, and there must be some. */
struct mpl_step_walk {
    const struct mpl_selection *s;
    struct mpl_selection of_step;
    int64_t *begins; /* per location */
    int64_t *ends;
};
enum mpl_status mpl_step_walk_open(const struct mpl_selection *s, struct mpl_arena *arena,
                                   struct mpl_step_walk *out, struct mpl_err *err);
/* Narrows w->of_step to step \p step. */
void mpl_step_walk_go(struct mpl_step_walk *w, uint32_t step);
/* Whether a location is selected, and anything of its time in the step. */
bool mpl_step_walk_has(const struct mpl_step_walk *w, uint32_t location);

/* Whether a collective instance ends in the selection and one of its parts is selected. */
bool mpl_selection_has_instance(const struct mpl_selection *s, uint32_t instance);

/* ---- sums ------------------------------------------------------------------------------------------ */

/* What a location does, as far as it is selected. */
struct mpl_sums {
    int64_t total_ticks;
    int64_t class_ticks[MPL_SPAN_CLASSES];
    int64_t wait_ticks[MPL_WAIT_KINDS];
    int64_t all_wait_ticks;
    int64_t caused_ticks; /* waits of those selected for it */
    int64_t unknown_ticks;
    uint64_t n_calls;
    uint64_t n_waits;
    uint64_t n_sends;
    uint64_t n_receives;
};
/* The columns that mpl_sums_cells() fills, behind "time". */
#define MPL_SUM_COLUMNS \
    { "compute", "s", "outside of calls" }, \
        { "wait", "s", "for others: part of p2p, collective and other" }, \
        { "p2p", "s", "in sends, receives, and waits for them" }, \
        { "collective", "s", "in collective operations" }, \
        { "other", "s", "in other calls of MPI, and for other threads" }, \
        { "startup", "s", "until MPI_Init is left" }, \
        { "shutdown", "s", "from entering MPI_Finalize" }, \
        { "late_sender", "s", "of wait: for a message that is sent later" }, \
        { "late_receiver", "s", "of wait: for a receive that is posted later" }, \
        { "barrier", "s", "of wait: at barriers" }, \
        { "n_to_n", "s", "of wait: where all need all" }, \
        { "late_broadcast", "s", "of wait: for a root that enters later" }, \
        { "early_reduce", "s", "of wait: of a root for those who give it something" }, \
        { "early_scan", "s", "of wait: in scans, for lower ranks" }, \
        { "caused", "s", "what others wait for it" }, \
        { "unknown", "s", "in calls whose waiting the trace does not tell" }, \
        { "calls", "1", "calls of MPI without start-up and shut-down" }, \
        { "waits", "1", "calls with waiting" }, { "sends", "1", "messages sent" }, \
    { \
        "receives", "1", "messages received" \
    }

/* One per location. Cost: a look at each span that is selected. */
enum mpl_status mpl_sums_create(const struct mpl_selection *s, struct mpl_arena *arena,
                                struct mpl_sums **out, struct mpl_err *err);
/* All but what it is the cause of. */
void mpl_sums_add_piece(const struct mpl_selection *s, const struct mpl_piece *p,
                        struct mpl_sums *sums);
/* Its cells in the order of the columns of `threads`, from "time" on. Returns how many. */
size_t mpl_sums_cells(const struct mpl_selection *s, const struct mpl_sums *sums,
                      struct mpl_cell *cells);

/* ---- collective operations --------------------------------------------------------------------------- */

/* Of one location at a collective instance. */
struct mpl_arrival {
    uint32_t location;
    uint32_t span; /* that begins its part */
    bool is_known; /* false: the trace does not hold its call */
    int64_t enter_ticks;
    int64_t leave_ticks;
    int64_t wait_ticks;
    int64_t error_ticks; /* of both times; INT64_MAX: nothing limits it */
};
struct mpl_instance {
    uint32_t n; /* parts that are known; with 0 nothing below is of use */
    const struct mpl_arrival *parts; /* ascending by rank */
    uint32_t first_in, last_in;      /* of equals the lowest rank */
    uint32_t next_to_last_in;        /* last_in where there is only one */
    uint32_t first_out, last_out;
    int64_t wait_ticks;
    bool is_last_known; /* all others enter earlier, by more than the clocks may be wrong */
};
/* \p parts: room for as many as the instance has. */
void mpl_instance_find(const struct mpl_selection *s, uint32_t number,
                       struct mpl_arrival *parts, struct mpl_instance *out);
uint32_t mpl_instance_most_parts(const struct mpl_selection *s);
/* Whether the second one is later than the first one for sure. */
bool mpl_arrivals_are_apart(const struct mpl_arrival *first, int64_t first_ticks,
                            const struct mpl_arrival *second, int64_t second_ticks);
/* How wrong the distance of two moments may be that are as wrong as that; INT64_MAX: nothing limits it. */
struct mpl_cell mpl_cell_error(const struct mpl_selection *s, int64_t a_ticks,
                               int64_t b_ticks);

/* ---- channels --------------------------------------------------------------------------------------- */

/* What messages of one sender, receiver, communicator and tag have in common. */
struct mpl_channel {
    uint32_t from; /* locations; the master thread where the trace does not tell */
    uint32_t to;
    uint32_t comm; /* MPL_NONE: unknown */
    uint32_t tag;
    uint64_t n_sent;
    uint64_t n_received;
    uint64_t bytes;     /* sent; received where that is not recorded */
    int64_t wait_ticks; /* of the receiver for the sender */
    int64_t held_ticks; /* of the sender for the receiver */
    int64_t send_ticks; /* in calls, without waiting */
    int64_t receive_ticks;
};
struct mpl_channels {
    struct mpl_buf all; /* struct mpl_channel, in the order in which they were seen first */
    struct mpl_map *maps[3];
};
/* False: no memory. Close it in any case. */
bool mpl_channels_open(struct mpl_channels *channels);
void mpl_channels_close(struct mpl_channels *channels);
/* The channel of a message end; NULL for ends of PROC_NULL and garbage, or without memory. */
struct mpl_channel *mpl_channels_find(struct mpl_channels *channels,
                                      const struct mpl_selection *s, uint32_t location,
                                      uint32_t message);
/* The location at the other end of a message, the master thread where the trace tells the process only; MPL_NONE: nobody,
   as for PROC_NULL and garbage. */
uint32_t mpl_other_end(const struct mpl_selection *s, uint32_t location, uint32_t message);
/* What of a call belongs to its \p i-th message end: messages share what is no waiting in equal
   parts, and the wait is the first one's that comes from whom it was for. */
void mpl_piece_share(const struct mpl_selection *s, const struct mpl_piece *p, uint32_t i,
                     int64_t *busy_ticks, int64_t *wait_ticks);

/* ---- rows ---------------------------------------------------------------------------------------- */

/* Where a view puts its rows, and what it makes on the way. */
struct mpl_view_rows {
    const struct mpl_view *view;
    const struct mpl_run *run;
    const struct mpl_row_sink *sink;
    struct mpl_arena *arena;
    struct mpl_records
        *records; /* per location: their numbers, read when the first is asked for */
    bool *is_read;
};
enum mpl_status mpl_view_put(struct mpl_view_rows *rows, const struct mpl_cell *cells,
                             struct mpl_err *err);
/* "5#123": the record of location 5 with which a call begins, counted from 1 in its event file, as
   `marple order` takes it. What lies between two calls has none. */
enum mpl_status mpl_view_record(struct mpl_view_rows *rows, uint32_t location,
                                uint32_t span, struct mpl_cell *out, struct mpl_err *err);
/* A row whose last cell is that. */
enum mpl_status mpl_view_put_call(struct mpl_view_rows *rows, uint32_t location,
                                  uint32_t span, struct mpl_cell *cells,
                                  struct mpl_err *err);

/* ---- the views ------------------------------------------------------------------------------------ */

#define MPL_COLUMNS(columns) \
    .n_columns = sizeof(columns) / sizeof *(columns), .columns = (columns)

extern const struct mpl_view mpl_view_waits;
extern const struct mpl_view mpl_view_waiting;
extern const struct mpl_view mpl_view_changes;
extern const struct mpl_view mpl_view_collectives;
extern const struct mpl_view mpl_view_arrivals;
extern const struct mpl_view mpl_view_last;
extern const struct mpl_view mpl_view_threads;
extern const struct mpl_view mpl_view_hosts;
extern const struct mpl_view mpl_view_statistics;
extern const struct mpl_view mpl_view_steps;
extern const struct mpl_view mpl_view_neighbours;
extern const struct mpl_view mpl_view_lines;
extern const struct mpl_view mpl_view_paths;
extern const struct mpl_view mpl_view_messages;
extern const struct mpl_view mpl_view_timeline;
extern const struct mpl_view mpl_view_clock;

#endif
