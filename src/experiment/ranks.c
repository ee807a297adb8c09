/* Where the ranks of a program run, as far as this machine knows. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- one process ------------------------------------------------------------------------ */

static FILE *open_of(const char *root, pid_t pid, const char *name)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/proc/%ld/%s", root, (long) pid, name);

    return n > 0 && (size_t) n < sizeof path ? fopen(path, "r") : NULL;
}

/* The value of "NAME=VALUE"; NULL: it is another variable. */
static const char *value_of(const char *variable, const char *name)
{
    const size_t n = strlen(name);

    return strncmp(variable, name, n) == 0 && variable[n] == '=' ? variable + n + 1 : NULL;
}

/* By one variable of its environment that is called like one of them; false: another one. */
static bool take_number(const char *variable, const char *const names[3], uint32_t *out)
{
    for (size_t i = 0; i < 3; i++) {
        const char *value = value_of(variable, names[i]);
        char *end = NULL;
        const unsigned long number = value != NULL ? strtoul(value, &end, 10) : 0;

        if (value != NULL && end != value && *end == '\0' && number < MPL_NONE) {
            *out = (uint32_t) number;
            return true;
        }
    }
    return false;
}

/* What its launcher has told it; false: no rank. */
static bool read_rank(const char *root, pid_t pid, struct rank_seen *out)
{
    static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK" };
    static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                         "SLURM_NTASKS" };
    char variable[64];
    size_t n = 0;
    bool is_found = false;
    FILE *in = open_of(root, pid, "environ");

    for (int c = 0; in != NULL && (c = fgetc(in)) != EOF;) {
        /* What is longer is none of these. */
        if (n < sizeof variable) {
            variable[n++] = (char) c;
        }
        if (c == '\0') {
            if (variable[n - 1] == '\0') {
                is_found = is_found || take_number(variable, ranks, &out->rank);
                (void) take_number(variable, sizes, &out->n_ranks);
            }
            n = 0;
        }
    }
    if (in != NULL) {
        (void) fclose(in);
    }
    return is_found;
}

/* "0-3,8" */
static bool parse_cores(const char *text, cpu_set_t *set)
{
    CPU_ZERO(set);
    for (;;) {
        char *end = NULL;
        const unsigned long first = strtoul(text, &end, 10);
        unsigned long last = first;

        if (end == text) {
            return false;
        }
        if (*end == '-') {
            text = end + 1;
            last = strtoul(text, &end, 10);
        }
        for (unsigned long core = first; core <= last && core < CPU_SETSIZE; core++) {
            CPU_SET(core, set);
        }
        if (*end != ',') {
            return CPU_COUNT(set) > 0;
        }
        text = end + 1;
    }
}

static bool read_cores(const char *root, pid_t pid, cpu_set_t *set)
{
    static const char key[] = "Cpus_allowed_list:";
    char line[4096];
    FILE *in = open_of(root, pid, "status");
    bool is_found = false;

    while (in != NULL && !is_found && fgets(line, sizeof line, in) != NULL) {
        if (strncmp(line, key, sizeof key - 1) == 0) {
            is_found = parse_cores(line + sizeof key - 1, set);
        }
    }
    if (in != NULL) {
        (void) fclose(in);
    }
    return is_found;
}

bool mpl_ranks_read(const char *root, pid_t pid, struct rank_seen *out)
{
    *out = (struct rank_seen){ .pid = pid };
    return read_rank(root, pid, out) && read_cores(root, pid, &out->cores);
}

static void note(void *context, pid_t pid)
{
    struct mpl_buf *ranks = context;
    struct rank_seen seen;

    if (!mpl_ranks_read("", pid, &seen)) {
        return;
    }
    for (size_t i = 0; i < ranks->n; i++) {
        struct rank_seen *known = mpl_buf_get(ranks, i);

        if (known->rank == seen.rank) {
            *known = seen;
            return;
        }
    }
    (void) mpl_buf_put(ranks, &seen);
}

static int by_rank(const void *x, const void *y)
{
    const struct rank_seen *a = x;
    const struct rank_seen *b = y;

    return (a->rank > b->rank) - (a->rank < b->rank);
}

void mpl_ranks_look(const struct offspring *offspring, struct mpl_buf *ranks)
{
    mpl_offspring_visit(offspring, note, ranks);
    mpl_sort(ranks->data, ranks->n, sizeof(struct rank_seen), by_rank);
}

/* ---- who shares --------------------------------------------------------------------------------- */

/* Ranks that can run nowhere else, for each core of a set. */
static double crowding(const struct mpl_buf *ranks, const cpu_set_t *set, uint32_t most)
{
    const uint32_t cores = (uint32_t) CPU_COUNT(set);
    uint32_t n = 0;

    for (size_t i = 0; i < ranks->n; i++) {
        const struct rank_seen *r = mpl_buf_get(ranks, i);
        cpu_set_t both;

        CPU_AND(&both, &r->cores, set);
        n += CPU_EQUAL(&both, &r->cores) != 0;
    }
    return n / (double) (cores < most ? cores : most);
}

double mpl_ranks_per_core(const struct mpl_buf *ranks, uint32_t cores)
{
    const uint32_t most = cores > 0 ? cores : UINT32_MAX;
    cpu_set_t all;
    double worst = 0;

    CPU_ZERO(&all);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct rank_seen *r = mpl_buf_get(ranks, i);
        const double own = crowding(ranks, &r->cores, most);

        worst = own > worst ? own : worst;
        CPU_OR(&all, &all, &r->cores);
    }
    const double together = ranks->n > 0 ? crowding(ranks, &all, most) : 0;
    return together > worst ? together : worst;
}

/* "3", "0-3" or "0-3,8" */
struct listing {
    struct mpl_arena *arena;
    const char *text; /* NULL without memory */
};

static void list_range(struct listing *l, uint32_t first, uint32_t last)
{
    const char *comma = l->text != NULL && l->text[0] != '\0' ? "," : "";

    if (l->text != NULL) {
        l->text = last > first
                      ? mpl_arena_printf(l->arena, "%s%s%u-%u", l->text, comma, first, last)
                      : mpl_arena_printf(l->arena, "%s%s%u", l->text, comma, first);
    }
}

static const char *cores_text(const cpu_set_t *set, struct mpl_arena *arena)
{
    struct listing l = { .arena = arena, .text = "" };

    for (uint32_t core = 0; core < CPU_SETSIZE; core++) {
        const uint32_t first = core;

        if (!CPU_ISSET(core, set)) {
            continue;
        }
        while (core + 1 < CPU_SETSIZE && CPU_ISSET(core + 1, set)) {
            core++;
        }
        list_range(&l, first, core);
    }
    return l.text;
}

/* Of all ranks that may run where rank \p at may. */
static const char *ranks_text(const struct mpl_buf *ranks, size_t at,
                              struct mpl_arena *arena)
{
    const struct rank_seen *like = mpl_buf_get(ranks, at);
    struct listing l = { .arena = arena, .text = "" };
    uint32_t first = like->rank;
    uint32_t last = like->rank;

    for (size_t i = at + 1; i < ranks->n; i++) {
        const struct rank_seen *r = mpl_buf_get(ranks, i);

        if (!CPU_EQUAL(&r->cores, &like->cores)) {
            continue;
        }
        if (r->rank > last + 1) {
            list_range(&l, first, last);
            first = r->rank;
        }
        last = r->rank;
    }
    list_range(&l, first, last);
    return l.text;
}

static bool is_first_there(const struct mpl_buf *ranks, size_t at)
{
    const struct rank_seen *r = mpl_buf_get(ranks, at);

    for (size_t i = 0; i < at; i++) {
        if (CPU_EQUAL(&((const struct rank_seen *) mpl_buf_get(ranks, i))->cores,
                      &r->cores)) {
            return false;
        }
    }
    return true;
}

bool mpl_ranks_print(const struct mpl_buf *ranks, struct mpl_arena *arena,
                     const char *const **lines, size_t *n)
{
    const char **all = MPL_NEW_ARRAY(arena, ranks->n, const char *);

    *n = 0;
    *lines = all;
    for (size_t i = 0; i < ranks->n && all != NULL; i++) {
        const struct rank_seen *r = mpl_buf_get(ranks, i);

        if (!is_first_there(ranks, i)) {
            continue;
        }
        const char *who = ranks_text(ranks, i, arena);
        const char *where = cores_text(&r->cores, arena);
        all[*n] = who != NULL && where != NULL
                      ? mpl_arena_printf(arena, "%s on %s", who, where)
                      : NULL;
        if (all[(*n)++] == NULL) {
            return false;
        }
    }
    return all != NULL;
}
