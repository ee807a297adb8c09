/* Who was first, for a program: "marple-order/1". */
#include "config.h"

#include "report/report_priv.h"

void mpl_report_label_json(struct mpl_json *json, const char *key,
                           const struct mpl_run *run, uint32_t location)
{
    mpl_json_string(json, key,
                    location == MPL_NONE ? NULL : run->model->locations[location].label);
}

void mpl_report_instant_json(struct mpl_json *json, const char *key,
                             const struct mpl_run *run, const struct mpl_instant *i)
{
    mpl_json_object(json, key);
    mpl_report_label_json(json, "location", run, i->location);
    mpl_json_integer(json, "record", i->record);
    mpl_json_string(json, "region", i->region);
    mpl_json_string(json, "does", i->does);
    mpl_json_number(json, "time_s", i->time_s);
    mpl_json_end(json);
}

static void put_spot(struct mpl_json *json, const char *key, const struct mpl_run *run,
                     const struct mpl_spot *spot)
{
    mpl_json_object(json, key);
    mpl_json_string(json, "address", spot->address);
    mpl_json_string(json, "note", spot->note);
    mpl_report_instant_json(json, "begin", run, &spot->begin);
    mpl_report_instant_json(json, "end", run, &spot->end);
    mpl_json_end(json);
}

struct mpl_json mpl_report_order_json(const struct mpl_run *run, const char *query)
{
    struct mpl_json json = mpl_json_begin();

    mpl_json_string(&json, "schema", "marple-order/1");
    mpl_json_string(&json, "query", query);
    mpl_json_string(&json, "trace", run->path);
    return json;
}

enum mpl_status mpl_report_between_json(const struct mpl_run *run,
                                        const struct mpl_between *x, FILE *out,
                                        struct mpl_err *err)
{
    const bool is_ordered = x->does_overlap || x->answer == MPL_PRECEDENCE_BEFORE ||
                            x->answer == MPL_PRECEDENCE_AFTER;
    struct mpl_json json = mpl_report_order_json(run, "between");

    put_spot(&json, "a", run, &x->a);
    put_spot(&json, "b", run, &x->b);
    mpl_json_string(&json, "answer", mpl_precedence_name(x->answer));
    mpl_json_boolean(&json, "is_whole", x->is_whole);
    mpl_json_boolean(&json, "does_overlap", x->does_overlap);
    mpl_json_string(&json, "why_not_known", x->why);
    mpl_json_array(&json, "witness");
    for (size_t i = 0; i < x->n_links; i++) {
        mpl_json_object(&json, NULL);
        mpl_json_string(&json, "kind", mpl_link_kind_name(x->links[i].kind));
        mpl_report_instant_json(&json, "from", run, &x->links[i].from);
        mpl_report_instant_json(&json, "to", run, &x->links[i].to);
        mpl_json_end(&json);
    }
    mpl_json_end(&json);
    mpl_json_object(&json, "clock");
    mpl_json_string(&json, "source", mpl_clock_source_name(run->clock->source));
    mpl_json_boolean_if(&json, "agrees", is_ordered, x->margin_s >= 0);
    mpl_json_number(&json, "margin_s", x->margin_s);
    mpl_json_number(&json, "error_s", x->error_s);
    mpl_json_end(&json);
    return mpl_json_write(&json, out, err);
}

enum mpl_status mpl_report_cut_json(const struct mpl_run *run, const struct mpl_cut *x,
                                    FILE *out, struct mpl_err *err)
{
    const char *query = x->is_future ? "future" : "past";
    struct mpl_json json = mpl_report_order_json(run, query);

    put_spot(&json, "a", run, &x->spot);
    mpl_json_boolean(&json, "is_complete", x->is_complete);
    mpl_json_string(&json, "why_not_known", x->why);
    mpl_json_array(&json, query);
    for (uint32_t i = 0; i < x->n; i++) {
        mpl_report_instant_json(&json, NULL, run, &x->instants[i]);
    }
    mpl_json_end(&json);
    return mpl_json_write(&json, out, err);
}

enum mpl_status mpl_report_races_json(const struct mpl_run *run, const struct mpl_races *x,
                                      FILE *out, struct mpl_err *err)
{
    struct mpl_json json = mpl_report_order_json(run, "races");

    mpl_json_boolean(&json, "is_complete", x->why == NULL);
    mpl_json_string(&json, "why_not_known", x->why);
    mpl_json_array(&json, "races");
    for (size_t i = 0; i < x->n; i++) {
        const struct mpl_race *r = &x->races[i];

        mpl_json_object(&json, NULL);
        mpl_report_label_json(&json, "location", run, r->location);
        mpl_json_string(&json, "communicator",
                        r->comm == MPL_NONE ? NULL : run->model->comms[r->comm].name);
        mpl_json_integer(&json, "tag", r->tag);
        mpl_json_string(&json, "verdict", r->is_likely ? "likely" : "possible");
        mpl_json_integer(&json, "receives", (int64_t) r->n_receives);
        mpl_json_integer(&json, "count", (int64_t) r->count);
        mpl_json_end(&json);
    }
    mpl_json_end(&json);
    return mpl_json_write(&json, out, err);
}

enum mpl_status mpl_report_sizes_json(const struct mpl_run *run,
                                      const struct mpl_stamp_size *all, size_t n, FILE *out,
                                      struct mpl_err *err)
{
    struct mpl_json json = mpl_report_order_json(run, "sizes");

    mpl_json_array(&json, "sizes");
    for (size_t i = 0; i < n; i++) {
        mpl_json_object(&json, NULL);
        mpl_json_string(&json, "kind", mpl_stamp_kind_name(all[i].kind));
        mpl_json_integer(&json, "max_cluster", all[i].max_cluster);
        mpl_json_number(&json, "ratio", all[i].ratio);
        mpl_json_integer(&json, "bytes", (int64_t) all[i].bytes);
        mpl_json_boolean(&json, "is_used", all[i].is_used);
        mpl_json_string(&json, "why_used", all[i].why);
        mpl_json_end(&json);
    }
    mpl_json_end(&json);
    return mpl_json_write(&json, out, err);
}
