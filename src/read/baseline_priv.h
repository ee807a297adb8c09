/*
 * A baseline: what a trace holds once its clocks are corrected, as JSON with columns of numbers (base/digits.c).
 * Writing and reading go through the same functions, so they cannot disagree about a column.
 */
#ifndef MPL_READ_BASELINE_PRIV_H
#define MPL_READ_BASELINE_PRIV_H

#include "read/read.h"

/* Numbers of enumerations are part of the format: whoever changes one raises the version. */
#define MPL_BASELINE_SCHEMA "marple-baseline/1"
_Static_assert(MPL_EV_KINDS == 21 && MPL_COLL_OPS == 20 && MPL_REGION_TRACER == 8 &&
                   MPL_CALL_TEST == 4 && MPL_ACT_WAIT == 5 && MPL_TRACER_MARPLE == 4,
               "baselines that exist would be misread");

/** The checksum of a document, which is its member of that name. False: no memory. */
#define MPL_BASELINE_SUM "checksum"
enum { MPL_BASELINE_SUM_ROOM = 17 };
bool mpl_baseline_sum(const struct mpl_json_value *root, char *sum);

/* ---- a column, written or read (baseline_code.c) ------------------------------------------ */

struct mpl_coder {
    bool is_writing;
    bool is_bad;         /**< Reading: not what it must be. Writing: out of memory. */
    struct mpl_buf text; /**< Written: char. */
    const char *at;      /**< Read: what comes next. */
};

struct mpl_coder mpl_coder_write(void);
/** \p text may be NULL: it is bad then. */
struct mpl_coder mpl_coder_read(const char *text);
/** Writes *x, or reads it: it must be at most \p most. */
void mpl_code(struct mpl_coder *c, uint64_t *x, uint64_t most);
void mpl_code_signed(struct mpl_coder *c, int64_t *x);
/** Reading: whether nothing is left, and nothing was bad. */
bool mpl_coder_is_done(const struct mpl_coder *c);

/* ---- a location, written or read (baseline_code.c) ---------------------------------------- */

/** Where the records of a location have come to. */
struct mpl_record_coder {
    const struct mpl_model *model;
    struct mpl_location *location;
    struct mpl_message *messages; /**< Of the location. */
    struct mpl_collective *collectives;
    uint8_t *kind;
    uint32_t *ref;
    uint32_t next_message; /**< Behind all that have had a record. */
    uint32_t next_collective;
};
/**
 * One record, all but its time. Messages and collectives are numbered from the next new one, so that iterations of
 * a loop look the same; what they hold stands at their first record that has it.
 */
void mpl_code_record(struct mpl_record_coder *r, uint32_t i, struct mpl_coder *c);
void mpl_code_envelope(const struct mpl_model *model, struct mpl_envelope *e,
                       struct mpl_coder *c);
/** \p event: where the record before it is, and then it. */
void mpl_code_thread_record(struct mpl_thread_record *x, uint32_t *event,
                            struct mpl_coder *c);

/* ---- repetitions (baseline_lz.c) -------------------------------------------------------------- */

/** Writes \p n numbers; stretches that came before are named by how far before. */
bool mpl_repeats_write(const uint32_t *numbers, size_t n, struct mpl_coder *c);
/** Reads them back: exactly \p n, each below \p limit. */
bool mpl_repeats_read(struct mpl_coder *c, uint32_t *numbers, size_t n, uint32_t limit);

/* ---- what is read (baseline_read.c, baseline_location.c) ------------------------------------- */

struct mpl_baseline_reader {
    const struct mpl_json_value *root;
    struct mpl_arena *arena;
    struct mpl_arena *scratch;
    struct mpl_model *model;
    struct mpl_process *processes; /* Of the model. */
    const char **shapes;
    uint32_t n_shapes;
    bool is_short;   /* Memory ran out. */
    const char *bad; /* What is damaged; NULL: nothing so far. */
};
bool mpl_reader_is_lost(const struct mpl_baseline_reader *r);
/** Of what is damaged the first one counts. */
void mpl_reader_complain(struct mpl_baseline_reader *r, const char *what);
/** These live with the model; where there is no memory, or not what must be there, the reader is lost. */
void *mpl_reader_make(struct mpl_baseline_reader *r, size_t n, size_t size);
const char *mpl_reader_text(struct mpl_baseline_reader *r,
                            const struct mpl_json_value *value, const char *what);
int64_t mpl_reader_number(struct mpl_baseline_reader *r, const struct mpl_json_value *value,
                          int64_t low, int64_t high, const char *what);
/** Indices below a limit. */
const uint32_t *mpl_reader_members(struct mpl_baseline_reader *r,
                                   const struct mpl_json_value *value, uint32_t limit,
                                   uint32_t *n, const char *what);
/** Into \p loc of the model. */
void mpl_baseline_location(struct mpl_baseline_reader *r, const struct mpl_json_value *x,
                           struct mpl_location *loc);

/* ---- the document (baseline_read.c) --------------------------------------------------------- */

enum mpl_status mpl_read_baseline(const char *path, struct mpl_arena *arena,
                                  struct mpl_model **out, struct mpl_err *err);

#endif
