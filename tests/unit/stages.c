#include "config.h"

#include "stages.h"

#include <check.h>

#include "clock/clock.h"
#include "halt/halt.h"
#include "match/match.h"

void run_stages(struct stages *s, struct mpl_model *model)
{
    const struct mpl_clock_options options = mpl_clock_defaults();

    s->run.path = "mutant";
    s->run.model = model;
    ck_assert_int_eq(mpl_match_create(model, s->arena, &s->run.match, NULL), MPL_OK);
    ck_assert_int_eq(mpl_clock_correct(model, s->run.match, &options, NULL, s->arena,
                                       &s->run.clock, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_halt_find(model, s->run.match, s->arena, &s->run.halt, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_events_create(model, s->run.match, s->run.clock, s->arena,
                                       &s->run.events, NULL),
                     MPL_OK);
    s->diagnosis.n_runs = 1;
    s->diagnosis.runs = &s->run;
}
