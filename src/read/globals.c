/*
 * The global definitions, through libotf2. Our walker goes over the file first and says how many
 * records are sound, because libotf2 neither notices a truncated file nor stops at its end; then
 * libotf2 is asked for exactly so many.
 */
#include "config.h"

#include "read/libotf2.h"
#include "read/otf2_priv.h"

#include <stdio.h>
#include <string.h>

/* ---- keeping what libotf2 says -------------------------------------------------------- */

/**
 * Puts an item into \p buf, unless the definition's own reference is the one that means "undefined":
 * others that say so would find it. Without memory the reading stops.
 */
static OTF2_CallbackCode keep(struct mpl_raw *raw, struct mpl_buf *buf, bool is_undefined,
                              const void *item)
{
    if (is_undefined) {
        raw->n_lost++;
        raw->damage = raw->damage != NULL ? raw->damage : "a definition has no reference";
    } else {
        raw->is_out_of_memory |= !mpl_buf_put(buf, item);
    }
    return raw->is_out_of_memory ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset,
                                  uint64_t length, uint64_t realtime)
{
    struct mpl_raw *raw = user;

    /* Offset and length are wrong in most EZTrace archives; the events tell the range. */
    (void) offset;
    (void) length;
    (void) realtime;
    raw->ticks_per_s = resolution;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *text)
{
    struct mpl_raw *raw = user;
    const char *copy = mpl_arena_strdup(raw->arena, text);
    const bool is_undefined = self == OTF2_UNDEFINED_STRING;

    raw->is_out_of_memory |=
        copy == NULL ||
        (!is_undefined && !mpl_map_put(raw->string_of_ref, self, (uint32_t) raw->texts.n));
    return keep(raw, &raw->texts, is_undefined, &copy);
}

static OTF2_CallbackCode on_node(void *user, OTF2_SystemTreeNodeRef self,
                                 OTF2_StringRef name, OTF2_StringRef class_name,
                                 OTF2_SystemTreeNodeRef parent)
{
    struct mpl_raw *raw = user;
    const struct mpl_raw_node node = { self, name, class_name, parent };

    return keep(raw, &raw->nodes, self == OTF2_UNDEFINED_SYSTEM_TREE_NODE, &node);
}

static OTF2_CallbackCode on_location_group(void *user, OTF2_LocationGroupRef self,
                                           OTF2_StringRef name, OTF2_LocationGroupType type,
                                           OTF2_SystemTreeNodeRef parent,
                                           OTF2_LocationGroupRef creator)
{
    struct mpl_raw *raw = user;
    const struct mpl_raw_location_group group = { self, name, parent };

    (void) type;
    (void) creator;
    return keep(raw, &raw->location_groups, self == OTF2_UNDEFINED_LOCATION_GROUP, &group);
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t n_events,
                                     OTF2_LocationGroupRef group)
{
    struct mpl_raw *raw = user;
    const struct mpl_raw_location location = { self, name, group, type };

    (void) n_events; /* always 2 in EZTrace archives */
    return keep(raw, &raw->locations, self == OTF2_UNDEFINED_LOCATION, &location);
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file,
                                   uint32_t first_line, uint32_t last_line)
{
    struct mpl_raw *raw = user;
    const struct mpl_raw_region region = { self, name, file, first_line, role, paradigm };

    (void) canonical;
    (void) description;
    (void) flags;
    (void) last_line;
    return keep(raw, &raw->regions, self == OTF2_UNDEFINED_REGION, &region);
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm,
                                  OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
    struct mpl_raw *raw = user;
    uint64_t *copy = NULL;

    (void) name;
    /* Hybrid EZTrace archives hold one group per parallel region, tens of thousands: their
     * members are of no use here. */
    if (paradigm == OTF2_PARADIGM_MPI) {
        copy = MPL_NEW_ARRAY(raw->arena, n, uint64_t);
        raw->is_out_of_memory |= copy == NULL;
        if (copy != NULL && n > 0) {
            memcpy(copy, members, n * sizeof *copy);
        }
    }

    const struct mpl_raw_group group = {
        self, type, paradigm, (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0, n, copy
    };

    return keep(raw, &raw->groups, self == OTF2_UNDEFINED_GROUP, &group);
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent,
                                 OTF2_CommFlag flags)
{
    struct mpl_raw *raw = user;
    const struct mpl_raw_comm comm = { self, name, group, group, false };

    (void) parent;
    (void) flags;
    return keep(raw, &raw->comms, self == OTF2_UNDEFINED_COMM, &comm);
}

static OTF2_CallbackCode on_inter_comm(void *user, OTF2_CommRef self, OTF2_StringRef name,
                                       OTF2_GroupRef group_a, OTF2_GroupRef group_b,
                                       OTF2_CommRef common, OTF2_CommFlag flags)
{
    struct mpl_raw *raw = user;
    const struct mpl_raw_comm comm = { self, name, group_a, group_b, true };

    (void) common;
    (void) flags;
    return keep(raw, &raw->comms, self == OTF2_UNDEFINED_COMM, &comm);
}

static OTF2_CallbackCode on_context(void *user, OTF2_CallingContextRef self,
                                    OTF2_RegionRef region,
                                    OTF2_SourceCodeLocationRef source,
                                    OTF2_CallingContextRef parent)
{
    struct mpl_raw *raw = user;
    const struct mpl_raw_context context = { self, region, source };

    (void) parent;
    return keep(raw, &raw->contexts, self == OTF2_UNDEFINED_CALLING_CONTEXT, &context);
}

static OTF2_CallbackCode keep_name(struct mpl_raw *raw, struct mpl_buf *buf, uint32_t self,
                                   uint32_t name)
{
    return keep(raw, buf, self == MPL_NONE, &(struct mpl_raw_name){ self, name });
}

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self,
                                      OTF2_StringRef name, OTF2_StringRef description,
                                      OTF2_Type type)
{
    struct mpl_raw *raw = user;

    (void) description;
    (void) type;
    return keep_name(raw, &raw->attributes, self, name);
}

static OTF2_CallbackCode on_metric_member(void *user, OTF2_MetricMemberRef self,
                                          OTF2_StringRef name, OTF2_StringRef description,
                                          OTF2_MetricType metric_type, OTF2_MetricMode mode,
                                          OTF2_Type value_type, OTF2_Base base,
                                          int64_t exponent, OTF2_StringRef unit)
{
    struct mpl_raw *raw = user;

    (void) description;
    (void) metric_type;
    (void) mode;
    (void) value_type;
    (void) base;
    (void) exponent;
    (void) unit;
    return keep_name(raw, &raw->metric_members, self, name);
}

static OTF2_CallbackCode on_metric_class(void *user, OTF2_MetricRef self, uint8_t n,
                                         const OTF2_MetricMemberRef *members,
                                         OTF2_MetricOccurrence occurrence,
                                         OTF2_RecorderKind recorder)
{
    struct mpl_raw *raw = user;

    (void) occurrence;
    (void) recorder;
    return keep_name(raw, &raw->metric_classes, self, n > 0 ? members[0] : MPL_NONE);
}

static OTF2_CallbackCode on_line(void *user, OTF2_SourceCodeLocationRef self,
                                 OTF2_StringRef file, uint32_t line)
{
    struct mpl_raw *raw = user;
    const bool is_undefined = self == OTF2_UNDEFINED_SOURCE_CODE_LOCATION;

    raw->is_out_of_memory |=
        !is_undefined && !mpl_map_put(raw->line_of_ref, self, (uint32_t) raw->lines.n);
    return keep(raw, &raw->lines, is_undefined, &(struct mpl_raw_line){ file, line });
}

static OTF2_CallbackCode on_property(void *user, OTF2_LocationGroupRef group,
                                     OTF2_StringRef name, OTF2_Type type,
                                     OTF2_AttributeValue value)
{
    struct mpl_raw *raw = user;
    const struct mpl_raw_property property = { group, name, value.stringRef };

    return type != OTF2_TYPE_STRING
               ? OTF2_CALLBACK_SUCCESS
               : keep(raw, &raw->properties, group == OTF2_UNDEFINED_LOCATION_GROUP,
                      &property);
}

static OTF2_GlobalDefReaderCallbacks *make_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *cb = OTF2_GlobalDefReaderCallbacks_New();

    if (cb == NULL) {
        return NULL;
    }
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(cb, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(cb, on_string);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(cb, on_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(cb, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(cb, on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(cb, on_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(cb, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(cb, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(cb, on_inter_comm);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(cb, on_context);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(cb, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(cb, on_metric_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(cb, on_metric_class);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(cb, on_line);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(cb, on_property);
    return cb;
}

/* ---- asking libotf2 -------------------------------------------------------------------- */

static enum mpl_status refuse(struct mpl_otf2_reason *reason, const char *what,
                              struct mpl_err *err)
{
    /* It quotes what it has found, and in a damaged file that may be anything. */
    for (char *at = reason->text; *at != '\0'; at++) {
        *at = (unsigned char) *at < 0x20 || (unsigned char) *at > 0x7e ? '?' : *at;
    }
    if (reason->text[0] != '\0') {
        (void) mpl_fail(err, MPL_E_SYNTAX, "%s: %s", OTF2_Error_GetName(reason->code),
                        reason->text);
    } else {
        (void) mpl_fail(err, MPL_E_SYNTAX, "libotf2 gives no reason");
    }
    return mpl_wrap(err, MPL_E_SYNTAX, "libotf2 cannot read the %s", what);
}

static enum mpl_status read_records(OTF2_Reader *reader, uint64_t n, struct mpl_raw *raw,
                                    struct mpl_otf2_reason *reason, struct mpl_err *err)
{
    OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = make_callbacks();
    OTF2_ErrorCode code = OTF2_ERROR_MEM_FAULT;
    uint64_t n_read = 0;

    if (defs != NULL && callbacks != NULL) {
        code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, defs, callbacks, raw);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Reader_ReadGlobalDefinitions(reader, defs, n, &n_read);
    }
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (raw->is_out_of_memory) {
        return mpl_nomem(err);
    }
    if (code != OTF2_SUCCESS && n_read == 0) {
        return refuse(reason, "global definitions", err);
    }
    if (n_read < n) {
        raw->n_lost += n - n_read;
        raw->damage = raw->damage != NULL ? raw->damage : "a definition has broken fields";
    }
    return MPL_OK;
}

static enum mpl_status ask_libotf2(const struct mpl_anchor *anchor, uint64_t n,
                                   struct mpl_raw *raw, struct mpl_err *err)
{
    struct mpl_otf2_reason reason;
    enum mpl_status st;

    mpl_otf2_listen(&reason);
    OTF2_Reader *reader = OTF2_Reader_Open(anchor->path);
    if (reader == NULL) {
        st = refuse(&reason, "anchor", err);
        goto unhook;
    }
    if (OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS) {
        st = refuse(&reason, "anchor", err);
        goto close_reader;
    }
    st = read_records(reader, n, raw, &reason, err);
close_reader:
    (void) OTF2_Reader_Close(reader);
unhook:
    mpl_otf2_listen_no_more(&reason);
    return st;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/** Counts the sound records; the walker has no patience with broken ones. */
static enum mpl_status count_sound(const struct mpl_anchor *anchor, struct mpl_raw *raw,
                                   uint64_t *n, struct mpl_err *err)
{
    const char *path = mpl_arena_printf(raw->arena, "%s.def", anchor->stem);
    struct mpl_room room = { 0 };
    struct mpl_def_walk walk;
    struct mpl_cursor fields;
    struct mpl_bytes file;
    uint8_t type;

    enum mpl_status st =
        path == NULL ? mpl_nomem(err) : mpl_bytes_load(path, &room, &file, err);
    if (st == MPL_END) {
        st = mpl_fail(err, MPL_E_IO, "the global definitions \"%s\" do not exist", path);
    }
    if (st == MPL_OK) {
        mpl_def_walk_start(&walk, file, anchor->def_chunk_bytes);
        while (mpl_def_walk_next(&walk, &type, &fields)) {
        }
        raw->damage = walk.damage;
        *n = walk.n_records;
    }
    if (st == MPL_OK && *n == 0) {
        st = mpl_fail(err, MPL_E_SYNTAX, "\"%s\" holds no definitions%s%s", path,
                      walk.damage != NULL ? ": " : "",
                      walk.damage != NULL ? walk.damage : "");
    }
    mpl_room_free(&room);
    return st;
}

static void raw_start(struct mpl_raw *raw, struct mpl_arena *arena)
{
    *raw = (struct mpl_raw){
        .arena = arena,
        .string_of_ref = mpl_map_create(),
        .texts = mpl_buf_make(sizeof(const char *)),
        .nodes = mpl_buf_make(sizeof(struct mpl_raw_node)),
        .location_groups = mpl_buf_make(sizeof(struct mpl_raw_location_group)),
        .locations = mpl_buf_make(sizeof(struct mpl_raw_location)),
        .regions = mpl_buf_make(sizeof(struct mpl_raw_region)),
        .groups = mpl_buf_make(sizeof(struct mpl_raw_group)),
        .comms = mpl_buf_make(sizeof(struct mpl_raw_comm)),
        .contexts = mpl_buf_make(sizeof(struct mpl_raw_context)),
        .attributes = mpl_buf_make(sizeof(struct mpl_raw_name)),
        .metric_members = mpl_buf_make(sizeof(struct mpl_raw_name)),
        .metric_classes = mpl_buf_make(sizeof(struct mpl_raw_name)),
        .line_of_ref = mpl_map_create(),
        .lines = mpl_buf_make(sizeof(struct mpl_raw_line)),
        .properties = mpl_buf_make(sizeof(struct mpl_raw_property)),
    };
}

enum mpl_status mpl_raw_read(const struct mpl_anchor *anchor, struct mpl_arena *arena,
                             struct mpl_raw *raw, struct mpl_err *err)
{
    uint64_t n = 0;

    raw_start(raw, arena);
    enum mpl_status st = raw->string_of_ref == NULL || raw->line_of_ref == NULL
                             ? mpl_nomem(err)
                             : count_sound(anchor, raw, &n, err);
    st = st == MPL_OK ? ask_libotf2(anchor, n, raw, err) : st;
    if (st == MPL_OK && raw->locations.n == 0) {
        st = mpl_fail(err, MPL_E_SYNTAX, "the archive defines no locations%s%s",
                      raw->damage != NULL ? ": its definition file is damaged, " : "",
                      raw->damage != NULL ? raw->damage : "");
    }
    if (st != MPL_OK) {
        mpl_raw_free(raw);
    }
    return st;
}

void mpl_raw_free(struct mpl_raw *raw)
{
    mpl_map_destroy(raw->string_of_ref);
    mpl_buf_free(&raw->texts);
    mpl_buf_free(&raw->nodes);
    mpl_buf_free(&raw->location_groups);
    mpl_buf_free(&raw->locations);
    mpl_buf_free(&raw->regions);
    mpl_buf_free(&raw->groups);
    mpl_buf_free(&raw->comms);
    mpl_buf_free(&raw->contexts);
    mpl_buf_free(&raw->attributes);
    mpl_buf_free(&raw->metric_members);
    mpl_buf_free(&raw->metric_classes);
    mpl_map_destroy(raw->line_of_ref);
    mpl_buf_free(&raw->lines);
    mpl_buf_free(&raw->properties);
}

const char *mpl_raw_text(const struct mpl_raw *raw, uint32_t string)
{
    const uint32_t number = mpl_map_find(raw->string_of_ref, string);

    return number == MPL_NONE ? "" : *(const char **) mpl_buf_get(&raw->texts, number);
}
