/* What the parts of the page share. */
#ifndef MPL_DRAW_DRAW_PRIV_H
#define MPL_DRAW_DRAW_PRIV_H

#include "draw/draw.h"

/* ---- the page under construction ------------------------------------------------------------ */

struct sheet {
    FILE *out;
    struct mpl_arena *arena; /* texts, and what is counted for the pictures */
    struct mpl_analysis *analysis;
    const struct mpl_diagnosis *d; /* NULL: the page compares two runs */
    const struct mpl_draw_options *options;
    size_t n_frames;
    struct mpl_frame *frames; /* of the findings, in their order; see causes.c */
    /* Of the run that is being drawn: */
    const char *key; /* "", or what its ids end with where there are several */
    const struct mpl_steps *steps; /* NULL: it has none */
    const struct mpl_critical *path;
};

/** What of a run a picture shows: a stretch of time, and some of its locations. */
struct mpl_frame {
    const struct mpl_run *run; /**< NULL: there is no picture. */
    const char *id;            /**< Of the finding; NULL: of none. */
    int64_t begin_ticks;
    int64_t end_ticks;
    uint32_t n; /**< Locations, ascending. */
    const uint32_t *locations;
    uint32_t n_left_out; /**< Locations that belong to it, and have no room. */
    bool is_typical;     /**< A stretch like most others, not that with most waiting. */
};

/** A number as JSON has it, with a point in every locale; "" where it is not known. */
const char *mpl_draw_number(const struct sheet *s, double value);
/** The same with a few digits, for coordinates and tooltips. */
const char *mpl_draw_short(const struct sheet *s, double value);
/** "12.345678": seconds to the microsecond. */
const char *mpl_draw_micros(const struct sheet *s, double seconds);
/** "0.301 s" */
const char *mpl_draw_seconds(const struct sheet *s, double seconds);
const char *mpl_draw_ticks(const struct sheet *s, const struct mpl_run *run, int64_t ticks);
/** printf() into the arena. */
const char *mpl_draw_words(const struct sheet *s, const char *fmt, ...) MPL_PRINTF(2, 3);

/** Opens a table with a caption and heads, the last ends with NULL; and ends it. Heads that begin with '#'
    are of numbers. */
void mpl_draw_table(const struct sheet *s, const char *caption, const char *const *heads);
void mpl_draw_table_end(const struct sheet *s);
/** A cell with a number, which holds it in full; \p text shows it. */
void mpl_draw_value_cell(const struct sheet *s, double value, const char *text);
void mpl_draw_unit_cell(const struct sheet *s, double value, const char *unit);

/* ---- what a location does when ---------------------------------------------------------------- */

/** Classes of the pictures. A call is its waiting, and then the rest. */
enum mpl_look {
    MPL_LOOK_NONE, /**< Nothing is recorded. */
    MPL_LOOK_COMPUTE,
    MPL_LOOK_P2P,
    MPL_LOOK_COLLECTIVE,
    MPL_LOOK_OTHER,
    MPL_LOOK_EDGE, /**< Start-up and shut-down. */
    MPL_LOOK_WAIT,
    MPL_LOOKS
};
struct mpl_look_of {
    const char *name; /**< "p2p": its class in CSS and pattern in SVG. */
    const char *says; /**< "sends, receives" */
};
extern const struct mpl_look_of mpl_looks[MPL_LOOKS];
enum mpl_look mpl_look_of_span(enum mpl_span_class class);

/** Time of a bin by class. */
typedef int64_t mpl_bin_times[MPL_LOOKS];

/** A stretch of time in equal pieces, the last of which may be shorter. */
struct mpl_bins {
    int64_t begin_ticks;
    int64_t end_ticks;
    int64_t width_ticks; /**< At least 1. */
    uint32_t n;
    uint8_t *look;   /**< [row * n + bin]: that with most time; of equal ones waiting. */
    uint8_t *waited; /**< Likewise: waiting, in 255ths; not 0 where anybody waits. */
};
/**
 * What \p n_rows rows, each of \p per_row locations (the last may have fewer), do in at most \p most bins.
 * Ownership: \p arena. Errors: MPL_E_NOMEM. Cost: spans in the stretch, and rows times bins.
 */
enum mpl_status mpl_bins_create(const struct mpl_frame *frame, uint32_t per_row,
                                uint32_t most, struct mpl_arena *arena,
                                struct mpl_bins *out, struct mpl_err *err);
/**
 * The same step by step, for times that come from elsewhere: opens bins; a row adds what it is about, and then
 * is judged.
 */
enum mpl_status mpl_bins_open(int64_t begin_ticks, int64_t end_ticks, uint32_t most,
                              uint32_t n_rows, struct mpl_arena *arena,
                              struct mpl_bins *out, mpl_bin_times **times,
                              struct mpl_err *err);
void mpl_bins_add(const struct mpl_bins *bins, mpl_bin_times *times, enum mpl_look look,
                  int64_t from, int64_t to);
/** \p times are zeros again. */
void mpl_bins_judge(struct mpl_bins *bins, uint32_t row, mpl_bin_times *times);

/* ---- parts of pages ------------------------------------------------------------------------------ */

/** From the first line of a page to the begin of its body, with its style and what a browser may do. */
void mpl_draw_head(const struct sheet *s, const char *title, bool has_script);
/** "stage, first": what a location is in the pattern that explains most; "": nothing. */
const char *mpl_draw_role(const struct sheet *s, const struct mpl_run *run,
                          uint32_t location);
/** Of these, where a location is several things, what the fewest are: "first" of a pipeline's stages. */
const char *mpl_draw_rarest_role(const struct sheet *s, const struct mpl_run *run,
                                 uint32_t location);
/** How wrong the order of moments of two locations may be; INT64_MAX: not known. */
int64_t mpl_pair_bound(const struct mpl_run *run, uint32_t a, uint32_t b);
/** Textures for all pictures, which other SVGs refer to; and what the colours mean. */
void mpl_draw_textures(const struct sheet *s);
void mpl_draw_legend(const struct sheet *s);

/** The window and the locations that show why there is a finding; run NULL: nobody waits in it. */
enum mpl_status mpl_draw_frame(const struct sheet *s, const struct mpl_diagnosed *f,
                               struct mpl_frame *out, struct mpl_err *err);
/** Who does what in the frame, with arrows from who waits to whom. */
enum mpl_status mpl_draw_scene(const struct sheet *s, const struct mpl_frame *frame,
                               const struct mpl_diagnosed *f, struct mpl_err *err);
/** The whole window of a run; windows of findings are marked. */
enum mpl_status mpl_draw_run(const struct sheet *s, const struct mpl_run *run,
                             const char *title, struct mpl_err *err);
/** All locations of a run in its window. */
enum mpl_status mpl_frame_all(const struct sheet *s, const struct mpl_run *run,
                              struct mpl_frame *out, struct mpl_err *err);
/** Finds waits, steps and the critical path of a run that is not diagnosed. */
enum mpl_status mpl_draw_find_steps(struct sheet *s, const struct mpl_run *run,
                                    struct mpl_err *err);
/** What the script zooms into: spans and levels of bins, within the budget. */
enum mpl_status mpl_draw_data(const struct sheet *s, const struct mpl_frame *all,
                              struct mpl_err *err);
/** Whose delays the others wait for; nothing where the diagnosis has not asked. */
enum mpl_status mpl_draw_delays(const struct sheet *s, const struct mpl_run *run,
                                struct mpl_err *err);
/** Waiting by location and step. */
enum mpl_status mpl_draw_heat(const struct sheet *s, const struct mpl_run *run,
                              struct mpl_err *err);

/** 1, 2 or 5 times a power of ten, so that some \p n fit into \p length > 0. */
double mpl_draw_step_of(double length, int n);
/** "0.25 s": a place that is a multiple of \p step. */
const char *mpl_draw_mark_words(const struct sheet *s, double at, double step,
                                const char *unit);
/** A scale below a picture of this height, from its left to its right edge; nothing where \p to is \p from. */
void mpl_draw_scale(const struct sheet *s, double from, double to, const char *unit,
                    int top);

/** Both runs of a comparison on one scale, below each other, with lines from steps of one to those of the other. */
enum mpl_status mpl_draw_both(const struct sheet *s, const struct mpl_run *const runs[2],
                              const struct mpl_steps *const steps[2], struct mpl_err *err);

/** The views that the pattern of a finding names, folded away; nothing where it names none. */
enum mpl_status mpl_draw_views(const struct sheet *s, const struct mpl_diagnosed *f,
                               struct mpl_err *err);
/** Who waits for whom in a whole run, as a matrix; nothing where nobody waits. */
enum mpl_status mpl_draw_waits(const struct sheet *s, const struct mpl_run *run,
                               struct mpl_err *err);
enum mpl_status mpl_draw_causes(struct sheet *s, struct mpl_err *err);
void mpl_draw_tables(const struct sheet *s);
/** What weakens conclusions from a run, what runs backwards in it, and its clocks. */
void mpl_draw_quality(const struct sheet *s, const struct mpl_run *run);
/** The runs of a diagnosis, each with its quality. */
void mpl_draw_runs(const struct sheet *s);
/** What `marple run` did: each run with its command and how it ended, and what was asked and not measured. */
void mpl_draw_case(const struct sheet *s);
/** The header and the runs where none of them could be diagnosed. */
void mpl_draw_case_only(const struct sheet *s);
/** What a trace records, and how much of it belongs together. */
void mpl_draw_contents(const struct sheet *s, const struct mpl_run *run);
void mpl_draw_text_cell(const struct sheet *s, const char *text);

/** The header: in which of the three colours, "PROBLEM, sure", the one sentence. It stays open for more. */
void mpl_page_header(const struct sheet *s, const char *name, const char *colour,
                     const char *label, const char *headline);
/** A page: \p fill draws what is between its head and its script. */
enum mpl_status mpl_page_write(struct sheet *s, const char *title, const char *path,
                               enum mpl_status (*fill)(struct sheet *s, const void *what,
                                                       struct mpl_err *err),
                               const void *what, struct mpl_err *err);

/** Files of this folder, and their SHA-256 in hexadecimal digits. */
struct mpl_asset {
    const char *text;
    const char *sha256;
};
extern const struct mpl_asset mpl_asset_css;
extern const struct mpl_asset
    mpl_asset_picture; /* what of it pictures need, in plain colours */
extern const struct mpl_asset mpl_asset_js;

#endif
