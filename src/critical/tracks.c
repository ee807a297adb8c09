/* The path as each location sees it. */
#include "config.h"

#include "critical/critical_priv.h"

bool mpl_path_tracks_sort(const struct mpl_critical *path, struct mpl_arena *arena,
                          struct mpl_path_tracks *out)
{
    const uint32_t n = mpl_events_model(path->events)->n_locations;
    size_t *next = MPL_NEW_ARRAY(arena, n, size_t);

    out->first = MPL_NEW_ARRAY(arena, (size_t) n + 1, size_t);
    out->order = MPL_NEW_ARRAY(arena, path->n, uint32_t);
    if (next == NULL || out->first == NULL || out->order == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < path->n; i++) {
        out->first[path->segments[i].location + 1]++;
    }
    for (uint32_t l = 0; l < n; l++) {
        out->first[l + 1] += out->first[l];
        next[l] = out->first[l];
    }
    for (uint32_t i = 0; i < path->n; i++) {
        out->order[next[path->segments[i].location]++] = i;
    }
    return true;
}

int64_t mpl_path_between(const struct mpl_critical *path,
                         const struct mpl_path_tracks *tracks, uint32_t location,
                         size_t *at, int64_t from_ticks, int64_t to_ticks)
{
    int64_t ticks = 0;

    for (size_t i = *at; i < tracks->first[location + 1]; i++) {
        const struct mpl_critical_segment *segment = &path->segments[tracks->order[i]];
        const int64_t from =
            segment->begin_ticks > from_ticks ? segment->begin_ticks : from_ticks;
        const int64_t to = segment->end_ticks < to_ticks ? segment->end_ticks : to_ticks;

        if (segment->begin_ticks >= to_ticks) {
            break;
        }
        ticks += to > from ? to - from : 0;
        if (segment->end_ticks <= to_ticks) {
            *at = i + 1;
        }
    }
    return ticks;
}
