/* Where waiting begins and how it spreads, for a person and for a program. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *label(const struct mpl_run *run, uint32_t location)
{
    return run->model->locations[location].label;
}

static void put_spread(struct mpl_json *json, const struct mpl_run *run,
                       const struct mpl_origin *o)
{
    mpl_json_object(json, "spread");
    mpl_json_integer(json, "waves", (int64_t) o->n_waves);
    mpl_json_number(json, "least_s", o->least_s);
    mpl_json_integer(json, "hops",
                     o->n_reached == 0 ? 0 : o->reached[o->n_reached - 1].hops);
    mpl_json_number(json, "hops_per_s", o->hops_per_s);
    mpl_json_array(json, "reached");
    for (size_t i = 0; i < o->n_reached; i++) {
        const struct mpl_reach *r = &o->reached[i];

        mpl_json_object(json, NULL);
        mpl_json_string(json, "location", label(run, r->location));
        mpl_json_integer(json, "hops", r->hops);
        mpl_json_integer_if(json, "distance", r->distance != MPL_NONE, r->distance);
        mpl_json_integer(json, "waves", (int64_t) r->n_waves);
        mpl_json_number(json, "after_s", r->after_s);
        mpl_json_end(json);
    }
    mpl_json_end(json);
    mpl_json_end(json);
}

enum mpl_status mpl_report_origins_json(const struct mpl_run *run,
                                        const struct mpl_origins *x, FILE *out,
                                        struct mpl_err *err)
{
    const char *answer = x->why != NULL ? "not-known" : x->n == 0 ? "none" : "found";
    struct mpl_json json = mpl_report_order_json(run, "origin");

    mpl_json_string(&json, "finding", x->finding);
    mpl_json_string(&json, "answer", answer);
    mpl_json_string(&json, "why_not_known", x->why);
    mpl_json_integer(&json, "steps", x->n_steps);
    mpl_json_number(&json, "waited_s", x->why == NULL ? x->waited_s : NAN);
    mpl_json_array(&json, "origins");
    for (size_t i = 0; i < x->n; i++) {
        const struct mpl_origin *o = &x->origins[i];

        mpl_json_object(&json, NULL);
        mpl_json_string(&json, "location", label(run, o->location));
        mpl_json_integer_if(&json, "step", o->step != MPL_NONE, o->step);
        mpl_json_number(&json, "waited_s", o->waited_s);
        mpl_json_number(&json, "share", o->share);
        if (o->n_waves == 0) {
            mpl_json_string(&json, "first", NULL);
        } else {
            mpl_report_instant_json(&json, "first", run, &o->first);
        }
        put_spread(&json, run, o);
        mpl_json_end(&json);
    }
    mpl_json_end(&json);
    mpl_json_integer(&json, "small_origins", x->n_small);
    mpl_json_number(&json, "small_s", x->why == NULL ? x->small_s : NAN);
    return mpl_json_write(&json, out, err);
}

/* Those that are as many hops away, in a line; the time is the median. */
static size_t say_hops(struct page *page, const struct mpl_run *run,
                       const struct mpl_origin *o, size_t i)
{
    const size_t first = i;
    const char **labels = MPL_NEW_ARRAY(page->scratch, o->n_reached, const char *);

    for (; i < o->n_reached && o->reached[i].hops == o->reached[first].hops; i++) {
        if (labels != NULL) {
            labels[i - first] = label(run, o->reached[i].location);
        }
    }
    mpl_page_say(page, 4, "%" PRIu32 ", after %s: %s", o->reached[first].hops,
                 mpl_page_seconds(page, o->reached[first + (i - first) / 2].after_s),
                 labels == NULL ? "?" : mpl_page_labels(page, labels, i - first));
    return i;
}

static void say_spread(struct page *page, const struct mpl_run *run,
                       const struct mpl_origin *o)
{
    if (o->n_reached == 0) {
        return;
    }
    mpl_page_say(page, 2,
                 "Who waits then, for %s or more in every second case at least, by hops "
                 "from there, and after what time (medians):",
                 mpl_page_seconds(page, o->least_s));
    for (size_t i = 0; i < o->n_reached;) {
        i = say_hops(page, run, o, i);
    }
    if (!isnan(o->hops_per_s)) {
        mpl_page_say(page, 2, "The waiting spreads by one hop in %s.",
                     mpl_page_seconds(page, 1 / o->hops_per_s));
    }
}

static void say_first(struct page *page, const struct mpl_run *run,
                      const struct mpl_origins *x, const struct mpl_origin *o)
{
    const char *step =
        o->step == MPL_NONE ? NULL
        : o->step == 0      ? "before step 1"
                       : mpl_arena_printf(page->scratch, "in step %" PRIu32 " of %" PRIu32,
                                          o->step, x->n_steps);
    const char *delays = o->n_waves == 1
                             ? "one delay, "
                             : mpl_arena_printf(page->scratch, "%s delays, the first ",
                                                mpl_page_count(page, o->n_waves));

    if (o->n_waves > 0) {
        mpl_page_say(page, 2, "This follows from %s%s%sat %.6f s, in %s (%s#%" PRIu32 ").",
                     delays == NULL ? "?" : delays, step == NULL ? "" : step,
                     step == NULL ? "" : ", ", o->first.time_s,
                     o->first.region == NULL ? "no call" : o->first.region,
                     label(run, o->location), o->first.record);
    } else {
        mpl_page_say(page, 2, "None of its delays stands out.");
    }
}

static void say_answer(struct page *page, const struct mpl_origins *x)
{
    const char *of = x->finding == NULL
                         ? ""
                         : mpl_arena_printf(page->scratch, " that %s is about", x->finding);

    if (x->why != NULL) {
        mpl_page_say(page, 0, "Not known: %s.", x->why);
    } else if (x->waited_s <= 0) {
        mpl_page_say(page, 0, "Nobody waits for anybody.");
    } else if (x->n == 0) {
        mpl_page_say(page, 0,
                     "The waiting%s, %s, begins nowhere in particular: no location's own "
                     "delays cost 5 %% of the process time or more.",
                     of == NULL ? "?" : of, mpl_page_seconds(page, x->waited_s));
    } else {
        mpl_page_say(page, 0,
                     "Of the waiting%s, %s, this began with delays of these locations, and "
                     "is no consequence of other waits:",
                     of == NULL ? "?" : of, mpl_page_seconds(page, x->waited_s));
    }
}

enum mpl_status mpl_report_origins_text(const struct mpl_run *run,
                                        const struct mpl_origins *x,
                                        const struct mpl_report_options *options, FILE *out,
                                        struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
    say_answer(&page, x);
    for (size_t i = 0; i < x->n; i++) {
        const struct mpl_origin *o = &x->origins[i];
        const char *who = label(run, o->location);

        (void) fputc('\n', out);
        mpl_page_say(&page, 0,
                     "%s %s: %s of waiting go back to it (%s of the process time).",
                     strchr(who, '.') == NULL ? "Rank" : "Location", who,
                     mpl_page_seconds(&page, o->waited_s), mpl_page_share(&page, o->share));
        say_first(&page, run, x, o);
        say_spread(&page, run, o);
    }
    if (x->n > 0 && x->n_small > 0) {
        (void) fputc('\n', out);
        mpl_page_say(&page, 0, "%" PRIu32 " other%s with less than 5 %% each: %s together.",
                     x->n_small, x->n_small == 1 ? "" : "s",
                     mpl_page_seconds(&page, x->small_s));
    }
    return mpl_page_close(&page, err);
}
