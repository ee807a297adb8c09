/*
 * The parts of the archive reader. libotf2 reads the anchor and the global definitions; the
 * files of the locations are decoded here, because libotf2 loops for ever on a truncated event
 * file and costs four times as much per event.
 */
#ifndef MPL_READ_OTF2_PRIV_H
#define MPL_READ_OTF2_PRIV_H

#include "archive/archive.h"
#include "read/read.h"

/* ---- global definitions, as recorded ----------------------------------------------- */

struct mpl_raw_node {
    uint32_t ref, name, class_name, parent;
};

struct mpl_raw_location_group {
    uint32_t ref, name, node;
};

struct mpl_raw_location {
    uint64_t ref;
    uint32_t name, group;
    uint8_t type;
};

struct mpl_raw_region {
    uint32_t ref, name, file, line;
    uint8_t role, paradigm;
};

struct mpl_raw_group {
    uint32_t ref;
    uint8_t type, paradigm;
    bool has_global_members;
    uint32_t n_members;
    const uint64_t *members; /**< NULL for paradigms other than MPI. */
};

struct mpl_raw_comm {
    uint32_t ref, name, group, remote_group;
    bool is_inter;
};

struct mpl_raw_context {
    uint32_t ref, region, source;
};

/** A definition and its name: attributes and members of metrics; of a class of metrics the first member. */
struct mpl_raw_name {
    uint32_t ref, name;
};

struct mpl_raw_line {
    uint32_t file, line;
};

/** A text that is said of a location group. */
struct mpl_raw_property {
    uint32_t group, name, text;
};

/** What the global definition file says, nothing resolved. Strings are numbered by reference. */
struct mpl_raw {
    struct mpl_arena *arena; /**< Texts and group members; outlives this. */
    bool is_out_of_memory;
    uint64_t ticks_per_s;
    struct mpl_map *string_of_ref; /**< Into texts. */
    struct mpl_buf texts;          /**< const char * */
    struct mpl_buf nodes;
    struct mpl_buf location_groups;
    struct mpl_buf locations;
    struct mpl_buf regions;
    struct mpl_buf groups;
    struct mpl_buf comms;
    struct mpl_buf contexts;
    struct mpl_buf attributes; /**< struct mpl_raw_name, as the next two */
    struct mpl_buf metric_members;
    struct mpl_buf metric_classes;
    struct mpl_map *line_of_ref; /**< Into lines. */
    struct mpl_buf lines;
    struct mpl_buf properties;
    uint64_t n_lost;    /**< Definitions the anchor announces and the file does not hold. */
    const char *damage; /**< Why; NULL when the file is whole. */
};

enum mpl_status mpl_raw_read(const struct mpl_anchor *anchor, struct mpl_arena *arena,
                             struct mpl_raw *raw, struct mpl_err *err);
void mpl_raw_free(struct mpl_raw *raw);
/** "" for a reference without a text. */
const char *mpl_raw_text(const struct mpl_raw *raw, uint32_t string);

/* ---- definitions of the model ------------------------------------------------------ */

/** References of what only marple's own tracer writes; MPL_NONE where it is not there. */
struct mpl_extras {
    bool has_any; /**< Of the attributes. */
    uint32_t any_source, any_tag;
    uint32_t asked_source, asked_tag, asked_comm;
    uint32_t site;
    uint32_t samples; /**< Class of metrics. */
};

/** References of the archive to indices of the model. */
struct mpl_refs {
    struct mpl_map *region; /**< Of global region reference. */
    struct mpl_map *comm;
    struct mpl_map *context;  /**< Calling context to region index. */
    struct mpl_map *location; /**< Of location reference to process index. */
    struct mpl_map *site;     /**< Calling context to site. */
    struct mpl_extras extras;
    uint32_t unknown_region; /**< Stands for references without a definition. */
};

bool mpl_refs_create(struct mpl_refs *refs);
void mpl_refs_free(struct mpl_refs *refs);

/** Regions, then processes and locations, then communicators; in this order. */
enum mpl_status mpl_define_regions(const struct mpl_raw *raw, struct mpl_model *model,
                                   struct mpl_arena *arena, struct mpl_refs *refs,
                                   struct mpl_err *err);
enum mpl_status mpl_define_processes(const struct mpl_raw *raw, struct mpl_model *model,
                                     struct mpl_arena *arena, struct mpl_refs *refs,
                                     struct mpl_err *err);
enum mpl_status mpl_define_comms(const struct mpl_raw *raw, struct mpl_model *model,
                                 struct mpl_arena *arena, struct mpl_refs *refs,
                                 struct mpl_err *err);
/** What is behind the names of attributes, calling contexts as sites; behind the regions. */
enum mpl_status mpl_define_extras(const struct mpl_raw *raw, struct mpl_refs *refs,
                                  struct mpl_model *model, struct mpl_arena *arena,
                                  struct mpl_err *err);

/* ---- local definitions --------------------------------------------------------------- */

/** Local references of one kind to global ones; references without an entry are global. */
struct mpl_mapping {
    struct mpl_map *map; /**< NULL when there is no table. */
    bool has_undefined;  /**< The table maps something to no definition. */
};

enum { MPL_MAPPING_REGION = 3, MPL_MAPPING_COMM = 6, MPL_MAPPING_CONTEXT = 10 };

struct mpl_locals {
    struct mpl_mapping region;
    struct mpl_mapping comm;
    struct mpl_mapping context;
    struct mpl_buf offsets; /**< struct mpl_clock_offset, ascending. */
    const char *damage;     /**< NULL when the file is whole. */
};

bool mpl_locals_read(struct mpl_bytes file, size_t chunk_bytes, struct mpl_locals *locals);
void mpl_locals_free(struct mpl_locals *locals);
/** MPL_NONE for what is undefined, or is mapped to that. */
uint32_t mpl_mapping_apply(const struct mpl_mapping *mapping, uint32_t local);

/* ---- events --------------------------------------------------------------------------- */

/** Scratch of the decoder, reused from location to location. */
struct mpl_decoder;
struct mpl_decoder *mpl_decoder_create(struct mpl_arena *arena);
/** Gives its tables back; the decoder itself lives in its arena. */
void mpl_decoder_close(struct mpl_decoder *decoder);

struct mpl_decode_job {
    const struct mpl_scan
        *scan; /**< Of the chunks so far, and of the one that comes next. */
    const struct mpl_locals *locals;
    const struct mpl_refs *refs;
    const struct mpl_model *model;
    bool *is_region_used; /**< Per region of the model; set, never cleared. */
};

/** What deserves a note, and what the capabilities rest on. */
struct mpl_decode_counts {
    uint64_t unknown_regions;
    uint64_t unknown_comms;
    uint64_t open_receives; /**< Posted, neither completed nor cancelled. */
    uint64_t cancelled;
    uint64_t open_collectives; /**< Non-blocking ones without an end. */
    uint64_t flushes;
};

/**
 * Takes the events of \p loc from a file, chunk by chunk as they are scanned; what was taken before is forgotten. All
 * that is borrowed must stay until the end.
 */
void mpl_decode_start(struct mpl_decoder *decoder, const struct mpl_decode_job *job,
                      const struct mpl_location *loc);
/** \p share: of the file, up to the end of this chunk; how much room to make follows from that. */
enum mpl_status mpl_decode_chunk(struct mpl_decoder *decoder,
                                 struct mpl_records_of_chunk records, double share,
                                 struct mpl_err *err);
/** Fills \p loc. Columns live in \p arena. */
enum mpl_status mpl_decode_end(struct mpl_decoder *decoder, struct mpl_arena *arena,
                               struct mpl_location *loc, struct mpl_decode_counts *counts,
                               struct mpl_err *err);

/* ---- the end of reading ------------------------------------------------------------------ */

/** Sets model->can from the finished tables; \p is_region_used has an entry per region. */
void mpl_capabilities_find(struct mpl_model *model, const bool *is_region_used,
                           const struct mpl_decode_counts *sum,
                           const struct mpl_extras *extras, bool has_metrics);

/** Reads the files of all locations of \p model into it, as many at a time as there are threads; notes what they lack. */
enum mpl_status mpl_read_locations(const struct mpl_anchor *anchor,
                                   const struct mpl_refs *refs, struct mpl_arena *arena,
                                   struct mpl_model *model,
                                   const struct mpl_progress *progress,
                                   struct mpl_err *err);

enum mpl_status mpl_read_otf2(const char *anchor, struct mpl_arena *arena,
                              const struct mpl_progress *progress, struct mpl_model **out,
                              struct mpl_err *err);

#endif
