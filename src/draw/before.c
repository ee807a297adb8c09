/*
 * What must come before what, for the script, which finds the past and the future of a call when somebody clicks on it:
 * of each location the ends of messages, collective operations and threads' meetings, as the net of dependences has them,
 * in the order of their records. A number of a record is a place on a location, as in `marple order`, so that
 * no clock is asked.
 *
 * Each is three numbers: how many records it is behind the last one; 8 times the link that it belongs to, as the
 * difference to the last link of its kind, plus 1 where it is what comes first, 2 where the link has any number of ends,
 * and 4 where whatever the link before that one needs is needed by it, too (prefix operations).
 */
#include "config.h"

#include "draw/data_priv.h"

enum { MADE_OF = 8, KINDS = 4, BYTES_PER_POINT = 8 };

static uint64_t zigzag(int64_t difference)
{
    return difference < 0 ? 2 * (uint64_t) -difference - 1 : 2 * (uint64_t) difference;
}

static bool continues(const struct mpl_net *net, const struct mpl_net_point *point)
{
    return (point->flags & MPL_POINT_GROUP) != 0 && point->link > 0 &&
           net->group[point->link - 1].next == point->link;
}

bool mpl_before_put(const struct mpl_net *net, uint32_t location,
                    const struct mpl_records *records, const struct mpl_event_part *parts,
                    size_t n_parts, struct mpl_buf *bytes)
{
    const struct mpl_net_track *track = &net->track[location];
    int64_t last_link[KINDS] = { 0 };
    uint32_t last = 0;
    bool is_good = true;

    for (uint32_t i = 0; i < track->n_points && is_good; i++) {
        const struct mpl_net_point *point = &track->points[i];
        const unsigned kind = point->flags & (MPL_POINT_SOURCE | MPL_POINT_GROUP);
        bool is_shown = parts == NULL;

        for (size_t k = 0; k < n_parts && !is_shown; k++) {
            is_shown = point->event >= parts[k].begin && point->event < parts[k].end;
        }
        if (!is_shown) {
            continue;
        }
        const uint32_t record = mpl_records_number(records, point->event);
        const uint64_t link = zigzag((int64_t) point->link - last_link[kind]);

        is_good =
            mpl_draw_pack(bytes, record - last) &&
            mpl_draw_pack(bytes, link * MADE_OF + (continues(net, point) ? 4 : 0) + kind);
        last = record;
        last_link[kind] = point->link;
    }
    return is_good;
}

size_t mpl_before_bytes(const struct mpl_net *net)
{
    return (size_t) net->n_points * BYTES_PER_POINT;
}

const char *mpl_before_doubt(const struct mpl_net *net)
{
    const struct mpl_quality *quality = net->model->quality;

    return mpl_quality_find(quality, "order-circle") != NULL ||
                   mpl_quality_find(quality, "clock-contradiction") != NULL
               ? "records of the trace wait for each other in a circle, so some of them "
                 "are "
                 "damaged or matched wrongly"
               : mpl_causality_doubt_of_net(net);
}

void mpl_before_silence(const struct sheet *s, const struct mpl_net *net, uint32_t location,
                        const struct mpl_records *records)
{
    const struct mpl_net_silent *silent =
        net->silent != NULL ? &net->silent[location] : NULL;

    if (silent != NULL && silent->first_end != MPL_NONE) {
        mpl_markup_print(s->out, " data-silent-from=\"%u\"",
                         mpl_records_number(records, silent->first_end));
    }
    if (silent != NULL && silent->n_until_last > 0) {
        mpl_markup_print(s->out, " data-silent-to=\"%u\"",
                         mpl_records_number(records, silent->n_until_last - 1));
    }
}
