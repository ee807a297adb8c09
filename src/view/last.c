/*
 * Who arrives last how often: the search of section 5.2. In a hierarchical barrier the threads of a
 * node meet first, and the last one of each node goes on to the root; so the question is asked twice, in
 * the group (who of a host is the last one of it) and in the whole (which host's last one is the last
 * of all), and a third time for the locations of the whole. Communicators count alone.
 *
 * Example: hosts a (0, 1) and b (2, 3); they enter at 1, 5, 2 and 3. Of a 1 is last, of b 3; of the
 * hosts a is last, and of all 1.
 */
#include "config.h"

#include "view/view_priv.h"

#include <string.h>

static const struct mpl_column columns[] = {
    { "communicator", NULL, "whose collective operations" },
    { "group", NULL, "of whom: all, hosts, or the locations of one host" },
    { "who", NULL, "location, or host" },
    { "instances", "1", "in which it takes part, and others of the group, too" },
    { "last", "1", "in which it is the last one for sure" },
    { "share", "1", "of its instances" },
    { "together", "1",
      "in which it is as late as the last one, as far as clocks can tell" },
    { "late", "s", "sum, by how much it is behind the last but one where it is last" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

enum level { OF_ALL, OF_HOSTS, OF_A_HOST, LEVELS };

struct count {
    uint64_t n_instances;
    uint64_t n_last;
    uint64_t n_together;
    int64_t late_ticks;
};

struct counting {
    const struct mpl_selection *s;
    const char **hosts; /* names, without the locations that have none */
    uint32_t n_hosts;
    uint32_t *host_of;            /* per location; MPL_NONE */
    struct count *counts[LEVELS]; /* per location; of hosts per host; per location */
    struct mpl_arrival *members;  /* of a group, in one instance */
    uint32_t *who;                /* parallel: location, or host */
    uint32_t *at_host;            /* per host: its place in members plus 1 */
    uint32_t n;
};

/* ---- one group in one instance -------------------------------------------------------------- */

static void count_group(struct counting *c, struct count *counts)
{
    uint32_t last = 0;
    int64_t next = INT64_MIN;
    uint32_t n_together = 0;

    if (c->n < 2) {
        return;
    }
    for (uint32_t i = 1; i < c->n; i++) {
        last = c->members[i].enter_ticks > c->members[last].enter_ticks ? i : last;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        const bool is_earlier =
            mpl_arrivals_are_apart(&c->members[i], c->members[i].enter_ticks,
                                   &c->members[last], c->members[last].enter_ticks);

        counts[c->who[i]].n_instances++;
        n_together += i != last && !is_earlier;
        counts[c->who[i]].n_together += i != last && !is_earlier;
        next = i != last && c->members[i].enter_ticks > next ? c->members[i].enter_ticks
                                                             : next;
    }
    if (n_together > 0) {
        counts[c->who[last]].n_together++;
    } else {
        counts[c->who[last]].n_last++;
        counts[c->who[last]].late_ticks += c->members[last].enter_ticks - next;
    }
}

static void add_member(struct counting *c, const struct mpl_arrival *arrival, uint32_t who)
{
    c->members[c->n] = *arrival;
    c->who[c->n++] = who;
}

/* The last one of each host stands for it. */
static void count_hosts(struct counting *c, const struct mpl_instance *x)
{
    c->n = 0;
    memset(c->at_host, 0, c->n_hosts * sizeof *c->at_host);
    for (uint32_t i = 0; i < x->n; i++) {
        const uint32_t host = c->host_of[x->parts[i].location];

        if (host == MPL_NONE) {
            continue;
        }
        if (c->at_host[host] == 0) {
            add_member(c, &x->parts[i], host);
            c->at_host[host] = c->n;
        } else if (x->parts[i].enter_ticks > c->members[c->at_host[host] - 1].enter_ticks) {
            c->members[c->at_host[host] - 1] = x->parts[i];
        }
    }
    count_group(c, c->counts[OF_HOSTS]);
}

static void count_instance(struct counting *c, const struct mpl_instance *x)
{
    c->n = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        add_member(c, &x->parts[i], x->parts[i].location);
    }
    count_group(c, c->counts[OF_ALL]);
    count_hosts(c, x);
    for (uint32_t h = 0; h < c->n_hosts; h++) {
        c->n = 0;
        for (uint32_t i = 0; i < x->n && c->at_host[h] > 0; i++) {
            if (c->host_of[x->parts[i].location] == h) {
                add_member(c, &x->parts[i], x->parts[i].location);
            }
        }
        count_group(c, c->counts[OF_A_HOST]);
    }
}

static enum mpl_status emit(const struct counting *c, uint32_t comm, enum level level,
                            uint32_t who, struct mpl_view_rows *rows, struct mpl_err *err)
{
    const struct mpl_selection *s = c->s;
    const struct count *count = &c->counts[level][who];

    if (count->n_instances == 0 || (level != OF_HOSTS && !s->has_location[who])) {
        return MPL_OK;
    }
    const struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_text(s->comm_names[comm]),
        mpl_cell_text(level == OF_ALL     ? "all"
                      : level == OF_HOSTS ? "hosts"
                                          : c->hosts[c->host_of[who]]),
        level == OF_HOSTS ? mpl_cell_text(c->hosts[who]) : mpl_cell_location(s, who),
        mpl_cell_whole(count->n_instances),
        mpl_cell_whole(count->n_last),
        mpl_cell_number((double) count->n_last / (double) count->n_instances),
        mpl_cell_whole(count->n_together),
        mpl_cell_seconds(s, count->late_ticks),
    };

    return mpl_view_put(rows, cells, err);
}

static enum mpl_status emit_comm(struct counting *c, uint32_t comm,
                                 struct mpl_view_rows *rows, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (int level = OF_ALL; level < LEVELS; level++) {
        const uint32_t n = level == OF_HOSTS ? c->n_hosts : c->s->run->model->n_locations;

        for (uint32_t who = 0; who < n && st == MPL_OK; who++) {
            st = emit(c, comm, (enum level) level, who, rows, err);
        }
        memset(c->counts[level], 0, n * sizeof *c->counts[level]);
    }
    return st;
}

static enum mpl_status find_hosts(struct counting *c, struct mpl_arena *arena,
                                  struct mpl_err *err)
{
    const struct mpl_model *model = c->s->run->model;
    struct mpl_names *names = mpl_names_create();
    bool is_enough = names != NULL && c->host_of != NULL && c->hosts != NULL;

    for (uint32_t l = 0; is_enough && l < model->n_locations; l++) {
        const char *host = model->processes[model->locations[l].process].host;

        c->host_of[l] = host == NULL ? MPL_NONE : mpl_names_put(names, host);
        is_enough = host == NULL || c->host_of[l] != MPL_NONE;
        if (is_enough && host != NULL) {
            c->hosts[c->host_of[l]] = host;
        }
    }
    c->n_hosts = names == NULL ? 0 : (uint32_t) mpl_names_count(names);
    mpl_names_destroy(names);
    c->at_host = MPL_NEW_ARRAY(arena, c->n_hosts, uint32_t);
    c->counts[OF_HOSTS] = MPL_NEW_ARRAY(arena, c->n_hosts, struct count);
    return is_enough && c->at_host != NULL && c->counts[OF_HOSTS] != NULL ? MPL_OK
                                                                          : mpl_nomem(err);
}

static enum mpl_status begin(struct counting *c, struct mpl_arena *arena,
                             struct mpl_err *err)
{
    const uint32_t n = c->s->run->model->n_locations;
    const uint32_t most = mpl_instance_most_parts(c->s);

    c->hosts = MPL_NEW_ARRAY(arena, n, const char *);
    c->host_of = MPL_NEW_ARRAY(arena, n, uint32_t);
    c->counts[OF_ALL] = MPL_NEW_ARRAY(arena, n, struct count);
    c->counts[OF_A_HOST] = MPL_NEW_ARRAY(arena, n, struct count);
    c->members = MPL_NEW_ARRAY(arena, most, struct mpl_arrival);
    c->who = MPL_NEW_ARRAY(arena, most, uint32_t);
    return c->counts[OF_ALL] == NULL || c->counts[OF_A_HOST] == NULL ||
                   c->members == NULL || c->who == NULL
               ? mpl_nomem(err)
               : find_hosts(c, arena, err);
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const struct mpl_match *match = s->run->match;
    struct counting c = { .s = s };
    struct mpl_arrival *parts =
        MPL_NEW_ARRAY(rows->arena, mpl_instance_most_parts(s), struct mpl_arrival);
    struct mpl_instance found;
    enum mpl_status st = begin(&c, rows->arena, err);

    st = parts == NULL ? mpl_nomem(err) : st;
    for (uint32_t i = 0; i < match->n_instances && st == MPL_OK; i++) {
        const uint32_t comm = match->instances[i].comm;

        if (comm != MPL_NONE && mpl_selection_has_instance(s, i)) {
            mpl_instance_find(s, i, parts, &found);
            count_instance(&c, &found);
        }
        /* Instances of one communicator stand together. */
        if (comm != MPL_NONE &&
            (i + 1 == match->n_instances || match->instances[i + 1].comm != comm)) {
            st = emit_comm(&c, comm, rows, err);
        }
    }
    return st;
}

const struct mpl_view mpl_view_last = {
    .name = "last",
    .says = "who comes last to collective operations how often, of a host and of all",
    .mark = MPL_MARK_BARS,
    .axes = { .of = { 0, 1, 2 }, .n_of = 3 },
    MPL_COLUMNS(columns),
    .by = 4,
    .make = make,
};
