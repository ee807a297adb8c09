/*
 * Parallel programs as nets of dependences, for measuring timestamps: nothing but how many events
 * each process has, and which of them send what others receive.
 */
#ifndef MPL_TESTS_PROGRAMS_H
#define MPL_TESTS_PROGRAMS_H

#include "order/order.h"

#include <stdint.h>

enum program {
    /** Clients ask servers, mostly the one that is their home, and wait for the answer. An exchange is
        7 events, 2 of them receives; 1 in 20 goes to any server. The servers come first. */
    PROGRAM_WEB,
    /** 16 by 16 processes exchange with up to four neighbours: in an iteration each has 6 events of its
        own, then sends in all directions, then receives from all. The edges are open. */
    PROGRAM_HALO,
    /** The same, with process numbers drawn at random. */
    PROGRAM_HALO_SHUFFLED,
    /** Each process sends to the next and receives from the one before: 4 events of its own,
        a send, a receive. */
    PROGRAM_RING,
    /** The first process sends to all others and then receives from all; these receive, have 6
        events of their own, and send. */
    PROGRAM_SCATTER,
    N_PROGRAMS
};

/** "halo 16 x 16, shuffled" */
const char *program_name(enum program program);

/** The net lives in \p arena; NULL: no memory. Who draws lots draws the same each time. */
struct mpl_net *program_make(enum program program, struct mpl_arena *arena);
/** The same with process numbers drawn at random. */
struct mpl_net *program_make_shuffled(enum program program, struct mpl_arena *arena);
/** A ring of any size. */
struct mpl_net *program_ring(uint32_t n, uint32_t n_steps, struct mpl_arena *arena);
/** Messages between processes drawn at random; before each, its sender has none to very many events of its own. */
struct mpl_net *program_leaps(uint32_t n, uint32_t n_messages, struct mpl_arena *arena);
/** The halo exchange, and then the same with process numbers drawn at random. */
struct mpl_net *program_phases(struct mpl_arena *arena);

#endif
