/* The element of the paper: what one sender, receiver, communicator and tag have in common. */
#include "config.h"

#include "view/view_priv.h"

bool mpl_channels_open(struct mpl_channels *channels)
{
    bool is_enough = true;

    channels->all = mpl_buf_make(sizeof(struct mpl_channel));
    for (int i = 0; i < 3; i++) {
        channels->maps[i] = mpl_map_create();
        is_enough = is_enough && channels->maps[i] != NULL;
    }
    return is_enough;
}

void mpl_channels_close(struct mpl_channels *channels)
{
    mpl_buf_free(&channels->all);
    for (int i = 0; i < 3; i++) {
        mpl_map_destroy(channels->maps[i]);
    }
}

/* A number for each pair of numbers, from 0; MPL_NONE: no memory. */
static uint32_t number_of(struct mpl_map *map, uint32_t x, uint32_t y, uint32_t next)
{
    const uint64_t key = (uint64_t) x << 32 | y;
    const uint32_t known = mpl_map_find(map, key);

    return known != MPL_NONE ? known : mpl_map_put(map, key, next) ? next : MPL_NONE;
}

uint32_t mpl_other_end(const struct mpl_selection *s, uint32_t location, uint32_t message)
{
    const struct mpl_model *model = s->run->model;
    const struct mpl_envelope *e = mpl_envelope_of(&model->locations[location], message);
    const struct mpl_end end = mpl_match_partner(s->run->match, location, message);

    return e == NULL || e->is_null || e->is_garbage ? MPL_NONE
           : end.message != MPL_NONE                ? end.location
           : e->peer != MPL_NONE                    ? model->processes[e->peer].locations[0]
                                                    : MPL_NONE;
}

/* The two locations, and the send's envelope where it is known: EZTrace's receives name no
 * communicator. False: PROC_NULL and garbage. */
static bool describe(const struct mpl_selection *s, uint32_t location, uint32_t message,
                     struct mpl_channel *out)
{
    const struct mpl_model *model = s->run->model;
    const uint32_t other = mpl_other_end(s, location, message);
    const struct mpl_end partner = mpl_match_partner(s->run->match, location, message);
    const struct mpl_envelope *envelope =
        mpl_envelope_of(&model->locations[location], message);

    if (other == MPL_NONE) {
        return false;
    }
    const bool is_send = envelope->is_send;

    if (!is_send && partner.message != MPL_NONE) {
        const struct mpl_envelope *sent =
            mpl_envelope_of(&model->locations[partner.location], partner.message);

        envelope = sent == NULL ? envelope : sent;
    }
    *out = (struct mpl_channel){ .from = is_send ? location : other,
                                 .to = is_send ? other : location,
                                 .comm = envelope->comm,
                                 .tag = envelope->tag };
    return true;
}

struct mpl_channel *mpl_channels_find(struct mpl_channels *channels,
                                      const struct mpl_selection *s, uint32_t location,
                                      uint32_t message)
{
    const uint32_t next = (uint32_t) channels->all.n;
    struct mpl_channel made;

    if (!describe(s, location, message, &made)) {
        return NULL;
    }
    uint32_t number = number_of(channels->maps[0], made.from, made.to, next);

    /* Of a number that is new so far, what is behind it is new, too. */
    number =
        number == MPL_NONE ? number : number_of(channels->maps[1], number, made.comm, next);
    number =
        number == MPL_NONE ? number : number_of(channels->maps[2], number, made.tag, next);
    if (number == MPL_NONE) {
        return NULL;
    }
    if (number == next && !mpl_buf_put(&channels->all, &made)) {
        return NULL;
    }
    return mpl_buf_get(&channels->all, number);
}

static bool is_from(const struct mpl_selection *s, const struct mpl_piece *p, uint32_t i,
                    uint32_t culprit)
{
    const uint32_t message = mpl_events_message(s->run->events, p->location, &p->span, i);
    const struct mpl_end partner = mpl_match_partner(s->run->match, p->location, message);

    return partner.message != MPL_NONE && partner.location == culprit;
}

void mpl_piece_share(const struct mpl_selection *s, const struct mpl_piece *p, uint32_t i,
                     int64_t *busy_ticks, int64_t *wait_ticks)
{
    const int64_t n = p->span.n_messages;
    const int64_t busy = p->end_ticks - p->begin_ticks - p->wait_ticks;

    *busy_ticks = busy / n + (i < busy % n);
    *wait_ticks = 0;
    if (p->wait_ticks > 0 && is_from(s, p, i, p->span.culprit)) {
        uint32_t first = 0;

        while (!is_from(s, p, first, p->span.culprit)) {
            first++;
        }
        *wait_ticks = first == i ? p->wait_ticks : 0;
    }
}
