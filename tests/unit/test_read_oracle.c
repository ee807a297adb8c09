/*
 * The columns that our decoder fills, compared event by event with what libotf2's own local
 * readers deliver: kind, time, region, partner, tag, communicator, bytes, and which request
 * belongs to which posting. libotf2 never returns from a truncated file, so damaged traces are
 * left out and every reading is bounded.
 */
#include "config.h"

#include "../lib/suite.h"
#include "all_traces.h"
#include "archive/archive.h"
#include "read_fixture.h"

#include <check.h>
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>

/*
 * EZTrace's chunks of 16 MiB cost libotf2 10 ms per location, so of programs that were traced
 * several times one run is enough; MARPLE_CHECK_LONG compares all.
 */
static bool is_twin(const char *name)
{
    static const char *const marks[] = {
        "-slow",  "-swap",        "-drift",    "-coarse",         "-balanced",
        "-skew",  "mandel-mw-np", "-halo-imb", "-np16",
#ifdef __SANITIZE_ADDRESS__ /* six times slower */
        "npb-lu", "npb-cg",       "lulesh",    "public-casita-2",
#endif
    };

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strstr(name, marks[i]) != NULL) {
            return getenv("MARPLE_CHECK_LONG") == NULL;
        }
    }
    return false;
}

struct open_request {
    uint64_t request;
    uint32_t post; /* event */
    bool is_done;
};

/** What libotf2 defines, by reference. */
struct oracle {
    struct mpl_map *string; /* to texts */
    struct mpl_buf texts;
    struct mpl_map *region; /* to string */
    struct mpl_map *comm;   /* to string; the first of EZTrace's duplicates */
    const struct mpl_model *model;
    const struct mpl_location *loc;
    const char *trace;
    uint32_t i;             /* next event */
    uint32_t thread_record; /* next one */
    uint64_t n_seen;
    struct mpl_buf receives; /* struct open_request */
    struct mpl_buf sends;
};

/* ---- definitions ------------------------------------------------------------------------ */

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *text)
{
    struct oracle *o = (struct oracle *) user;

    *(const char **) mpl_buf_add(&o->texts) = mpl_arena_strdup(arena, text);
    mpl_map_put(o->string, self, (uint32_t) o->texts.n - 1);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file,
                                   uint32_t first, uint32_t last)
{
    (void) canonical, (void) description, (void) role, (void) paradigm, (void) flags;
    (void) file, (void) first, (void) last;
    mpl_map_put(((struct oracle *) user)->region, self, name);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent,
                                 OTF2_CommFlag flags)
{
    struct oracle *o = (struct oracle *) user;

    (void) group, (void) parent, (void) flags;
    if (mpl_map_find(o->comm, self) == MPL_NONE) {
        mpl_map_put(o->comm, self, name);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static const char *text_of(const struct oracle *o, uint32_t string)
{
    const uint32_t at = mpl_map_find(o->string, string);

    return at == MPL_NONE ? "(none)" : *(const char **) mpl_buf_get(&o->texts, at);
}

/* ---- events --------------------------------------------------------------------------------- */

#define EXPECT(cond, what) \
    ck_assert_msg((cond), "%s, location %s, event %u: %s", o->trace, o->loc->label, o->i, \
                  what)

/** The next event of the column, which must be of this kind and time; its reference. */
static uint32_t next(struct oracle *o, uint64_t time, enum mpl_event_kind kind)
{
    const uint32_t i = o->i;

    o->n_seen++;
    EXPECT(i < o->loc->n_events, "libotf2 has more events");
    EXPECT(mpl_kind_of(o->loc, i) == kind, "kind");
    EXPECT(o->loc->base_ticks + (uint64_t) mpl_ticks_of(o->loc, i) == time, "time");
    o->i++;
    return mpl_ref_of(o->loc, i);
}

static OTF2_CallbackCode dropped(struct oracle *o)
{
    o->n_seen++;
    return OTF2_CALLBACK_SUCCESS;
}

static void check_region(struct oracle *o, uint32_t ref, OTF2_RegionRef region)
{
    const uint32_t string = mpl_map_find(o->region, region);

    EXPECT(string != MPL_NONE &&
               strcmp(o->model->regions[ref].name, text_of(o, string)) == 0,
           "region");
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time,
                                  uint64_t at, void *user, OTF2_AttributeList *attributes,
                                  OTF2_RegionRef region)
{
    struct oracle *o = (struct oracle *) user;

    (void) location, (void) at, (void) attributes;
    check_region(o, next(o, time, MPL_EV_ENTER), region);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time,
                                  uint64_t at, void *user, OTF2_AttributeList *attributes,
                                  OTF2_RegionRef region)
{
    struct oracle *o = (struct oracle *) user;

    (void) location, (void) at, (void) attributes;
    check_region(o, next(o, time, MPL_EV_LEAVE), region);
    return OTF2_CALLBACK_SUCCESS;
}

static void check_message(struct oracle *o, uint32_t ref, bool is_send, uint32_t rank,
                          OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    const struct mpl_message message = mpl_message_get(o->loc, ref);
    const struct mpl_envelope *e = &o->loc->envelopes[message.envelope];
    const uint32_t name = mpl_map_find(o->comm, comm);

    EXPECT(message.event == o->i - 1, "event of the message");
    EXPECT(e->is_send == is_send && e->peer_rank == rank && e->tag == tag, "envelope");
    EXPECT(message.bytes == bytes || (e->is_garbage && bytes > UINT64_C(1) << 48), "bytes");
    if (name == MPL_NONE) {
        EXPECT(e->comm == MPL_NONE, "communicator");
    } else {
        EXPECT(strcmp(o->model->comms[e->comm].name, text_of(o, name)) == 0,
               "communicator");
    }
    if (rank == UINT32_MAX - 1) {
        EXPECT(e->is_null && !e->is_garbage, "MPI_PROC_NULL");
    } else if (e->comm != MPL_NONE && !e->is_garbage && !e->is_null) {
        EXPECT(e->peer == mpl_comm_peer(o->model, e->comm, o->loc->process, rank), "peer");
    }
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time,
                                 uint64_t at, void *user, OTF2_AttributeList *attributes,
                                 uint32_t rank, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    struct oracle *o = (struct oracle *) user;

    (void) location, (void) at, (void) attributes;
    check_message(o, next(o, time, MPL_EV_SEND), true, rank, comm, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time,
                                 uint64_t at, void *user, OTF2_AttributeList *attributes,
                                 uint32_t rank, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    struct oracle *o = (struct oracle *) user;
    uint32_t ref;

    (void) location, (void) at, (void) attributes;
    ref = next(o, time, MPL_EV_RECV);
    check_message(o, ref, false, rank, comm, tag, bytes);
    EXPECT(mpl_message_get(o->loc, ref).post == MPL_NONE,
           "a blocking receive has no posting");
    return OTF2_CALLBACK_SUCCESS;
}

static void open_request(struct mpl_buf *requests, uint64_t request, uint32_t event)
{
    struct open_request *r = (struct open_request *) mpl_buf_add(requests);

    *r = (struct open_request){ request, event, false };
}

/** The posting that a completion belongs to: the latest of that request, if it is still open. */
static uint32_t close_request(struct mpl_buf *requests, uint64_t request)
{
    for (size_t i = requests->n; i > 0; i--) {
        struct open_request *r = (struct open_request *) mpl_buf_get(requests, i - 1);

        if (r->request == request) {
            const uint32_t post = r->is_done ? MPL_NONE : r->post;

            r->is_done = true;
            return post;
        }
    }
    return MPL_NONE;
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time,
                                  uint64_t at, void *user, OTF2_AttributeList *attributes,
                                  uint32_t rank, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    struct oracle *o = (struct oracle *) user;

    (void) location, (void) at, (void) attributes;
    check_message(o, next(o, time, MPL_EV_ISEND), true, rank, comm, tag, bytes);
    open_request(&o->sends, request, o->i - 1);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend_done(OTF2_LocationRef location, OTF2_TimeStamp time,
                                       uint64_t at, void *user,
                                       OTF2_AttributeList *attributes, uint64_t request)
{
    struct oracle *o = (struct oracle *) user;
    uint32_t ref;
    uint32_t post;

    (void) location, (void) at, (void) attributes;
    ref = next(o, time, MPL_EV_ISEND_DONE);
    post = close_request(&o->sends, request);
    if (post == MPL_NONE) {
        EXPECT(ref == MPL_NONE, "completion of an unknown request");
    } else {
        EXPECT(ref != MPL_NONE && mpl_message_get(o->loc, ref).event == post &&
                   mpl_message_get(o->loc, ref).post == o->i - 1,
               "completion of a send");
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv_post(OTF2_LocationRef location, OTF2_TimeStamp time,
                                       uint64_t at, void *user,
                                       OTF2_AttributeList *attributes, uint64_t request)
{
    struct oracle *o = (struct oracle *) user;
    uint32_t ref;

    (void) location, (void) at, (void) attributes;
    ref = next(o, time, MPL_EV_IRECV_POST);
    EXPECT(mpl_message_get(o->loc, ref).post == o->i - 1, "posting of a receive");
    open_request(&o->receives, request, o->i - 1);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time,
                                  uint64_t at, void *user, OTF2_AttributeList *attributes,
                                  uint32_t rank, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    struct oracle *o = (struct oracle *) user;
    uint32_t ref;

    (void) location, (void) at, (void) attributes;
    ref = next(o, time, MPL_EV_IRECV);
    check_message(o, ref, false, rank, comm, tag, bytes);
    EXPECT(mpl_message_get(o->loc, ref).post == close_request(&o->receives, request),
           "posting of a completed receive");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time,
                                      uint64_t at, void *user,
                                      OTF2_AttributeList *attributes, uint64_t request)
{
    struct oracle *o = (struct oracle *) user;

    (void) location, (void) at, (void) attributes;
    (void) next(o, time, MPL_EV_MARK);
    (void) close_request(&o->receives, request);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_test(OTF2_LocationRef location, OTF2_TimeStamp time,
                                 uint64_t at, void *user, OTF2_AttributeList *attributes,
                                 uint64_t request)
{
    (void) location, (void) time, (void) at, (void) attributes, (void) request;
    return dropped((struct oracle *) user);
}

static OTF2_CallbackCode on_coll_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
                                       uint64_t at, void *user,
                                       OTF2_AttributeList *attributes)
{
    struct oracle *o = (struct oracle *) user;
    uint32_t ref;

    (void) location, (void) at, (void) attributes;
    ref = next(o, time, MPL_EV_COLL_BEGIN);
    EXPECT(o->loc->collectives[ref].begin == o->i - 1, "begin of a collective");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_coll_end(OTF2_LocationRef location, OTF2_TimeStamp time,
                                     uint64_t at, void *user,
                                     OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                     OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                     uint64_t received)
{
    struct oracle *o = (struct oracle *) user;
    const struct mpl_collective *part;
    const uint32_t name = mpl_map_find(o->comm, comm);

    (void) location, (void) at, (void) attributes;
    part = &o->loc->collectives[next(o, time, MPL_EV_COLL_END)];
    EXPECT(part->end == o->i - 1, "end of a collective");
    EXPECT(part->sent_bytes == sent && part->received_bytes == received, "bytes");
    EXPECT(op > OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK || (int) part->op == op,
           "operation");
    EXPECT(name != MPL_NONE &&
               strcmp(o->model->comms[part->comm].name, text_of(o, name)) == 0,
           "communicator");
    if (op == OTF2_COLLECTIVE_OP_BCAST || op == OTF2_COLLECTIVE_OP_REDUCE) {
        EXPECT(part->root == mpl_comm_peer(o->model, part->comm, o->loc->process, root),
               "root");
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_fork(OTF2_LocationRef location, OTF2_TimeStamp time,
                                 uint64_t at, void *user, OTF2_AttributeList *attributes,
                                 OTF2_Paradigm paradigm, uint32_t n)
{
    struct oracle *o = (struct oracle *) user;

    (void) location, (void) at, (void) attributes, (void) paradigm;
    EXPECT(next(o, time, MPL_EV_FORK) == n, "number of threads");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_join(OTF2_LocationRef location, OTF2_TimeStamp time,
                                 uint64_t at, void *user, OTF2_AttributeList *attributes,
                                 OTF2_Paradigm paradigm)
{
    (void) location, (void) at, (void) attributes, (void) paradigm;
    (void) next((struct oracle *) user, time, MPL_EV_JOIN);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_team_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
                                       uint64_t at, void *user,
                                       OTF2_AttributeList *attributes, OTF2_CommRef team)
{
    struct oracle *o = (struct oracle *) user;

    (void) location, (void) at, (void) attributes;
    EXPECT(next(o, time, MPL_EV_TEAM_BEGIN) == team, "team");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_team_end(OTF2_LocationRef location, OTF2_TimeStamp time,
                                     uint64_t at, void *user,
                                     OTF2_AttributeList *attributes, OTF2_CommRef team)
{
    struct oracle *o = (struct oracle *) user;

    (void) location, (void) at, (void) attributes;
    EXPECT(next(o, time, MPL_EV_TEAM_END) == team, "team");
    return OTF2_CALLBACK_SUCCESS;
}

/* What the event that was compared last says beyond its columns. */
static void check_thread_record(struct oracle *o, enum mpl_thread_act act, uint32_t object,
                                uint32_t number)
{
    const struct mpl_thread_record *r = &o->loc->thread_records[o->thread_record];

    EXPECT(o->thread_record < o->loc->n_thread_records, "thread record");
    EXPECT(r->event == o->i - 1 && r->act == act, "thread record");
    EXPECT(r->object == object && r->number == number, "numbers of a thread record");
    o->thread_record++;
}

static OTF2_CallbackCode on_lock(OTF2_LocationRef location, OTF2_TimeStamp time,
                                 uint64_t at, void *user, OTF2_AttributeList *attributes,
                                 OTF2_Paradigm paradigm, uint32_t lock, uint32_t order)
{
    struct oracle *o = (struct oracle *) user;

    (void) location, (void) at, (void) attributes, (void) paradigm;
    EXPECT(next(o, time, MPL_EV_LOCK) == lock, "lock");
    check_thread_record(o, MPL_ACT_LOCK, lock, order);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_unlock(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t at, void *user, OTF2_AttributeList *attributes,
                                   OTF2_Paradigm paradigm, uint32_t lock, uint32_t order)
{
    struct oracle *o = (struct oracle *) user;

    (void) location, (void) at, (void) attributes, (void) paradigm;
    EXPECT(next(o, time, MPL_EV_UNLOCK) == lock, "lock");
    check_thread_record(o, MPL_ACT_UNLOCK, lock, order);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_thread(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t at, void *user, OTF2_AttributeList *attributes,
                                   OTF2_CommRef team, uint64_t count)
{
    (void) location, (void) at, (void) attributes, (void) team, (void) count;
    (void) next((struct oracle *) user, time, MPL_EV_MARK);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_program_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
                                          uint64_t at, void *user,
                                          OTF2_AttributeList *attributes,
                                          OTF2_StringRef name, uint32_t n,
                                          const OTF2_StringRef *arguments)
{
    (void) location, (void) at, (void) attributes, (void) name, (void) n, (void) arguments;
    (void) next((struct oracle *) user, time, MPL_EV_MARK);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_program_end(OTF2_LocationRef location, OTF2_TimeStamp time,
                                        uint64_t at, void *user,
                                        OTF2_AttributeList *attributes, int64_t status)
{
    (void) location, (void) at, (void) attributes, (void) status;
    (void) next((struct oracle *) user, time, MPL_EV_MARK);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_EvtReaderCallbacks *make_callbacks(void)
{
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();

    OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_isend_done);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_irecv_post);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(c, on_test);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, on_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, on_coll_begin);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_coll_end);
    OTF2_EvtReaderCallbacks_SetThreadForkCallback(c, on_fork);
    OTF2_EvtReaderCallbacks_SetThreadJoinCallback(c, on_join);
    OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(c, on_team_begin);
    OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(c, on_team_end);
    OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(c, on_lock);
    OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(c, on_unlock);
    OTF2_EvtReaderCallbacks_SetThreadCreateCallback(c, on_thread);
    OTF2_EvtReaderCallbacks_SetThreadBeginCallback(c, on_thread);
    OTF2_EvtReaderCallbacks_SetThreadWaitCallback(c, on_thread);
    OTF2_EvtReaderCallbacks_SetThreadEndCallback(c, on_thread);
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(c, on_program_begin);
    OTF2_EvtReaderCallbacks_SetProgramEndCallback(c, on_program_end);
    return c;
}

/* ---- one trace ---------------------------------------------------------------------------------- */

static void read_global_definitions(OTF2_Reader *reader, struct oracle *o)
{
    OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t n = 0;

    OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
    ck_assert_int_eq(OTF2_Reader_RegisterGlobalDefCallbacks(reader, defs, c, o),
                     OTF2_SUCCESS);
    ck_assert_int_eq(OTF2_Reader_ReadAllGlobalDefinitions(reader, defs, &n), OTF2_SUCCESS);
    OTF2_GlobalDefReaderCallbacks_Delete(c);
}

static void read_local_definitions(OTF2_Reader *reader, const struct mpl_model *model)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        OTF2_Reader_SelectLocation(reader, model->locations[l].reference);
    }
    ck_assert_int_eq(OTF2_Reader_OpenDefFiles(reader), OTF2_SUCCESS);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        OTF2_DefReader *defs =
            OTF2_Reader_GetDefReader(reader, model->locations[l].reference);
        uint64_t n = 0;

        if (defs != NULL) {
            ck_assert_int_eq(OTF2_Reader_ReadAllLocalDefinitions(reader, defs, &n),
                             OTF2_SUCCESS);
            OTF2_Reader_CloseDefReader(reader, defs);
        }
    }
    OTF2_Reader_CloseDefFiles(reader);
}

static void compare_location(OTF2_Reader *reader, struct oracle *o,
                             const struct mpl_location *loc)
{
    OTF2_EvtReaderCallbacks *callbacks = make_callbacks();
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, loc->reference);
    const uint64_t bound = (uint64_t) loc->n_events + loc->dropped + 1;
    uint64_t n = 0;

    ck_assert_ptr_nonnull(events);
    o->loc = loc;
    o->i = 0;
    o->thread_record = 0;
    o->receives.n = 0;
    o->sends.n = 0;
    OTF2_EvtReader_ApplyClockOffsets(events, false);
    OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, o);
    OTF2_Reader_ReadLocalEvents(reader, events, bound, &n);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseEvtReader(reader, events);
    EXPECT(o->i == loc->n_events, "libotf2 has fewer events");
    EXPECT(o->thread_record == loc->n_thread_records, "libotf2 has fewer thread records");
    EXPECT(n == bound - 1, "number of records");
}

static void compare_trace(const char *name, const struct mpl_model *model,
                          const char *anchor)
{
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    struct oracle o = { .string = mpl_map_create(),
                        .region = mpl_map_create(),
                        .comm = mpl_map_create(),
                        .texts = mpl_buf_make(sizeof(const char *)),
                        .model = model,
                        .trace = name,
                        .receives = mpl_buf_make(sizeof(struct open_request)),
                        .sends = mpl_buf_make(sizeof(struct open_request)) };

    ck_assert_ptr_nonnull(reader);
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    read_global_definitions(reader, &o);
    read_local_definitions(reader, model);
    ck_assert_int_eq(OTF2_Reader_OpenEvtFiles(reader), OTF2_SUCCESS);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        compare_location(reader, &o, &model->locations[l]);
    }
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_Reader_Close(reader);
    mpl_map_destroy(o.string);
    mpl_map_destroy(o.region);
    mpl_map_destroy(o.comm);
    mpl_buf_free(&o.texts);
    mpl_buf_free(&o.receives);
    mpl_buf_free(&o.sends);
}

static const char *anchor_of(const char *path)
{
    static const char *const names[] = { "eztrace_log.otf2", "traces.otf2", "trace.otf2" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *anchor = mpl_arena_printf(arena, "%s/%s", path, names[i]);
        FILE *file = fopen(anchor, "rb");

        if (file != NULL) {
            fclose(file);
            return anchor;
        }
    }
    return NULL;
}

/* False where libotf2 cannot read it, or another trace holds the same. */
static bool compare_if_sound(const char *name, const char *path)
{
    struct mpl_model *model = NULL;
    const char *anchor = anchor_of(path);

    if (anchor == NULL || strncmp(name, "broken-", 7) == 0 || is_twin(name)) {
        return false;
    }
    ck_assert_int_eq(mpl_read(path, arena, NULL, &model, NULL), MPL_OK);
    mpl_model_check(model);
    compare_trace(name, model, anchor);
    return true;
}

START_TEST(columns_hold_what_libotf2_delivers)
{
    look_at_all_traces(compare_if_sound, 10);
}
END_TEST

/* Several chunks per file, which the real traces here do not have: written by libotf2. */
static void write_chunks(const char *directory)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    struct mpl_buf all = mpl_buf_make(1);
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };

    for (int i = 0; i < 20000; i++) {
        char line[200];
        const int n =
            snprintf(line, sizeof line,
                     "rank 0: send %d..%d to 1 tag %d bytes %d compute %d..%d in f%d\n"
                     "rank 1: recv %d..%d from 0 tag %d bytes %d\n",
                     10 * i, 10 * i + 2, i, i, 10 * i + 3, 10 * i + 9, i % 300, 10 * i,
                     10 * i + 5, i, i);

        for (int k = 0; k < n; k++) {
            *(char *) mpl_buf_add(&all) = line[k];
        }
    }
    ck_assert_int_eq(
        mpl_read_text("chunks", (const char *) all.data, all.n, arena, lint, &model, &err),
        MPL_OK);
    ck_assert_int_eq(mpl_write_otf2(model, directory, false, &err), MPL_OK);
    mpl_buf_free(&all);
}

START_TEST(chunks_follow_each_other)
{
    const char *directory = mpl_arena_printf(arena, "%s/chunks", fixture_scratch());
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };

    write_chunks(directory);
    ck_assert_int_eq(mpl_read(directory, arena, NULL, &model, &err), MPL_OK);
    ck_assert_uint_eq(mpl_quality_count(model->quality), 0);
    compare_trace("chunks", model, mpl_arena_printf(arena, "%s/trace.otf2", directory));
    fixture_remove_tree(directory);
}
END_TEST

/* Takes \p back ticks from the first time of the second chunk. */
static void turn_back(uint8_t *file, size_t bytes, uint64_t back)
{
    size_t chunk = 1024;
    uint64_t time;

    /* A chunk begins with a mark, the order of bytes, two numbers of events, and a time. */
    while (chunk < bytes && (memcmp(file + chunk, file, 2) != 0 ||
                             file[chunk + MPL_CHUNK_HEADER] != MPL_REC_TIME)) {
        chunk *= 2;
    }
    ck_assert_uint_lt(chunk, bytes);
    memcpy(&time, file + chunk + MPL_CHUNK_HEADER + 1, sizeof time);
    time -= back;
    memcpy(file + chunk + MPL_CHUNK_HEADER + 1, &time, sizeof time);
}

/* How many events are left of the rank with that file. */
static uint32_t read_changed(const char *directory, const char *path, const char *file,
                             size_t bytes)
{
    struct mpl_model *model = NULL;
    FILE *out = fopen(path, "wb");

    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(file, 1, bytes, out), bytes);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(mpl_read(directory, arena, NULL, &model, NULL), MPL_OK);
    mpl_model_check(model);
    return model->locations[0].n_events;
}

/* Where it is before the last time but not before the last but one, the last was wrong: what was read is read again
   up to there. */
START_TEST(time_that_runs_back_from_chunk_to_chunk_ends_the_file_before)
{
    const char *directory = mpl_arena_printf(arena, "%s/back", fixture_scratch());
    const char *path = mpl_arena_printf(arena, "%s/trace/0.evt", directory);
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    char *file = NULL;
    size_t bytes = 0;

    write_chunks(directory);
    ck_assert_int_eq(mpl_file_read(path, 64 << 20, arena, &file, &bytes, NULL), MPL_OK);
    for (int i = 0; i < 10; i++) {
        const uint32_t n = read_changed(directory, path, file, bytes);

        least = n < least ? n : least;
        most = n > most ? n : most;
        turn_back((uint8_t *) file, bytes, 1000); /* 1 us */
    }
    ck_assert_uint_eq(most, 100000);
    ck_assert_uint_gt(least, 1000);
    ck_assert_uint_lt(least, most);
    fixture_remove_tree(directory);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("read_oracle");
    TCase *own = add_case(suite, "written", create_arena, destroy_arena);
    TCase *real = add_case(suite, "real", create_arena, destroy_arena);

    tcase_add_test(own, chunks_follow_each_other);
    tcase_add_test(own, time_that_runs_back_from_chunk_to_chunk_ends_the_file_before);
    tcase_set_timeout(own, 120);
    tcase_set_timeout(real, 300);
    if (traces_are_there("comparison of real traces with libotf2")) {
        tcase_add_test(real, columns_hold_what_libotf2_delivers);
    }
    return run_suite(suite);
}
