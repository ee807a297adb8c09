/*
 * Copies of an archive with every kind of event record. The new times are made up, so that they
 * differ from the recorded ones in every way in which corrected times may.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/columns.h"
#include "../lib/effort.h"
#include "../lib/suite.h"
#include "sync_archive.h"
#include "sync_fixture.h"

#include "sync/sync_priv.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 256 * 1024, N_LOCATIONS = 5, N_ROUNDS = 400 };

static const char *source; /* written once, in main() */
static const char *target;

static void set_up(void)
{
    create_arena();
    target = mpl_arena_printf(arena, "%s/copy", fixture_scratch());
    fixture_remove_tree(target);
}

/** A model with the times as recorded beside. */
struct pair {
    struct mpl_model *model;
    const struct mpl_sync_times *recorded;
    int64_t **from; /* per location, our own copy */
    uint64_t *from_base;
};

static struct pair read_pair(const char *path)
{
    struct pair p = { 0 };
    struct mpl_err err = { 0 };

    if (mpl_read(path, arena, NULL, &p.model, &err) != MPL_OK) {
        mpl_err_print(&err, stderr);
        ck_abort_msg("cannot read %s", path);
    }
    ck_assert_int_eq(mpl_sync_times_keep(p.model, arena, &p.recorded, &err), MPL_OK);
    p.from = MPL_NEW_ARRAY(arena, p.model->n_locations, int64_t *);
    p.from_base = MPL_NEW_ARRAY(arena, p.model->n_locations, uint64_t);
    for (uint32_t l = 0; l < p.model->n_locations; l++) {
        const struct mpl_location *loc = &p.model->locations[l];

        p.from[l] = all_ticks(loc, arena);
        p.from_base[l] = loc->base_ticks;
    }
    return p;
}

static void add_ticks(struct pair *p, uint32_t location, uint32_t event, int64_t add)
{
    struct mpl_location *loc = &p->model->locations[location];

    put_ticks(loc, event, mpl_ticks_of(loc, event) + add);
}

static enum mpl_status copy(const struct pair *p, bool force, struct mpl_err *err)
{
    return mpl_sync_write(p->model, p->recorded, NULL, target, force, NULL, err);
}

static void copy_well(const struct pair *p)
{
    struct mpl_err err = { 0 };

    if (copy(p, false, &err) != MPL_OK) {
        mpl_err_print(&err, stderr);
        ck_abort_msg("cannot write the copy");
    }
}

/* Stretches, squeezes and jumps; events of equal time are torn apart, others put together. */
static void distort(struct pair *p, unsigned seed)
{
    const uint64_t base = p->model->locations[0].base_ticks + seed % 3 * 1000;

    srand(seed);
    for (uint32_t l = 0; l < p->model->n_locations; l++) {
        struct mpl_location *loc = &p->model->locations[l];
        int64_t now = rand() % 100;

        for (uint32_t i = 0; i < loc->n_events; i++) {
            const int64_t step = i == 0 ? 0 : p->from[l][i] - p->from[l][i - 1];

            switch (rand() % 5) {
            case 0:
                break;
            case 1:
                now += step;
                break;
            case 2:
                now += step / 2;
                break;
            case 3:
                now += step + rand() % 20;
                break;
            default:
                now += rand() % 50 == 0 ? 1000000 : step;
                break;
            }
            put_ticks(loc, i, now);
        }
        loc->base_ticks = base;
    }
}

/* ---- what must hold ------------------------------------------------------------------------ */

static const char *event_file(const char *archive, unsigned location)
{
    return mpl_arena_printf(arena, "%s/all/%u.evt", archive, location);
}

static bool same_record(const struct sync_item *a, const struct sync_item *b)
{
    /* The end of a flush is a time. */
    const size_t n = a->type == 10 ? 2 : a->n;

    return a->type == b->type && a->n == b->n && memcmp(a->record, b->record, n) == 0 &&
           a->n_lists == b->n_lists &&
           (a->n_lists == 0 || memcmp(a->lists, b->lists, a->n_lists) == 0);
}

/** Between the new times of the neighbours that the model keeps. */
static void check_between(const struct pair *p, uint32_t l, uint32_t k,
                          const struct sync_item *old, const struct sync_item *new,
                          uint64_t shift)
{
    const struct mpl_location *loc = &p->model->locations[l];
    const int64_t from = (int64_t) (old->time - p->from_base[l]);
    const int64_t to = (int64_t) (new->time - loc->base_ticks - shift);

    if (k > 0) {
        ck_assert_msg(to >= mpl_ticks_of(loc, k - 1), "before its neighbour");
    }
    if (k < loc->n_events) {
        ck_assert_msg(to <= mpl_ticks_of(loc, k), "behind its neighbour");
    }
    if (k < loc->n_events && from == p->from[l][k]) {
        ck_assert_msg(to == mpl_ticks_of(loc, k), "not as late as the next");
    } else if (k > 0 && from == p->from[l][k - 1]) {
        ck_assert_msg(to == mpl_ticks_of(loc, k - 1), "not as late as the one before");
    }
}

/** The end of a flush: that of the model, where the model believes the record; else no earlier
 *  than the flush. */
static void check_flush(const struct pair *p, uint32_t l, uint32_t k,
                        const struct sync_item *old, const struct sync_item *new,
                        uint64_t shift)
{
    const struct mpl_location *loc = &p->model->locations[l];
    const uint64_t from = sync_fixed(old->record + 2, 8, false);
    const uint64_t to = sync_fixed(new->record + 2, 8, false);

    if ((int64_t) (from - p->from_base[l]) == p->from[l][k + 1]) {
        ck_assert_uint_eq(to,
                          loc->base_ticks + shift + (uint64_t) mpl_ticks_of(loc, k + 1));
    } else if (from > old->time) {
        ck_assert_uint_ge(to, new->time);
    } else {
        ck_assert_uint_le(to, new->time);
    }
}

static void check_own(const struct pair *p, uint32_t l, uint64_t shift)
{
    const struct mpl_location *loc = &p->model->locations[l];
    const struct sync_items old =
        sync_items_read(event_file(source, (unsigned) loc->reference), CHUNK_BYTES, arena);
    const struct sync_items new =
        sync_items_read(event_file(target, (unsigned) loc->reference), CHUNK_BYTES, arena);
    uint32_t k = 0;

    ck_assert_ptr_null(old.fault);
    ck_assert_msg(new.fault == NULL, "%s", new.fault);
    ck_assert_uint_eq(new.n, old.n);
    for (size_t i = 0; i < old.n; i++) {
        const unsigned n = sync_kept(old.item[i].type);

        ck_assert_msg(same_record(&old.item[i], &new.item[i]), "record %zu of location %u",
                      i, l);
        if (n == 0) {
            check_between(p, l, k, &old.item[i], &new.item[i], shift);
        } else {
            ck_assert_uint_eq(new.item[i].time,
                              loc->base_ticks + shift + (uint64_t) mpl_ticks_of(loc, k));
        }
        if (n == 2) {
            check_flush(p, l, k, &old.item[i], &new.item[i], shift);
        }
        k += n;
    }
    ck_assert_uint_eq(k, loc->n_events);
}

/** A location of another clock keeps its records, and its time line does not turn back. */
static void check_other(unsigned location)
{
    const struct sync_items old =
        sync_items_read(event_file(source, location), CHUNK_BYTES, arena);
    const struct sync_items new =
        sync_items_read(event_file(target, location), CHUNK_BYTES, arena);

    ck_assert_msg(new.fault == NULL, "%s", new.fault);
    ck_assert_uint_eq(new.n, old.n);
    for (size_t i = 0; i < old.n; i++) {
        ck_assert_msg(same_record(&old.item[i], &new.item[i]), "record %zu", i);
    }
}

static void check_copy(const struct pair *p, uint64_t shift)
{
    for (uint32_t l = 0; l < p->model->n_locations; l++) {
        if (p->model->locations[l].n_events > 0) {
            check_own(p, l, shift);
        }
    }
    for (unsigned location = 0; location < N_LOCATIONS; location++) {
        check_other(location);
    }
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* _i is the seed in these. */
START_TEST(every_record_survives_and_kept_ones_get_the_times_of_the_model)
{
    struct pair p = read_pair(source);

    distort(&p, (unsigned) _i);
    copy_well(&p);
    check_copy(&p, 0);
    ck_assert_uint_eq(mpl_quality_count(p.model->quality),
                      mpl_quality_count(read_pair(source).model->quality));
}
END_TEST

START_TEST(reader_of_the_copy_finds_the_times_of_the_model)
{
    struct pair p = read_pair(source);
    struct pair again;

    distort(&p, (unsigned) _i);
    copy_well(&p);
    again = read_pair(target);
    ck_assert_uint_eq(again.model->n_events, p.model->n_events);
    for (uint32_t l = 0; l < p.model->n_locations; l++) {
        const struct mpl_location *a = &p.model->locations[l];
        const struct mpl_location *b = &again.model->locations[l];

        for (uint32_t i = 0; i < a->n_events; i++) {
            /* How a flush ends depends on whether the next record brings a time of its own. */
            if (mpl_kind_of(a, i) != MPL_EV_FLUSH_END) {
                ck_assert_uint_eq(a->base_ticks + (uint64_t) mpl_ticks_of(a, i),
                                  b->base_ticks + (uint64_t) mpl_ticks_of(b, i));
            }
        }
        ck_assert_uint_ge(again.model->n_offsets[l], 2);
        for (uint32_t i = 0; i < again.model->n_offsets[l]; i++) {
            ck_assert_int_eq(again.model->offsets[l][i].offset_ticks, 0);
        }
    }
}
END_TEST

START_TEST(copy_of_unchanged_times_has_the_same_times_and_so_has_its_copy)
{
    const char *first = mpl_arena_printf(arena, "%s/first", fixture_scratch());
    struct pair p = read_pair(source);

    copy_well(&p);
    for (unsigned location = 0; location < 4; location++) {
        const struct sync_items old =
            sync_items_read(event_file(source, location), CHUNK_BYTES, arena);
        const struct sync_items new =
            sync_items_read(event_file(target, location), CHUNK_BYTES, arena);

        ck_assert_uint_gt(old.n_chunks, location < 2 ? 1 : 0);
        ck_assert_uint_eq(new.n, old.n);
        for (size_t i = 0; i < old.n; i++) {
            ck_assert_uint_eq(new.item[i].time, old.item[i].time);
        }
    }
    fixture_remove_tree(first);
    fixture_copy_tree(target, first);
    fixture_remove_tree(target);
    p = read_pair(first);
    copy_well(&p);
    ck_assert(sync_same_tree(first, target, arena));
    fixture_remove_tree(first);
}
END_TEST

/* Bytes behind the end of a file are no record: only a copy that is not looked through has them. */
START_TEST(settled_file_without_new_times_is_copied_as_it_is)
{
    static const char text[] = "# us\nrank 0: compute 0..50  send 50..52 to 1\n"
                               "rank 1: compute 0..60  recv 60..61 from 0\n";
    const char *plain = mpl_arena_printf(arena, "%s/plain", fixture_scratch());
    const char *trace = mpl_arena_printf(arena, "%s/plain.trace", fixture_scratch());
    struct mpl_model *model = NULL;
    struct mpl_sync_times late;

    fixture_store(trace, (const unsigned char *) text, sizeof text - 1);
    ck_assert_int_eq(mpl_read(trace, arena, NULL, &model, NULL), MPL_OK);
    fixture_remove_tree(plain);
    ck_assert_int_eq(mpl_write_otf2(model, plain, false, NULL), MPL_OK);
    for (int is_settled = 0; is_settled <= 1; is_settled++) {
        const char *file = mpl_arena_printf(arena, "%s/trace/0.evt", plain);
        const char *copy = mpl_arena_printf(arena, "%s/trace/0.evt", target);
        size_t n;
        size_t n_copied;
        unsigned char *bytes = fixture_load(file, &n, arena);
        unsigned char *longer = mpl_arena_alloc(arena, n + 3);

        memcpy(longer, bytes, n);
        memcpy(longer + n, "\1\1\1", 3);
        fixture_store(file, longer, n + 3);
        struct pair p = read_pair(plain);

        late = *p.recorded;
        late.kept_at.tv_sec += is_settled ? 60 : 0;
        p.recorded = &late;
        copy_well(&p);
        (void) fixture_load(copy, &n_copied, arena);
        ck_assert_uint_eq(n_copied, is_settled ? n + 3 : n);
        fixture_store(file, bytes, n);
        fixture_remove_tree(target);
    }
    fixture_remove_tree(plain);
}
END_TEST

START_TEST(gpu_stream_follows_the_first_thread_of_its_process)
{
    struct pair p = read_pair(source);
    const struct sync_items old =
        sync_items_read(event_file(source, 3), CHUNK_BYTES, arena);
    struct sync_items new;

    /* The first half of process 0 is moved by 1000, the second by 3000; half-way in between. */
    const uint32_t half = p.model->locations[0].n_events / 2;
    for (uint32_t i = 0; i < p.model->locations[0].n_events; i++) {
        add_ticks(&p, 0, i, i < half ? 1000 : 3000);
    }
    copy_well(&p);
    new = sync_items_read(event_file(target, 3), CHUNK_BYTES, arena);
    for (size_t i = 0; i < old.n; i++) {
        const int64_t from = (int64_t) (old.item[i].time - p.from_base[0]);
        const int64_t moved = (int64_t) (new.item[i].time - old.item[i].time);

        if (from < p.from[0][half - 1]) {
            ck_assert_int_eq(moved, 1000);
        } else if (from >= p.from[0][half]) {
            ck_assert_int_eq(moved, 3000);
        } else {
            ck_assert_int_ge(moved, 1000);
            ck_assert_int_le(moved, 3000);
        }
    }
}
END_TEST

START_TEST(stream_with_offsets_of_its_own_is_brought_to_its_process)
{
    struct pair p = read_pair(source);
    const struct sync_items old =
        sync_items_read(event_file(source, 4), CHUNK_BYTES, arena);
    struct sync_items new;

    /*
     * Process 1 gains 400 to 440 ticks by its offsets, these metrics lose 7000 to 7050. With the
     * offsets of process 1 applied by the model, the copy of both is on the reference clock.
     */
    for (uint32_t i = 0; i < p.model->locations[2].n_events; i++) {
        const struct mpl_clock_offset *o = p.model->offsets[2];
        const int64_t t =
            p.from[2][i] + (int64_t) (p.model->locations[2].base_ticks - o[0].time_ticks);

        add_ticks(&p, 2, i,
                  t < 50000 ? 400 + (t * 10 + 25000) / 50000
                            : 410 + ((t - 50000) * 30 + 25000) / 50000);
    }
    copy_well(&p);
    new = sync_items_read(event_file(target, 4), CHUNK_BYTES, arena);
    ck_assert_uint_eq(p.model->locations[2].reference, 1);
    for (size_t i = 0; i < old.n; i++) {
        const double t = (double) (old.item[i].time - old.item[0].time);
        const double moved = (double) (int64_t) (new.item[i].time - old.item[i].time);

        ck_assert_double_eq_tol(moved, -7000 - 50 * t / 100000, 2.5);
    }
}
END_TEST

START_TEST(times_before_zero_shift_the_whole_run)
{
    struct pair p = read_pair(source);
    const uint64_t by = p.from_base[0] + 5000;

    /* All clocks are 5000 ticks before 0: as those of EZTrace after their correction. */
    for (uint32_t l = 0; l < p.model->n_locations; l++) {
        p.model->locations[l].base_ticks -= by;
    }
    copy_well(&p);
    /* The earliest record of all is rank 1's, 400 ticks before rank 0's. */
    check_copy(&p, 5400);
}
END_TEST

START_TEST(markers_move_with_what_they_name)
{
    struct pair p = read_pair(source);
    size_t n;
    size_t n_old;
    const unsigned char *old;
    const unsigned char *new;

    for (uint32_t i = 0; i < p.model->locations[2].n_events; i++) {
        add_ticks(&p, 2, i, 400); /* rank 1, by what its offsets say there */
    }
    copy_well(&p);
    old = fixture_load(mpl_arena_printf(arena, "%s/all.marker", source), &n_old, arena);
    new = fixture_load(mpl_arena_printf(arena, "%s/all.marker", target), &n, arena);
    ck_assert_uint_eq(n, n_old);
    ck_assert_mem_eq(new, old, n);
}
END_TEST

/* ---- records that nobody knows ----------------------------------------------------------------- */

START_TEST(records_of_unknown_types_are_copied_by_their_length)
{
    const char *other = mpl_arena_printf(arena, "%s/unknown", fixture_scratch());
    const char *path = mpl_arena_printf(arena, "%s/all/0.evt", other);
    struct sync_items items;
    struct pair p;
    unsigned n_patched = 0;

    fixture_remove_tree(other);
    fixture_copy_tree(source, other);
    items = sync_items_read(path, CHUNK_BYTES, arena);
    for (size_t i = 0; i < items.n; i++) {
        if (items.item[i].type == 31 || items.item[i].type == 46) { /* metrics, RMA puts */
            *(unsigned char *) (uintptr_t) items.item[i].record = 200;
            n_patched++;
        }
    }
    ck_assert_uint_gt(n_patched, N_ROUNDS);
    {
        size_t n;
        (void) fixture_load(path, &n, arena);
        fixture_store(path, items.item[0].record - 27, n);
    }
    p = read_pair(other);
    ck_assert_ptr_nonnull(mpl_quality_find(p.model->quality, "unknown-records"));
    copy_well(&p);
    ck_assert_uint_eq(sync_items_read(event_file(target, 0), CHUNK_BYTES, arena).n,
                      items.n);
    for (size_t i = 0; i < items.n; i++) {
        const struct sync_items new =
            i == 0 ? sync_items_read(event_file(target, 0), CHUNK_BYTES, arena) : items;

        ck_assert(same_record(&items.item[i], &new.item[i]));
    }
    fixture_remove_tree(other);
}
END_TEST

/* ---- byte orders ------------------------------------------------------------------------------- */

/* The same few records in both orders; _i is the order. */
START_TEST(byte_order_of_the_trace_is_kept)
{
    static const unsigned char events[2][80] = {
        { 3,  0x42, 1,    0,    0, 0, 0, 0, 0, 0,  4, 0, 0, 0,
          0,  0,    0,    0,                                     /* records 1 to 4 */
          5,  0x10, 0x27, 0,    0, 0, 0, 0, 0, 12, 1, 1,         /* 10000: enter 1 */
          33, 5,    1,    1,    2, 2, 1,                         /* a parameter */
          5,  0x20, 0x4e, 0,    0, 0, 0, 0, 0,                   /* 20000: a flush */
          10, 8,    0x30, 0x75, 0, 0, 0, 0, 0, 0,                /* until 30000 */
          5,  0x40, 0x9c, 0,    0, 0, 0, 0, 0, 13, 1, 1, 2, 1 }, /* 40000: leave */
        { 3, 0x23, 0, 0, 0, 0, 0, 0,    0,    1,  0, 0, 0,  0, 0, 0, 0, 4, /* the same */
          5, 0,    0, 0, 0, 0, 0, 0x27, 0x10, 12, 1, 1, 33, 5, 1, 1, 2, 1,    2,
          5, 0,    0, 0, 0, 0, 0, 0x4e, 0x20, 10, 8, 0, 0,  0, 0, 0, 0, 0x75, 0x30,
          5, 0,    0, 0, 0, 0, 0, 0x9c, 0x40, 13, 1, 1, 2,  1 },
    };
    static const unsigned char locals[2][39] = {
        { 3,    0x42, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0, 6, 17,
          0x10, 0x27, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 2, 1 },
        { 3, 0x23, 0, 0, 0, 0, 0,    0,    0, 1,    0,    0, 0, 0, 0, 0, 0, 0, 6, 17,
          0, 0,    0, 0, 0, 0, 0x27, 0x10, 0, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0, 2, 1 },
    };
    const size_t n = 18 + 12 + 7 + 9 + 10 + 14;
    const char *other = mpl_arena_printf(arena, "%s/order", fixture_scratch());
    unsigned char wanted[80];
    size_t n_new;
    struct pair p;

    fixture_remove_tree(other);
    fixture_copy_tree(source, other);
    fixture_store(mpl_arena_printf(arena, "%s/all/0.evt", other), events[_i], n);
    fixture_store(mpl_arena_printf(arena, "%s/all/0.def", other), locals[_i], 39);
    p = read_pair(other);
    ck_assert_uint_eq(p.model->locations[0].n_events, 4);
    /* Everything one tick later but the end of the flush, which is two ticks later. */
    for (uint32_t i = 0; i < 4; i++) {
        add_ticks(&p, 0, i, i == 2 ? 2 : 1);
    }
    copy_well(&p);
    memcpy(wanted, events[_i], n);
    wanted[_i == 0 ? 19 : 26] += 1;
    wanted[_i == 0 ? 38 : 45] += 1;
    wanted[_i == 0 ? 48 : 55] += 2;
    wanted[_i == 0 ? 57 : 64] += 1;
    ck_assert_mem_eq(fixture_load(event_file(target, 0), &n_new, arena), wanted, n);
    ck_assert_uint_eq(n_new, n);
    memcpy(wanted, locals[_i], 39);
    wanted[_i == 0 ? 20 : 27] += 1;
    ck_assert_mem_eq(
        fixture_load(mpl_arena_printf(arena, "%s/all/0.def", target), &n_new, arena),
        wanted, 39);
    ck_assert_uint_eq(n_new, 39);
    fixture_remove_tree(other);
}
END_TEST

/* ---- what is left out ---------------------------------------------------------------------------- */

START_TEST(files_of_no_location_are_left_out_and_told)
{
    const char *other = mpl_arena_printf(arena, "%s/strange", fixture_scratch());
    const struct mpl_quality_note *note;
    struct pair p;

    fixture_remove_tree(other);
    fixture_copy_tree(source, other);
    fixture_store(mpl_arena_printf(arena, "%s/all/77.evt", other),
                  (const unsigned char *) "x", 1);
    fixture_store(mpl_arena_printf(arena, "%s/all/00.evt", other),
                  (const unsigned char *) "x", 1);
    fixture_store(mpl_arena_printf(arena, "%s/all/0.snap", other),
                  (const unsigned char *) "x", 1);
    p = read_pair(other);
    copy_well(&p);
    note = mpl_quality_find(p.model->quality, "copy-leaves-out");
    ck_assert_ptr_nonnull(note);
    ck_assert_uint_eq(note->count, 3);
    ck_assert_uint_eq(sync_count_names(mpl_arena_printf(arena, "%s/all", target), ""), 12);
    fixture_remove_tree(other);
}
END_TEST

START_TEST(snapshots_are_left_out_and_not_announced)
{
    const char *other = mpl_arena_printf(arena, "%s/snapshots", fixture_scratch());
    const struct mpl_quality_note *note;
    unsigned char *anchor;
    size_t n;
    size_t n_new;
    struct pair p;

    fixture_remove_tree(other);
    fixture_copy_tree(source, other);
    fixture_store(mpl_arena_printf(arena, "%s/all/0.snap", other),
                  (const unsigned char *) "x", 1);
    anchor = fixture_load(mpl_arena_printf(arena, "%s/all.otf2", other), &n, arena);
    anchor[n - 11] = 2; /* snapshots */
    anchor[n - 7] = 1;  /* thumbnails */
    fixture_store(mpl_arena_printf(arena, "%s/all.otf2", other), anchor, n);
    p = read_pair(other);
    copy_well(&p);
    note = mpl_quality_find(p.model->quality, "copy-lacks-snapshots");
    ck_assert_ptr_nonnull(note);
    ck_assert_uint_eq(note->count, 3);
    ck_assert_ptr_null(mpl_quality_find(p.model->quality, "copy-leaves-out"));
    anchor[n - 11] = 0;
    anchor[n - 7] = 0;
    ck_assert_mem_eq(
        fixture_load(mpl_arena_printf(arena, "%s/all.otf2", target), &n_new, arena), anchor,
        n);
    ck_assert_uint_eq(n_new, n);
    fixture_remove_tree(other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sync");
    TCase *tcase = add_case(suite, "copies", set_up, destroy_arena);
    char path[4096];

    (void) snprintf(path, sizeof path, "%s/source", fixture_scratch());
    source = path;
    if (!sync_archive_write(source, N_ROUNDS)) {
        return EXIT_FAILURE;
    }
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase,
                        every_record_survives_and_kept_ones_get_the_times_of_the_model, 0,
                        seeds_of(12));
    tcase_add_loop_test(tcase, reader_of_the_copy_finds_the_times_of_the_model, 0, 3);
    tcase_add_test(tcase, copy_of_unchanged_times_has_the_same_times_and_so_has_its_copy);
    tcase_add_test(tcase, settled_file_without_new_times_is_copied_as_it_is);
    tcase_add_test(tcase, gpu_stream_follows_the_first_thread_of_its_process);
    tcase_add_test(tcase, stream_with_offsets_of_its_own_is_brought_to_its_process);
    tcase_add_test(tcase, times_before_zero_shift_the_whole_run);
    tcase_add_test(tcase, markers_move_with_what_they_name);
    tcase_add_test(tcase, records_of_unknown_types_are_copied_by_their_length);
    tcase_add_loop_test(tcase, byte_order_of_the_trace_is_kept, 0, 2);
    tcase_add_test(tcase, files_of_no_location_are_left_out_and_told);
    tcase_add_test(tcase, snapshots_are_left_out_and_not_announced);
    return run_suite(suite);
}
