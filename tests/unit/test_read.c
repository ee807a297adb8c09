/* What the reader makes of real traces, whose truth is known, and of paths that are none. */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "../lib/traces.h"
#include "read_fixture.h"

#include <check.h>
#include <string.h>
#include <sys/stat.h>

static struct mpl_model *read_trace(const char *name)
{
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };
    const enum mpl_status st = mpl_read(fixture_trace(name), arena, NULL, &model, &err);

    ck_assert_msg(st == MPL_OK, "%s: %s", name, err.cause[0].text);
    mpl_model_check(model);
    return model;
}

/** The innermost reason why \p path cannot be read. */
static const char *refusal(const char *path, enum mpl_status status)
{
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_read(path, arena, NULL, &model, &err), status);
    ck_assert_ptr_null(model);
    ck_assert_str_eq(err.cause[err.n - 1].text,
                     mpl_arena_printf(arena, "cannot read trace \"%s\"", path));
    return mpl_arena_strdup(arena, err.cause[0].text);
}

static uint64_t note_count(const struct mpl_model *model, const char *note)
{
    const struct mpl_quality_note *found = mpl_quality_find(model->quality, note);

    return found == NULL ? 0 : found->count;
}

static const struct mpl_region *find_region(const struct mpl_model *model, const char *name)
{
    for (uint32_t r = 0; r < model->n_regions; r++) {
        if (strcmp(model->regions[r].name, name) == 0) {
            return &model->regions[r];
        }
    }
    ck_abort_msg("no region %s", name);
    return NULL;
}

static unsigned count_kind(const struct mpl_location *loc, enum mpl_event_kind kind)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < loc->n_events; i++) {
        n += mpl_kind_of(loc, i) == (uint8_t) kind;
    }
    return n;
}

/* ---- EZTrace ------------------------------------------------------------------------------ */

START_TEST(eztrace_is_recognised_and_its_regions_are_merged)
{
    const struct mpl_model *model = read_trace("mandel-mw-masterslow-np8");

    ck_assert_int_eq(model->tracer, MPL_TRACER_EZTRACE);
    ck_assert_uint_eq(model->n_processes, 8);
    ck_assert_uint_eq(model->n_locations, 8);
    ck_assert_uint_eq(model->n_events, 5158);
    ck_assert_uint_eq(model->n_regions, 5); /* defined once per rank */
    ck_assert_int_eq(find_region(model, "Working")->kind, MPL_REGION_TRACER);
    ck_assert_int_eq(find_region(model, "EZTrace finalize")->kind, MPL_REGION_TRACER);
    ck_assert_str_eq(model->comms[model->world].name, "MPI_COMM_WORLD");
    ck_assert_uint_eq(model->comms[model->world].n_members, 8);
    ck_assert_str_eq(model->locations[3].label, "3");
    ck_assert_str_eq(model->locations[3].name, "P#3T#0");
    ck_assert_ptr_null(model->processes[3].host);
    ck_assert(model->can.has_messages && model->can.has_receive_completions);
    ck_assert(!model->can.has_user_regions && !model->can.has_clock_offsets);
    ck_assert_uint_eq(mpl_quality_count(model->quality), 0);
}
END_TEST

START_TEST(partners_that_are_null_are_told)
{
    const struct mpl_model *model = read_trace("probe-p2p-np4");

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];
        unsigned n_null = 0;

        for (uint32_t m = 0; m < loc->n_messages; m++) {
            const uint32_t e = mpl_message_get(loc, m).envelope;

            n_null += e != MPL_NONE && loc->envelopes[e].is_null;
        }
        ck_assert_uint_eq(n_null,
                          2); /* each rank sends to and receives from MPI_PROC_NULL */
    }
    ck_assert(!model->can.has_receive_completions);
}
END_TEST

START_TEST(communicator_of_eztrace_irecv_is_unsure)
{
    const struct mpl_model *model = read_trace("probe-p2p-np4");
    unsigned n = 0;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        for (uint32_t m = 0; m < loc->n_messages; m++) {
            const uint32_t event = mpl_message_get(loc, m).event;

            if (event != MPL_NONE) {
                const bool is_irecv = mpl_kind_of(loc, event) == MPL_EV_IRECV;

                ck_assert_int_eq(
                    loc->envelopes[mpl_message_get(loc, m).envelope].comm_unsure, is_irecv);
                n += is_irecv;
            }
        }
    }
    ck_assert_uint_eq(n, 2);
}
END_TEST

START_TEST(immediate_collectives_without_end_stay_open)
{
    const struct mpl_model *model = read_trace("probe-coll-np4");

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];
        unsigned n_immediate = 0;

        for (uint32_t c = 0; c < loc->n_collectives; c++) {
            const struct mpl_collective *part = &loc->collectives[c];

            ck_assert_int_eq(part->is_immediate, part->end == MPL_NONE);
            n_immediate += part->is_immediate;
        }
        ck_assert_uint_eq(n_immediate, 3); /* Ibarrier, Iallreduce, Ibcast */
    }
    ck_assert(!model->can.has_immediate_collectives_complete);
    ck_assert(model->can.has_collectives);
    ck_assert_uint_eq(model->n_comms, 20);
}
END_TEST

START_TEST(messages_of_worker_threads_belong_to_their_process)
{
    const struct mpl_model *model = read_trace("probe-thread-np4");
    const struct mpl_location *sender =
        &model->locations[mpl_model_find_location(model, "0.1")];
    const struct mpl_location *receiver =
        &model->locations[mpl_model_find_location(model, "1.1")];

    ck_assert_uint_eq(model->n_locations, 8);
    ck_assert(model->can.has_threads);
    ck_assert_uint_eq(sender->n_messages, 1);
    ck_assert_uint_eq(sender->envelopes[mpl_message_get(sender, 0).envelope].peer, 1);
    ck_assert_uint_eq(receiver->n_messages, 1);
    ck_assert_uint_eq(receiver->envelopes[mpl_message_get(receiver, 0).envelope].peer, 0);
}
END_TEST

START_TEST(program_without_mpi_is_one_process)
{
    const struct mpl_model *model = read_trace("probe-omp-ompt-t3");

    ck_assert_uint_eq(model->n_processes, 1);
    ck_assert_uint_eq(model->n_locations, 3);
    ck_assert(!model->can.has_messages);
    ck_assert_uint_gt(count_kind(&model->locations[0], MPL_EV_TEAM_BEGIN), 0);
    ck_assert_uint_eq(model->n_recorded, 126);
    ck_assert_uint_eq(model->n_events, 117); /* tasks are not kept */
}
END_TEST

START_TEST(irecv_without_completion_lowers_the_capability)
{
    ck_assert(!read_trace("npb-is-W-np8")->can.has_receive_completions);
    ck_assert(read_trace("npb-lu-W-np4")->can.has_receive_completions);
}
END_TEST

/* ---- Score-P ---------------------------------------------------------------------------------- */

START_TEST(scorep_has_functions_lines_hosts_and_offsets)
{
    const struct mpl_model *model = read_trace("scorep-mw");
    const struct mpl_region *handle = find_region(model, "handle");

    ck_assert_int_eq(model->tracer, MPL_TRACER_SCOREP);
    ck_assert_uint_eq(model->ticks_per_s, 2600014938);
    ck_assert_str_eq(handle->file, "programs/source/mw.c");
    ck_assert_uint_eq(handle->line, 6);
    ck_assert_int_eq(handle->kind, MPL_REGION_USER);
    ck_assert_ptr_null(find_region(model, "MPI_Recv")->file);
    ck_assert_str_eq(model->processes[2].host, "vm");
    ck_assert_uint_eq(model->n_offsets[1], 2);
    ck_assert_uint_eq(model->offsets[1][0].time_ticks, 7530788149176);
    ck_assert_int_eq(model->offsets[1][0].offset_ticks, 2070);
    ck_assert_int_eq(model->offsets[1][1].offset_ticks, -1985);
    ck_assert(model->can.has_user_regions && model->can.has_source_lines);
    ck_assert(model->can.has_init_finalize && model->can.has_clock_offsets);
    ck_assert(!model->can.has_threads);
    ck_assert_uint_eq(mpl_quality_count(model->quality), 0);
}
END_TEST

START_TEST(self_is_a_communicator_of_each_process)
{
    const struct mpl_model *model = read_trace("scorep-mw");
    unsigned n_self = 0;

    for (uint32_t c = 0; c < model->n_comms; c++) {
        n_self += model->comms[c].is_self;
    }
    ck_assert_uint_eq(n_self, 1);
}
END_TEST

START_TEST(gpu_streams_are_noted_and_left_out)
{
    const struct mpl_model *model = read_trace("public-casita-2_jacobi_blame_cpu_015");

    ck_assert_uint_eq(model->n_locations, 8);
    ck_assert_uint_eq(model->n_skipped_locations, 2);
    ck_assert_uint_eq(note_count(model, "gpu-locations"), 2);
    ck_assert_str_eq(model->processes[1].host, "nid03474");
    ck_assert_str_eq(model->locations[7].label, "1.3");
    ck_assert(model->can.has_clock_offsets && model->can.has_threads);
}
END_TEST

START_TEST(teams_of_threads_are_no_communicators)
{
    const struct mpl_model *model = read_trace("scorep-halo-omp");

    ck_assert_uint_eq(model->n_comms, 3); /* world, the Cartesian one, self */
    ck_assert_uint_eq(count_kind(&model->locations[0], MPL_EV_FORK),
                      count_kind(&model->locations[0], MPL_EV_JOIN));
    ck_assert_uint_gt(count_kind(&model->locations[1], MPL_EV_TEAM_BEGIN), 0);
}
END_TEST

/* ---- damaged traces ------------------------------------------------------------------------------ */

static const struct {
    const char *trace;
    const char *note;
    uint32_t location;
    uint64_t n_events; /* of 794 */
} damaged[] = {
    { "broken-truncated-evt", "truncated-events", 2, 689 },
    { "broken-missing-evt", "missing-events-file", 2, 534 },
    { "broken-zero-evt", "empty-events-file", 0, 657 },
    { "broken-bitflip-evt", "damaged-events", 1, 566 },
};

START_TEST(damaged_traces_give_what_is_left_of_them)
{
    const struct mpl_model *model = read_trace(damaged[_i].trace);
    const struct mpl_quality_note *note =
        mpl_quality_find(model->quality, damaged[_i].note);

    ck_assert_ptr_nonnull(note);
    ck_assert_uint_eq(note->n_locations, 1);
    ck_assert_uint_eq(note->locations[0], damaged[_i].location);
    ck_assert_ptr_nonnull(strstr(note->text, "events are missing"));
    ck_assert_uint_eq(mpl_quality_count(model->quality), 1);
    ck_assert_uint_eq(model->n_events, damaged[_i].n_events);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        ck_assert_int_eq(model->locations[l].is_damaged, l == damaged[_i].location);
    }
}
END_TEST

static const struct {
    const char *trace;
    enum mpl_status status;
    const char *says;
} hopeless[] = {
    { "broken-abort-nothing-np4", MPL_E_IO,
      "holds only local definition files: the tracer" },
    { "broken-dlBug-sigkill-noanchor-np16", MPL_E_IO, "holds only local definition files" },
    { "broken-nofinalize-noanchor-np4", MPL_E_IO, "event files but no anchor (*.otf2)" },
    { "broken-emptyanchor", MPL_E_SYNTAX, "is no OTF2 anchor: it is empty" },
};

START_TEST(hopeless_traces_are_refused_with_the_reason)
{
    const char *says = refusal(mpl_arena_strdup(arena, fixture_trace(hopeless[_i].trace)),
                               hopeless[_i].status);

    ck_assert_msg(strstr(says, hopeless[_i].says) != NULL, "%s", says);
}
END_TEST

/* Cut at every 1 KiB: as many events as before the cut, never more. */
START_TEST(cutting_a_file_only_takes_events_away)
{
    const char *copy = mpl_arena_printf(arena, "%s/cut", fixture_scratch());
    const char *path = mpl_arena_printf(arena, "%s/traces/0.evt", copy);
    const unsigned char *whole;
    uint64_t before = 0;
    size_t n;

    fixture_copy_tree(fixture_trace("scorep-halo"), copy);
    whole = fixture_load(path, &n, arena);
    for (size_t cut = 0; cut < n; cut += 1024) {
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_model *model = NULL;

        fixture_store(path, whole, cut);
        ck_assert_int_eq(mpl_read(copy, own, NULL, &model, NULL), MPL_OK);
        mpl_model_check(model);
        ck_assert(model->locations[0].is_damaged);
        ck_assert_uint_ge(model->locations[0].n_events, before);
        before = model->locations[0].n_events;
        mpl_arena_destroy(own);
    }
    ck_assert_uint_gt(before, 5000);
    fixture_remove_tree(copy);
}
END_TEST

START_TEST(real_traces_survive_being_written)
{
    static const char *const names[] = { "probe-p2p-np4",      "probe-coll-np4",
                                         "probe-thread-np4",   "probe-omp-ompt-t3",
                                         "scorep-halo-omp",    "scorep-mw",
                                         "broken-bitflip-evt", "npb-is-W-np8" };
    const char *directory = mpl_arena_printf(arena, "%s/written", fixture_scratch());
    const struct mpl_model *model = read_trace(names[_i]);
    struct mpl_model *copy = NULL;
    const char *difference;

    ck_assert_int_eq(mpl_write_otf2(model, directory, false, NULL), MPL_OK);
    ck_assert_int_eq(mpl_read(directory, arena, NULL, &copy, NULL), MPL_OK);
    difference = fixture_difference(model, copy);
    ck_assert_msg(difference == NULL, "%s: %s", names[_i], difference);
    fixture_remove_tree(directory);
}
END_TEST

/* ---- paths ------------------------------------------------------------------------------------------ */

static void store_text(const char *path, const char *text)
{
    fixture_store(path, (const unsigned char *) text, strlen(text));
}

START_TEST(paths_that_are_no_trace_say_why)
{
    const char *folder = mpl_arena_printf(arena, "%s/paths", fixture_scratch());
    const char *says;

    ck_assert_int_eq(mkdir(folder, 0777), 0);
    says = refusal(folder, MPL_E_IO);
    ck_assert_ptr_nonnull(strstr(says, "holds no file *.otf2"));
    says = refusal(mpl_arena_printf(arena, "%s/nothing", folder), MPL_E_IO);
    ck_assert_ptr_nonnull(strstr(says, "No such file"));
    store_text(mpl_arena_printf(arena, "%s/a.otf2", folder), "a");
    says = refusal(folder, MPL_E_SYNTAX);
    ck_assert_ptr_nonnull(strstr(says, "is no OTF2 anchor"));
    store_text(mpl_arena_printf(arena, "%s/b.otf2", folder), "b");
    says = refusal(folder, MPL_E_USAGE);
    ck_assert_ptr_nonnull(strstr(says, "holds 2 archives (\""));
    ck_assert_ptr_nonnull(strstr(says, "name one of them"));
    store_text(mpl_arena_printf(arena, "%s/0.evt", folder), "b");
    says = refusal(mpl_arena_printf(arena, "%s/0.evt", folder), MPL_E_USAGE);
    ck_assert_ptr_nonnull(strstr(says, "name its anchor"));
    fixture_store(mpl_arena_printf(arena, "%s/c", folder), (const unsigned char *) "a\0b",
                  3);
    says = refusal(mpl_arena_printf(arena, "%s/c", folder), MPL_E_SYNTAX);
    ck_assert_ptr_nonnull(strstr(says, "is not a trace: neither an OTF2 anchor"));
    ck_assert_int_eq(mkfifo(mpl_arena_printf(arena, "%s/pipe.otf2", folder), 0666), 0);
    says = refusal(mpl_arena_printf(arena, "%s/pipe.otf2", folder), MPL_E_IO);
    ck_assert_ptr_nonnull(strstr(says, "neither a file nor a directory"));
    fixture_remove_tree(folder);
}
END_TEST

START_TEST(text_files_and_anchors_of_any_name_are_read)
{
    const char *folder = mpl_arena_printf(arena, "%s/names", fixture_scratch());
    const char *text = mpl_arena_printf(arena, "%s/run.trace", folder);
    const char *other = mpl_arena_printf(arena, "%s/archive/other.otf2", folder);
    struct mpl_model *model = NULL;

    ck_assert_int_eq(mkdir(folder, 0777), 0);
    store_text(text, "rank 0: compute 0..1\n");
    ck_assert_int_eq(mpl_read(text, arena, NULL, &model, NULL), MPL_OK);
    ck_assert_str_eq(model->path, text);
    ck_assert_int_eq(
        mpl_write_otf2(model, mpl_arena_printf(arena, "%s/archive/", folder), false, NULL),
        MPL_OK);
    ck_assert_int_eq(
        rename(mpl_arena_printf(arena, "%s/archive/trace.otf2", folder), other), 0);
    ck_assert_int_eq(rename(mpl_arena_printf(arena, "%s/archive/trace.def", folder),
                            mpl_arena_printf(arena, "%s/archive/other.def", folder)),
                     0);
    ck_assert_int_eq(rename(mpl_arena_printf(arena, "%s/archive/trace", folder),
                            mpl_arena_printf(arena, "%s/archive/other", folder)),
                     0);
    ck_assert_int_eq(mpl_read(other, arena, NULL, &model, NULL), MPL_OK);
    ck_assert_uint_eq(model->n_events, 2);
    fixture_remove_tree(folder);
}
END_TEST

static void count_progress(void *context, const char *what, uint64_t done, uint64_t total)
{
    uint64_t *last = (uint64_t *) context;

    ck_assert_str_eq(what, "reading events");
    ck_assert_uint_le(done, total);
    ck_assert_uint_ge(done, *last);
    *last = done;
}

START_TEST(progress_is_told)
{
    uint64_t last = 0;
    const struct mpl_progress progress = { count_progress, &last };
    struct mpl_model *model = NULL;

    ck_assert_int_eq(mpl_read(fixture_trace("scorep-mw"), arena, &progress, &model, NULL),
                     MPL_OK);
    ck_assert_uint_eq(last, 4);
}
END_TEST

/* ---- frame --------------------------------------------------------------------------------------------- */

static void add_real(TCase *tcase)
{
    tcase_add_test(tcase, eztrace_is_recognised_and_its_regions_are_merged);
    tcase_add_test(tcase, partners_that_are_null_are_told);
    tcase_add_test(tcase, communicator_of_eztrace_irecv_is_unsure);
    tcase_add_test(tcase, immediate_collectives_without_end_stay_open);
    tcase_add_test(tcase, messages_of_worker_threads_belong_to_their_process);
    tcase_add_test(tcase, program_without_mpi_is_one_process);
    tcase_add_test(tcase, irecv_without_completion_lowers_the_capability);
    tcase_add_test(tcase, scorep_has_functions_lines_hosts_and_offsets);
    tcase_add_test(tcase, self_is_a_communicator_of_each_process);
    tcase_add_test(tcase, gpu_streams_are_noted_and_left_out);
    tcase_add_test(tcase, teams_of_threads_are_no_communicators);
    tcase_add_loop_test(tcase, damaged_traces_give_what_is_left_of_them, 0, 4);
    tcase_add_loop_test(tcase, hopeless_traces_are_refused_with_the_reason, 0, 4);
    tcase_add_test(tcase, cutting_a_file_only_takes_events_away);
    tcase_add_loop_test(tcase, real_traces_survive_being_written, 0, 8);
    tcase_add_test(tcase, progress_is_told);
}

int main(void)
{
    Suite *suite = suite_create("read");
    TCase *paths = add_case(suite, "paths", create_arena, destroy_arena);
    TCase *real = add_case(suite, "real", create_arena, destroy_arena);

    (void) fixture_scratch();
    tcase_add_test(paths, paths_that_are_no_trace_say_why);
    tcase_add_test(paths, text_files_and_anchors_of_any_name_are_read);
    tcase_set_timeout(real, 120);
    if (traces_are_there("reading of real traces")) {
        add_real(real);
    }
    return run_suite(suite);
}
