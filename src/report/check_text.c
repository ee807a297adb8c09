#include "config.h"

#include "report/report_priv.h"

static void say_capabilities(struct page *page, const struct mpl_model *model)
{
    size_t n = 0;
    const struct mpl_capability *table = mpl_capability_table(&n);

    mpl_page_heading(page, "What the trace records");
    for (size_t i = 0; i < n; i++) {
        mpl_page_say(page, 2, "%-4s %s: %s",
                     mpl_capability_get(&model->can, &table[i]) ? "yes" : "no",
                     table[i].name, table[i].says);
    }
}

static void say_matching(struct page *page, const struct mpl_match_counts *c)
{
    mpl_page_heading(page, "Matching");
    mpl_page_say(page, 2, "%s messages matched; %s sends and %s receives without a partner",
                 mpl_page_count(page, c->pairs), mpl_page_count(page, c->unmatched_sends),
                 mpl_page_count(page, c->unmatched_receives));
    mpl_page_say(page, 2,
                 "%s receives without completion, %s ends at MPI_PROC_NULL, %s with "
                 "impossible values, %s with a communicator found out",
                 mpl_page_count(page, c->open_receives), mpl_page_count(page, c->null_ends),
                 mpl_page_count(page, c->garbage_ends),
                 mpl_page_count(page, c->guessed_comms));
    mpl_page_say(page, 2, "%s collective operations, %s of them incomplete",
                 mpl_page_count(page, c->collectives),
                 mpl_page_count(page, c->incomplete_collectives));
}

enum mpl_status mpl_report_check_text(const struct mpl_diagnosis *d,
                                      const struct mpl_report_options *options, FILE *out,
                                      struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
    for (size_t i = 0; i < d->n_runs; i++) {
        const struct mpl_run *run = &d->runs[i];

        mpl_page_run(&page, run);
        if (run->events != NULL) {
            say_capabilities(&page, run->model);
            say_matching(&page, &run->match->counts);
            mpl_page_clock_in_full(&page, run);
        }
    }
    return mpl_page_close(&page, err);
}
