#include "config.h"

#include "spool/spool_priv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- clocks ------------------------------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
    const uint64_t x = ((const struct clock_point *) a)->time_ns;
    const uint64_t y = ((const struct clock_point *) b)->time_ns;

    return x < y ? -1 : x > y;
}

static bool collect_points(const struct spool *spool, struct mpl_buf *points)
{
    struct walk walk = mpl_walk_start(spool, 0);
    struct record r;

    while (mpl_walk_next(&walk, &r)) {
        if (r.kind == MPL_SPOOL_CLOCK && r.n_words >= 5) {
            const struct clock_point point = { r.words[2], (int64_t) r.words[3],
                                               (int64_t) r.words[4] };

            if (!mpl_buf_put(points, &point)) {
                return false;
            }
        }
    }
    return true;
}

/* One process was compared for all that read the same clock. */
bool mpl_spool_clock_points(const struct archive *archive, uint32_t spool,
                            struct mpl_buf *points)
{
    const struct spools *spools = archive->spools;
    const char *clock = spools->all[spool].head->clock;

    for (uint32_t i = 0; i < spools->n && points->n == 0; i++) {
        if (strcmp(spools->all[i].head->clock, clock) == 0 &&
            !collect_points(&spools->all[i], points)) {
            return false;
        }
    }
    if (points->n > 1) {
        qsort(points->data, points->n, points->size, by_time);
    }
    return true;
}

/* The offset that holds at the first comparison; nearer than that nobody needs to know where a trace begins. */
static bool find_offset(const struct archive *archive, uint32_t spool, int64_t *offset_ns)
{
    struct mpl_buf points = mpl_buf_make(sizeof(struct clock_point));
    const bool is_good = mpl_spool_clock_points(archive, spool, &points);

    *offset_ns = points.n > 0
                     ? ((const struct clock_point *) mpl_buf_get(&points, 0))->offset_ns
                     : 0;
    mpl_buf_free(&points);
    return is_good;
}

/* ---- records ------------------------------------------------------------------------------- */

static bool mark_done(struct survey *survey, uint32_t spool, uint64_t request)
{
    struct mpl_buf *done = &survey->is_done[spool];
    const size_t byte = (size_t) (request / 8);

    if (byte >= done->n && mpl_buf_add_many(done, byte + 1 - done->n) == NULL) {
        return false;
    }
    ((uint8_t *) done->data)[byte] |= (uint8_t) (1U << request % 8);
    return true;
}

bool mpl_survey_is_done(const struct survey *survey, uint32_t spool, uint64_t request)
{
    const struct mpl_buf *done = &survey->is_done[spool];

    return request / 8 < done->n &&
           (((const uint8_t *) done->data)[request / 8] >> request % 8 & 1) != 0;
}

/* The request that a record ends; 0: none. */
static uint64_t ended_by(const struct record *r)
{
    switch (r->kind) {
    case MPL_SPOOL_CANCELLED:
        return r->n_words > 2 ? r->words[2] : 0;
    case MPL_SPOOL_IRECV:
        return r->n_words > 4 ? r->words[4] : 0;
    default:
        return 0;
    }
}

static bool look_at_thread(struct archive *archive, struct sites_finder *finder,
                           uint32_t spool, uint32_t thread, uint64_t *first_ns,
                           uint64_t *last_ns)
{
    const struct spool *from = &archive->spools->all[spool];
    struct walk walk = mpl_walk_start(from, thread);
    struct record r;

    while (mpl_walk_next(&walk, &r)) {
        const uint64_t request = ended_by(&r);

        if (r.kind == MPL_SPOOL_ENTER && r.small < MPL_CALLS) {
            archive->survey.regions[r.small] = 0;
        }
        archive->survey.has_switches |= r.kind == MPL_SPOOL_SWITCH;
        archive->survey.has_teams |= r.kind == MPL_SPOOL_FORK;
        archive->survey.has_samples |= r.kind == MPL_SPOOL_CPU;
        *first_ns = r.time_ns < *first_ns ? r.time_ns : *first_ns;
        *last_ns = r.time_ns > *last_ns ? r.time_ns : *last_ns;
        if (!mpl_sites_see(finder, &r)) {
            return false;
        }
        /* A process cannot have more requests than words were written. */
        if (request != 0 && request <= from->n_bytes / sizeof(uint64_t) &&
            !mark_done(&archive->survey, spool, request)) {
            return false;
        }
    }
    return true;
}

uint64_t mpl_archive_ended_ns(const struct archive *archive, uint32_t spool)
{
    const struct mpl_spool_head *head = archive->spools->all[spool].head;
    char host[MPL_SPOOL_HOST] = "";

    (void) gethostname(host, sizeof host - 1);
    return head->end == MPL_SPOOL_CUT && strcmp(host, head->host) == 0 ? archive->ended_ns
                                                                       : 0;
}

static bool look_at(struct archive *archive, struct sites_finder *finder, uint32_t i)
{
    struct survey *survey = &archive->survey;
    const struct spool *spool = &archive->spools->all[i];
    uint64_t first_ns = UINT64_MAX;
    uint64_t last_ns = 0;
    int64_t offset_ns = 0;
    bool is_good = find_offset(archive, i, &offset_ns);

    survey->is_done[i] = mpl_buf_make(1);
    for (uint32_t t = 0; t < spool->n_threads && is_good; t++) {
        is_good = look_at_thread(archive, finder, i, t, &first_ns, &last_ns);
    }
    is_good = is_good && mpl_sites_resolve(finder, i);
    if (first_ns > last_ns) {
        return is_good;
    }
    last_ns = mpl_archive_ended_ns(archive, i) > last_ns ? archive->ended_ns : last_ns;
    first_ns += (uint64_t) offset_ns;
    last_ns += (uint64_t) offset_ns;
    if (first_ns < survey->begin_ns) {
        survey->begin_ns = first_ns;
        survey->begin_utc_ns = spool->head->began_utc_ns -
                               (spool->head->began_ns + (uint64_t) offset_ns - first_ns);
    }
    survey->end_ns = last_ns > survey->end_ns ? last_ns : survey->end_ns;
    survey->has_one_clock &=
        strcmp(spool->head->clock, archive->spools->all[0].head->clock) == 0;
    return is_good;
}

bool mpl_survey_make(struct archive *archive)
{
    struct survey *survey = &archive->survey;
    struct sites_finder *finder =
        mpl_sites_find_begin(&archive->sites, archive->spools->n, archive->arena);

    survey->begin_ns = UINT64_MAX;
    survey->has_one_clock = true;
    memset(survey->regions, 0xff, sizeof survey->regions);
    survey->is_done = MPL_NEW_ARRAY(archive->arena, archive->spools->n, struct mpl_buf);
    bool is_good = survey->is_done != NULL && finder != NULL;
    for (uint32_t i = 0; i < archive->spools->n && is_good; i++) {
        is_good = look_at(archive, finder, i);
    }
    mpl_sites_find_end(finder);
    /* OTF2 wants references without gaps. */
    for (uint32_t i = 0; i < MPL_CALLS; i++) {
        if (survey->regions[i] != MPL_NONE) {
            survey->regions[i] = survey->n_regions++;
        }
    }
    if (survey->begin_ns > survey->end_ns) {
        survey->begin_ns = survey->end_ns;
    }
    return is_good;
}
