/* The critical path of a run, for a person and for a program. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>

static const char *region_name(const struct mpl_run *run, uint32_t region)
{
    return region == MPL_NONE ? NULL : run->model->regions[region].name;
}

/* Why the path may be another one; NULL. */
static const char *doubt_of(const struct mpl_run *run)
{
    return run->model->can.has_receive_completions
               ? NULL
               : "the trace does not record when receives are completed";
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static struct mpl_json *share_json(double path_s, double length_s)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "path_s", mpl_json_number(path_s));
    mpl_json_set(json, "share", mpl_json_number(length_s > 0 ? path_s / length_s : 0));
    return json;
}

static struct mpl_json *shares_json(const struct mpl_run *run,
                                    const struct mpl_critical_shares *s)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < s->n_shares; i++) {
        struct mpl_json *json = share_json(s->shares[i].path_s, s->length_s);

        mpl_json_set(json, "location",
                     mpl_json_string(run->model->locations[s->shares[i].location].label));
        mpl_json_set(json, "region",
                     mpl_json_string(region_name(run, s->shares[i].region)));
        mpl_json_add(all, json);
    }
    return all;
}

static struct mpl_json *locations_json(const struct mpl_run *run,
                                       const struct mpl_critical_shares *s)
{
    struct mpl_json *all = mpl_json_array();

    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        struct mpl_json *json = share_json(s->location_s[l], s->length_s);

        mpl_json_set(json, "location", mpl_json_string(run->model->locations[l].label));
        mpl_json_add(all, json);
    }
    return all;
}

static struct mpl_json *regions_json(const struct mpl_run *run,
                                     const struct mpl_critical_shares *s)
{
    struct mpl_json *all = mpl_json_array();

    for (size_t i = 0; i < s->n_regions; i++) {
        struct mpl_json *json = share_json(s->regions[i].path_s, s->length_s);

        mpl_json_set(json, "region",
                     mpl_json_string(region_name(run, s->regions[i].region)));
        mpl_json_set(json, "mean_s", mpl_json_number(s->regions[i].mean_s));
        mpl_json_set(json, "imbalance_s", mpl_json_number(s->regions[i].imbalance_s));
        mpl_json_add(all, json);
    }
    return all;
}

static struct mpl_json *segments_json(const struct mpl_run *run,
                                      const struct mpl_critical *path)
{
    struct mpl_json *all = mpl_json_array();

    for (uint32_t i = 0; i < path->n; i++) {
        const struct mpl_critical_segment *s = &path->segments[i];
        struct mpl_json *json = mpl_json_object();

        mpl_json_set(json, "location",
                     mpl_json_string(run->model->locations[s->location].label));
        mpl_json_set(json, "begin_s",
                     mpl_json_number(mpl_model_seconds(run->model, s->begin_ticks)));
        mpl_json_set(json, "end_s",
                     mpl_json_number(mpl_model_seconds(run->model, s->end_ticks)));
        mpl_json_set(json, "is_tied", mpl_json_boolean(s->is_tied));
        mpl_json_add(all, json);
    }
    return all;
}

enum mpl_status mpl_report_path_json(const struct mpl_run *run,
                                     const struct mpl_critical *path,
                                     const struct mpl_critical_shares *shares, FILE *out,
                                     struct mpl_err *err)
{
    struct mpl_json *json = mpl_report_order_json(run, "path");
    struct mpl_json *body = mpl_json_object();

    mpl_json_set(body, "length_s", mpl_json_number(shares->length_s));
    mpl_json_set(body, "imbalance_s", mpl_json_number(shares->imbalance_s));
    mpl_json_set(body, "unknown_s",
                 mpl_json_number(mpl_model_seconds(run->model, path->unknown_ticks)));
    mpl_json_set(body, "ties", mpl_json_integer((int64_t) path->n_ties));
    mpl_json_set(body, "shares", shares_json(run, shares));
    mpl_json_set(body, "locations", locations_json(run, shares));
    mpl_json_set(body, "regions", regions_json(run, shares));
    mpl_json_set(body, "segments", segments_json(run, path));
    mpl_json_set(json, "why_not_known", mpl_json_string(doubt_of(run)));
    mpl_json_set(json, "path", body);
    return mpl_report_order_write(json, out, err);
}

/* ---- text ------------------------------------------------------------------------------------- */

static void say_segments(struct page *page, const struct mpl_run *run,
                         const struct mpl_critical *path, size_t top)
{
    mpl_page_heading(page, "From process to process");
    for (uint32_t i = 0; i < path->n && i < top; i++) {
        const struct mpl_critical_segment *s = &path->segments[i];

        mpl_page_say(
            page, 2, "%s: %.6f to %.6f s%s", run->model->locations[s->location].label,
            mpl_model_seconds(run->model, s->begin_ticks),
            mpl_model_seconds(run->model, s->end_ticks), s->is_tied ? ", tied" : "");
    }
    if (path->n > top) {
        mpl_page_say(page, 2, "… and %" PRIu32 " more", path->n - (uint32_t) top);
    }
}

static void say_shares(struct page *page, const struct mpl_run *run,
                       const struct mpl_critical_shares *s, size_t top)
{
    mpl_page_heading(page, "Who has most of it");
    for (size_t i = 0; i < s->n_shares && i < top; i++) {
        const struct mpl_critical_share *share = &s->shares[i];
        const char *region = region_name(run, share->region);

        mpl_page_say(page, 2, "%s: %s, %s, in %s",
                     run->model->locations[share->location].label,
                     mpl_page_share(page, share->path_s / s->length_s),
                     mpl_page_seconds(page, share->path_s),
                     region == NULL ? "no recorded function" : region);
    }
    if (s->n_shares > top) {
        mpl_page_say(page, 2, "… and %zu more", s->n_shares - top);
    }
}

static void say_imbalance(struct page *page, const struct mpl_run *run,
                          const struct mpl_critical_shares *s, size_t top)
{
    mpl_page_heading(page, "Imbalance of the path");
    for (size_t i = 0; i < s->n_regions && i < top; i++) {
        const struct mpl_critical_region *r = &s->regions[i];
        const char *region = region_name(run, r->region);

        mpl_page_say(page, 2, "%s: %s on the path, %s on the mean location, %s above it",
                     region == NULL ? "no recorded function" : region,
                     mpl_page_seconds(page, r->path_s), mpl_page_seconds(page, r->mean_s),
                     mpl_page_seconds(page, r->imbalance_s));
    }
}

enum mpl_status mpl_report_path_text(const struct mpl_run *run,
                                     const struct mpl_critical *path,
                                     const struct mpl_critical_shares *shares, size_t top,
                                     const struct mpl_report_options *options, FILE *out,
                                     struct mpl_err *err)
{
    struct page page;
    const enum mpl_status st = mpl_page_open(&page, options, out, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_page_say(&page, 0, "The critical path is %s long, with %s of imbalance.",
                 mpl_page_seconds(&page, shares->length_s),
                 mpl_page_seconds(&page, shares->imbalance_s));
    if (path->n_ties > 0) {
        mpl_page_say(
            &page, 0,
            "At %s of its turns another process came as late, as far as the clocks "
            "can tell: there are other paths as long.",
            mpl_page_count(&page, path->n_ties));
    }
    if (doubt_of(run) != NULL) {
        mpl_page_say(&page, 0, "It may be another one: %s.", doubt_of(run));
    } else if (path->unknown_ticks > 0) {
        mpl_page_say(
            &page, 0, "For %s of it nobody can tell whom its process waited for.",
            mpl_page_seconds(&page, mpl_model_seconds(run->model, path->unknown_ticks)));
    }
    if (shares->length_s > 0) {
        say_shares(&page, run, shares, top);
        say_imbalance(&page, run, shares, top);
        say_segments(&page, run, path, top);
    }
    return mpl_page_close(&page, err);
}
