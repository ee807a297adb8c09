#include "config.h"

#include "read/libotf2.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char archive_name[] = "trace";

static OTF2_ErrorCode keep_reason(void *user, const char *file, uint64_t line,
                                  const char *function, OTF2_ErrorCode code,
                                  const char *format, va_list args)
{
    const int number = errno;
    struct mpl_otf2_reason *reason = user;

    (void) file;
    (void) line;
    (void) function;
    if (reason != NULL && reason->text[0] == '\0') {
        reason->code = code;
        reason->number = number;
        (void) vsnprintf(reason->text, sizeof reason->text, format, args);
    }
    return code;
}

void mpl_otf2_listen(struct mpl_otf2_reason *reason)
{
    *reason = (struct mpl_otf2_reason){ .code = OTF2_SUCCESS };
    reason->before = OTF2_Error_RegisterCallback(keep_reason, reason);
}

void mpl_otf2_listen_no_more(const struct mpl_otf2_reason *reason)
{
    (void) OTF2_Error_RegisterCallback(reason->before, NULL);
}

/* Why an archive that ended with \p code could not be written. */
static enum mpl_status cannot_write(const struct mpl_otf2_reason *reason,
                                    OTF2_ErrorCode code, struct mpl_err *err)
{
    if (code == OTF2_ERROR_MEM_FAULT) {
        return mpl_nomem(err);
    }
    /* What a disk says is what the user needs; of the rest libotf2 knows more than errno. */
    if (reason->number == ENOSPC || reason->number == EDQUOT || reason->number == EFBIG ||
        reason->number == EIO) {
        return mpl_fail(err, MPL_E_IO, "%s", strerror(reason->number));
    }
    return mpl_fail(err, MPL_E_IO, "%s%s%s", OTF2_Error_GetDescription(code),
                    reason->text[0] != '\0' ? ": " : "", reason->text);
}

/* What full buffers do: they are written. */
static OTF2_FlushType flush_always(void *user, OTF2_FileType type,
                                   OTF2_LocationRef location, void *caller, bool is_final)
{
    (void) user;
    (void) type;
    (void) location;
    (void) caller;
    (void) is_final;
    return OTF2_FLUSH;
}

/* Without these an archive must not even be closed: libotf2 aborts. */
static OTF2_ErrorCode set_callbacks(OTF2_Archive *archive)
{
    static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = flush_always,
                                               .otf2_post_flush = NULL };
    const OTF2_ErrorCode code = OTF2_Archive_SetSerialCollectiveCallbacks(archive);

    return code == OTF2_SUCCESS ? OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL)
                                : code;
}

/* ---- what there is of each location ------------------------------------------------------------------ */

static OTF2_ErrorCode write_clock(OTF2_Archive *archive, const struct mpl_otf2_parts *parts,
                                  uint32_t i)
{
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, parts->locations[i]);

    if (writer == NULL) {
        return OTF2_ERROR_MEM_FAULT;
    }
    const OTF2_ErrorCode code = parts->clock(parts->context, i, writer);
    const OTF2_ErrorCode closed = OTF2_Archive_CloseDefWriter(archive, writer);

    return code != OTF2_SUCCESS ? code : closed;
}

/* They make the directory of the events, too. */
static OTF2_ErrorCode write_clocks(OTF2_Archive *archive,
                                   const struct mpl_otf2_parts *parts)
{
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(archive);

    for (uint32_t i = 0; i < parts->n_locations && code == OTF2_SUCCESS; i++) {
        code = write_clock(archive, parts, i);
    }
    return code == OTF2_SUCCESS ? OTF2_Archive_CloseDefFiles(archive) : code;
}

static enum mpl_status write_events(const char *directory,
                                    const struct mpl_otf2_parts *parts,
                                    struct mpl_arena *scratch, struct mpl_err *err)
{
    struct mpl_room room = { 0 };
    enum mpl_status st = MPL_OK;

    for (uint32_t i = 0; i < parts->n_locations && st == MPL_OK; i++) {
        struct mpl_record_writer writer;
        const char *path = mpl_arena_printf(scratch, "%s/%s/%" PRIu64 ".evt", directory,
                                            archive_name, parts->locations[i]);

        mpl_record_writer_open(&writer, path, MPL_OTF2_EVENT_CHUNK, &room, err);
        parts->events(parts->context, i, &writer);
        st = mpl_record_writer_close(&writer);
    }
    mpl_room_free(&room);
    return st;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static OTF2_ErrorCode write_definitions(OTF2_Archive *archive,
                                        const struct mpl_otf2_parts *parts)
{
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);

    if (writer == NULL) {
        return OTF2_ERROR_MEM_FAULT;
    }
    const OTF2_ErrorCode code = parts->definitions(parts->context, writer);
    const OTF2_ErrorCode closed = OTF2_Archive_CloseGlobalDefWriter(archive, writer);

    return code != OTF2_SUCCESS ? code : closed;
}

enum mpl_status mpl_otf2_write(const char *directory, const struct mpl_otf2_parts *parts,
                               struct mpl_arena *scratch, struct mpl_err *err)
{
    struct mpl_otf2_reason reason;
    enum mpl_status st = MPL_OK;
    OTF2_ErrorCode code = OTF2_ERROR_FILE_CAN_NOT_OPEN;

    mpl_otf2_listen(&reason);
    OTF2_Archive *archive = OTF2_Archive_Open(directory, archive_name, OTF2_FILEMODE_WRITE,
                                              MPL_OTF2_EVENT_CHUNK, MPL_OTF2_DEF_CHUNK,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive != NULL) {
        code = set_callbacks(archive);
        code = code == OTF2_SUCCESS ? parts->properties(parts->context, archive) : code;
        code = code == OTF2_SUCCESS ? write_clocks(archive, parts) : code;
        st = code == OTF2_SUCCESS ? write_events(directory, parts, scratch, err) : MPL_OK;
        code =
            code == OTF2_SUCCESS && st == MPL_OK ? write_definitions(archive, parts) : code;
        const OTF2_ErrorCode closed = OTF2_Archive_Close(archive);
        code = code != OTF2_SUCCESS ? code : closed;
    }
    mpl_otf2_listen_no_more(&reason);
    return st != MPL_OK || code == OTF2_SUCCESS ? st : cannot_write(&reason, code, err);
}
