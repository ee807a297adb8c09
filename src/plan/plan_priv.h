/* Shared by the files of plan only: experiments under construction. */
#ifndef MPL_PLAN_PLAN_PRIV_H
#define MPL_PLAN_PLAN_PRIV_H

#include "plan/plan.h"

/* A list of texts without duplicates. */
struct texts {
    const char **items;
    size_t n;
};

/* What one need or measure asks for, and later an experiment that serves several of them. */
struct want {
    uint32_t run; /* index into the diagnosis' runs */
    const char *pattern;
    int level;
    struct texts purposes;
    struct texts reasons;
    struct texts metrics;
    struct texts events;
    struct texts capabilities;
    struct texts regions;
    struct texts counters;
    struct texts locations;
    struct texts separates;
    const uint32_t *processes;
    size_t n_processes;
    uint32_t repetitions;
    const char *knob;
    const char *expects;
    bool is_all_regions; /* somebody wants functions and names none */
    const struct mpl_tracer_file *tracer;
    const char *problem;
    struct mpl_planned planned;
};

struct planner {
    const struct mpl_analysis *analysis;
    const struct mpl_diagnosis *diagnosis;
    const struct mpl_plan_options *options;
    struct mpl_arena *arena;
    struct mpl_buf wants; /* struct want */
    struct texts unanswerable;
};

/** Adds \p text where it is not in the list yet; false without memory. */
bool mpl_texts_add(struct planner *p, struct texts *list, const char *text);
bool mpl_texts_add_all(struct planner *p, struct texts *list, const char *const *texts,
                       size_t n);
bool mpl_texts_has(const struct texts *list, const char *text);
/** "a; b; and c"; NULL without memory. */
const char *mpl_texts_join(struct planner *p, const struct texts *list);

/* wants.c */
enum mpl_status mpl_wants_collect(struct planner *p, struct mpl_err *err);
/* choose.c: who can record it. A want that nobody can answer goes to unanswerable. */
enum mpl_status mpl_want_choose(struct planner *p, struct want *want, struct mpl_err *err);
/** For a program of which there is no trace. NULL: there is none. */
const struct mpl_tracer_file *mpl_plan_choose_first(const struct mpl_plan_options *options);
/* merge.c */
enum mpl_status mpl_wants_merge(struct planner *p, struct mpl_err *err);
/* estimate.c: cost, information and settings. */
enum mpl_status mpl_want_estimate(struct planner *p, struct want *want,
                                  struct mpl_err *err);

#endif
