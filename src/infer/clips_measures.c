/* Facts `measure`: other runs of the program that rules ask for, noted as they are asserted. */
#include "config.h"

#include "infer/clips_priv.h"

#include <string.h>

struct measure_record {
    struct mpl_measure measure;
    long long fact; /* index */
    bool is_withdrawn;
};

/* NULL for texts that are not said. */
static const char *text_or_null(const char *text)
{
    return text == NULL || *text == '\0' ? NULL : text;
}

static bool read_lists(struct mpl_infer *infer, struct fact *fact, struct mpl_measure *m)
{
    struct cage *cage = &infer->cage;
    struct mpl_arena *arena = infer->arena;

    return mpl_fact_texts(cage, fact, "record", arena, &m->record, &m->n_record) &&
           mpl_fact_texts(cage, fact, "regions", arena, &m->regions, &m->n_regions) &&
           mpl_fact_texts(cage, fact, "counters", arena, &m->counters, &m->n_counters) &&
           mpl_fact_texts(cage, fact, "locations", arena, &m->locations, &m->n_locations) &&
           mpl_fact_texts(cage, fact, "separates", arena, &m->separates, &m->n_separates) &&
           mpl_fact_counts(cage, fact, "processes", arena, &m->processes, &m->n_processes);
}

bool mpl_infer_note_measure(struct mpl_infer *infer, struct fact *fact)
{
    struct cage *cage = &infer->cage;
    struct mpl_arena *arena = infer->arena;
    struct measure_record *record = mpl_buf_add(&infer->measures);

    if (record == NULL) {
        return false;
    }
    /* The vocabulary bounds these, but a user may have changed it. */
    const double level = mpl_fact_number(cage, fact, "level");
    const double repetitions = mpl_fact_number(cage, fact, "repetitions");
    struct mpl_measure *m = &record->measure;

    record->fact = fact->factIndex;
    m->run = mpl_fact_text(cage, fact, "run", arena);
    m->pattern = mpl_fact_text(cage, fact, "pattern", arena);
    m->reason = mpl_fact_text(cage, fact, "reason", arena);
    m->knob = text_or_null(mpl_fact_text(cage, fact, "knob", arena));
    m->expects = text_or_null(mpl_fact_text(cage, fact, "expects", arena));
    m->level = level >= 1.0 && level <= 9.0 ? (int) level : 1;
    m->repetitions =
        repetitions >= 1.0 && repetitions <= 100.0 ? (uint32_t) repetitions : 1;
    m->rule = infer->firing->name;
    m->rule_says = infer->firing->says;
    return m->run != NULL && m->pattern != NULL && m->reason != NULL &&
           read_lists(infer, fact, m);
}

void mpl_infer_withdraw_measure(struct mpl_infer *infer, const struct fact *fact)
{
    for (size_t i = 0; i < infer->measures.n; i++) {
        struct measure_record *record = mpl_buf_get(&infer->measures, i);

        record->is_withdrawn = record->is_withdrawn || record->fact == fact->factIndex;
    }
}

struct mpl_buf mpl_infer_measures_make(void)
{
    return mpl_buf_make(sizeof(struct measure_record));
}

size_t mpl_infer_measure_count(const struct mpl_infer *infer)
{
    size_t n = 0;

    for (size_t i = 0; i < infer->measures.n; i++) {
        n += !((const struct measure_record *) mpl_buf_get(&infer->measures, i))
                  ->is_withdrawn;
    }
    return n;
}

const struct mpl_measure *mpl_infer_measure(const struct mpl_infer *infer, size_t i)
{
    for (size_t k = 0; k < infer->measures.n; k++) {
        const struct measure_record *record = mpl_buf_get(&infer->measures, k);

        if (!record->is_withdrawn && i-- == 0) {
            return &record->measure;
        }
    }
    mpl_assert(false);
    return NULL;
}
