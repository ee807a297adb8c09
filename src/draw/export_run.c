/* A run as a trace for other viewers: what is shown there, whatever the format. */
#include "config.h"

#include "draw/export_priv.h"

#include <string.h>

static const char *rank_words(const struct mpl_exporting *x, uint32_t location)
{
    const struct mpl_location *l = &x->run->model->locations[location];
    const uint32_t rank = x->run->model->processes[l->process].rank;

    const char *words =
        l->thread == 0 ? mpl_arena_printf(x->arena, "rank %u", rank)
                       : mpl_arena_printf(x->arena, "rank %u thread %u", rank, l->thread);

    return words != NULL ? words : "?";
}

static enum mpl_status name_all(struct mpl_exporting *x, struct mpl_err *err)
{
    const struct mpl_model *model = x->run->model;

    x->writer->n_names = model->n_regions + MPL_EXPORT_WORDS;
    x->writer->n_texts =
        model->n_comms + model->n_locations + MPL_WAIT_KINDS + MPL_SPAN_CLASSES;
    x->writer->has_name = MPL_NEW_ARRAY(x->arena, x->writer->n_names + 1, bool);
    x->writer->has_text = MPL_NEW_ARRAY(x->arena, x->writer->n_texts + 1, bool);
    x->regions = MPL_NEW_ARRAY(x->arena, model->n_regions, const char *);
    x->comms = MPL_NEW_ARRAY(x->arena, model->n_comms, const char *);
    x->rank_of = MPL_NEW_ARRAY(x->arena, model->n_locations, const char *);
    x->track_of = MPL_NEW_ARRAY(x->arena, model->n_locations, uint32_t);
    if (x->regions == NULL || x->comms == NULL || x->rank_of == NULL ||
        x->track_of == NULL || x->writer->has_name == NULL || x->writer->has_text == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t r = 0; r < model->n_regions; r++) {
        x->regions[r] = mpl_export_clean(x->arena, model->regions[r].name);
    }
    for (uint32_t c = 0; c < model->n_comms; c++) {
        x->comms[c] = mpl_export_clean(x->arena, x->s->comm_names[c]);
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        x->rank_of[l] = rank_words(x, l);
    }
    return MPL_OK;
}

enum mpl_status mpl_draw_export(struct mpl_selection *selection,
                                const struct mpl_export_options *options,
                                struct mpl_arena *arena, FILE *out,
                                struct mpl_export_counts *counts, struct mpl_err *err)
{
    struct mpl_exporting x = {
        .writer = options->format == MPL_EXPORT_PERFETTO ? mpl_perfetto_writer(arena, out)
                                                         : mpl_chrome_writer(arena, out),
        .s = selection,
        .d = selection->diagnosis,
        .run = selection->run,
        .arena = arena,
    };
    enum mpl_status st = x.writer == NULL ? mpl_nomem(err) : name_all(&x, err);

    st = st == MPL_OK ? mpl_export_counters(&x, err) : st;
    st = st == MPL_OK ? mpl_export_analysis(&x, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    mpl_export_locations(&x, options->progress);
    x.writer->close(x.writer);
    mpl_export_flush(x.writer);
    x.counted.bytes = x.writer->n_bytes;
    *counts = x.counted;
    if (mpl_arena_is_short(arena)) {
        return mpl_nomem(err);
    }
    st = x.writer->failed != 0 ? mpl_fail(err, MPL_E_IO, "%s", strerror(x.writer->failed))
                               : mpl_file_flush(out, err);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the export");
}
