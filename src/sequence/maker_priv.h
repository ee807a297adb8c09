/* What makes sequences of calls, and what asks whether chance decides in them. */
#ifndef MPL_SEQUENCE_MAKER_PRIV_H
#define MPL_SEQUENCE_MAKER_PRIV_H

#include "sequence/sequence.h"

/* What a symbol is made of; of most calls. */
struct mpl_gist {
    uint32_t region;
    uint32_t envelope;   /* Of the only message, if it begins there; else MPL_NONE. */
    uint32_t collective; /* 1 + its operation; 0: none that ends there. */
    uint32_t comm;
    uint32_t root;
    uint32_t path;       /* As in struct mpl_symbol. */
    uint64_t sent_bytes; /* Of messages those of either way. */
    uint64_t received_bytes;
};

/* What is known of calls of a location with such a gist. */
struct mpl_known {
    struct mpl_gist gist;
    uint32_t location; /* 1 + it; 0: nothing is known. */
    uint32_t symbol;
    uint32_t function;
    enum mpl_looseness level;
    bool is_idle; /* Changes nothing of what its process knows. */
    bool is_send;
    bool has_peer;
    bool is_telling; /* Hands on to others what its process knows, and takes nothing. */
};
enum { MPL_MOST_KNOWN = 1024 };

struct mpl_maker {
    const struct mpl_events *events;
    const struct mpl_model *model;
    const struct mpl_match *match;
    const struct mpl_sequence_options *options;
    struct mpl_symbols *symbols;
    uint32_t *functions; /* Per region: number of its name; MPL_NONE: is left out. */
    uint32_t *comms;     /* Per communicator, likewise. */
    uint8_t *manners;    /* Per region: bits of enum mpl_manner. */
    struct mpl_call_paths *paths; /* NULL: not asked for. */
    struct mpl_known
        *known; /* MPL_MOST_KNOWN, by a hash of the gist; a later one takes the place. */
    struct mpl_known **last; /* MPL_MOST_KNOWN, by an envelope: the last one that has it. */
    bool adds_returns;
    uint32_t location;
};

/* What a call has to do with what comes first. */
enum mpl_manner {
    /* Asks what has come. Waitsome returns as often as something is there, like tests. */
    MPL_ASKS = 1,
    /* Reports several at a time that have come, so that several answers may follow. */
    MPL_ASKS_FOR_SOME = 2,
    MPL_WAITS_FOR_ANY = 4, /* Reports what has come first. */
    MPL_STARTS = 8,
};

/** Its location is the first one; \p scratch must live as long. False: no memory. */
bool mpl_maker_open(struct mpl_maker *m, const struct mpl_events *events,
                    const struct mpl_sequence_options *options, struct mpl_symbols *symbols,
                    struct mpl_arena *scratch);
/** A call of its location, whose function is not left out. Most are like one before. With MPL_SYMBOL_PATH calls must be asked
    for in their order. Borrowed until the next call; NULL: no memory. */
const struct mpl_known *mpl_maker_know(struct mpl_maker *m, uint32_t call,
                                       const struct mpl_call_about *about);

#endif
