/* The list of views. */
#include "config.h"

#include "view/view_priv.h"

#include <string.h>

static const struct mpl_view *const views[] = {
    &mpl_view_waits,      &mpl_view_waiting,  &mpl_view_changes,    &mpl_view_collectives,
    &mpl_view_arrivals,   &mpl_view_last,     &mpl_view_threads,    &mpl_view_hosts,
    &mpl_view_statistics, &mpl_view_steps,    &mpl_view_neighbours, &mpl_view_lines,
    &mpl_view_paths,      &mpl_view_messages, &mpl_view_timeline,   &mpl_view_clock,
};
enum { N_VIEWS = sizeof views / sizeof *views };

const struct mpl_view *const *mpl_views(size_t *n)
{
    *n = N_VIEWS;
    return views;
}

enum mpl_status mpl_view_find(const char *name, const struct mpl_view **out,
                              struct mpl_err *err)
{
    const char *names[N_VIEWS];
    char list[16 * N_VIEWS] = "";

    for (size_t i = 0; i < N_VIEWS; i++) {
        names[i] = views[i]->name;
        if (strcmp(name, names[i]) == 0) {
            *out = views[i];
            return MPL_OK;
        }
        (void) snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                        i == 0 ? "" : ", ", names[i]);
    }
    const char *near = mpl_suggest(name, names, N_VIEWS);

    return near == NULL
               ? mpl_fail(err, MPL_E_USAGE, "there is no view \"%s\", only: %s", name, list)
               : mpl_fail(err, MPL_E_USAGE, "there is no view \"%s\"; did you mean \"%s\"?",
                          name, near);
}
