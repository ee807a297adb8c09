/*
 * Roles, instances, links, attributes, coverage and fit, on traces drawn by hand: every number
 * below can be read off the drawing.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "../lib/traces.h"
#include "recognize/recognition_priv.h"
#include "recognize_fixture.h"

/* ---- roles ------------------------------------------------------------------------------ */

static enum mpl_status try_roles(const char *roles_text, const char *trace_text,
                                 const struct mpl_role_binding *bindings, size_t n,
                                 struct mpl_recognition **r, const char **reason,
                                 struct mpl_err *err)
{
    const struct mpl_pattern *pattern = pattern_of_text(
        mpl_arena_printf(arena, "pattern: p\nsays: S.\nroles:\n%s", roles_text), arena);

    *reason = NULL;
    return mpl_recognize(pattern, events_of_text(trace_text, arena), bindings, n, arena, r,
                         reason, err);
}

static const char *role_labels(const struct mpl_recognition *r, size_t role)
{
    const struct mpl_role *bound = mpl_recognition_role(r, role);
    const struct mpl_model *model = mpl_events_model(mpl_recognition_events(r));
    const char *text = "";

    for (uint32_t i = 0; i < bound->n; i++) {
        text = mpl_arena_printf(arena, "%s%s%s", text, i == 0 ? "" : " ",
                                model->locations[bound->locations[i]].label);
    }
    return text;
}

START_TEST(roles_are_bound_by_formulas_over_the_topology)
{
    static const struct {
        const char *roles;
        const char *first, *second;
    } cases[] = {
        { "  a: {count: 1, where: peers >= 2}\n  b: {count: many, where: not is.a}\n", "0",
          "1 2" },
        { "  a: {count: 1, score: rank}\n  b: {count: many}\n", "2", "0 1 2" },
        { "  a: {count: 1}\n  b: {count: many, where: sent_to.a > 0}\n", "0", "1 2" },
        { "  a: {count: 1, where: rank == 1}\n  b: {count: many, where: traffic_with.a > "
          "0}\n",
          "1", "0" },
        { "  a: {count: many, where: compute >= max(all.compute)}\n"
          "  b: {count: many, where: sends == 2 and receives == 1 and size == 3}\n",
          "0", "1 2" },
        { "  a: {count: 1, where: received_bytes > 120 B}\n"
          "  b: {count: many, at_least: 0, where: received_from.a == 2}\n",
          "0", "" },
        { "  a: {count: many, where: sent_bytes == 68 B}\n"
          "  b: {count: many, where: share_with.a * 2 == 1}\n",
          "2", "0" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mpl_recognition *r;
        const char *reason;
        struct mpl_err err = { 0 };

        ck_assert_msg(try_roles(cases[i].roles, drawing, NULL, 0, &r, &reason, &err) ==
                          MPL_OK,
                      "%zu: %s", i, reason);
        ck_assert_str_eq(role_labels(r, 0), cases[i].first);
        ck_assert_str_eq(role_labels(r, 1), cases[i].second);
    }
}
END_TEST

START_TEST(role_that_nobody_can_play_is_told_with_the_nearest_candidate)
{
    struct mpl_recognition *r;
    const char *reason;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(try_roles("  a: {count: 1, where: peers >= 3 and size > 2}\n", drawing,
                               NULL, 0, &r, &reason, &err),
                     MPL_END);
    ck_assert_str_eq(reason, "no location can be 'a' (\"peers >= 3 and size > 2\"): "
                             "location 0 has size 3, peers 2");
    ck_assert_int_eq(
        try_roles("  a: {count: 1}\n"
                  "  b: {count: many, at_least: 3, where: share_with.a > 0.9}\n",
                  drawing, NULL, 0, &r, &reason, &err),
        MPL_END);
    ck_assert_str_eq(reason,
                     "2 of at least 3 locations can be 'b' (\"share_with.a > 0.9\"): "
                     "of the others location 0 has share_with.a 0");
    ck_assert_int_eq(
        try_roles("  a: {count: many, at_least: 4}\n", drawing, NULL, 0, &r, &reason, &err),
        MPL_END);
    ck_assert_str_eq(reason, "3 of at least 4 locations can be 'a'");
    ck_assert_int_eq(try_roles("  a: {count: 1}\n", "rank 0: compute 0..1\n", NULL, 0, &r,
                               &reason, &err),
                     MPL_END);
    ck_assert_str_eq(reason, "no location can be 'a': none calls MPI");
}
END_TEST

START_TEST(bindings_of_the_user_replace_formulas)
{
    static const char two[] = "  boss: {count: 1, where: peers >= 2}\n"
                              "  hand: {count: many, where: traffic_with.boss > 0}\n";
    const char *const one[] = { "1" };
    const char *const both[] = { "1", "2" };
    const char *const none[] = { "7" };
    struct mpl_role_binding binding = { "boss", one, 1 };
    struct mpl_recognition *r;
    const char *reason;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(try_roles(two, drawing, &binding, 1, &r, &reason, &err), MPL_OK);
    ck_assert_str_eq(role_labels(r, 0), "1");
    ck_assert_str_eq(role_labels(r, 1), "0");

    binding = (struct mpl_role_binding){ "boss", both, 2 };
    ck_assert_int_eq(try_roles(two, drawing, &binding, 1, &r, &reason, &err), MPL_E_USAGE);
    ck_assert_str_eq(err.cause[0].text, "role 'boss' is played by exactly one location");

    err = (struct mpl_err){ 0 };
    binding = (struct mpl_role_binding){ "hand", none, 1 };
    ck_assert_int_eq(try_roles(two, drawing, &binding, 1, &r, &reason, &err), MPL_E_USAGE);
    ck_assert_str_eq(err.cause[0].text, "there is no location '7' to be 'hand'");

    err = (struct mpl_err){ 0 };
    binding = (struct mpl_role_binding){ "bos", one, 1 };
    ck_assert_int_eq(try_roles(two, drawing, &binding, 1, &r, &reason, &err), MPL_E_USAGE);
    ck_assert_str_eq(err.cause[0].text,
                     "pattern 'p' has no role 'bos'; did you mean 'boss'?");
}
END_TEST

START_TEST(pattern_that_needs_what_the_trace_lacks_is_not_tried)
{
    const struct mpl_pattern *pattern = pattern_of_text(
        "pattern: p\nsays: S.\nneeds: [collectives]\nroles: {a: {count: many}}\n", arena);
    struct mpl_recognition *r;
    const char *reason;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_recognize(pattern, events_of_text(drawing, arena), NULL, 0, arena,
                                   &r, &reason, &err),
                     MPL_END);
    ck_assert_str_eq(reason, "the trace does not record collectives with operation and "
                             "communicator");
}
END_TEST

/* ---- fields -------------------------------------------------------------------------------- */

START_TEST(fields_of_members_have_the_values_of_the_drawing)
{
    const struct mpl_pattern *pattern =
        farm(TASK "    attributes:\n"
                  "      a: {value: get.enter, unit: s}\n"
                  "      b: {value: get.leave, unit: s}\n"
                  "      c: {value: get.duration, unit: s}\n"
                  "      d: {value: get.wait, unit: s}\n"
                  "      e: {value: get.transfer, unit: s}\n"
                  "      f: {value: get.bytes, unit: B}\n"
                  "      g: {value: get.tag, unit: 1}\n"
                  "      h: {value: get.peer, unit: 1}\n"
                  "      i: {value: get.rank, unit: 1}\n"
                  "      j: {value: get.late, unit: 1}\n"
                  "      k: {value: ask.late + get.unsure, unit: 1}\n"
                  "      l: {value: sum(work.duration), unit: s}\n"
                  "      m: {value: leave - enter - duration + index * 1 s, unit: s}\n",
             arena);
    struct mpl_recognition *r = recognize(pattern, events_of_text(drawing, arena), arena);

    ck_assert_uint_eq(count_of(r, "Task"), 2);
    /* Rank 1 waits from 6 until the boss begins to send at 20. */
    ck_assert_us(value_of(r, "Task.a", 0), 6);
    ck_assert_us(value_of(r, "Task.b", 0), 22);
    ck_assert_us(value_of(r, "Task.c", 0), 16);
    ck_assert_us(value_of(r, "Task.d", 0), 14);
    ck_assert_us(value_of(r, "Task.e", 0), 2);
    ck_assert_double_eq(value_of(r, "Task.f", 0), 100);
    ck_assert_double_eq(value_of(r, "Task.f", 1), 200);
    ck_assert_double_eq(value_of(r, "Task.g", 0), 2);
    ck_assert_double_eq(value_of(r, "Task.h", 0), 0);
    ck_assert_double_eq(value_of(r, "Task.i", 0), 1);
    ck_assert_double_eq(value_of(r, "Task.i", 1), 2);
    ck_assert_double_eq(value_of(r, "Task.j", 0), 1);
    ck_assert_double_eq(value_of(r, "Task.k", 0), 0);
    ck_assert_us(value_of(r, "Task.l", 0), 17);
    ck_assert_us(value_of(r, "Task.l", 1), 11);
    ck_assert_us(value_of(r, "Task.enter", 1), 8);
    ck_assert_us(value_of(r, "Task.leave", 1), 44);
    ck_assert_us(value_of(r, "Task.duration", 1), 36);
    ck_assert_us(value_of(r, "Task.m", 1), 0);
    ck_assert_double_eq(value_of(r, "Task.location", 0), 1);
    ck_assert_double_eq(value_of(r, "Task.location", 1), 2);
    ck_assert_double_eq(value_of(r, "Task.index", 0), 0);
    ck_assert_double_eq(value_of(r, "Task.index", 1), 0);
}
END_TEST

START_TEST(times_count_from_the_end_of_startup)
{
    const struct mpl_pattern *pattern =
        pattern_of_text("pattern: p\nsays: S.\nroles: {all_of: {count: many}}\nevents:\n"
                        "  Say:\n    on: all_of\n    expression: say\n"
                        "    members: {say: {event: call}}\n",
                        arena);
    struct mpl_recognition *r =
        recognize(pattern,
                  events_of_text("# us\n"
                                 "rank 0: init 0..10  send 15..16 to 1  "
                                 "finalize 20..30\n"
                                 "rank 1: init 0..12  recv 14..17 from 0  "
                                 "finalize 25..30\n",
                                 arena),
                  arena);
    const struct mpl_window window = mpl_window_of(mpl_recognition_events(r));

    /* Rank 0 leaves MPI_Init first, rank 1 enters MPI_Finalize last; both are outside. */
    ck_assert_int_eq(window.end_ticks - window.begin_ticks, 15000);
    ck_assert_uint_eq(count_of(r, "Say"), 2);
    ck_assert_us(value_of(r, "Say.enter", 0), 5);
    ck_assert_us(value_of(r, "Say.enter", 1), 4);
}
END_TEST

/* ---- coverage and fit --------------------------------------------------------------------------- */

START_TEST(coverage_counts_messages_and_time_inside_instances)
{
    struct mpl_recognition *r =
        recognize(farm(TASK, arena), events_of_text(drawing, arena), arena);

    /* ask and get on both hands: 4 of the 12 ends. */
    ck_assert_double_eq_tol(mpl_recognition_message_coverage(r), 4.0 / 12, 1e-12);
    /* 5..39 and 8..44 of three locations times 46 us. */
    ck_assert_double_eq_tol(mpl_recognition_time_coverage(r), 70.0 / (3 * 46), 1e-12);
    ck_assert_double_eq(mpl_recognition_fit(r), 1);
    ck_assert_ptr_null(mpl_recognition_worst_constraint(r));

    r = recognize(farm(TASK "    associated:\n"
                            "      give: {match: get}\n"
                            "      result: {next: work, event: send, to: boss}\n"
                            "      home: {match: result}\n",
                       arena),
                  events_of_text(drawing, arena), arena);
    /* Also give, twice. Results lie behind the task, and are another event's business. */
    ck_assert_double_eq_tol(mpl_recognition_message_coverage(r), 6.0 / 12, 1e-12);
}
END_TEST

START_TEST(matches_that_nothing_explains_count_against_fit)
{
    static const char late[] = TASK "    where: [get.wait > 1 us, get.bytes > 150 B]\n";
    static const char other[] = "  Other:\n"
                                "    on: hand\n"
                                "    expression: %s\n"
                                "    members:\n"
                                "      ask: {event: send, tag: 1}\n"
                                "      get: {event: recv, from: boss}\n";
    struct mpl_recognition *r =
        recognize(farm(late, arena), events_of_text(drawing, arena), arena);

    ck_assert_uint_eq(count_of(r, "Task"), 1);
    ck_assert_double_eq(mpl_recognition_fit(r), 0.5);
    ck_assert_uint_eq(r->n_failing, 1);
    ck_assert_str_eq(mpl_recognition_worst_constraint(r), "get.bytes > 150 B");

    /* Both message ends of the match that fails belong to an instance of another event. */
    r = recognize(farm(mpl_arena_printf(arena, "%s%s", late,
                                        mpl_arena_printf(arena, other, "ask get")),
                       arena),
                  events_of_text(drawing, arena), arena);
    ck_assert_double_eq(mpl_recognition_fit(r), 1);
    ck_assert_uint_eq(r->n_fitting, 3);
    ck_assert_uint_eq(r->n_failing, 0);

    /* One of the two does not. */
    r = recognize(
        farm(mpl_arena_printf(arena, "%s%s", late, mpl_arena_printf(arena, other, "ask")),
             arena),
        events_of_text(drawing, arena), arena);
    ck_assert_uint_eq(r->n_failing, 1);
}
END_TEST

START_TEST(pattern_without_events_fits_and_explains_nothing)
{
    struct mpl_recognition *r = recognize(
        pattern_of_text("pattern: p\nsays: S.\nroles: {a: {count: many}}\n", arena),
        events_of_text(drawing, arena), arena);

    ck_assert_double_eq(mpl_recognition_fit(r), 1);
    ck_assert_double_eq(mpl_recognition_message_coverage(r), 0);
    ck_assert_double_eq(mpl_recognition_time_coverage(r), 0);

    r = recognize(farm("  Never:\n    on: hand\n    expression: b\n"
                       "    members: {b: {event: barrier}}\n",
                       arena),
                  events_of_text(drawing, arena), arena);
    ck_assert_double_eq(mpl_recognition_fit(r), 0);
}
END_TEST

/* ---- columns ---------------------------------------------------------------------------------------- */

START_TEST(instances_of_a_location_stand_together)
{
    struct mpl_recognition *r =
        recognize(farm(TASK "    attributes: {wait: {value: get.wait, unit: s}}\n", arena),
                  events_of_text(drawing, arena), arena);
    size_t first;

    ck_assert_uint_eq(mpl_recognition_range(r, 0, 2, &first), 1);
    ck_assert_uint_eq(first, 1);
    ck_assert_uint_eq(mpl_recognition_range(r, 0, 0, &first), 0);
    ck_assert_us(value_of(r, "Task.wait", 1), 31 - 9);
    ck_assert_uint_eq(mpl_recognition_locations(r, 0)[1], 2);
}
END_TEST

START_TEST(attributes_of_two_events_may_read_each_other)
{
    const struct mpl_pattern *pattern =
        farm(TASK "    associated:\n"
                  "      give: {match: get}\n"
                  "      service: {containing: give, instance: Service}\n"
                  "    attributes:\n"
                  "      work: {value: sum(work.duration), unit: s}\n"
                  "      share: {value: service.think / service.sum, unit: 1}\n"
                  "  Service:\n"
                  "    on: boss\n"
                  "    expression: take think give\n"
                  "    members:\n"
                  "      take:  {event: recv, from: hand, tag: 1}\n"
                  "      think: {event: compute}\n"
                  "      give:  {event: send, to: hand}\n"
                  "    associated:\n"
                  "      get: {match: give}\n"
                  "      task: {containing: get, instance: Task}\n"
                  "    attributes:\n"
                  "      think: {value: think.duration, unit: s}\n"
                  "      sum: {value: think + task.work, unit: s}\n",
             arena);
    struct mpl_recognition *r = recognize(pattern, events_of_text(drawing, arena), arena);

    for (uint32_t e = 0; e < 2; e++) {
        for (uint32_t a = 0; a < mpl_pattern_attribute_count(pattern, e); a++) {
            mpl_recognition_want(r, e, a);
        }
    }
    ck_assert_double_eq_tol(value_of(r, "Task.share", 0), 8.0 / (8 + 17), 1e-12);
    ck_assert_double_eq_tol(value_of(r, "Task.share", 1), 8.0 / (8 + 11), 1e-12);
}
END_TEST

START_TEST(regions_say_where_the_time_of_a_name_is_spent)
{
    const struct mpl_pattern *pattern =
        farm(TASK "    associated:\n"
                  "      give: {match: get}\n"
                  "      setup: {previous: give, event: compute}\n",
             arena);
    struct mpl_recognition *r = recognize(pattern, events_of_text(drawing, arena), arena);
    const struct mpl_model *model = mpl_events_model(mpl_recognition_events(r));
    uint32_t n;
    const struct mpl_region_time *times = mpl_recognition_regions(r, 0, "setup", &n);

    ck_assert_uint_eq(n, 1);
    ck_assert_str_eq(model->regions[times[0].region].name, "think");
    ck_assert_us(times[0].exclusive_s, 16);
    ck_assert_uint_eq(times[0].visits, 2);
    times = mpl_recognition_regions(r, 0, "work", &n);
    ck_assert_uint_eq(n, 1);
    ck_assert_us(times[0].exclusive_s, 28);
    (void) mpl_recognition_regions(r, 0, "nobody", &n);
    ck_assert_uint_eq(n, 0);
}
END_TEST

/* ---- real traces -------------------------------------------------------------------------------------- */

/* Li & Malony's life cycle of a task, without the refinements of the shipped pattern. */
static const char life_cycle[] =
    "pattern: tasks\nsays: S.\n"
    "roles:\n"
    "  master: {count: 1, where: peers >= 0.5 * (size - 1) and peers >= 2, score: "
    "messages}\n"
    "  worker: {count: many, at_least: 2, where: share_with.master >= 0.8}\n"
    "events:\n"
    "  TaskLifeCycle:\n"
    "    on: worker\n"
    "    expression: (request gap?)? assign work+\n"
    "    members:\n"
    "      request: {event: send, to: master}\n"
    "      gap: {event: compute}\n"
    "      assign: {event: recv, from: master}\n"
    "      work: {event: compute}\n"
    "    associated:\n"
    "      result: {next: work, event: send, to: master}\n"
    "    where: defined(result.enter)\n"
    "    attributes: {work: {value: sum(work.duration), unit: s}}\n";

START_TEST(task_life_cycles_of_real_runs_are_counted)
{
    static const struct {
        const char *trace;
        size_t n_tasks;
        uint32_t n_workers;
    } cases[] = {
        { "mandel-mw-masterslow-np8", 401, 7 },
        { "mandel-mw-coarse-np8", 17, 7 },
        { "mandel-mw-np4", 401, 3 },
        { "scorep-mw", 60, 3 },
        { "scorep-mw8", 200, 7 },
    };
    const char *path = mpl_arena_printf(arena, "%s/%s", traces_folder(), cases[_i].trace);
    const struct mpl_events *events = events_of_path(path, arena);
    struct mpl_recognition *r =
        recognize(pattern_of_text(life_cycle, arena), events, arena);
    const struct mpl_role *master = mpl_recognition_role(r, 0);

    ck_assert_uint_eq(master->n, 1);
    ck_assert_uint_eq(master->locations[0], 0);
    ck_assert_uint_eq(mpl_recognition_role(r, 1)->n, cases[_i].n_workers);
    ck_assert_uint_eq(count_of(r, "TaskLifeCycle"), cases[_i].n_tasks);
}
END_TEST

START_TEST(tasks_of_a_real_run_are_those_that_it_reports)
{
    /* app-truth.txt of the trace: rows per rank, and the time in them. */
    static const size_t rows[] = { 65, 65, 55, 54, 54, 54, 54 };
    static const double work_s[] = {
        0.6564, 0.6571, 0.5570, 0.5455, 0.5453, 0.5452, 0.5499
    };
    const char *path =
        mpl_arena_printf(arena, "%s/mandel-mw-masterslow-np8", traces_folder());
    struct mpl_recognition *r =
        recognize(pattern_of_text(life_cycle, arena), events_of_path(path, arena), arena);

    for (uint32_t rank = 1; rank <= 7; rank++) {
        size_t first;
        const size_t n = mpl_recognition_range(r, 0, rank, &first);
        double sum_s = 0;

        ck_assert_uint_eq(n, rows[rank - 1]);
        for (size_t i = first; i < first + n; i++) {
            sum_s += value_of(r, "TaskLifeCycle.work", i);
        }
        ck_assert_msg(fabs(sum_s - work_s[rank - 1]) < 0.02 * work_s[rank - 1],
                      "rank %u works %.4f s, not %.4f s", rank, sum_s, work_s[rank - 1]);
    }
}
END_TEST

START_TEST(single_fields_are_those_of_the_span)
{
    static const char *const names[] = { "scorep-mw", "scorep-colls", "npb-ep-W-np8",
                                         "scorep-halo-omp", "dcsort-np7" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = mpl_arena_printf(arena, "%s/%s", traces_folder(), names[i]);
        const struct mpl_events *events = events_of_path(path, arena);

        for (uint32_t l = 0; l < mpl_events_model(events)->n_locations; l++) {
            for (uint32_t s = 0; s < mpl_events_span_count(events, l); s++) {
                const struct mpl_span span = mpl_events_span(events, l, s);

                ck_assert_int_eq(mpl_events_enter_ticks(events, l, s), span.enter_ticks);
                ck_assert_int_eq(mpl_events_leave_ticks(events, l, s), span.leave_ticks);
                ck_assert_int_eq(mpl_events_wait_ticks(events, l, s), span.wait_ticks);
            }
        }
    }
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------------------- */

START_TEST(recognising_without_memory_fails_and_leaks_nothing)
{
    const struct mpl_pattern *pattern =
        farm(TASK "    associated:\n"
                  "      give: {match: get}\n"
                  "      round: {containing: give, instance: Service}\n"
                  "    where: [get.wait > 1 us, get.bytes > 150 B]\n"
                  "    attributes:\n"
                  "      work: {value: sum(work.duration) + round.wait, unit: s}\n"
                  "  Service:\n"
                  "    on: boss\n"
                  "    expression: (take | give)+\n"
                  "    members:\n"
                  "      take: {event: recv}\n"
                  "      give: {event: send}\n"
                  "    attributes: {wait: {value: sum(take.wait), unit: s}}\n",
             arena);
    const struct mpl_events *events = events_of_text(drawing, arena);
    const struct mpl_yaml *const *sections;
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    (void) mpl_pattern_metric_sections(pattern, &sections);
    for (; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_recognition *r = NULL;
        const char *reason = NULL;
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);
        st = mpl_recognize(pattern, events, NULL, 0, own, &r, &reason, &err);

        const double *column =
            st == MPL_OK ? mpl_recognition_column(
                               r, 0, mpl_pattern_find_attribute(pattern, 0, "work"))
                         : NULL;

        mpl_alloc_fail_after(-1);
        st = st == MPL_OK && column == NULL ? MPL_E_NOMEM : st;
        if (st == MPL_OK) {
            ck_assert_uint_eq(count_of(r, "Task"), 1);
            ck_assert_us(column[0], 11);
        }
        mpl_arena_destroy(own);
    }
    ck_assert_int_gt(failures_without_memory(), 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recognize");
    TCase *tcase = add_case(suite, "all", create_arena, destroy_arena);

    tcase_add_test(tcase, roles_are_bound_by_formulas_over_the_topology);
    tcase_add_test(tcase, role_that_nobody_can_play_is_told_with_the_nearest_candidate);
    tcase_add_test(tcase, bindings_of_the_user_replace_formulas);
    tcase_add_test(tcase, pattern_that_needs_what_the_trace_lacks_is_not_tried);
    tcase_add_test(tcase, fields_of_members_have_the_values_of_the_drawing);
    tcase_add_test(tcase, times_count_from_the_end_of_startup);
    tcase_add_test(tcase, coverage_counts_messages_and_time_inside_instances);
    tcase_add_test(tcase, matches_that_nothing_explains_count_against_fit);
    tcase_add_test(tcase, pattern_without_events_fits_and_explains_nothing);
    tcase_add_test(tcase, instances_of_a_location_stand_together);
    tcase_add_test(tcase, attributes_of_two_events_may_read_each_other);
    tcase_add_test(tcase, regions_say_where_the_time_of_a_name_is_spent);
    tcase_add_test(tcase, recognising_without_memory_fails_and_leaks_nothing);
    if (traces_are_there("recognition of real runs")) {
        TCase *real = add_case(suite, "real", create_arena, destroy_arena);

        tcase_set_timeout(real, 120);
        tcase_add_loop_test(real, task_life_cycles_of_real_runs_are_counted, 0, 5);
        tcase_add_test(real, tasks_of_a_real_run_are_those_that_it_reports);
        tcase_add_test(real, single_fields_are_those_of_the_span);
    }
    return run_suite(suite);
}
