#include "config.h"

#include "read/otf2_priv.h"

static void look_at_regions(const struct mpl_model *model, const bool *is_region_used,
                            struct mpl_capabilities *can)
{
    for (uint32_t r = 0; r < model->n_regions; r++) {
        const struct mpl_region *region = &model->regions[r];

        if (!is_region_used[r]) {
            continue;
        }
        if (region->kind == MPL_REGION_USER) {
            can->has_user_regions = true;
            can->has_source_lines |= region->file != NULL && region->line > 0;
        } else if (region->kind == MPL_REGION_MPI_INIT ||
                   region->kind == MPL_REGION_MPI_FINALIZE) {
            can->has_init_finalize = true;
        }
    }
}

static bool has_offsets(const struct mpl_model *model)
{
    for (uint32_t p = 0; p < model->n_processes; p++) {
        if (model->n_offsets[model->processes[p].locations[0]] < 2) {
            return false;
        }
    }
    return model->n_processes > 0;
}

void mpl_capabilities_find(struct mpl_model *model, const bool *is_region_used,
                           const struct mpl_decode_counts *sum,
                           const struct mpl_extras *extras, bool has_metrics)
{
    struct mpl_capabilities can = { 0 };

    look_at_regions(model, is_region_used, &can);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        can.has_messages |= loc->n_messages > 0;
        can.has_call_sites |= loc->sites != NULL;
        can.has_cpu_time |= loc->cpu.n_samples > 1;
        for (uint32_t i = 0; i < loc->n_collectives && !can.has_collectives; i++) {
            can.has_collectives =
                loc->collectives[i].end != MPL_NONE && loc->collectives[i].comm != MPL_NONE;
        }
    }
    /* This tracer would have recorded messages, collectives and threads, and has regions of its own only. */
    can.has_user_regions &= model->tracer != MPL_TRACER_MARPLE;
    can.has_messages |= model->tracer == MPL_TRACER_MARPLE;
    can.has_collectives |= model->tracer == MPL_TRACER_MARPLE;
    can.has_receive_completions = sum->open_receives == 0;
    can.has_immediate_collectives_complete = sum->open_collectives == 0;
    can.has_threads = model->n_locations > model->n_processes ||
                      (model->tracer == MPL_TRACER_MARPLE && !model->has_unseen_threads);
    can.has_clock_offsets = has_offsets(model);
    can.has_counters = has_metrics;
    can.has_wildcards = extras->any_source != MPL_NONE && extras->any_tag != MPL_NONE;
    model->can = can;
}
