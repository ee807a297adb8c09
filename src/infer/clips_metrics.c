/*
 * Facts `metric` by what they are of. With do-for-all-facts a rule looks at each metric of each
 * location to find one of them, and at all of them again for the next location: quadratic in the
 * locations. CLIPS keeps equal texts once, so what a metric is of is compared by address.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOCATION = MPL_OF_LOCATION, N_PARTS = MPL_OF_PARTS, N_LIST_PARTS = LOCATION };
enum { VALUE = N_PARTS, RANK, OF, UNIT, N_SLOTS };

static const char *const slots[N_SLOTS] = { "run",   "pattern", "name", "location",
                                            "value", "rank",    "of",   "unit" };

struct entry {
    const void *of[N_PARTS];
    double value;
    double rank, n;          /* of the location, among so many */
    const void *unit;        /* of one that is no fact yet; else NULL */
    const struct fact *fact; /* NULL once it is retracted, and as long as there is a unit */
    uint32_t same_place; /* the one before it whose place has the same hash, or MPL_NONE */
    uint32_t same_list;  /* the one behind it in its list, likewise */
    uint32_t last;       /* of the list; of its first entry only */
};

struct mpl_metric_facts {
    const struct deftemplate *template; /* for which positions are known, or NULL */
    size_t positions[N_SLOTS];          /* MPL_NONE: it has no such slot */
    struct mpl_buf entries;
    struct mpl_map *places; /* hash of all parts -> its latest entry */
    struct mpl_map *lists;  /* hash of all but the location -> its first entry */
};

struct mpl_metric_facts *mpl_metric_facts_create(struct mpl_arena *arena)
{
    struct mpl_metric_facts *m = MPL_NEW(arena, struct mpl_metric_facts);

    if (m != NULL) {
        m->entries = mpl_buf_make(sizeof(struct entry));
    }
    return m;
}

void mpl_metric_facts_free(struct mpl_metric_facts *m)
{
    if (m != NULL) {
        mpl_buf_free(&m->entries);
        mpl_map_destroy(m->places);
        mpl_map_destroy(m->lists);
    }
}

static struct entry *entry_at(const struct mpl_metric_facts *m, uint32_t i)
{
    return mpl_buf_get(&m->entries, i);
}

static uint64_t hash(const void *const *of, size_t n)
{
    uint64_t h = n;

    for (size_t i = 0; i < n; i++) {
        h = mpl_hash_mix(h ^ (uint64_t) (uintptr_t) of[i]);
    }
    return h;
}

static bool is_of(const struct entry *e, const void *const *of, size_t n)
{
    return (e->fact != NULL || e->unit != NULL) && memcmp(e->of, of, n * sizeof *of) == 0;
}

/* The latest fact about a place, as the last of do-for-all-facts would be. */
static const struct entry *find_place(const struct mpl_metric_facts *m,
                                      const void *const *of)
{
    uint32_t i = mpl_map_find(m->places, hash(of, N_PARTS));

    while (i != MPL_NONE && !is_of(entry_at(m, i), of, N_PARTS)) {
        i = entry_at(m, i)->same_place;
    }
    return i == MPL_NONE ? NULL : entry_at(m, i);
}

/* Behind the others of its list, so that lists have the order of the facts. */
static bool append(struct mpl_metric_facts *m, uint32_t i)
{
    const uint64_t key = hash(entry_at(m, i)->of, N_LIST_PARTS);
    const uint32_t first = mpl_map_find(m->lists, key);

    entry_at(m, i)->last = i;
    if (first == MPL_NONE) {
        return mpl_map_put(m->lists, key, i);
    }
    entry_at(m, entry_at(m, first)->last)->same_list = i;
    entry_at(m, first)->last = i;
    return true;
}

/* The rules may have been loaded anew. */
static void know_template(struct mpl_metric_facts *m, const struct deftemplate *template)
{
    for (size_t i = 0; i < N_SLOTS && m->template != template; i++) {
        const bool is_there =
            mpl_template_slot(template, slots[i], &m->positions[i]) != NULL;

        m->positions[i] = is_there ? m->positions[i] : MPL_NONE;
    }
    m->template = template;
}

static const struct field *field_of(const struct mpl_metric_facts *m,
                                    const struct fact *fact, size_t slot)
{
    return m->positions[slot] == MPL_NONE
               ? NULL
               : &fact->theProposition.theFields[m->positions[slot]];
}

static double number_of(const struct mpl_metric_facts *m, const struct fact *fact,
                        size_t slot)
{
    const struct field *field = field_of(m, fact, slot);

    return field == NULL ? NAN : mpl_field_number(field);
}

static void take_place(struct mpl_metric_facts *m, const struct fact *fact, const void **of)
{
    know_template(m, fact->whichDeftemplate);
    for (size_t i = 0; i < N_PARTS; i++) {
        const struct field *field = field_of(m, fact, i);

        of[i] = field == NULL ? NULL : mpl_field_symbol(field);
    }
}

/* Where it is found; false without memory. */
static bool place(struct mpl_metric_facts *m, uint32_t i)
{
    const uint64_t key = hash(entry_at(m, i)->of, N_PARTS);

    entry_at(m, i)->same_list = MPL_NONE;
    entry_at(m, i)->same_place = mpl_map_find(m->places, key);
    return mpl_map_put(m->places, key, i) && append(m, i);
}

bool mpl_metric_facts_add(struct mpl_metric_facts *m, struct fact *fact)
{
    const uint32_t i = (uint32_t) m->entries.n;
    struct entry *e = mpl_buf_add(&m->entries);

    if (e == NULL) {
        return false;
    }
    take_place(m, fact, e->of);
    e->value = number_of(m, fact, VALUE);
    e->rank = number_of(m, fact, RANK);
    e->n = number_of(m, fact, OF);
    e->fact = fact;
    return place(m, i);
}

bool mpl_metric_facts_withhold(struct mpl_metric_facts *m,
                               const struct deftemplate *template,
                               const struct mpl_metric_given *given)
{
    const uint32_t i = (uint32_t) m->entries.n;
    struct entry *e = mpl_buf_add(&m->entries);

    if (e == NULL) {
        return false;
    }
    know_template(m, template);
    *e = (struct entry){
        .value = given->value, .rank = given->rank, .n = given->n, .unit = given->unit
    };
    for (size_t k = 0; k < N_PARTS; k++) {
        e->of[k] = given->of[k];
        IncrementSymbolCount((struct symbolHashNode *) given->of[k]);
    }
    IncrementSymbolCount((struct symbolHashNode *) given->unit);
    return place(m, i);
}

/* Two lists of one hash share it. */
static uint32_t first_of(const struct mpl_metric_facts *m, const void *const *of)
{
    return m == NULL ? MPL_NONE : mpl_map_find(m->lists, hash(of, N_LIST_PARTS));
}

bool mpl_metric_facts_is_first(const struct mpl_metric_facts *m,
                               const struct mpl_metric_given *given)
{
    const uint32_t i = first_of(m, given->of);

    return i == MPL_NONE || entry_at(m, i)->fact == NULL ||
           memcmp(entry_at(m, i)->of, given->of, N_LIST_PARTS * sizeof *given->of) != 0;
}

uint32_t mpl_metric_facts_find_withheld(const struct mpl_metric_facts *m,
                                        struct mpl_metric_given *given)
{
    uint32_t i = mpl_map_find(m->places, hash(given->of, N_PARTS));

    while (i != MPL_NONE &&
           (entry_at(m, i)->unit == NULL || !is_of(entry_at(m, i), given->of, N_PARTS))) {
        i = entry_at(m, i)->same_place;
    }
    if (i != MPL_NONE) {
        const struct entry *e = entry_at(m, i);

        given->unit = e->unit;
        given->value = e->value;
        given->rank = e->rank;
        given->n = e->n;
    }
    return i;
}

uint32_t mpl_metric_facts_next_withheld(const struct mpl_metric_facts *m, uint32_t i)
{
    while (i < m->entries.n && entry_at(m, i)->unit == NULL) {
        i++;
    }
    return i < m->entries.n ? i : MPL_NONE;
}

/* The template has these slots and no others, or nothing would have been withheld. */
void mpl_metric_facts_release(struct mpl_metric_facts *m, void *env, uint32_t i)
{
    struct entry *e = entry_at(m, i);
    struct fact *fact = EnvCreateFact(env, (void *) m->template);
    struct field *fields = fact->theProposition.theFields;

    for (size_t k = 0; k < N_PARTS; k++) {
        fields[m->positions[k]] =
            (struct field){ .type = STRING, .value = (void *) e->of[k] };
    }
    fields[m->positions[UNIT]] =
        (struct field){ .type = STRING, .value = (void *) e->unit };
    fields[m->positions[VALUE]] =
        (struct field){ .type = FLOAT, .value = EnvAddDouble(env, e->value) };
    fields[m->positions[RANK]] =
        (struct field){ .type = INTEGER, .value = EnvAddLong(env, (long long) e->rank) };
    fields[m->positions[OF]] =
        (struct field){ .type = INTEGER, .value = EnvAddLong(env, (long long) e->n) };
    e->unit = NULL;
    e->fact = fact;
    if (EnvAssert(env, fact) == NULL) {
        entry_at(m, i)->fact = NULL;
    }
}

bool mpl_metric_facts_restart(struct mpl_metric_facts *m, void *env)
{
    m->entries.n = 0;
    mpl_map_destroy(m->places);
    mpl_map_destroy(m->lists);
    m->places = mpl_map_create();
    m->lists = mpl_map_create();

    bool is_noted = m->places != NULL && m->lists != NULL;
    for (struct fact *f = EnvGetNextFact(env, NULL); f != NULL && is_noted;
         f = EnvGetNextFact(env, f)) {
        is_noted = !mpl_fact_is(f, "metric") || mpl_metric_facts_add(m, f);
    }
    return is_noted;
}

void mpl_metric_facts_remove(struct mpl_metric_facts *m, const struct fact *fact)
{
    const void *of[N_PARTS];
    uint32_t i;

    take_place(m, fact, of);
    i = mpl_map_find(m->places, hash(of, N_PARTS));
    while (i != MPL_NONE && entry_at(m, i)->fact != fact) {
        i = entry_at(m, i)->same_place;
    }
    if (i != MPL_NONE) {
        entry_at(m, i)->fact = NULL;
    }
}

/* ---- (metric-value ?run ?pattern ?name ?location ?otherwise) ---------------------------- */

/* The arguments that say of what; false after an error. */
static bool take_parts(void *env, const char *function, const void **of, int n)
{
    for (int i = 0; i < n; i++) {
        DATA_OBJECT value;

        if (!EnvArgTypeCheck(env, function, i + 1, STRING, &value)) {
            return false;
        }
        of[i] = value.value;
    }
    return true;
}

static const struct mpl_metric_facts *facts_of(void *env)
{
    const struct cage *cage = GetEnvironmentContext(env);

    return cage->metrics;
}

static double metric_value(void *env)
{
    const void *of[N_PARTS];
    DATA_OBJECT otherwise;

    if (!take_parts(env, "metric-value", of, N_PARTS) ||
        !EnvArgTypeCheck(env, "metric-value", N_PARTS + 1, INTEGER_OR_FLOAT, &otherwise)) {
        return 0.0;
    }

    const struct mpl_metric_facts *m = facts_of(env);
    const struct entry *e = m == NULL ? NULL : find_place(m, of);

    return e == NULL ? mpl_cage_number(&otherwise) : e->value;
}

/* ---- (median-of ?run ?pattern ?name) --------------------------------------------------- */

/* By the ranks, since the facts may still be arriving: 0 as long as the middle is not there. */
static double median_of(void *env)
{
    const struct mpl_metric_facts *m = facts_of(env);
    const void *of[N_LIST_PARTS];
    double sum = 0.0;

    if (!take_parts(env, "median-of", of, N_LIST_PARTS)) {
        return 0.0;
    }
    for (uint32_t i = first_of(m, of); i != MPL_NONE; i = entry_at(m, i)->same_list) {
        const struct entry *e = entry_at(m, i);

        if (is_of(e, of, N_LIST_PARTS) && e->rank > 0.0) {
            sum += e->rank == floor((e->n + 1.0) / 2.0) ? e->value / 2.0 : 0.0;
            sum += e->rank == 1.0 + floor(e->n / 2.0) ? e->value / 2.0 : 0.0;
        }
    }
    return sum;
}

/* ---- (metric-values ?run ?pattern ?name), (metric-locations ?run ?pattern ?name) --------- */

static int by_value_descending(const void *a, const void *b)
{
    const struct entry *x = *(const struct entry *const *) a;
    const struct entry *y = *(const struct entry *const *) b;

    if (x->value != y->value) {
        return x->value < y->value ? 1 : -1;
    }
    return x < y ? -1 : x > y; /* In the order in which they were given. */
}

/* Those of all locations, the largest first, of equal ones the older. False without memory. */
static bool collect(const struct mpl_metric_facts *m, const void *const *of,
                    struct mpl_buf *list)
{
    bool is_sorted = true;

    for (uint32_t i = first_of(m, of); i != MPL_NONE; i = entry_at(m, i)->same_list) {
        struct entry *e = entry_at(m, i);

        if (is_of(e, of, N_LIST_PARTS) && *ValueToString(e->of[LOCATION]) != '\0') {
            struct entry **slot = mpl_buf_add(list);

            if (slot == NULL) {
                return false;
            }
            *slot = e;
            is_sorted =
                is_sorted && (list->n < 2 || by_value_descending(slot - 1, slot) < 0);
        }
    }
    if (!is_sorted) { /* The engine asserts them so. */
        qsort(list->data, list->n, sizeof(struct entry *), by_value_descending);
    }
    return true;
}

static void make_list(void *env, DATA_OBJECT *result, const char *function, bool is_values)
{
    const struct mpl_metric_facts *m = facts_of(env);
    struct mpl_buf entries = mpl_buf_make(sizeof(struct entry *));
    const void *of[N_LIST_PARTS];

    if (take_parts(env, function, of, N_LIST_PARTS) && !collect(m, of, &entries)) {
        mpl_cage_stop(GetEnvironmentContext(env), CAGE_NOMEM);
    }
    if (entries.n > MPL_MULTIFIELD_ITEMS) {
        mpl_cage_fail(env, "more than 100,000 locations");
        entries.n = 0;
    }

    struct multifield *list = EnvCreateMultifield(env, (long) entries.n);

    for (size_t i = 0; i < entries.n; i++) {
        const struct entry *e = *(struct entry **) mpl_buf_get(&entries, i);

        list->theFields[i].type = is_values ? FLOAT : STRING;
        list->theFields[i].value =
            is_values ? EnvAddDouble(env, e->value) : (void *) e->of[LOCATION];
    }
    result->type = MULTIFIELD;
    result->value = list;
    SetpDOBegin(result, 1);
    SetpDOEnd(result, (long) entries.n);
    mpl_buf_free(&entries);
}

static void metric_values(void *env, DATA_OBJECT *result)
{
    make_list(env, result, "metric-values", true);
}

static void metric_locations(void *env, DATA_OBJECT *result)
{
    make_list(env, result, "metric-locations", false);
}

void mpl_cage_add_metric_functions(struct cage *cage)
{
    (void) EnvDefineFunction2(cage->env, "metric-value", 'd', PTIEF metric_value,
                              "metric_value", "55ussssn");
    (void) EnvDefineFunction2(cage->env, "median-of", 'd', PTIEF median_of, "median_of",
                              "33s");
    (void) EnvDefineFunction2(cage->env, "metric-values", 'm', PTIEF metric_values,
                              "metric_values", "33s");
    (void) EnvDefineFunction2(cage->env, "metric-locations", 'm', PTIEF metric_locations,
                              "metric_locations", "33s");
}
