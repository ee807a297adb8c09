#include "config.h"

#include "spool/spool_priv.h"

#include <inttypes.h>

/* OTF2 draws a line through comparisons and goes on with it beyond them; one alone it ignores. */
OTF2_ErrorCode mpl_archive_clock(struct archive *archive, uint32_t spool,
                                 OTF2_DefWriter *writer)
{
    struct mpl_buf points = mpl_buf_make(sizeof(struct clock_point));
    OTF2_ErrorCode code = mpl_spool_clock_points(archive, spool, &points)
                              ? OTF2_SUCCESS
                              : OTF2_ERROR_MEM_ALLOC_FAILED;
    uint64_t last_ns = 0;

    for (size_t i = 0; i < points.n && code == OTF2_SUCCESS; i++) {
        const struct clock_point *p = (const struct clock_point *) mpl_buf_get(&points, i);

        if (p->time_ns > last_ns) {
            code = OTF2_DefWriter_WriteClockOffset(writer, p->time_ns, p->offset_ns,
                                                   (double) p->error_ns);
            last_ns = p->time_ns;
        }
    }
    /* The process did not come to its end: the offset is held, as nothing tells the drift. */
    if (points.n == 1 && code == OTF2_SUCCESS) {
        const struct clock_point *p = (const struct clock_point *) mpl_buf_get(&points, 0);

        code = OTF2_DefWriter_WriteClockOffset(writer, p->time_ns + 1, p->offset_ns,
                                               (double) p->error_ns);
    }
    mpl_buf_free(&points);
    return code;
}

/* The largest error of any comparison; -1: there is none, or no memory. */
static int64_t worst_error(const struct archive *archive)
{
    int64_t worst = -1;

    for (uint32_t i = 0; i < archive->spools->n; i++) {
        struct mpl_buf points = mpl_buf_make(sizeof(struct clock_point));

        if (mpl_spool_clock_points(archive, i, &points)) {
            for (size_t k = 0; k < points.n; k++) {
                const struct clock_point *p =
                    (const struct clock_point *) mpl_buf_get(&points, k);

                worst = p->error_ns > worst ? p->error_ns : worst;
            }
        }
        mpl_buf_free(&points);
    }
    return worst;
}

OTF2_ErrorCode mpl_archive_properties(struct archive *archive, OTF2_Archive *otf2)
{
    OTF2_ErrorCode code = OTF2_Archive_SetCreator(otf2, "marple trace");
    const int64_t worst = worst_error(archive);
    char text[32];

    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_SetProperty(otf2, "MARPLE::TRACER", "marple", true);
    }
    if (code == OTF2_SUCCESS && archive->survey.has_one_clock) {
        code = OTF2_Archive_SetProperty(otf2, "MARPLE::COMMON_CLOCK", "true", true);
    }
    if (code == OTF2_SUCCESS && worst >= 0) {
        (void) snprintf(text, sizeof text, "%" PRId64, worst);
        code = OTF2_Archive_SetProperty(otf2, "MARPLE::CLOCK_ERROR_NS", text, true);
    }
    return code;
}
