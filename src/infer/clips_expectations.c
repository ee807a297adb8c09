/* Facts `expectation`: what models expect of a larger run, noted as rules assert them. */
#include "config.h"

#include "infer/clips_priv.h"

#include <string.h>

struct expectation_record {
    struct mpl_expectation expectation;
    long long fact; /* index */
    bool is_withdrawn;
};

static struct expectation_record *record_of(const struct mpl_infer *infer, size_t i)
{
    return mpl_buf_get(&infer->expectations, i);
}

bool mpl_infer_note_expectation(struct mpl_infer *infer, struct fact *fact)
{
    struct cage *cage = &infer->cage;
    struct mpl_arena *arena = infer->arena;
    struct expectation_record *record = mpl_buf_add(&infer->expectations);

    if (record == NULL) {
        return false;
    }
    struct mpl_expectation *e = &record->expectation;

    record->fact = fact->factIndex;
    e->from = mpl_fact_text(cage, fact, "from", arena);
    e->to = mpl_fact_text(cage, fact, "to", arena);
    e->pattern = mpl_fact_text(cage, fact, "pattern", arena);
    e->quantity = mpl_fact_text(cage, fact, "quantity", arena);
    e->unit = mpl_fact_text(cage, fact, "unit", arena);
    e->model = mpl_fact_text(cage, fact, "model", arena);
    e->expected = mpl_fact_number(cage, fact, "expected");
    e->measured = mpl_fact_number(cage, fact, "measured");
    e->rule = infer->firing->name;
    return e->from != NULL && e->to != NULL && e->pattern != NULL && e->quantity != NULL &&
           e->unit != NULL && e->model != NULL;
}

void mpl_infer_withdraw_expectation(struct mpl_infer *infer, const struct fact *fact)
{
    for (size_t i = 0; i < infer->expectations.n; i++) {
        struct expectation_record *record = record_of(infer, i);

        record->is_withdrawn = record->is_withdrawn || record->fact == fact->factIndex;
    }
}

struct mpl_buf mpl_infer_expectations_make(void)
{
    return mpl_buf_make(sizeof(struct expectation_record));
}

size_t mpl_infer_expectation_count(const struct mpl_infer *infer)
{
    size_t n = 0;

    for (size_t i = 0; i < infer->expectations.n; i++) {
        n += !record_of(infer, i)->is_withdrawn;
    }
    return n;
}

const struct mpl_expectation *mpl_infer_expectation(const struct mpl_infer *infer, size_t i)
{
    for (size_t k = 0; k < infer->expectations.n; k++) {
        const struct expectation_record *record = record_of(infer, k);

        if (!record->is_withdrawn && i-- == 0) {
            return &record->expectation;
        }
    }
    mpl_assert(false);
    return NULL;
}
