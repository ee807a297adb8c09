/*
 * Private to src/infer; free of CLIPS types, so that only clips_*.c see its macros.
 *
 * The files, in the order in which rules pass them:
 *   clips_cage.c   an environment that can do no harm, and the guarded way into it
 *   kept.def, deny.def   which functions of CLIPS rules may call
 *   clips_watch.c  makes CLIPS pass by the limits while it matches facts, and end that early
 *   clips_bound.c  functions of CLIPS in a form that cannot go wrong
 *   clips_lists.c  counts what is to become a list before CLIPS makes it
 *   clips_text.c   functions that rules have in addition
 *   text.c         formats and label lists for them
 *   clips_load.c   hands constructs to CLIPS
 *   clips_report.c  turns its complaints into messages
 *   clips_names.c  finds the variables and globals that they are about
 *   clips_facts.c  checks slots, asserts facts, reads facts
 *   clips_run.c    fires rules and notes what each of them matched and asserted
 *   clips_measures.c  notes which other runs rules ask for
 *   clips_expectations.c  notes what models expect of other runs
 *   records.c      what the host may ask afterwards
 *   clips_ask.c, clips_probe.c   facts and matches as plain data, see ask.h
 */
#ifndef MPL_INFER_INFER_PRIV_H
#define MPL_INFER_INFER_PRIV_H

#include "infer/infer.h"
#include "rulebook/forms.h"

enum {
    MPL_MULTIFIELD_ITEMS = 100000, /**< Longest list that a rule can make. */
    MPL_FACT_BYTES = 4 << 20,      /**< It is copied for findings, and by `modify`. */
    MPL_DEFAULTS = 4,              /**< Computed ones, of one deftemplate. */
    MPL_ARGUMENTS =
        10000, /**< Of one call, with expand$; CLIPS' own functions take no more. */
};

/** The next literal of a (text …) format, and the placeholder behind it. */
struct text_piece {
    size_t literal_bytes; /**< From the beginning of the piece. */
    const char *spec;     /**< Between the braces; NULL when no placeholder follows. */
    size_t spec_bytes;
    bool is_known;    /**< The placeholder is one of {} {s} {%} {n} {.0} … {.9}. */
    const char *rest; /**< Where the next piece begins. */
};
/** "{{" stands for one brace. */
struct text_piece mpl_text_piece(const char *format);

/**
 * "1 to 7" for three and more locations in a row, sorted by rank and thread, each once. Of more than eight parts the
 * first three and "22 others".
 * \p *n labels become \p *n parts. NULL without memory.
 */
const char **mpl_label_runs(struct mpl_arena *arena, const char *const *labels, size_t *n);

#endif
