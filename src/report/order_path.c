/* The critical path of a run, for a person and for a program. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <string.h>

static const char *region_name(const struct mpl_run *run, uint32_t region)
{
    return region == MPL_NONE ? NULL : run->model->regions[region].name;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void begin_share(struct mpl_json *json, double path_s, double length_s)
{
    mpl_json_object(json, NULL);
    mpl_json_number(json, "path_s", path_s);
    mpl_json_number(json, "share", length_s > 0 ? path_s / length_s : 0);
}

static void put_locations(struct mpl_json *json, const struct mpl_run *run,
                          const struct mpl_critical_shares *s)
{
    mpl_json_array(json, "locations");
    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        begin_share(json, s->location_s[l], s->length_s);
        mpl_report_label_json(json, "location", run, l);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

static void put_regions(struct mpl_json *json, const struct mpl_run *run,
                        const struct mpl_critical_shares *s)
{
    mpl_json_array(json, "regions");
    for (size_t i = 0; i < s->n_regions; i++) {
        begin_share(json, s->regions[i].path_s, s->length_s);
        mpl_json_string(json, "region", region_name(run, s->regions[i].region));
        mpl_json_number(json, "mean_s", s->regions[i].mean_s);
        mpl_json_number(json, "imbalance_s", s->regions[i].imbalance_s);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

void mpl_report_path_of_json(struct mpl_json *json, const struct mpl_diagnosis *d)
{
    if (d->path == NULL) {
        mpl_json_string(json, "critical_path", NULL);
        return;
    }

    const struct mpl_run *run = &d->runs[d->speaker];
    const struct mpl_critical_shares *shares = d->path->shares;
    const struct mpl_critical_steps *steps = d->path->steps;

    mpl_json_object(json, "critical_path");
    mpl_json_string(json, "run", run->id);
    mpl_json_number(json, "length_s", shares->length_s);
    mpl_json_number(json, "imbalance_s", shares->imbalance_s);
    mpl_json_string(json, "why_not_known", mpl_critical_doubt(d->path->path));
    put_locations(json, run, shares);
    put_regions(json, run, shares);
    mpl_json_array(json, "steps");
    for (size_t i = 0; steps != NULL && i < steps->n; i++) {
        const struct mpl_critical_step *step = &steps->all[i];

        begin_share(json, step->path_s, shares->length_s);
        mpl_json_integer(json, "first", step->first);
        mpl_json_integer(json, "last", step->last);
        mpl_report_label_json(json, "location", run, step->location);
        mpl_json_number(json, "location_s", step->most_s);
        mpl_json_end(json);
    }
    mpl_json_end(json);
    mpl_json_end(json);
}

static void put_segments(struct mpl_json *json, const struct mpl_run *run,
                         const struct mpl_critical *path)
{
    mpl_json_array(json, "segments");
    for (uint32_t i = 0; i < path->n; i++) {
        const struct mpl_critical_segment *s = &path->segments[i];

        mpl_json_object(json, NULL);
        mpl_report_label_json(json, "location", run, s->location);
        mpl_json_number(json, "begin_s", mpl_model_seconds(run->model, s->begin_ticks));
        mpl_json_number(json, "end_s", mpl_model_seconds(run->model, s->end_ticks));
        mpl_json_boolean(json, "is_tied", s->is_tied);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

/* As `marple order` takes it: "0:solve[3]", or a moment in the middle of a stretch, "0@0.25". */
static const char *address_of(const struct mpl_run *run,
                              const struct mpl_critical_call *call, struct mpl_arena *arena)
{
    const struct mpl_location *loc = &run->model->locations[call->location];

    if (call->region != MPL_NONE) {
        return mpl_arena_printf(arena, "%s:%s[%" PRIu32 "]", loc->label,
                                run->model->regions[call->region].name, call->number);
    }

    const int64_t begin_ticks = mpl_ticks_of(loc, call->event);
    const int64_t ticks = mpl_ticks_of(loc, call->event + 1) - begin_ticks;
    const double middle_s = mpl_model_seconds(run->model, begin_ticks + ticks / 2);

    /* As few digits as lie within it for sure. */
    return mpl_arena_printf(
        arena, mpl_model_seconds(run->model, ticks) > 2e-6 ? "%s@%.6f" : "%s@%.9f",
        loc->label, middle_s);
}

static void put_calls(struct mpl_json *json, const struct mpl_run *run,
                      const struct mpl_critical_calls *calls, double length_s,
                      struct mpl_arena *scratch)
{
    mpl_json_array(json, "calls");
    for (size_t i = 0; i < calls->n; i++) {
        const struct mpl_critical_call *call = &calls->all[i];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "address", address_of(run, call, scratch));
        mpl_report_label_json(json, "location", run, call->location);
        mpl_json_string(json, "region",
                        call->region == MPL_NONE ? NULL
                                                 : run->model->regions[call->region].name);
        mpl_json_number(json, "path_s", call->path_s);
        mpl_json_number(json, "share", length_s > 0 ? call->path_s / length_s : 0);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

enum mpl_status mpl_report_path_json(const struct mpl_run *run,
                                     const struct mpl_critical *path,
                                     const struct mpl_critical_shares *shares,
                                     const struct mpl_critical_calls *calls, FILE *out,
                                     struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();

    if (scratch == NULL) {
        return mpl_nomem(err);
    }

    struct mpl_json json = mpl_report_order_json(run, "path");

    mpl_json_string(&json, "why_not_known", mpl_critical_doubt(path));
    mpl_json_object(&json, "path");
    mpl_json_number(&json, "length_s", shares->length_s);
    mpl_json_number(&json, "imbalance_s", shares->imbalance_s);
    mpl_json_number(&json, "unknown_s", mpl_model_seconds(run->model, path->unknown_ticks));
    mpl_json_integer(&json, "ties", (int64_t) path->n_ties);
    mpl_json_array(&json, "shares");
    for (size_t i = 0; i < shares->n_shares; i++) {
        begin_share(&json, shares->shares[i].path_s, shares->length_s);
        mpl_report_label_json(&json, "location", run, shares->shares[i].location);
        mpl_json_string(&json, "region", region_name(run, shares->shares[i].region));
        mpl_json_end(&json);
    }
    mpl_json_end(&json);
    put_locations(&json, run, shares);
    put_regions(&json, run, shares);
    put_calls(&json, run, calls, shares->length_s, scratch);
    put_segments(&json, run, path);
    mpl_json_end(&json);
    mpl_arena_destroy(scratch);
    return mpl_json_write(&json, out, err);
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

static void say_calls(struct page *page, const struct mpl_run *run,
                      const struct mpl_critical_calls *calls, double length_s)
{
    mpl_page_heading(page, "Its longest calls, and stretches outside of any");
    for (size_t i = 0; i < calls->n; i++) {
        const struct mpl_critical_call *call = &calls->all[i];
        const char *address = address_of(run, call, page->scratch);

        mpl_page_say(page, 2, "%s: %s, %s", address == NULL ? "?" : address,
                     mpl_page_share(page, call->path_s / length_s),
                     mpl_page_seconds(page, call->path_s));
    }
    if (calls->n_all > calls->n) {
        mpl_page_say(page, 2, "… and %s more",
                     mpl_page_count(page, calls->n_all - calls->n));
    }
}

enum mpl_status mpl_report_path_text(const struct mpl_run *run,
                                     const struct mpl_critical *path,
                                     const struct mpl_critical_shares *shares,
                                     const struct mpl_critical_calls *calls, size_t top,
                                     const struct mpl_report_options *options, FILE *out,
                                     struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
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
    if (mpl_critical_doubt(path) != NULL) {
        mpl_page_say(&page, 0, "It may be another one: %s.", mpl_critical_doubt(path));
    } else if (path->unknown_ticks > 0) {
        mpl_page_say(
            &page, 0, "For %s of it nobody can tell whom its process waited for.",
            mpl_page_seconds(&page, mpl_model_seconds(run->model, path->unknown_ticks)));
    }
    if (shares->length_s > 0) {
        say_shares(&page, run, shares, top);
        say_imbalance(&page, run, shares, top);
        say_calls(&page, run, calls, shares->length_s);
        say_segments(&page, run, path, top);
    }
    return mpl_page_close(&page, err);
}

/* ---- in a diagnosis --------------------------------------------------------------------------- */

/* "rank 3", "location 3.1" */
static const char *called(struct page *page, const struct mpl_run *run, uint32_t location)
{
    const char *label = run->model->locations[location].label;
    const char *words = mpl_arena_printf(
        page->scratch, "%s %s", strchr(label, '.') == NULL ? "rank" : "location", label);

    return words == NULL ? "?" : words;
}

/* How many steps a location has most of the path in, and in which they begin. */
static uint32_t count_led(const struct mpl_critical_steps *steps, uint32_t location,
                          uint32_t *first)
{
    uint32_t n = 0;

    for (size_t i = 1; i + 1 < steps->n; i++) {
        const struct mpl_critical_step *step = &steps->all[i];

        if (step->location == location) {
            *first = n == 0 ? step->first : *first;
            n += step->last - step->first + 1;
        }
    }
    return n;
}

static void say_lead(struct page *page, const struct mpl_run *run,
                     const struct mpl_critical_steps *steps, uint32_t location)
{
    const uint32_t n = steps->all[steps->n - 1].first - 1;
    uint32_t first = 0;
    const uint32_t n_led = count_led(steps, location, &first);

    if (2 * (uint64_t) n_led >= n) {
        mpl_page_say(page, 2,
                     "In %" PRIu32 " of %" PRIu32 " steps most of it is on %s, first in "
                     "step %" PRIu32 ".",
                     n_led, n, called(page, run, location), first);
    } else {
        mpl_page_say(page, 2,
                     "It changes sides: in only %" PRIu32 " of %" PRIu32
                     " steps most of it is on %s.",
                     n_led, n, called(page, run, location));
    }
}

void mpl_page_path(struct page *page, const struct mpl_diagnosis *d)
{
    if (d->path == NULL || d->path->shares->length_s <= 0) {
        return;
    }

    const struct mpl_run *run = &d->runs[d->speaker];
    const struct mpl_critical_shares *s = d->path->shares;
    const char *region = s->n_regions > 0 ? region_name(run, s->regions[0].region) : NULL;
    uint32_t longest = 0;

    for (uint32_t l = 1; l < run->model->n_locations; l++) {
        longest = s->location_s[l] > s->location_s[longest] ? l : longest;
    }
    mpl_page_heading(page, "Critical path");
    mpl_page_say(
        page, 2, "%s long%s%s. Most of it is on %s: %s.",
        mpl_page_seconds(page, s->length_s),
        mpl_critical_doubt(d->path->path) == NULL ? "" : "; it may be another, as ",
        mpl_critical_doubt(d->path->path) == NULL ? "" : mpl_critical_doubt(d->path->path),
        called(page, run, longest),
        mpl_page_share(page, s->location_s[longest] / s->length_s));
    if (region != NULL) {
        mpl_page_say(page, 2, "%s takes %s of it.", region,
                     mpl_page_share(page, s->regions[0].path_s / s->length_s));
    }
    if (d->path->steps != NULL) {
        say_lead(page, run, d->path->steps, longest);
    }
    mpl_page_say(page, 2,
                 "Imbalance: %s of it would go if all did the same amount of "
                 "everything.",
                 mpl_page_seconds(page, s->imbalance_s));
}

const char *mpl_page_began(struct page *page, const struct mpl_diagnosis *d,
                           const struct mpl_diagnosed *f)
{
    const char *others = "";

    for (size_t i = 0; i < f->n_precedes && others != NULL; i++) {
        for (size_t k = 0; k < d->n_findings && others != NULL; k++) {
            const struct mpl_diagnosed *other = &d->findings[k];

            if (other->id == f->precedes[i]) {
                others = mpl_arena_printf(page->scratch, "%s%s%s (%s)", others,
                                          i == 0 ? "" : " and ", other->id,
                                          mpl_page_seconds(page, other->began_s));
            }
        }
    }
    return f->n_precedes == 0 || others == NULL
               ? NULL
               : mpl_arena_printf(page->scratch, "at %s; %s must have come after that",
                                  mpl_page_seconds(page, f->began_s), others);
}
