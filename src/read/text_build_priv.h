/* A model on its way from the items of a text trace: what its two files share. */
#ifndef MPL_READ_TEXT_BUILD_PRIV_H
#define MPL_READ_TEXT_BUILD_PRIV_H

#include "read/tables_priv.h"
#include "read/text_priv.h"

/** A request that is open: what to record when it is waited for. */
struct mpl_pending {
    const struct mpl_text_item *item;
    uint32_t number; /**< Message or collective. */
};

/** One location on its way. */
struct mpl_builder {
    struct mpl_location *location;
    struct mpl_buf times; /**< int64_t, ns of the text. */
    struct mpl_buf kinds;
    struct mpl_buf refs;
    struct mpl_buf messages;
    struct mpl_buf collectives;
    struct mpl_buf pending;
    struct mpl_buf wanted; /**< uint32_t, envelopes; see struct mpl_location. */
    struct mpl_envelopes envelopes;
    struct mpl_requests requests;
};

struct mpl_build {
    const struct mpl_text *text;
    struct mpl_arena *arena;
    struct mpl_arena *scratch;
    struct mpl_model *model;
    struct mpl_names *regions;
    struct mpl_names *labels;
    struct mpl_names *comms;
    struct mpl_builder *builders; /**< Per location of the model. */
    uint32_t *location_of;        /**< Per location of the text: that of the model. */
    size_t errors_before;
    bool is_out_of_memory;
};

/** An error of meaning, for text->lint. */
void mpl_build_complain(struct mpl_build *build, struct mpl_place place, const char *fmt,
                        ...) MPL_PRINTF(3, 4);
/** Adds what an item records to its location's builder. */
void mpl_build_item(struct mpl_build *build, const struct mpl_text_item *item);

#endif
