/*
 * The yardstick of `make bench`: libotf2's local readers over all events, one location after
 * another, with callbacks that do nothing. Prints the number of events.
 *
 *     yardstick ANCHOR
 */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

struct locations {
    OTF2_LocationRef *refs;
    uint64_t *events;
    size_t n;
};

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    struct locations *l = data;

    (void) name, (void) type, (void) group;
    l->refs = realloc(l->refs, (l->n + 1) * sizeof *l->refs);
    l->events = realloc(l->events, (l->n + 1) * sizeof *l->events);
    if (l->refs == NULL || l->events == NULL) {
        return OTF2_CALLBACK_INTERRUPT;
    }
    l->refs[l->n] = self;
    l->events[l->n++] = events;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *data,
                                   OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    (void) location, (void) time, (void) position, (void) data, (void) attributes,
        (void) region;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_message(OTF2_LocationRef location, OTF2_TimeStamp time,
                                    uint64_t position, void *data,
                                    OTF2_AttributeList *attributes, uint32_t peer,
                                    OTF2_CommRef comm, uint32_t tag, uint64_t length)
{
    (void) location, (void) time, (void) position, (void) data, (void) attributes;
    (void) peer, (void) comm, (void) tag, (void) length;
    return OTF2_CALLBACK_SUCCESS;
}

int main(int argc, char **argv)
{
    struct locations l = { 0 };
    uint64_t total = 0;
    uint64_t read;

    if (argc != 2) {
        fprintf(stderr, "usage: yardstick ANCHOR\n");
        return 2;
    }
    OTF2_Reader *reader = OTF2_Reader_Open(argv[1]);

    if (reader == NULL) {
        return 1;
    }
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);

    OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *on_defs = OTF2_GlobalDefReaderCallbacks_New();

    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on_defs, on_location);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, defs, on_defs, &l);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, defs, &read);
    for (size_t i = 0; i < l.n; i++) {
        OTF2_Reader_SelectLocation(reader, l.refs[i]);
    }
    OTF2_Reader_OpenDefFiles(reader);
    for (size_t i = 0; i < l.n; i++) {
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, l.refs[i]);

        if (local != NULL) {
            OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read);
            OTF2_Reader_CloseDefReader(reader, local);
        }
    }
    OTF2_Reader_CloseDefFiles(reader);
    OTF2_Reader_OpenEvtFiles(reader);

    OTF2_EvtReaderCallbacks *on_events = OTF2_EvtReaderCallbacks_New();

    OTF2_EvtReaderCallbacks_SetEnterCallback(on_events, on_region);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(on_events, on_region);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(on_events, on_message);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(on_events, on_message);
    for (size_t i = 0; i < l.n; i++) {
        OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, l.refs[i]);

        OTF2_Reader_RegisterEvtCallbacks(reader, events, on_events, NULL);
        OTF2_Reader_ReadLocalEvents(reader, events, l.events[i], &read);
        total += read;
        OTF2_Reader_CloseEvtReader(reader, events);
    }
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_EvtReaderCallbacks_Delete(on_events);
    OTF2_GlobalDefReaderCallbacks_Delete(on_defs);
    OTF2_Reader_Close(reader);
    printf("%" PRIu64 "\n", total);
    free(l.refs);
    free(l.events);
    return 0;
}
