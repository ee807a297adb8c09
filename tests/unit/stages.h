/* From a model to a run that can be compared, without knowledge of patterns. */
#ifndef TESTS_UNIT_STAGES_H
#define TESTS_UNIT_STAGES_H

#include "diff/diff.h"

struct stages {
    struct mpl_arena *arena;
    struct mpl_run run;
    struct mpl_diagnosis diagnosis;
};

/* \p s has an arena; \p model was read into it. */
void run_stages(struct stages *s, struct mpl_model *model);

#endif
