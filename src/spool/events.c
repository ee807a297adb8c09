#include "config.h"

#include "spool/spool_priv.h"

/** The records of a thread on their way. */
struct emit {
    struct archive *archive;
    uint32_t spool;
    struct mpl_record_writer *writer;
    struct walk walk;
    struct walk first;      /* The records of the first thread, of which the next one */
    struct record switched; /* switches recording; kind MPL_SPOOL_NONE: no more does. */
    uint64_t time_ns;
};

uint64_t mpl_location_of(uint32_t rank, uint32_t thread)
{
    return (uint64_t) thread << 32 | rank;
}

const struct spool *mpl_archive_spool(const struct archive *archive, uint32_t i,
                                      uint32_t *thread)
{
    *thread = (uint32_t) (archive->locations[i] >> 32);
    return mpl_spools_find(archive->spools, (uint32_t) archive->locations[i]);
}

static uint32_t low(uint64_t word)
{
    return (uint32_t) word;
}

static uint32_t high(uint64_t word)
{
    return (uint32_t) (word >> 32);
}

static uint32_t root_of(uint64_t word)
{
    switch ((int64_t) word) {
    case MPL_SPOOL_NO_ROOT:
        return OTF2_COLLECTIVE_ROOT_NONE;
    case MPL_SPOOL_ROOT_SELF:
        return OTF2_COLLECTIVE_ROOT_SELF;
    case MPL_SPOOL_ROOT_HERE:
        return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    default:
        return (uint32_t) word;
    }
}

/* Writes a record of the given fields. */
#define PUT(e, type, ...) \
    mpl_record_put((e)->writer, (e)->time_ns, type, (const uint64_t[]){ __VA_ARGS__ })

/* ---- attributes ------------------------------------------------------------------------------ */

static void add_open_ends(struct emit *e, const struct record *r)
{
    if ((r->small & MPL_SPOOL_ANY_SOURCE) != 0) {
        mpl_record_attribute(e->writer, ATTRIBUTE_ANY_SOURCE, MPL_VALUE_UINT8, 1);
    }
    if ((r->small & MPL_SPOOL_ANY_TAG) != 0) {
        mpl_record_attribute(e->writer, ATTRIBUTE_ANY_TAG, MPL_VALUE_UINT8, 1);
    }
}

static void add_asked(struct emit *e, const struct record *r)
{
    const struct comm *comm = mpl_comms_get(&e->archive->comms, e->spool, r->large);

    mpl_record_attribute(e->writer, ATTRIBUTE_ASKED_SOURCE, MPL_VALUE_INT32,
                         low(r->words[2]));
    mpl_record_attribute(e->writer, ATTRIBUTE_ASKED_TAG, MPL_VALUE_INT32,
                         high(r->words[2]));
    if (comm != NULL) {
        mpl_record_attribute(e->writer, ATTRIBUTE_ASKED_COMM, OTF2_TYPE_COMM,
                             comm->reference);
    }
}

/* What a call waits for is said with its ENTER if it did not come to its end: nothing else shows it then. */
static void add_waited_for(struct emit *e)
{
    struct walk ahead = e->walk;
    struct record r;
    struct record asked = { 0 };

    while (mpl_walk_next(&ahead, &r) && r.kind != MPL_SPOOL_LEAVE &&
           r.kind != MPL_SPOOL_ENTER) {
        if (r.kind == MPL_SPOOL_ASKED && r.n_words > 2) {
            asked = r;
        }
    }
    if (r.kind != MPL_SPOOL_LEAVE && asked.kind != 0) {
        add_asked(e, &asked);
    }
}

/* ---- one record ---------------------------------------------------------------------------------- */

static void put_call(struct emit *e, const struct record *r)
{
    const uint32_t region =
        r->small < MPL_CALLS ? e->archive->survey.regions[r->small] : MPL_NONE;

    if (region == MPL_NONE) {
        return;
    }
    if (r->kind == MPL_SPOOL_LEAVE) {
        PUT(e, MPL_REC_LEAVE, region);
        return;
    }

    const uint32_t site = mpl_sites_get(&e->archive->sites, e->spool, r->large);

    add_waited_for(e);
    if (site != MPL_NONE) {
        mpl_record_attribute(e->writer, ATTRIBUTE_CALL_SITE, OTF2_TYPE_CALLING_CONTEXT,
                             site);
    }
    PUT(e, MPL_REC_ENTER, region);
}

/* Word \p i, 0 where the record has none. */
static uint64_t word_of(const struct record *r, unsigned i)
{
    return i < r->n_words ? r->words[i] : 0;
}

/* What happens in a communicator is left out where that is none of this world. */
static void put_in_comm(struct emit *e, enum mpl_record type, const struct record *r)
{
    const struct comm *comm = mpl_comms_get(&e->archive->comms, e->spool, r->large);

    if (comm == NULL) {
        e->archive->summary->n_foreign++;
        return;
    }
    switch (r->kind) {
    case MPL_SPOOL_POST:
        if (!mpl_survey_is_done(&e->archive->survey, e->spool, r->words[3])) {
            add_asked(e, r);
        }
        PUT(e, type, r->words[3]);
        break;
    case MPL_SPOOL_BEGIN:
    case MPL_SPOOL_IBEGIN:
        PUT(e, type, word_of(r, 2));
        break;
    case MPL_SPOOL_END:
    case MPL_SPOOL_IEND:
        PUT(e, type, r->small, comm->reference, root_of(r->words[2]), r->words[3],
            r->words[4], word_of(r, 5));
        break;
    default:
        add_open_ends(e, r);
        PUT(e, type, low(r->words[2]), comm->reference, high(r->words[2]), r->words[3],
            word_of(r, 4));
    }
}

static void put_sample(struct emit *e, const struct record *r)
{
    const uint64_t values[N_METRICS] = {
        [METRIC_CPU_TIME] = r->words[2],
        [METRIC_VOLUNTARY] = low(r->words[3]),
        [METRIC_INVOLUNTARY] = high(r->words[3]),
        [METRIC_CORE] = r->large,
    };

    mpl_record_put_sample(e->writer, e->time_ns, 0, values, N_METRICS);
}

uint32_t mpl_team_of(const struct archive *archive, uint32_t spool)
{
    return archive->comms.n_references + spool;
}

/* What a kind of record becomes, and the words that it has at least. */
static const struct {
    uint8_t type; /* 0: nothing. Of the definitions, or of a later version */
    uint8_t n_words;
} kinds[256] = {
    [MPL_SPOOL_ENTER] = { MPL_REC_ENTER, 2 },
    [MPL_SPOOL_LEAVE] = { MPL_REC_LEAVE, 2 },
    [MPL_SPOOL_SEND] = { MPL_REC_SEND, 4 },
    [MPL_SPOOL_ISEND] = { MPL_REC_ISEND, 5 },
    [MPL_SPOOL_ISEND_END] = { MPL_REC_ISEND_COMPLETE, 3 },
    [MPL_SPOOL_POST] = { MPL_REC_IRECV_REQUEST, 4 },
    [MPL_SPOOL_RECV] = { MPL_REC_RECV, 4 },
    [MPL_SPOOL_IRECV] = { MPL_REC_IRECV, 5 },
    [MPL_SPOOL_CANCELLED] = { MPL_REC_REQUEST_CANCELLED, 3 },
    [MPL_SPOOL_BEGIN] = { MPL_REC_COLL_BEGIN, 2 },
    [MPL_SPOOL_END] = { MPL_REC_COLL_END, 5 },
    [MPL_SPOOL_IBEGIN] = { MPL_REC_ICOLL_REQUEST, 3 },
    [MPL_SPOOL_IEND] = { MPL_REC_ICOLL_COMPLETE, 6 },
    [MPL_SPOOL_FLUSH] = { MPL_REC_BUFFER_FLUSH, 3 },
    [MPL_SPOOL_SWITCH] = { MPL_REC_ON_OFF, 2 },
    [MPL_SPOOL_CPU] = { MPL_REC_METRIC, 4 },
    [MPL_SPOOL_FORK] = { MPL_REC_THREAD_FORK, 2 },
    [MPL_SPOOL_JOIN] = { MPL_REC_THREAD_JOIN, 2 },
    [MPL_SPOOL_TEAM_BEGIN] = { MPL_REC_TEAM_BEGIN, 2 },
    [MPL_SPOOL_TEAM_END] = { MPL_REC_TEAM_END, 2 },
};

static void put(struct emit *e, const struct record *r)
{
    const enum mpl_record type = (enum mpl_record) kinds[r->kind].type;

    if (r->n_words < kinds[r->kind].n_words) {
        return;
    }
    /* Times of a thread do not decrease; those of a damaged file may. */
    e->time_ns = r->time_ns > e->time_ns ? r->time_ns : e->time_ns;
    switch (type) {
    case 0:
        break;
    case MPL_REC_ENTER:
    case MPL_REC_LEAVE:
        put_call(e, r);
        break;
    case MPL_REC_ISEND_COMPLETE:
    case MPL_REC_REQUEST_CANCELLED:
        PUT(e, type, r->words[2]);
        break;
    case MPL_REC_BUFFER_FLUSH:
        mpl_record_put_flush(e->writer, e->time_ns,
                             mpl_ticks_to_ns(e->walk.spool, r->words[2], &e->walk.tie));
        break;
    case MPL_REC_ON_OFF:
        PUT(e, type, r->small != 0 ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
        break;
    case MPL_REC_METRIC:
        put_sample(e, r);
        break;
    case MPL_REC_THREAD_FORK:
    case MPL_REC_THREAD_JOIN: /* has no number */
        PUT(e, type, OTF2_PARADIGM_OPENMP, r->large);
        break;
    case MPL_REC_TEAM_BEGIN:
    case MPL_REC_TEAM_END:
        PUT(e, type, mpl_team_of(e->archive, e->spool));
        break;
    default:
        put_in_comm(e, type, r);
    }
}

/* ---- all of a thread -------------------------------------------------------------------------------- */

static void find_switch(struct emit *e)
{
    do {
        if (!mpl_walk_next(&e->first, &e->switched)) {
            e->switched.kind = MPL_SPOOL_NONE;
        }
    } while (e->switched.kind != MPL_SPOOL_SWITCH && e->switched.kind != MPL_SPOOL_NONE);
}

/* Who switches recording does so for all threads of the process, and is the first one as a rule. */
static void put_switches(struct emit *e, uint64_t until_ns)
{
    while (e->switched.kind == MPL_SPOOL_SWITCH && e->switched.time_ns <= until_ns) {
        put(e, &e->switched);
        find_switch(e);
    }
}

void mpl_archive_events(void *context, uint32_t location, struct mpl_record_writer *writer)
{
    struct archive *archive = context;
    uint32_t thread;
    const struct spool *from = mpl_archive_spool(archive, location, &thread);

    if (from == NULL) {
        return;
    }
    const uint32_t spool = (uint32_t) (from - archive->spools->all);
    struct emit e = { .archive = archive,
                      .spool = spool,
                      .writer = writer,
                      .walk = mpl_walk_start(&archive->spools->all[spool], thread) };
    struct record r;

    if (thread > 0 && archive->survey.has_switches) {
        e.first = mpl_walk_start(&archive->spools->all[spool], 0);
        find_switch(&e);
    }
    while (writer->status == MPL_OK && mpl_walk_next(&e.walk, &r)) {
        put_switches(&e, r.time_ns);
        put(&e, &r);
    }
    put_switches(&e, UINT64_MAX);
    /* It was there until then, in the call that it entered last or in its own code. */
    if (writer->chunks.n_records > 0 && thread == 0 &&
        mpl_archive_ended_ns(archive, spool) > e.time_ns) {
        mpl_record_put_program_end(writer, archive->ended_ns);
    }
    archive->n_events[spool][thread] = writer->chunks.n_records;
    archive->summary->n_events += writer->chunks.n_records;
}
