#include "config.h"

#include "all_traces.h"
#include "read_fixture.h"

#include <check.h>

void look_at_all_traces(bool (*look)(const char *name, const char *path), unsigned at_least)
{
    struct mpl_arena *own = mpl_arena_create();
    size_t n = 0;
    const char **names = fixture_trace_names(own, &n);
    unsigned n_judged = 0;

    for (size_t i = 0; i < n; i++) {
        n_judged += look(names[i], mpl_arena_strdup(own, fixture_trace(names[i])));
        destroy_arena();
        create_arena();
    }
    mpl_arena_destroy(own);
    ck_assert_uint_ge(n_judged, at_least);
}
