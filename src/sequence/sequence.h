/*
 * Takes:        the calls of a run, and a filter that says which of them count.
 * Makes:        per location the sequence of these calls as symbols, and the loops in sequences.
 * Leaves alone: times, and what two runs differ in (diff).
 */
#ifndef MPL_SEQUENCE_SEQUENCE_H
#define MPL_SEQUENCE_SEQUENCE_H

#include "events/events.h"

/* ---- which calls count ------------------------------------------------------------------ */

/**
 * A filter of the paper DiffTrace (Table I, Fig. 7) as its tables write it: `11.mpi.cust.0K10`.
 * First digit: 1 leaves out returns, 0 keeps them. Second: 1 leaves out entries of the procedure
 * linkage table. Then the kinds of functions to keep, `cust=REGEX` for an extended regular
 * expression. Last: 1 keeps whatever no filter names, too; K and the longest body of a loop, in
 * entries. Both ends may be left out.
 */
struct mpl_filter;

/** The bodies of loops are at most so long where nobody says otherwise. */
enum { MPL_FILTER_K = 100, MPL_FILTER_K_MOST = 10000 };

/**
 * Ownership: lives in \p arena but for a regular expression: close it.
 * Errors:    MPL_E_USAGE with the column and a suggestion; *out is NULL then.
 */
enum mpl_status mpl_filter_open(const char *code, struct mpl_arena *arena,
                                struct mpl_filter **out, struct mpl_err *err);
void mpl_filter_close(struct mpl_filter *filter); /* NULL is allowed */
bool mpl_filter_keeps(const struct mpl_filter *filter, const char *function);
bool mpl_filter_keeps_returns(const struct mpl_filter *filter);
uint32_t mpl_filter_k(const struct mpl_filter *filter);

/* ---- symbols ------------------------------------------------------------------------------ */

/** What of a call makes it another one, beside its function. */
enum mpl_symbol_part {
    MPL_SYMBOL_PEER = 1,     /**< Whom a message goes to, or comes from. */
    MPL_SYMBOL_RELATIVE = 2, /**< The same as a distance from the own rank. */
    MPL_SYMBOL_ROOT = 4,
    MPL_SYMBOL_TAG = 8,
    MPL_SYMBOL_BYTES = 16, /**< What is sent and received. */
    MPL_SYMBOL_COMM = 32,  /**< The communicator, by its name. */
    MPL_SYMBOL_PATH = 64,  /**< In which functions it is made; see struct mpl_call_paths. */
};
enum { MPL_SYMBOL_PARTS = 7 };
/** The word for a part, of the \p i-th bit: "peer", "relative-peer", "root", "tag", "bytes", "communicator",
    "path"; \p i below MPL_SYMBOL_PARTS. */
const char *mpl_symbol_part_name(int i);

/** A number of a symbol or, with this bit, of a loop. */
#define MPL_LOOP 0x80000000U

/** What is not asked for, or not known, is MPL_NONE; of bytes UINT64_MAX. */
struct mpl_symbol {
    uint32_t function; /**< See mpl_symbol_function(). */
    uint32_t to;       /**< Rank; distance + MPL_LOOP if relative. */
    uint32_t from;     /**< Of blocking receives: others are not always recorded. */
    uint32_t root;
    uint32_t tag;
    uint32_t comm; /**< As functions: the number of a name. */
    uint64_t sent_bytes;
    uint64_t received_bytes;
    uint64_t more; /**< Hash of further messages that begin in the call. */
    bool is_return;
    bool is_relative;
    uint32_t
        path; /**< 1 + the number of a name such as "main/solve"; 0: not asked for, or in no function. */
};

/** Equal calls of any run that uses the same symbols have the same number. */
struct mpl_symbols;
/** NULL when out of memory. */
struct mpl_symbols *mpl_symbols_create(void);
void mpl_symbols_destroy(struct mpl_symbols *symbols); /* NULL is allowed */
uint32_t mpl_symbols_count(const struct mpl_symbols *symbols);
const struct mpl_symbol *mpl_symbols_get(const struct mpl_symbols *symbols, uint32_t i);
/** A call of which nothing but the function is known. */
struct mpl_symbol mpl_symbol_of(uint32_t function);
/** MPL_NONE when out of memory. */
uint32_t mpl_symbols_put(struct mpl_symbols *symbols, const struct mpl_symbol *symbol);
/** The number of a name; MPL_NONE when out of memory. */
uint32_t mpl_symbols_name(struct mpl_symbols *symbols, const char *name);
/** Borrowed until the next name. */
const char *mpl_symbols_name_text(const struct mpl_symbols *symbols, uint32_t name);
/** How many names there are. */
size_t mpl_symbols_names(const struct mpl_symbols *symbols);
/** Borrowed until the next name. */
const char *mpl_symbol_function(const struct mpl_symbols *symbols, uint32_t symbol);
/** "MPI_Send(4)", "MPI_Bcast(root 0)"; \p is_short: without "MPI_". NULL: no memory. */
const char *mpl_symbol_text(const struct mpl_symbols *symbols, uint32_t symbol,
                            bool is_short, struct mpl_arena *arena);

/**
 * The functions that a location is in, from the outermost one: "main/solve/exchange". Each recorded region counts that
 * is entered before a call and not left.
 */
struct mpl_call_paths;
/** \p symbols gets the names. Close it. NULL: no memory. */
struct mpl_call_paths *mpl_call_paths_create(const struct mpl_model *model,
                                             struct mpl_symbols *symbols,
                                             struct mpl_arena *arena);
void mpl_call_paths_close(struct mpl_call_paths *paths); /* NULL is allowed */
/** What lies around a record, as in struct mpl_symbol. Of a location records must be asked for in ascending order;
    another location begins anew. False: no memory. Cost: linear in the records in between. */
bool mpl_call_paths_at(struct mpl_call_paths *paths, uint32_t location, uint32_t event,
                       uint32_t *path);

/* ---- sequences ------------------------------------------------------------------------------ */

struct mpl_sequence {
    uint32_t n;
    const uint32_t *symbols;
    const uint32_t *calls; /**< Parallel: see mpl_events_call(). NULL: not known. */
};

/**
 * Calls about which chance decides: of a location those with the same function, communicator and tag, and
 * with one partner or with all.
 */
struct mpl_loose;
enum mpl_looseness {
    MPL_FIRM,
    MPL_LOOSE_ROOT, /**< Threads decide about the root of a collective. */
    MPL_LOOSE_PEER, /**< Chance decides with whom, and how many bytes. */
    MPL_LOOSE_CALL  /**< And whether it is made at all. */
};
/** Close it. NULL: no memory. */
struct mpl_loose *mpl_loose_create(struct mpl_arena *arena);
void mpl_loose_close(struct mpl_loose *loose); /* NULL is allowed */
/** \p call: with all parts. */
enum mpl_looseness mpl_loose_get(const struct mpl_loose *loose, uint32_t location,
                                 const struct mpl_symbol *call);
/** \p has_peer: only calls with the same partner. False: no memory. */
bool mpl_loose_put(struct mpl_loose *loose, uint32_t location,
                   const struct mpl_symbol *call, bool has_peer, enum mpl_looseness level);
/** Takes away what of a call of that level is not compared. */
void mpl_symbol_loosen(struct mpl_symbol *symbol, enum mpl_looseness level);
/** How often a level was changed. */
size_t mpl_loose_changes(const struct mpl_loose *loose);
/** How often one of a location was. */
uint32_t mpl_loose_changes_of(const struct mpl_loose *loose, uint32_t location);

struct mpl_sequence_options {
    const struct mpl_filter *filter; /**< NULL: all calls of MPI. */
    unsigned parts;                  /**< enum mpl_symbol_part */
    /** Leaves out what says nothing about the program's way: how often it asked whether something has
        come (MPI_Test, MPI_Iprobe, MPI_Waitsome). */
    bool without_polls;
    /** What chance decides about is compared without partner and size, or not at all. NULL: nothing
        is left to chance. */
    const struct mpl_loose *loose;
};
/**
 * One sequence per location.
 *
 * Ownership: lives in \p arena; symbols are added to \p symbols.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      linear in calls.
 */
enum mpl_status mpl_sequences_create(const struct mpl_events *events,
                                     const struct mpl_sequence_options *options,
                                     struct mpl_symbols *symbols, struct mpl_arena *arena,
                                     const struct mpl_sequence **out, struct mpl_err *err);
/**
 * What is left of \p firm, the sequences of \p n locations, of which chance decides nothing and which were made with all
 * parts, where it does: what mpl_sequences_create() makes with \p loose, at a fraction of its cost. *all, at first \p firm,
 * is brought up to date for those that \p is_changed says; where it was before, symbols and calls are written to where they stood.
 *
 * Ownership: lives in \p arena, and borrows from \p firm. Errors: MPL_E_NOMEM only.
 */
enum mpl_status mpl_sequences_loosen(const struct mpl_events *events,
                                     const struct mpl_sequence *firm,
                                     const struct mpl_loose *loose,
                                     struct mpl_symbols *symbols, const bool *is_changed,
                                     uint32_t n, struct mpl_arena *arena,
                                     const struct mpl_sequence **all, struct mpl_err *err);

/** Whether chance may have decided what comes next somewhere. */
struct mpl_decisions;
/**
 * Of a run whose sequences were made with the same options, without MPL_SYMBOL_PATH. Ownership: lives in \p arena. NULL: no
 * memory.
 */
struct mpl_decisions *mpl_decisions_create(const struct mpl_events *events,
                                           const struct mpl_sequence_options *options,
                                           struct mpl_symbols *symbols,
                                           struct mpl_arena *arena);
/**
 * Whether chance may have decided that the \p i-th call of a location's sequence comes next, or (\p i is their number) its end. For the
 * call itself takes the message of one that mpl_loose holds, or data of a collective that is one; or the call before does, is held
 * itself, or asks what has come (MPI_Test, MPI_Waitany); the root that hands on what it has learnt in a collective goes on knowing it. False: no memory. Cost: linear in the calls since the last one that waits and is
 * compared; the first time where messages without a recorded receive matter, in all messages.
 */
bool mpl_decisions_look(struct mpl_decisions *decisions, uint32_t location,
                        const struct mpl_sequence *sequence, uint32_t i, bool *is);

/**
 * \p n sequences with fewer parts, and only of the calls that \p filter keeps (NULL: all; one that keeps returns adds
 * none): what mpl_sequences_create() makes of the same calls, at a fraction of its cost. Of several further
 * messages in a call it knows less, and with a filter which calls they are is not known. Ownership: as there, and
 * borrows from \p fine.
 */
enum mpl_status mpl_sequences_coarsen(const struct mpl_sequence *fine, size_t n,
                                      const struct mpl_filter *filter, unsigned parts,
                                      struct mpl_symbols *symbols, struct mpl_arena *arena,
                                      const struct mpl_sequence **out, struct mpl_err *err);

/**
 * Per sequence the first one with equal symbols: the processes of many programs do the same. Those that share their symbols
 * cost nothing, and below one that was done is not done again. \p first: \p n numbers. False: no memory.
 */
bool mpl_sequences_find_equal(const struct mpl_sequence *sequences, size_t n,
                              uint32_t *first);

/* ---- loops ------------------------------------------------------------------------------------ */

/** A call, or a loop of so many iterations. */
struct mpl_item {
    uint32_t what; /**< Symbol, or MPL_LOOP and the loop. */
    uint32_t count;
};
struct mpl_loop {
    uint32_t n; /**< Items in its body. */
    const struct mpl_item *items;
    uint64_t length; /**< Calls in its body. */
};
/** A sequence with its loops. */
struct mpl_folded {
    uint32_t n;
    const struct mpl_item *items;
};

/** The loops of all sequences that are folded with it, of any run. */
struct mpl_loops;
/** \p k: at most so many items in a body. NULL when out of memory. */
struct mpl_loops *mpl_loops_create(uint32_t k, struct mpl_arena *arena);
void mpl_loops_destroy(struct mpl_loops *loops); /* NULL is allowed */
uint32_t mpl_loops_count(const struct mpl_loops *loops);
/** Valid until more is folded. */
struct mpl_loop mpl_loops_get(const struct mpl_loops *loops, uint32_t loop);
/** Calls that an item stands for. */
uint64_t mpl_item_length(const struct mpl_loops *loops, struct mpl_item item);
/**
 * Nested loop recognition: items are put on a stack; what stands there three times becomes a loop, and
 * so does, from the second time on, what is a loop in any of the sequences. A body behind its loop is a
 * further iteration. What the loops are depends on all sequences, not on their order; nothing is lost.
 *
 * Ownership: the items live in the arena of \p loops.
 * Errors:    MPL_E_NOMEM only.
 * Cost:      linear in symbols; K hardly matters.
 */
enum mpl_status mpl_loops_fold(struct mpl_loops *loops,
                               const struct mpl_sequence *sequences, size_t n,
                               struct mpl_folded *out, struct mpl_err *err);

/**
 * Per loop the first one whose body is a rotation of its own, where loops in bodies stand for their rotations, too:
 * Send Recv and Recv Send are the same loop, begun at another call. False: no memory. Cost: linear in all bodies.
 */
bool mpl_loops_find_rotations(const struct mpl_loops *loops, struct mpl_arena *arena,
                              const uint32_t **out);
/** An item, where a loop is the first one of its rotations. */
struct mpl_item mpl_item_unrotated(struct mpl_item item, const uint32_t *of);

#endif
