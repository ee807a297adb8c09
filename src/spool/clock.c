#include "config.h"

#include "spool/spool_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* OTF2 draws a line through comparisons and goes on with it beyond them; one alone it ignores. */
OTF2_ErrorCode mpl_archive_clock(void *context, uint32_t location, OTF2_DefWriter *writer)
{
    const struct archive *archive = context;
    uint32_t thread;
    const struct spool *spool = mpl_archive_spool(archive, location, &thread);
    struct mpl_buf points = mpl_buf_make(sizeof(struct clock_point));
    uint64_t last_ns = 0;
    OTF2_ErrorCode code =
        spool == NULL || mpl_spool_clock_points(
                             archive, (uint32_t) (spool - archive->spools->all), &points)
            ? OTF2_SUCCESS
            : OTF2_ERROR_MEM_ALLOC_FAILED;

    for (size_t i = 0; i < points.n && code == OTF2_SUCCESS; i++) {
        const struct clock_point *p = mpl_buf_get(&points, i);

        if (p->time_ns > last_ns) {
            code = OTF2_DefWriter_WriteClockOffset(writer, p->time_ns, p->offset_ns,
                                                   (double) p->error_ns);
            last_ns = p->time_ns;
        }
    }
    /* The process did not come to its end: the offset is held, as nothing shows the drift. */
    if (points.n == 1 && code == OTF2_SUCCESS) {
        const struct clock_point *p = mpl_buf_get(&points, 0);

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
                const struct clock_point *p = mpl_buf_get(&points, k);

                worst = p->error_ns > worst ? p->error_ns : worst;
            }
        }
        mpl_buf_free(&points);
    }
    return worst;
}

static OTF2_ErrorCode set(OTF2_ErrorCode code, OTF2_Archive *otf2, const char *key,
                          const char *value)
{
    return code == OTF2_SUCCESS ? OTF2_Archive_SetProperty(otf2, key, value, true) : code;
}

/* Of the first process that left a spool: what all have in common. */
static OTF2_ErrorCode set_common(struct archive *archive, OTF2_Archive *otf2)
{
    static const char *const common[] = { "MARPLE::COMMAND", "MARPLE::MPI_LIBRARY",
                                          "MARPLE::MPI_SETTINGS" };
    struct walk walk = mpl_walk_start(&archive->spools->all[0], 0);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    struct property p;

    while (code == OTF2_SUCCESS && mpl_property_next(&walk, archive->arena, &p)) {
        for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
            if (strcmp(p.key, common[i]) == 0) {
                code = set(code, otf2, p.key, p.value);
            }
        }
    }
    return archive->command != NULL ? set(code, otf2, common[0], archive->command) : code;
}

OTF2_ErrorCode mpl_archive_properties(void *context, OTF2_Archive *otf2)
{
    struct archive *archive = context;
    OTF2_ErrorCode code = OTF2_Archive_SetCreator(otf2, "marple trace");
    const int64_t worst = worst_error(archive);
    char text[64];

    code = set(code, otf2, "MARPLE::TRACER", "marple");
    code = set(code, otf2, "MARPLE::CLOCK_SOURCE",
               archive->spools->all[0].ties != NULL
                   ? "CLOCK_MONOTONIC through the invariant TSC"
                   : "CLOCK_MONOTONIC");
    if (archive->survey.has_one_clock) {
        code = set(code, otf2, "MARPLE::COMMON_CLOCK", "true");
    }
    if (worst >= 0) {
        (void) snprintf(text, sizeof text, "%" PRId64, worst);
        code = set(code, otf2, "MARPLE::CLOCK_ERROR_NS", text);
    }
    if (archive->summary->n_recorded < archive->summary->n_stretches) {
        (void) snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64 " stretches",
                        archive->summary->n_recorded, archive->summary->n_stretches);
        code = set(code, otf2, "MARPLE::THINNED", text);
    }
    return code == OTF2_SUCCESS ? set_common(archive, otf2) : code;
}
