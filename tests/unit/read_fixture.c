#include "config.h"

#include "read_fixture.h"

#include "archive/archive.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/traces.h"

/*
 * libotf2 forgets what it has allocated when it refuses a damaged anchor. The sanitizer looks for
 * this function by name, and everything is hidden by default.
 */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libopen-trace-format2";
}

/* ---- real traces ---------------------------------------------------------------------- */

const char *fixture_trace(const char *name)
{
    static char path[4096];

    (void) snprintf(path, sizeof path, "%s/%s", traces_folder(), name);
    return path;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

const char **fixture_trace_names(struct mpl_arena *arena, size_t *n)
{
    struct mpl_buf names = mpl_buf_make(sizeof(const char *));
    DIR *dir = opendir(traces_folder());
    const struct dirent *entry;
    const char **list;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            *(const char **) mpl_buf_add(&names) = mpl_arena_strdup(arena, entry->d_name);
        }
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    *n = names.n;
    list = (const char **) mpl_buf_take(&names, arena);
    if (*n > 0) {
        qsort(list, *n, sizeof *list, compare_names);
    }
    return list;
}

/* ---- files ---------------------------------------------------------------------------------- */

static char scratch[4096];
static long scratch_owner;

static void remove_scratch(void)
{
    /* Check forks a process per test; only the first may clean up. */
    if (scratch_owner == (long) getpid()) {
        fixture_remove_tree(scratch);
    }
}

/* libotf2 asks for it with each archive, which is a question to a name server, and waiting for it, where
 * the host does not know its own address. */
__attribute__((visibility("default"))) long gethostid(void)
{
    return 1;
}

const char *fixture_scratch(void)
{
    const char *tmp = getenv("TMPDIR");

    if (scratch[0] != '\0') {
        return scratch;
    }
    (void) snprintf(scratch, sizeof scratch, "%s/marple-test-XXXXXX",
                    tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(scratch) == NULL) {
        abort();
    }
    mpl_dir_leave_unstored();
    scratch_owner = (long) getpid();
    (void) atexit(remove_scratch);
    return scratch;
}

void fixture_remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    char inner[8192];

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void) snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
            fixture_remove_tree(inner);
        }
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    (void) remove(path);
}

unsigned char *fixture_load(const char *path, size_t *n, struct mpl_arena *arena)
{
    char *text;

    if (mpl_file_read(path, (size_t) 1 << 30, arena, &text, n, NULL) != MPL_OK) {
        abort();
    }
    return (unsigned char *) text;
}

void fixture_store(const char *path, const unsigned char *data, size_t n)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL || fwrite(data, 1, n, file) != n || fclose(file) != 0) {
        abort();
    }
}

void fixture_copy_tree(const char *from, const char *to)
{
    DIR *dir = opendir(from);
    struct mpl_arena *arena = mpl_arena_create();
    const struct dirent *entry;

    if (dir == NULL || (mkdir(to, 0777) != 0 && access(to, W_OK) != 0)) {
        abort();
    }
    while ((entry = readdir(dir)) != NULL) {
        const char *source = mpl_arena_printf(arena, "%s/%s", from, entry->d_name);
        const char *target = mpl_arena_printf(arena, "%s/%s", to, entry->d_name);
        struct stat info;
        size_t n;

        if (entry->d_name[0] == '.' || stat(source, &info) != 0) {
            continue;
        }
        if (S_ISDIR(info.st_mode)) {
            fixture_copy_tree(source, target);
        } else {
            const unsigned char *data = fixture_load(source, &n, arena);

            fixture_store(target, data, n);
        }
    }
    (void) closedir(dir);
    mpl_arena_destroy(arena);
}

/* ---- comparison --------------------------------------------------------------------------------- */

static char difference[400];

#define SAME(a, b, ...) \
    if ((a) != (b)) { \
        (void) snprintf(difference, sizeof difference, __VA_ARGS__); \
        return difference; \
    }

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static const char *compare_definitions(const struct mpl_model *a, const struct mpl_model *b)
{
    SAME(a->tracer, b->tracer, "tracer");
    SAME(a->ticks_per_s, b->ticks_per_s, "ticks per second");
    SAME(a->has_common_clock, b->has_common_clock, "common clock");
    SAME(a->n_regions, b->n_regions, "%u and %u regions", a->n_regions, b->n_regions);
    SAME(a->n_comms, b->n_comms, "%u and %u communicators", a->n_comms, b->n_comms);
    SAME(a->world, b->world, "world");
    SAME(a->n_processes, b->n_processes, "%u and %u processes", a->n_processes,
         b->n_processes);
    SAME(a->n_locations, b->n_locations, "%u and %u locations", a->n_locations,
         b->n_locations);
    for (uint32_t r = 0; r < a->n_regions; r++) {
        const struct mpl_region *x = &a->regions[r];
        const struct mpl_region *y = &b->regions[r];

        SAME(same_text(x->name, y->name) && same_text(x->file, y->file) &&
                 x->line == y->line,
             true, "region %u: %s and %s", r, x->name, y->name);
        SAME(x->kind == y->kind && x->mode == y->mode, true, "kind of region %s", x->name);
    }
    for (uint32_t c = 0; c < a->n_comms; c++) {
        const struct mpl_comm *x = &a->comms[c];
        const struct mpl_comm *y = &b->comms[c];

        SAME(same_text(x->name, y->name) && x->is_self == y->is_self &&
                 x->n_members == y->n_members && x->n_remote == y->n_remote,
             true, "communicator %u: %s and %s", c, x->name, y->name);
        SAME(x->n_members == 0 || memcmp(x->members, y->members, 4 * x->n_members) == 0,
             true, "members of %s", x->name);
        SAME(x->n_remote == 0 || memcmp(x->remote, y->remote, 4 * x->n_remote) == 0, true,
             "remote group of %s", x->name);
    }
    for (uint32_t p = 0; p < a->n_processes; p++) {
        const struct mpl_process *x = &a->processes[p];
        const struct mpl_process *y = &b->processes[p];

        SAME(x->rank == y->rank && x->n_locations == y->n_locations &&
                 same_text(x->name, y->name) && same_text(x->host, y->host),
             true, "process %u", p);
    }
    return NULL;
}

static bool same_envelope(const struct mpl_envelope *x, const struct mpl_envelope *y)
{
    return x->comm == y->comm && x->peer == y->peer && x->peer_rank == y->peer_rank &&
           x->tag == y->tag && x->is_send == y->is_send && x->is_null == y->is_null &&
           x->is_garbage == y->is_garbage && x->comm_unsure == y->comm_unsure;
}

static const char *compare_messages(const struct mpl_location *a,
                                    const struct mpl_location *b)
{
    SAME(a->n_messages, b->n_messages, "%s: %u and %u messages", a->label, a->n_messages,
         b->n_messages);
    for (uint32_t i = 0; i < a->n_messages; i++) {
        const struct mpl_message x = mpl_message_get(a, i);
        const struct mpl_message y = mpl_message_get(b, i);

        SAME(x.event == y.event && x.post == y.post && x.bytes == y.bytes, true,
             "%s: message %u", a->label, i);
        SAME((x.envelope == MPL_NONE) == (y.envelope == MPL_NONE), true,
             "%s: envelope of message %u", a->label, i);
        SAME(x.envelope == MPL_NONE ||
                 same_envelope(&a->envelopes[x.envelope], &b->envelopes[y.envelope]),
             true, "%s: envelope of message %u", a->label, i);
    }
    return NULL;
}

/* Teams are numbered anew when they are written: their numbers differ, what is one does not. */
static bool same_team(struct mpl_map *teams, uint32_t process, uint32_t x, uint32_t y)
{
    const uint64_t there = (uint64_t) process << 32 | x;
    const uint64_t back = UINT64_C(1) << 63 | (uint64_t) process << 32 | y;

    if (x == MPL_NONE || y == MPL_NONE) {
        return x == y;
    }
    if (mpl_map_find(teams, there) == MPL_NONE && mpl_map_find(teams, back) == MPL_NONE) {
        (void) mpl_map_put(teams, there, y);
        (void) mpl_map_put(teams, back, x);
    }
    return mpl_map_find(teams, there) == y && mpl_map_find(teams, back) == x;
}

static bool same_event(const struct mpl_location *a, const struct mpl_location *b,
                       uint32_t i, struct mpl_map *teams)
{
    if (mpl_ticks_of(a, i) != mpl_ticks_of(b, i) ||
        mpl_kind_of(a, i) != mpl_kind_of(b, i)) {
        return false;
    }
    return mpl_kind_of(a, i) == MPL_EV_TEAM_BEGIN || mpl_kind_of(a, i) == MPL_EV_TEAM_END
               ? same_team(teams, a->process, mpl_ref_of(a, i), mpl_ref_of(b, i))
               : mpl_ref_of(a, i) == mpl_ref_of(b, i);
}

static const char *compare_threads(const struct mpl_location *a,
                                   const struct mpl_location *b, struct mpl_map *teams)
{
    SAME(a->n_thread_records, b->n_thread_records, "%s: number of thread records",
         a->label);
    for (uint32_t i = 0; i < a->n_thread_records; i++) {
        const struct mpl_thread_record *x = &a->thread_records[i];
        const struct mpl_thread_record *y = &b->thread_records[i];
        const bool is_lock = x->act == MPL_ACT_LOCK || x->act == MPL_ACT_UNLOCK;

        SAME(x->event == y->event && x->act == y->act && x->number == y->number, true,
             "%s: thread record %u", a->label, i);
        SAME(is_lock ? x->object == y->object
                     : same_team(teams, a->process, x->object, y->object),
             true, "%s: object of thread record %u", a->label, i);
    }
    return NULL;
}

static const char *compare_locations(const struct mpl_location *a,
                                     const struct mpl_location *b, struct mpl_map *teams)
{
    const char *what = compare_threads(a, b, teams);

    if (what != NULL) {
        return what;
    }
    SAME(same_text(a->label, b->label) && same_text(a->name, b->name), true,
         "names of %s and %s", a->label, b->label);
    SAME(a->reference, b->reference, "%s: reference", a->label);
    SAME(a->process == b->process && a->thread == b->thread, true, "%s: thread", a->label);
    SAME(a->n_events, b->n_events, "%s: %u and %u events", a->label, a->n_events,
         b->n_events);
    SAME(a->base_ticks, b->base_ticks, "%s: base", a->label);
    for (uint32_t i = 0; i < a->n_events; i++) {
        SAME(same_event(a, b, i, teams), true, "%s: event %u", a->label, i);
    }
    SAME(a->n_collectives, b->n_collectives, "%s: %u and %u collectives", a->label,
         a->n_collectives, b->n_collectives);
    for (uint32_t i = 0; i < a->n_collectives; i++) {
        const struct mpl_collective *x = &a->collectives[i];
        const struct mpl_collective *y = &b->collectives[i];

        SAME(x->begin == y->begin && x->end == y->end && x->is_immediate == y->is_immediate,
             true, "%s: collective %u", a->label, i);
        SAME(x->end == MPL_NONE ||
                 (x->comm == y->comm && x->root == y->root && x->op == y->op &&
                  x->sent_bytes == y->sent_bytes && x->received_bytes == y->received_bytes),
             true, "%s: collective %u", a->label, i);
    }
    return compare_messages(a, b);
}

static const char *compare_models(const struct mpl_model *a, const struct mpl_model *b,
                                  struct mpl_map *teams)
{
    const char *what = compare_definitions(a, b);

    for (uint32_t l = 0; l < a->n_locations && what == NULL; l++) {
        what = compare_locations(&a->locations[l], &b->locations[l], teams);
        SAME(what == NULL && a->n_offsets[l] != b->n_offsets[l], false, "clock offsets");
        for (uint32_t i = 0; i < a->n_offsets[l] && what == NULL; i++) {
            const struct mpl_clock_offset *x = &a->offsets[l][i];
            const struct mpl_clock_offset *y = &b->offsets[l][i];

            SAME(x->time_ticks == y->time_ticks && x->offset_ticks == y->offset_ticks, true,
                 "clock offset %u of %u", i, l);
        }
    }
    if (what == NULL && memcmp(&a->can, &b->can, sizeof a->can) != 0) {
        what = "capabilities";
    }
    return what;
}

const char *fixture_difference(const struct mpl_model *a, const struct mpl_model *b)
{
    struct mpl_map *teams = mpl_map_create();
    const char *what = compare_models(a, b, teams);

    mpl_map_destroy(teams);
    return what;
}
