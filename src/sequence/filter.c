/* Which functions count: the codes of the paper DiffTrace, Table I and Fig. 7. */
#include "config.h"

#include "sequence/sequence.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    const char *name;
    const char *regex; /* Extended, without regard to case. */
};

/* mpisr: as the table lists them. Fortran writes mpi_send_. Of OpenMP the paper has the names of GCC's library;
   in traces stand those of EZTrace ("OpenMP critical") and of Score-P ("!$omp critical @file.c:12"). */
static const struct kind kinds[] = {
    { "mpi", "^mpi_" },
    { "mpiall", "^(mpi|mpid|pmpi)" },
    { "mpicol", "^mpi_i?(barrier|bcast|gather|scatter|allgather|alltoall|allreduce|reduce|"
                "scan|exscan|neighbor_)" },
    { "mpisr", "^mpi_(send|isend|recv|irecv|wait)_?$" },
    { "ompall", "^gomp_|^openmp |^!\\$omp |^omp_(set|unset|test)_(nest_)?lock" },
    { "ompcrit", "omp_critical(_name)?_(start|end)|^(openmp|!\\$omp) critical" },
    { "ompmutex", "omp_mutex|^openmp .*(mutex|lock)|^omp_(set|unset|test)_(nest_)?lock" },
    { "mem", "mem|alloc|free" },
    { "net", "network|tcp|sched|socket" },
    { "poll", "poll|yield|sched" },
    { "str", "str" },
    { "plt", "@plt" },
    { "all", "" },
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* As some rows of the paper write them. */
static const struct {
    const char *word;
    const char *kind;
} aliases[] = {
    { "mpi.all", "mpiall" },    { "mpi.col", "mpicol" },   { "mpi.sr", "mpisr" },
    { "omperit", "ompcrit" },   { "ompertit", "ompcrit" }, { "ompmu tex", "ompmutex" },
    { "incEverything", "all" }, { "@plt", "plt" },
};
enum { N_ALIASES = sizeof aliases / sizeof *aliases };

enum { MOST_KEPT = 16 };

struct mpl_filter {
    bool keeps_returns;
    bool
        keeps_plt; /* Entries of the procedure linkage table; else they go, whatever else is kept. */
    bool keeps_rest;
    uint32_t k;
    size_t n;
    regex_t keep[MOST_KEPT];
};

static enum mpl_status add(struct mpl_filter *f, const char *regex, size_t column,
                           struct mpl_err *err)
{
    regex_t *to = &f->keep[f->n];
    char why[200];

    if (f->n == MOST_KEPT) {
        return mpl_fail(err, MPL_E_USAGE, "column %zu: more than %d kinds of functions",
                        column, MOST_KEPT);
    }

    const int failed = regcomp(to, regex, REG_EXTENDED | REG_ICASE | REG_NOSUB);

    if (failed != 0) {
        regerror(failed, to, why, sizeof why);
        return mpl_fail(err, MPL_E_USAGE, "column %zu: \"%s\": %s", column, regex, why);
    }
    f->n++;
    return MPL_OK;
}

/* ---- the code ----------------------------------------------------------------------------- */

/* "0K10", "1K50": how far from \p text it reaches, or 0. */
static size_t ending(const char *text, struct mpl_filter *f)
{
    char *stop = NULL;

    if ((text[0] != '0' && text[0] != '1') || text[1] != 'K' || text[2] < '0' ||
        text[2] > '9') {
        return 0;
    }
    const unsigned long k = strtoul(text + 2, &stop, 10);

    if (*stop != '\0' || k < 1 || k > MPL_FILTER_K_MOST) {
        return 0;
    }
    f->keeps_rest = text[0] == '1';
    f->k = (uint32_t) k;
    return (size_t) (stop - text);
}

static const char *find_kind(const char *word)
{
    for (size_t i = 0; i < N_ALIASES; i++) {
        if (strcmp(word, aliases[i].word) == 0) {
            return find_kind(aliases[i].kind);
        }
    }
    for (size_t i = 0; i < N_KINDS; i++) {
        if (strcmp(word, kinds[i].name) == 0) {
            return kinds[i].regex;
        }
    }
    return NULL;
}

static enum mpl_status no_kind(const char *word, size_t column, struct mpl_err *err)
{
    const char *names[N_KINDS + 1];

    for (size_t i = 0; i < N_KINDS; i++) {
        names[i] = kinds[i].name;
    }
    names[N_KINDS] = "cust";
    if ((word[0] == '0' || word[0] == '1') && (word[1] == 'K' || word[1] == 'k')) {
        return mpl_fail(err, MPL_E_USAGE,
                        "column %zu: a code ends with 0K or 1K and a number from 1 to %d, "
                        "as 0K10, not with \"%s\"",
                        column, MPL_FILTER_K_MOST, word);
    }
    const char *near = mpl_suggest(word, names, N_KINDS + 1);

    return mpl_fail(err, MPL_E_USAGE, "column %zu: no filter is called \"%s\"%s%s%s",
                    column, word, near == NULL ? "" : "; did you mean \"",
                    near == NULL ? "" : near, near == NULL ? "" : "\"?");
}

/* The part at \p at, of which "mpi.all" is one. Returns behind it. */
static size_t part_end(const char *code, size_t at)
{
    const size_t n = strcspn(code + at, ".");

    for (size_t i = 0; i < N_ALIASES; i++) {
        const size_t longer = strlen(aliases[i].word);

        if (longer > n && strncmp(code + at, aliases[i].word, longer) == 0 &&
            (code[at + longer] == '.' || code[at + longer] == '\0')) {
            return at + longer;
        }
    }
    return at + n;
}

/* A regular expression may hold dots: it reaches up to the ending, if there is one. */
static size_t regex_end(const char *code, size_t at)
{
    const char *last = strrchr(code + at, '.');
    struct mpl_filter unused;

    return last != NULL && ending(last + 1, &unused) > 0 ? (size_t) (last - code)
                                                         : strlen(code);
}

static enum mpl_status take_part(struct mpl_filter *f, const char *word, size_t column,
                                 struct mpl_err *err)
{
    const char *regex = find_kind(word);

    /* As the paper writes a custom filter that is not used. */
    if (strcmp(word, "cust") == 0) {
        return MPL_OK;
    }
    if (strncmp(word, "cust=", 5) == 0) {
        return add(f, word + 5, column + 5, err);
    }
    return regex == NULL ? no_kind(word, column, err) : add(f, regex, column, err);
}

static enum mpl_status parse(struct mpl_filter *f, const char *code,
                             struct mpl_arena *arena, struct mpl_err *err)
{
    size_t at = 0;

    if ((code[0] == '0' || code[0] == '1') && (code[1] == '0' || code[1] == '1') &&
        code[2] == '.') {
        f->keeps_returns = code[0] == '0';
        f->keeps_plt = code[1] == '0';
        at = 3;
    }
    for (;;) {
        const bool is_custom = strncmp(code + at, "cust=", 5) == 0;
        const size_t end = is_custom ? regex_end(code, at) : part_end(code, at);
        const char *word = mpl_arena_strndup(arena, code + at, end - at);

        if (word == NULL) {
            return mpl_nomem(err);
        }
        if (code[end] == '\0' && ending(word, f) > 0) {
            return MPL_OK;
        }
        const enum mpl_status st = take_part(f, word, at + 1, err);

        if (st != MPL_OK || code[end] == '\0') {
            return st;
        }
        at = end + 1;
    }
}

enum mpl_status mpl_filter_open(const char *code, struct mpl_arena *arena,
                                struct mpl_filter **out, struct mpl_err *err)
{
    struct mpl_filter *f = MPL_NEW(arena, struct mpl_filter);

    *out = NULL;
    if (f == NULL) {
        return mpl_nomem(err);
    }
    f->k = MPL_FILTER_K;

    const enum mpl_status st = parse(f, code, arena, err);

    if (st != MPL_OK) {
        mpl_filter_close(f);
        return mpl_wrap(err, st, "the filter \"%s\" cannot be used", code);
    }
    *out = f;
    return MPL_OK;
}

void mpl_filter_close(struct mpl_filter *filter)
{
    for (size_t i = 0; filter != NULL && i < filter->n; i++) {
        regfree(&filter->keep[i]);
    }
}

bool mpl_filter_keeps(const struct mpl_filter *filter, const char *function)
{
    if (!filter->keeps_plt && strstr(function, ".plt") != NULL) {
        return false;
    }
    for (size_t i = 0; i < filter->n; i++) {
        if (regexec(&filter->keep[i], function, 0, NULL, 0) == 0) {
            return true;
        }
    }
    return filter->keeps_rest;
}

bool mpl_filter_keeps_returns(const struct mpl_filter *filter)
{
    return filter->keeps_returns;
}

uint32_t mpl_filter_k(const struct mpl_filter *filter)
{
    return filter->k;
}
