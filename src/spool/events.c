#include "config.h"

#include "spool/spool_priv.h"

/** The records of a thread on their way. */
struct emit {
    struct archive *archive;
    uint32_t spool;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    struct walk walk;
    struct walk first;      /* The records of the first thread, of which the next one */
    struct record switched; /* switches recording; kind MPL_SPOOL_NONE: no more does. */
    uint64_t time_ns;
    uint64_t n;
};

uint64_t mpl_location_of(uint32_t rank, uint32_t thread)
{
    return (uint64_t) thread << 32 | rank;
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

/* ---- attributes ------------------------------------------------------------------------------ */

static OTF2_ErrorCode add_open_ends(struct emit *e, const struct record *r)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if ((r->small & MPL_SPOOL_ANY_SOURCE) != 0) {
        code = OTF2_AttributeList_AddUint8(e->attributes, ATTRIBUTE_ANY_SOURCE, 1);
    }
    if (code == OTF2_SUCCESS && (r->small & MPL_SPOOL_ANY_TAG) != 0) {
        code = OTF2_AttributeList_AddUint8(e->attributes, ATTRIBUTE_ANY_TAG, 1);
    }
    return code;
}

static OTF2_ErrorCode add_asked(struct emit *e, const struct record *r)
{
    const struct comm *comm = mpl_comms_get(&e->archive->comms, e->spool, r->large);
    OTF2_ErrorCode code = OTF2_AttributeList_AddInt32(e->attributes, ATTRIBUTE_ASKED_SOURCE,
                                                      (int32_t) low(r->words[2]));

    if (code == OTF2_SUCCESS) {
        code = OTF2_AttributeList_AddInt32(e->attributes, ATTRIBUTE_ASKED_TAG,
                                           (int32_t) high(r->words[2]));
    }
    if (code == OTF2_SUCCESS && comm != NULL) {
        code = OTF2_AttributeList_AddCommRef(e->attributes, ATTRIBUTE_ASKED_COMM,
                                             comm->reference);
    }
    return code;
}

/* What a call waits for is said with its ENTER if it did not come to its end: nothing else shows it then. */
static OTF2_ErrorCode add_waited_for(struct emit *e)
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
    return r.kind == MPL_SPOOL_LEAVE || asked.kind == 0 ? OTF2_SUCCESS
                                                        : add_asked(e, &asked);
}

/* ---- one record ---------------------------------------------------------------------------------- */

static OTF2_ErrorCode put_call(struct emit *e, const struct record *r)
{
    const uint32_t region =
        r->small < MPL_CALLS ? e->archive->survey.regions[r->small] : MPL_NONE;

    if (region == MPL_NONE) {
        return OTF2_SUCCESS;
    }
    e->n++;
    if (r->kind == MPL_SPOOL_LEAVE) {
        return OTF2_EvtWriter_Leave(e->writer, NULL, e->time_ns, region);
    }

    const uint32_t site = mpl_sites_get(&e->archive->sites, e->spool, r->large);
    OTF2_ErrorCode code = add_waited_for(e);

    if (code == OTF2_SUCCESS && site != MPL_NONE) {
        code = OTF2_AttributeList_AddCallingContextRef(e->attributes, ATTRIBUTE_CALL_SITE,
                                                       site);
    }
    return code == OTF2_SUCCESS
               ? OTF2_EvtWriter_Enter(e->writer, e->attributes, e->time_ns, region)
               : code;
}

static OTF2_ErrorCode put_message(struct emit *e, const struct record *r, uint32_t comm)
{
    const uint32_t peer = low(r->words[2]);
    const uint32_t tag = high(r->words[2]);
    const uint64_t bytes = r->words[3];

    switch (r->kind) {
    case MPL_SPOOL_SEND:
        return OTF2_EvtWriter_MpiSend(e->writer, NULL, e->time_ns, peer, comm, tag, bytes);
    case MPL_SPOOL_ISEND:
        return OTF2_EvtWriter_MpiIsend(e->writer, NULL, e->time_ns, peer, comm, tag, bytes,
                                       r->words[4]);
    case MPL_SPOOL_RECV:
        return OTF2_EvtWriter_MpiRecv(e->writer, e->attributes, e->time_ns, peer, comm, tag,
                                      bytes);
    default:
        return OTF2_EvtWriter_MpiIrecv(e->writer, e->attributes, e->time_ns, peer, comm,
                                       tag, bytes, r->words[4]);
    }
}

static OTF2_ErrorCode put_operation(struct emit *e, const struct record *r, uint32_t comm)
{
    switch (r->kind) {
    case MPL_SPOOL_BEGIN:
        return OTF2_EvtWriter_MpiCollectiveBegin(e->writer, NULL, e->time_ns);
    case MPL_SPOOL_IBEGIN:
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(e->writer, NULL, e->time_ns,
                                                           r->words[2]);
    case MPL_SPOOL_END:
        return OTF2_EvtWriter_MpiCollectiveEnd(
            e->writer, NULL, e->time_ns, (OTF2_CollectiveOp) r->small, comm,
            root_of(r->words[2]), r->words[3], r->words[4]);
    default:
        return OTF2_EvtWriter_NonBlockingCollectiveComplete(
            e->writer, NULL, e->time_ns, (OTF2_CollectiveOp) r->small, comm,
            root_of(r->words[2]), r->words[3], r->words[4], r->words[5]);
    }
}

/* What happens in a communicator is left out where that is none of this world. */
static OTF2_ErrorCode put_in_comm(struct emit *e, const struct record *r)
{
    const struct comm *comm = mpl_comms_get(&e->archive->comms, e->spool, r->large);
    OTF2_ErrorCode code;

    if (comm == NULL) {
        e->archive->summary->n_foreign++;
        return OTF2_SUCCESS;
    }
    e->n++;
    switch (r->kind) {
    case MPL_SPOOL_POST:
        code = mpl_survey_is_done(&e->archive->survey, e->spool, r->words[3])
                   ? OTF2_SUCCESS
                   : add_asked(e, r);
        return code == OTF2_SUCCESS ? OTF2_EvtWriter_MpiIrecvRequest(
                                          e->writer, e->attributes, e->time_ns, r->words[3])
                                    : code;
    case MPL_SPOOL_RECV:
    case MPL_SPOOL_IRECV:
        code = add_open_ends(e, r);
        return code == OTF2_SUCCESS ? put_message(e, r, comm->reference) : code;
    case MPL_SPOOL_SEND:
    case MPL_SPOOL_ISEND:
        return put_message(e, r, comm->reference);
    default:
        return put_operation(e, r, comm->reference);
    }
}

static OTF2_ErrorCode put_sample(struct emit *e, const struct record *r)
{
    static const OTF2_Type types[N_METRICS] = { OTF2_TYPE_UINT64, OTF2_TYPE_UINT64,
                                                OTF2_TYPE_UINT64, OTF2_TYPE_UINT64 };
    const OTF2_MetricValue values[N_METRICS] = {
        [METRIC_CPU_TIME] = { .unsigned_int = r->words[2] },
        [METRIC_VOLUNTARY] = { .unsigned_int = low(r->words[3]) },
        [METRIC_INVOLUNTARY] = { .unsigned_int = high(r->words[3]) },
        [METRIC_CORE] = { .unsigned_int = r->large },
    };

    e->n++;
    return OTF2_EvtWriter_Metric(e->writer, NULL, e->time_ns, 0, N_METRICS, types, values);
}

uint32_t mpl_team_of(const struct archive *archive, uint32_t spool)
{
    return archive->comms.n_references + spool;
}

static OTF2_ErrorCode put_team(struct emit *e, const struct record *r)
{
    const uint32_t team = mpl_team_of(e->archive, e->spool);

    e->n++;
    switch (r->kind) {
    case MPL_SPOOL_FORK:
        return OTF2_EvtWriter_ThreadFork(e->writer, NULL, e->time_ns, OTF2_PARADIGM_OPENMP,
                                         r->large);
    case MPL_SPOOL_JOIN:
        return OTF2_EvtWriter_ThreadJoin(e->writer, NULL, e->time_ns, OTF2_PARADIGM_OPENMP);
    case MPL_SPOOL_TEAM_BEGIN:
        return OTF2_EvtWriter_ThreadTeamBegin(e->writer, NULL, e->time_ns, team);
    default:
        return OTF2_EvtWriter_ThreadTeamEnd(e->writer, NULL, e->time_ns, team);
    }
}

static OTF2_ErrorCode put_other(struct emit *e, const struct record *r)
{
    switch (r->kind) {
    case MPL_SPOOL_ISEND_END:
        e->n++;
        return OTF2_EvtWriter_MpiIsendComplete(e->writer, NULL, e->time_ns, r->words[2]);
    case MPL_SPOOL_CANCELLED:
        e->n++;
        return OTF2_EvtWriter_MpiRequestCancelled(e->writer, NULL, e->time_ns, r->words[2]);
    case MPL_SPOOL_FLUSH:
        e->n++;
        return OTF2_EvtWriter_BufferFlush(
            e->writer, NULL, e->time_ns,
            mpl_ticks_to_ns(e->walk.spool, r->words[2], &e->walk.tie));
    case MPL_SPOOL_SWITCH:
        e->n++;
        return OTF2_EvtWriter_MeasurementOnOff(e->writer, NULL, e->time_ns,
                                               r->small != 0 ? OTF2_MEASUREMENT_ON
                                                             : OTF2_MEASUREMENT_OFF);
    case MPL_SPOOL_CPU:
        return put_sample(e, r);
    case MPL_SPOOL_FORK:
    case MPL_SPOOL_JOIN:
    case MPL_SPOOL_TEAM_BEGIN:
    case MPL_SPOOL_TEAM_END:
        return put_team(e, r);
    default:
        return OTF2_SUCCESS; /* Of the definitions, or of a later version. */
    }
}

/* Words that a record of a kind has at least. */
static unsigned least_words(uint8_t kind)
{
    static const uint8_t words[] = {
        [MPL_SPOOL_ENTER] = 2,    [MPL_SPOOL_LEAVE] = 2,     [MPL_SPOOL_SEND] = 4,
        [MPL_SPOOL_ISEND] = 5,    [MPL_SPOOL_ISEND_END] = 3, [MPL_SPOOL_POST] = 4,
        [MPL_SPOOL_RECV] = 4,     [MPL_SPOOL_IRECV] = 5,     [MPL_SPOOL_CANCELLED] = 3,
        [MPL_SPOOL_BEGIN] = 2,    [MPL_SPOOL_END] = 5,       [MPL_SPOOL_IBEGIN] = 3,
        [MPL_SPOOL_IEND] = 6,     [MPL_SPOOL_FLUSH] = 3,     [MPL_SPOOL_SWITCH] = 2,
        [MPL_SPOOL_PROPERTY] = 2, [MPL_SPOOL_CPU] = 4,
    };

    return kind < sizeof words ? words[kind] : 2;
}

static OTF2_ErrorCode put(struct emit *e, const struct record *r)
{
    if (r->n_words < least_words(r->kind)) {
        return OTF2_SUCCESS;
    }
    /* Times of a thread do not decrease; those of a damaged file may, and libotf2 refuses them. */
    e->time_ns = r->time_ns > e->time_ns ? r->time_ns : e->time_ns;
    switch (r->kind) {
    case MPL_SPOOL_ENTER:
    case MPL_SPOOL_LEAVE:
        return put_call(e, r);
    case MPL_SPOOL_SEND:
    case MPL_SPOOL_ISEND:
    case MPL_SPOOL_POST:
    case MPL_SPOOL_RECV:
    case MPL_SPOOL_IRECV:
    case MPL_SPOOL_BEGIN:
    case MPL_SPOOL_END:
    case MPL_SPOOL_IBEGIN:
    case MPL_SPOOL_IEND:
        return put_in_comm(e, r);
    default:
        return put_other(e, r);
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
static OTF2_ErrorCode put_switches(struct emit *e, uint64_t until_ns)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    while (code == OTF2_SUCCESS && e->switched.kind == MPL_SPOOL_SWITCH &&
           e->switched.time_ns <= until_ns) {
        code = put(e, &e->switched);
        find_switch(e);
    }
    return code;
}

OTF2_ErrorCode mpl_archive_events(struct archive *archive, uint32_t spool, uint32_t thread,
                                  OTF2_EvtWriter *writer)
{
    struct emit e = { .archive = archive,
                      .spool = spool,
                      .writer = writer,
                      .attributes = OTF2_AttributeList_New(),
                      .walk = mpl_walk_start(&archive->spools->all[spool], thread) };
    OTF2_ErrorCode code = e.attributes != NULL ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    struct record r;

    if (thread > 0 && archive->survey.has_switches) {
        e.first = mpl_walk_start(&archive->spools->all[spool], 0);
        find_switch(&e);
    }
    while (code == OTF2_SUCCESS && mpl_walk_next(&e.walk, &r)) {
        code = mpl_ends_are_asked_for() ? OTF2_ERROR_INTERRUPTED_BY_CALLBACK
                                        : put_switches(&e, r.time_ns);
        code = code == OTF2_SUCCESS ? put(&e, &r) : code;
    }
    code = code == OTF2_SUCCESS ? put_switches(&e, UINT64_MAX) : code;
    /* It was there until then, in the call that it entered last or in its own code. */
    if (code == OTF2_SUCCESS && e.n > 0 && thread == 0 &&
        mpl_archive_ended_ns(archive, spool) > e.time_ns) {
        code = OTF2_EvtWriter_ProgramEnd(writer, NULL, archive->ended_ns,
                                         OTF2_UNDEFINED_INT64);
        e.n++;
    }
    if (e.attributes != NULL) {
        (void) OTF2_AttributeList_Delete(e.attributes);
    }
    archive->n_events[spool][thread] = e.n;
    archive->summary->n_events += e.n;
    return code;
}
