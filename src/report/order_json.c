/* Who was first, for a program: "marple-order/1". */
#include "config.h"

#include "report/report_priv.h"

struct mpl_json *mpl_report_instant_json(const struct mpl_run *run,
                                         const struct mpl_instant *i)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "location",
                 mpl_json_string(run->model->locations[i->location].label));
    mpl_json_set(json, "record", mpl_json_integer(i->record));
    mpl_json_set(json, "region", mpl_json_string(i->region));
    mpl_json_set(json, "does", mpl_json_string(i->does));
    mpl_json_set(json, "time_s", mpl_json_number(i->time_s));
    return json;
}

static struct mpl_json *spot_json(const struct mpl_run *run, const struct mpl_spot *spot)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "address", mpl_json_string(spot->address));
    mpl_json_set(json, "note", mpl_json_string(spot->note));
    mpl_json_set(json, "begin", mpl_report_instant_json(run, &spot->begin));
    mpl_json_set(json, "end", mpl_report_instant_json(run, &spot->end));
    return json;
}

struct mpl_json *mpl_report_order_json(const struct mpl_run *run, const char *query)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "schema", mpl_json_string("marple-order/1"));
    mpl_json_set(json, "query", mpl_json_string(query));
    mpl_json_set(json, "trace", mpl_json_string(run->path));
    return json;
}

static struct mpl_json *links_json(const struct mpl_run *run, const struct mpl_between *x)
{
    struct mpl_json *json = mpl_json_array();

    for (size_t i = 0; i < x->n_links; i++) {
        struct mpl_json *link = mpl_json_object();

        mpl_json_set(link, "kind", mpl_json_string(mpl_link_kind_name(x->links[i].kind)));
        mpl_json_set(link, "from", mpl_report_instant_json(run, &x->links[i].from));
        mpl_json_set(link, "to", mpl_report_instant_json(run, &x->links[i].to));
        mpl_json_add(json, link);
    }
    return json;
}

static struct mpl_json *clock_json(const struct mpl_run *run, const struct mpl_between *x)
{
    const bool is_ordered = x->does_overlap || x->answer == MPL_PRECEDENCE_BEFORE ||
                            x->answer == MPL_PRECEDENCE_AFTER;
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "source",
                 mpl_json_string(mpl_clock_source_name(run->clock->source)));
    mpl_json_set(json, "agrees",
                 is_ordered ? mpl_json_boolean(x->margin_s >= 0) : mpl_json_null());
    mpl_json_set(json, "margin_s", mpl_json_number(x->margin_s));
    mpl_json_set(json, "error_s", mpl_json_number(x->error_s));
    return json;
}

enum mpl_status mpl_report_between_json(const struct mpl_run *run,
                                        const struct mpl_between *x, FILE *out,
                                        struct mpl_err *err)
{
    struct mpl_json *json = mpl_report_order_json(run, "between");

    mpl_json_set(json, "a", spot_json(run, &x->a));
    mpl_json_set(json, "b", spot_json(run, &x->b));
    mpl_json_set(json, "answer", mpl_json_string(mpl_precedence_name(x->answer)));
    mpl_json_set(json, "is_whole", mpl_json_boolean(x->is_whole));
    mpl_json_set(json, "does_overlap", mpl_json_boolean(x->does_overlap));
    mpl_json_set(json, "why_not_known", mpl_json_string(x->why));
    mpl_json_set(json, "witness", links_json(run, x));
    mpl_json_set(json, "clock", clock_json(run, x));
    return mpl_json_write(json, out, err);
}

enum mpl_status mpl_report_cut_json(const struct mpl_run *run, const struct mpl_cut *x,
                                    FILE *out, struct mpl_err *err)
{
    const char *query = x->is_future ? "future" : "past";
    struct mpl_json *json = mpl_report_order_json(run, query);
    struct mpl_json *cut = mpl_json_array();

    for (uint32_t i = 0; i < x->n; i++) {
        mpl_json_add(cut, mpl_report_instant_json(run, &x->instants[i]));
    }
    mpl_json_set(json, "a", spot_json(run, &x->spot));
    mpl_json_set(json, "is_complete", mpl_json_boolean(x->is_complete));
    mpl_json_set(json, "why_not_known", mpl_json_string(x->why));
    mpl_json_set(json, query, cut);
    return mpl_json_write(json, out, err);
}

enum mpl_status mpl_report_races_json(const struct mpl_run *run, const struct mpl_races *x,
                                      FILE *out, struct mpl_err *err)
{
    struct mpl_json *json = mpl_report_order_json(run, "races");
    struct mpl_json *races = mpl_json_array();

    for (size_t i = 0; i < x->n; i++) {
        const struct mpl_race *r = &x->races[i];
        struct mpl_json *race = mpl_json_object();

        mpl_json_set(race, "location",
                     mpl_json_string(run->model->locations[r->location].label));
        mpl_json_set(race, "communicator",
                     r->comm == MPL_NONE
                         ? mpl_json_null()
                         : mpl_json_string(run->model->comms[r->comm].name));
        mpl_json_set(race, "tag", mpl_json_integer(r->tag));
        mpl_json_set(race, "verdict",
                     mpl_json_string(r->is_likely ? "likely" : "possible"));
        mpl_json_set(race, "receives", mpl_json_integer((int64_t) r->n_receives));
        mpl_json_set(race, "count", mpl_json_integer((int64_t) r->count));
        mpl_json_add(races, race);
    }
    mpl_json_set(json, "is_complete", mpl_json_boolean(x->why == NULL));
    mpl_json_set(json, "why_not_known", mpl_json_string(x->why));
    mpl_json_set(json, "races", races);
    return mpl_json_write(json, out, err);
}

enum mpl_status mpl_report_sizes_json(const struct mpl_run *run,
                                      const struct mpl_stamp_size *all, size_t n, FILE *out,
                                      struct mpl_err *err)
{
    struct mpl_json *json = mpl_report_order_json(run, "sizes");
    struct mpl_json *sizes = mpl_json_array();

    for (size_t i = 0; i < n; i++) {
        struct mpl_json *size = mpl_json_object();

        mpl_json_set(size, "kind", mpl_json_string(mpl_stamp_kind_name(all[i].kind)));
        mpl_json_set(size, "max_cluster", mpl_json_integer(all[i].max_cluster));
        mpl_json_set(size, "ratio", mpl_json_number(all[i].ratio));
        mpl_json_set(size, "bytes", mpl_json_integer((int64_t) all[i].bytes));
        mpl_json_set(size, "is_used", mpl_json_boolean(all[i].is_used));
        mpl_json_set(size, "why_used", mpl_json_string(all[i].why));
        mpl_json_add(sizes, size);
    }
    mpl_json_set(json, "sizes", sizes);
    return mpl_json_write(json, out, err);
}
