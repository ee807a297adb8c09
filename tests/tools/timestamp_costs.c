/*
 * timestamp_costs
 *
 * What timestamps cost, of every kind, and what else has been proposed for the same, on made programs
 * (programs.h): the tables of doc/happened-before.md, which are exactly this program's output.
 */
#include "config.h"

#include "observed.h"
#include "programs.h"

#include "causality/causality.h"

#include <stdlib.h>
#include <string.h>

enum { N_PAIRS = 20000, N_SEARCHES = 2000, LEAST = 4, MOST = 10 };

static struct mpl_arena *arena;

static void *must(void *made)
{
    if (made == NULL) {
        (void) fputs("timestamp_costs: out of memory\n", stderr);
        exit(1);
    }
    return made;
}

/* Steele, Lea, Flood (2014): SplitMix64. */
static uint32_t roll(uint64_t *dice, uint32_t below)
{
    uint64_t z = *dice += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t) ((z ^ (z >> 31)) % below);
}

/* ---- a run as a list of receives ------------------------------------------------------------------ */

struct receive {
    struct mpl_moment at;
    struct mpl_moment sent;
    uint32_t before; /* 1 + the receive before it on its process; 0 */
};

struct run {
    struct mpl_net *net;
    uint32_t n; /* Processes. */
    double n_events;
    struct mpl_buf receives;  /* In the order of the walk. */
    uint32_t *vectors;        /* Per receive, n numbers: the greatest predecessors. */
    uint32_t *last;           /* Per process: 1 + its last receive. */
    struct mpl_moment *sends; /* Per message. */
    uint32_t *known;          /* Per message: 1 + the receive before its send. */
};

static void see_send(void *context, uint32_t location, uint32_t i)
{
    struct run *r = context;
    const struct mpl_net_point *p = &r->net->track[location].points[i];

    r->sends[p->link] = (struct mpl_moment){ location, p->event };
    r->known[p->link] = r->last[location];
}

static void raise_to(uint32_t *vector, const struct run *r, uint32_t receive)
{
    for (uint32_t l = 0; l < r->n && receive > 0; l++) {
        const uint32_t other = r->vectors[(size_t) (receive - 1) * r->n + l];

        vector[l] = vector[l] < other ? other : vector[l];
    }
}

static bool see_receive(void *context, uint32_t location, uint32_t i)
{
    struct run *r = context;
    const struct mpl_net_point *p = &r->net->track[location].points[i];
    struct receive *receive = must(mpl_buf_add(&r->receives));
    uint32_t *vector = r->vectors + (r->receives.n - 1) * r->n;
    const struct mpl_moment sent = r->sends[p->link];

    *receive = (struct receive){ { location, p->event }, sent, r->last[location] };
    raise_to(vector, r, r->last[location]);
    raise_to(vector, r, r->known[p->link]);
    vector[sent.location] =
        vector[sent.location] <= sent.event ? sent.event + 1 : vector[sent.location];
    r->last[location] = (uint32_t) r->receives.n;
    return true;
}

static struct run walk(struct mpl_net *net)
{
    struct run r = { .net = net, .n = net->n_tracks };
    const struct mpl_net_walker walker = {
        .context = &r, .source = see_send, .sink = see_receive, .is_in_rounds = true
    };
    uint64_t n_ignored;

    r.receives = mpl_buf_make(sizeof(struct receive));
    r.vectors = must(MPL_NEW_ARRAY(arena, (size_t) net->n_pairs * r.n, uint32_t));
    r.last = must(MPL_NEW_ARRAY(arena, r.n, uint32_t));
    r.sends = must(MPL_NEW_ARRAY(arena, net->n_pairs, struct mpl_moment));
    r.known = must(MPL_NEW_ARRAY(arena, net->n_pairs, uint32_t));
    for (uint32_t l = 0; l < r.n; l++) {
        r.n_events += net->model->locations[l].n_events;
    }
    if (mpl_net_walk(net, &walker, &n_ignored, NULL) != MPL_OK) {
        (void) must(NULL);
    }
    return r;
}

static const struct receive *receive_at(const struct run *r, size_t i)
{
    return mpl_buf_get(&r->receives, i);
}

static struct mpl_moment draw(const struct run *r, uint64_t *dice)
{
    const uint32_t l = roll(dice, r->n);

    return (struct mpl_moment){ l, roll(dice, r->net->model->locations[l].n_events) };
}

/* ---- levels ------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    struct mpl_causality_options options;
} kinds[] = {
    { "vectors", { MPL_CLUSTER_STATIC, 0, { 0 } } },
    { "the same by differences", { MPL_CLUSTER_STATIC, 1, { 1 } } },
    { "static 8", { MPL_CLUSTER_STATIC, 1, { 8 } } },
    { "self-organising 8", { MPL_CLUSTER_SELF, 1, { 8 } } },
    { "informed 4", { MPL_CLUSTER_INFORMED, 1, { 4 } } },
    { "informed 8", { MPL_CLUSTER_INFORMED, 1, { 8 } } },
    { "informed 16", { MPL_CLUSTER_INFORMED, 1, { 16 } } },
    { "informed 4, 16", { MPL_CLUSTER_INFORMED, 2, { 4, 16 } } },
    { "informed 4, 64", { MPL_CLUSTER_INFORMED, 2, { 4, 64 } } },
    { "informed 8, 64", { MPL_CLUSTER_INFORMED, 2, { 8, 64 } } },
    { "self-organising 4, 16, 64", { MPL_CLUSTER_SELF, 3, { 4, 16, 64 } } },
    { "informed 4, 16, 64", { MPL_CLUSTER_INFORMED, 3, { 4, 16, 64 } } },
    { "informed 2, 8, 32, 128", { MPL_CLUSTER_INFORMED, 4, { 2, 8, 32, 128 } } },
};

static void measure_kind(const struct run *r, size_t kind)
{
    struct mpl_causality *c = NULL;
    uint64_t dice = 7;
    uint64_t before;
    double n_inside = 0;
    double n_across = 0;
    double sum_across = 0;
    double most = 0;

    if (mpl_causality_create(r->net, &kinds[kind].options, &c, NULL) != MPL_OK) {
        (void) must(NULL);
    }

    const struct mpl_causality_size size = mpl_causality_size(c);

    for (int i = 0; i < N_PAIRS; i++) {
        const struct mpl_moment b = draw(r, &dice);
        const uint32_t a = roll(&dice, r->n);
        double cost;

        before = mpl_causality_cost(c).questions;
        (void) mpl_causality_past(c, b, a);
        cost = (double) (mpl_causality_cost(c).questions - before);
        n_inside += cost <= 1 ? 1 : 0;
        n_across += cost > 1 ? 1 : 0;
        sum_across += cost > 1 ? cost : 0;
        most = cost > most ? cost : most;
    }
    before = mpl_causality_cost(c).questions;
    for (int i = 0; i < 100; i++) {
        const struct mpl_moment b = draw(r, &dice);

        for (uint32_t l = 0; l < r->n; l++) {
            (void) mpl_causality_past(c, b, l);
        }
    }
    printf("| %s | %.3f | %.0f | %.2f | %.0f %% | %.0f | %.0f | %.0f |\n", kinds[kind].name,
           size.ratio, (double) size.bytes / r->n_events,
           (double) mpl_causality_cost(c).creation / ((double) r->receives.n * r->n),
           100 * n_inside / (n_inside + n_across),
           n_across == 0 ? 0 : sum_across / n_across, most,
           (double) (mpl_causality_cost(c).questions - before) / 100);
    mpl_causality_destroy(c);
}

static void print_levels(const char *name, const struct run *r)
{
    printf("### Levels: %s\n\n"
           "| timestamps | ratio | bytes per record | creation | at once | across, mean | "
           "across, most | all predecessors |\n|---|---|---|---|---|---|---|---|\n",
           name);
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        measure_kind(r, kind);
    }
    printf("\n");
}

/* ---- differences ------------------------------------------------------------------------------------- */

/* Numbers stored if each receive has the entries that change, with their places, and each k-th all. */
static double numbers_of_differences(const struct run *r, uint32_t k)
{
    uint32_t *count = must(MPL_NEW_ARRAY(arena, r->n, uint32_t));
    double n_numbers = 0;

    for (size_t i = 0; i < r->receives.n; i++) {
        const struct receive *receive = receive_at(r, i);
        const uint32_t *now = r->vectors + i * r->n;
        const uint32_t *then = receive->before == 0
                                   ? NULL
                                   : r->vectors + (size_t) (receive->before - 1) * r->n;
        uint32_t n_changed = 0;

        for (uint32_t l = 0; l < r->n; l++) {
            n_changed += now[l] != (then == NULL ? 0 : then[l]) ? 1 : 0;
        }
        n_numbers += count[receive->at.location]++ % k == 0 || 2 * n_changed > r->n
                         ? r->n
                         : 2 * n_changed;
    }
    return n_numbers;
}

static void print_differences(const char *name, const struct run *r)
{
    static const uint32_t every[] = { 4, 16, 64, UINT32_MAX };
    const double full = (double) r->receives.n * r->n;

    printf("| %s |", name);
    for (size_t i = 0; i < sizeof every / sizeof every[0]; i++) {
        printf(" %.2f |", full / numbers_of_differences(r, every[i]));
    }
    printf("\n");
}

/* ---- direct dependences --------------------------------------------------------------------------------- */

/* Receives that are looked at to find whether a comes before b. */
static double cost_of_search(const struct run *r, uint32_t *const *of, const uint32_t *n_of,
                             struct mpl_moment a, struct mpl_moment b, uint32_t *reached,
                             uint32_t *looked_at)
{
    double cost = 0;
    bool has_changed = true;

    memset(reached, 0, r->n * sizeof *reached);
    memset(looked_at, 0, r->n * sizeof *looked_at);
    reached[b.location] = b.event + 1;
    while (has_changed && reached[a.location] <= a.event) {
        has_changed = false;
        for (uint32_t l = 0; l < r->n; l++) {
            for (; looked_at[l] < n_of[l] &&
                   receive_at(r, of[l][looked_at[l]])->at.event < reached[l];
                 looked_at[l]++, cost++) {
                const struct mpl_moment sent = receive_at(r, of[l][looked_at[l]])->sent;

                if (reached[sent.location] <= sent.event) {
                    reached[sent.location] = sent.event + 1;
                    has_changed = true;
                }
            }
        }
    }
    return cost;
}

static void print_direct(const char *name, const struct run *r)
{
    uint32_t **of = must(MPL_NEW_ARRAY(arena, r->n, uint32_t *));
    uint32_t *n_of = must(MPL_NEW_ARRAY(arena, r->n, uint32_t));
    uint32_t *reached = must(MPL_NEW_ARRAY(arena, r->n, uint32_t));
    uint32_t *looked_at = must(MPL_NEW_ARRAY(arena, r->n, uint32_t));
    uint64_t dice = 11;
    double sum = 0;
    double most = 0;

    for (uint32_t l = 0; l < r->n; l++) {
        of[l] = must(MPL_NEW_ARRAY(arena, r->net->track[l].n_points, uint32_t));
    }
    for (uint32_t i = 0; i < r->receives.n; i++) {
        const uint32_t l = receive_at(r, i)->at.location;

        of[l][n_of[l]++] = i;
    }
    for (int i = 0; i < N_SEARCHES; i++) {
        const struct mpl_moment a = draw(r, &dice);
        const double cost =
            cost_of_search(r, of, n_of, a, draw(r, &dice), reached, looked_at);

        sum += cost;
        most = cost > most ? cost : most;
    }
    printf("| %s | %.3f | %.0f | %.0f | %zu |\n", name, 2.0 / r->n, sum / N_SEARCHES, most,
           r->receives.n);
}

/* ---- what is observed only ------------------------------------------------------------------------------ */

static void print_observed(const char *name, const struct run *r)
{
    static const uint32_t every[] = { 1, 4, 16 };

    printf("| %s |", name);
    for (size_t i = 0; i < sizeof every / sizeof every[0]; i++) {
        struct mpl_arena *own = must(mpl_arena_create());
        struct observed_cost cost;

        if (!observed_measure(r->net, every[i], own, &cost)) {
            (void) must(NULL);
        }
        printf(" %.3f | %.0f |", cost.ratio, cost.looked_at);
        mpl_arena_destroy(own);
    }
    printf("\n");
}

/* ---- linear extensions ---------------------------------------------------------------------------------- */

/* Where points stand in an order of all events in which one process comes as late as it can. */
static void extend(const struct run *r, uint32_t late, uint32_t **position)
{
    uint32_t *at = must(MPL_NEW_ARRAY(arena, r->n, uint32_t));
    bool *is_sent = must(MPL_NEW_ARRAY(arena, r->net->n_pairs, bool));
    uint32_t n = 0;
    bool has_moved = true;

    while (has_moved) {
        has_moved = false;
        for (uint32_t k = 0; k <= r->n && !(k == r->n && has_moved); k++) {
            const uint32_t l = k < r->n ? k : late;
            const struct mpl_net_track *track = &r->net->track[l];

            while (k == r->n || l != late) {
                const struct mpl_net_point *p = &track->points[at[l]];

                if (at[l] == track->n_points ||
                    ((p->flags & MPL_POINT_SOURCE) == 0 && !is_sent[p->link])) {
                    break;
                }
                is_sent[p->link] = true;
                position[l][at[l]++] = n++;
                has_moved = true;
                if (k == r->n) {
                    break;
                }
            }
        }
    }
}

/* An event comes right before the next point of its process; behind the last one, at the end. */
static uint32_t position_of(const struct run *r, uint32_t *const *position,
                            struct mpl_moment e)
{
    const struct mpl_net_track *track = &r->net->track[e.location];
    uint32_t low = 0;
    uint32_t high = track->n_points;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (track->points[middle].event < e.event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == track->n_points ? UINT32_MAX : position[e.location][low];
}

static bool is_before(const struct run *r, struct mpl_moment a, struct mpl_moment b)
{
    const struct mpl_net_track *track = &r->net->track[b.location];
    const struct receive *last = NULL;
    size_t number = 0;

    (void) track;
    for (uint32_t i = r->last[b.location]; i > 0; i = receive_at(r, i - 1)->before) {
        if (receive_at(r, i - 1)->at.event <= b.event) {
            last = receive_at(r, i - 1);
            number = i - 1;
            break;
        }
    }
    return a.location == b.location
               ? a.event < b.event
               : last != NULL && r->vectors[number * r->n + a.location] > a.event;
}

static void print_extensions(const char *name, const struct run *r)
{
    enum { N_ASKED = 500 };
    static struct mpl_moment a[N_ASKED];
    static struct mpl_moment b[N_ASKED];
    static bool is_less[N_ASKED];
    static bool is_more[N_ASKED];
    uint32_t **position = must(MPL_NEW_ARRAY(arena, r->n, uint32_t *));
    uint64_t dice = 13;

    for (int i = 0; i < N_ASKED;) {
        a[i] = draw(r, &dice);
        b[i] = draw(r, &dice);
        is_less[i] = false;
        is_more[i] = false;
        i += a[i].location != b[i].location && !is_before(r, a[i], b[i]) &&
                     !is_before(r, b[i], a[i])
                 ? 1
                 : 0;
    }
    for (uint32_t l = 0; l < r->n; l++) {
        position[l] = must(MPL_NEW_ARRAY(arena, r->net->track[l].n_points, uint32_t));
    }
    printf("| %s |", name);
    for (uint32_t d = 1; d <= r->n; d++) {
        /* Processes from all over. */
        extend(r, (d - 1) * 37 % r->n, position);

        double n_told = 0;

        for (int i = 0; i < N_ASKED; i++) {
            const uint32_t x = position_of(r, position, a[i]);
            const uint32_t y = position_of(r, position, b[i]);

            is_less[i] = is_less[i] || x < y;
            is_more[i] = is_more[i] || x > y;
            n_told += is_less[i] && is_more[i] ? 1 : 0;
        }
        if (d == 2 || d == 4 || d == 8 || d == 16 || d == 32 || d == r->n) {
            printf(" %.0f %% |", 100 * n_told / N_ASKED);
        }
    }
    printf("\n");
}

/* ---- other ways to make clusters --------------------------------------------------------------------------- */

/* Self-organising clusters of two levels, as far as their sizes go. */
struct trial {
    uint32_t most;
    uint32_t after;    /* Merge with the so-manyth message between two processes. */
    uint32_t n_resets; /* So often, evenly, all clusters fall apart. */
};

struct clusters {
    uint32_t *home;
    uint32_t *size;
};

static struct clusters fall_apart(const struct run *r, struct clusters k)
{
    for (uint32_t l = 0; l < r->n; l++) {
        k.home[l] = l;
        k.size[l] = 1;
    }
    return k;
}

static void merge(const struct run *r, const struct clusters *k, uint32_t a, uint32_t b)
{
    const uint32_t into = k->home[a];
    const uint32_t from = k->home[b];

    for (uint32_t l = 0; l < r->n; l++) {
        k->home[l] = k->home[l] == from ? into : k->home[l];
    }
    k->size[into] += k->size[from];
}

static double ratio_of(const struct run *r, struct trial t, struct clusters *out)
{
    struct clusters k = { must(MPL_NEW_ARRAY(arena, r->n, uint32_t)),
                          must(MPL_NEW_ARRAY(arena, r->n, uint32_t)) };
    uint32_t *seen = must(MPL_NEW_ARRAY(arena, (size_t) r->n * r->n, uint32_t));
    uint32_t *counted = must(MPL_NEW_ARRAY(arena, r->n, uint32_t));
    double n_numbers = 0;

    k = fall_apart(r, k);
    for (size_t i = 0; i < r->receives.n; i++) {
        const struct receive *m = receive_at(r, i);
        const uint32_t a = m->at.location;
        const uint32_t b = m->sent.location;
        const uint32_t low = a < b ? a : b;
        uint32_t *n = &seen[(size_t) low * r->n + (a + b - low)];

        if (t.n_resets > 0 && i > 0 && i % (r->receives.n / (t.n_resets + 1)) == 0) {
            k = fall_apart(r, k);
            memset(seen, 0, (size_t) r->n * r->n * sizeof *seen);
        }
        n_numbers += (double) (m->at.event - counted[a]) * k.size[k.home[a]];
        counted[a] = m->at.event + 1;
        if (k.home[a] != k.home[b] && ++*n >= t.after &&
            k.size[k.home[a]] + k.size[k.home[b]] <= t.most) {
            merge(r, &k, a, b);
        }
        n_numbers += k.home[a] == k.home[b] ? k.size[k.home[a]] : r->n;
    }
    for (uint32_t l = 0; l < r->n; l++) {
        n_numbers += (double) (r->net->model->locations[l].n_events - counted[l]) *
                     k.size[k.home[l]];
    }
    if (out != NULL) {
        *out = k;
    }
    return n_numbers / (r->n_events * r->n);
}

static void print_spread(const struct run *r, struct trial t)
{
    double least = 1;
    double most = 0;

    for (t.most = LEAST; t.most <= MOST; t.most++) {
        const double ratio = ratio_of(r, t, NULL);

        least = ratio < least ? ratio : least;
        most = ratio > most ? ratio : most;
    }
    printf(" %.3f to %.3f |", least, most);
}

static void print_trials(const char *name, const struct run *r, bool are_resets)
{
    static const uint32_t after[] = { 1, 2, 3, 5, 9 };
    static const uint32_t resets[] = { 0, 1, 3, 7 };

    printf("| %s |", name);
    for (size_t i = 0; i < (are_resets ? 4 : 5); i++) {
        print_spread(r, are_resets ? (struct trial){ 0, 1, resets[i] }
                                   : (struct trial){ 0, after[i], 0 });
    }
    printf("\n");
}

/* Each cluster also has numbers of those that send to it. */
static void print_overlap(const char *name, const struct run *r)
{
    struct clusters k;
    const struct trial t = { 8, 1, 0 };
    const double self = ratio_of(r, t, &k);
    bool *is_in = must(MPL_NEW_ARRAY(arena, (size_t) r->n * r->n, bool));
    uint32_t *size = must(MPL_NEW_ARRAY(arena, r->n, uint32_t));
    double n_inside = 0;
    double given = 0;
    double overlapping = 0;

    for (size_t i = 0; i < r->receives.n; i++) {
        const struct receive *m = receive_at(r, i);

        is_in[(size_t) k.home[m->at.location] * r->n + m->sent.location] = true;
        n_inside += k.home[m->at.location] == k.home[m->sent.location] ? 1 : 0;
    }
    for (uint32_t l = 0; l < r->n; l++) {
        is_in[(size_t) k.home[l] * r->n + l] = true;
    }
    for (size_t i = 0; i < (size_t) r->n * r->n; i++) {
        size[i / r->n] += is_in[i] ? 1 : 0;
    }
    for (uint32_t l = 0; l < r->n; l++) {
        given += (double) r->net->model->locations[l].n_events * k.size[k.home[l]];
        overlapping += (double) r->net->model->locations[l].n_events * size[k.home[l]];
    }
    for (size_t i = 0; i < r->receives.n; i++) {
        const struct receive *m = receive_at(r, i);

        if (k.home[m->at.location] != k.home[m->sent.location]) {
            given += r->n - k.size[k.home[m->at.location]];
            overlapping += r->n - size[k.home[m->at.location]];
        }
    }
    printf("| %s | %.3f | %.3f | %.3f | %.0f %% | 100 %% |\n", name, self,
           given / (r->n_events * r->n), overlapping / (r->n_events * r->n),
           100 * n_inside / (double) r->receives.n);
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

int main(void)
{
    static struct run runs[N_PROGRAMS + 1];
    const char *names[N_PROGRAMS + 1];

    arena = must(mpl_arena_create());
    for (int p = 0; p < N_PROGRAMS; p++) {
        names[p] = program_name((enum program) p);
        runs[p] = walk(must(program_make((enum program) p, arena)));
    }
    names[N_PROGRAMS] = "halo, then shuffled";
    runs[N_PROGRAMS] = walk(must(program_phases(arena)));
    print_levels(names[PROGRAM_HALO], &runs[PROGRAM_HALO]);
    print_levels(names[PROGRAM_WEB], &runs[PROGRAM_WEB]);
    printf("### Differences\n\n| program | all of each 4th | of each 16th | of each 64th | "
           "of the first |\n|---|---|---|---|---|\n");
    for (int p = 0; p < N_PROGRAMS; p++) {
        print_differences(names[p], &runs[p]);
    }
    printf(
        "\n### Direct dependences\n\n| program | ratio | looked at, mean | most | receives "
        "|\n|---|---|---|---|---|\n");
    for (int p = 0; p < N_PROGRAMS; p++) {
        print_direct(names[p], &runs[p]);
    }
    printf("\n### Events of interest\n\n| program | every event | looked at | every 4th | "
           "looked at | every 16th | looked at |\n|---|---|---|---|---|---|---|\n");
    for (int p = 0; p < N_PROGRAMS; p++) {
        print_observed(names[p], &runs[p]);
    }
    printf("\n### Linear extensions\n\n| program | 2 | 4 | 8 | 16 | 32 | as many as "
           "processes |\n|---|---|---|---|---|---|---|\n");
    print_extensions(names[PROGRAM_SCATTER], &runs[PROGRAM_SCATTER]);
    print_extensions(names[PROGRAM_WEB], &runs[PROGRAM_WEB]);
    printf("\n### Clusters after several messages\n\n| program | first | second | third | "
           "fifth | ninth |\n|---|---|---|---|---|---|\n");
    for (int p = 0; p < N_PROGRAMS; p++) {
        print_trials(names[p], &runs[p], false);
    }
    printf(
        "\n### Clusters that are made anew\n\n| program | never | once | 3 times | 7 times "
        "|\n|---|---|---|---|---|\n");
    for (int p = 0; p <= N_PROGRAMS; p++) {
        print_trials(names[p], &runs[p], true);
    }
    printf("\n### Clusters that overlap\n\n| program | self-organising | the same, given | "
           "overlapping | tests at once | overlapping |\n|---|---|---|---|---|---|\n");
    for (int p = 0; p < N_PROGRAMS; p++) {
        print_overlap(names[p], &runs[p]);
    }
    mpl_arena_destroy(arena);
    return 0;
}
