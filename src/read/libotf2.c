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

enum mpl_status mpl_otf2_cannot_write(const struct mpl_otf2_reason *reason,
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

OTF2_Archive *mpl_otf2_create(const char *directory, OTF2_ErrorCode *code)
{
    static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = flush_always,
                                               .otf2_post_flush = NULL };
    OTF2_Archive *archive = OTF2_Archive_Open(directory, archive_name, OTF2_FILEMODE_WRITE,
                                              MPL_OTF2_EVENT_CHUNK, MPL_OTF2_DEF_CHUNK,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);

    *code = OTF2_ERROR_FILE_CAN_NOT_OPEN;
    if (archive == NULL) {
        return NULL;
    }
    /* Without these an archive must not even be closed: libotf2 aborts. */
    *code = OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    if (*code == OTF2_SUCCESS) {
        *code = OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    }
    return archive;
}

const char *mpl_otf2_events_path(const char *directory, uint64_t location,
                                 struct mpl_arena *arena)
{
    return mpl_arena_printf(arena, "%s/%s/%" PRIu64 ".evt", directory, archive_name,
                            location);
}
