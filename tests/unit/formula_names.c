#include "config.h"

#include "formula_names.h"

#include <math.h>
#include <string.h>

#define SECONDS \
    { \
        1, 0 \
    }
#define BYTES \
    { \
        0, 1 \
    }
#define SCALAR(slot, ...) \
    { \
        false, 0, slot, __VA_ARGS__, false, { NULL, NULL }, 0 \
    }
#define LIST(group, slot, ...) \
    { \
        true, group, slot, __VA_ARGS__, false, { NULL, NULL }, 0 \
    }

enum { TASKS, CALLS, NOTHING };

/* Two tasks have no wait, and one no size: associated events that are not there. */
static const double task_enter[NAMES_TASKS] = { 0, 2, 4.5, 7, 9, 12, 15.25, 20 };
static const double task_leave[NAMES_TASKS] = { 1, 3.5, 6, 9, 9, 14, 19.5, 21 };
static const double task_wait[NAMES_TASKS] = { 0.5, NAN, 0, 1, 0.25, NAN, 3, 0.5 };
static const double task_bytes[NAMES_TASKS] = { 8, 16, 8, NAN, 64, 8, 1024, 8 };
static const double task_late[NAMES_TASKS] = { 1, 0, 0, 1, 1, NAN, 1, 0 };
static const double call_wait[NAMES_CALLS] = { 1, 2, 4 };

const struct mpl_list test_lists[] = {
    { task_enter, NAMES_TASKS },
    { task_leave, NAMES_TASKS },
    { task_wait, NAMES_TASKS },
    { task_bytes, NAMES_TASKS },
    { task_late, NAMES_TASKS },
    { call_wait, NAMES_CALLS },
    { NULL, 0 },
};

const double test_scalars[] = { 3, 0.25, NAN, 100, 2, 0, -7, NAN, 10 };

const struct test_name test_names[] = {
    { "run.duration", SCALAR(0, SECONDS) },
    { "run.setup", SCALAR(1, SECONDS) },
    { "run.ideal", SCALAR(2, SECONDS) },
    { "run.bytes", SCALAR(3, BYTES) },
    { "n", SCALAR(4, { 0, 0 }) },
    { "none", SCALAR(5, { 0, 0 }) },
    { "m", SCALAR(6, { 0, 0 }) },
    { "undefined", SCALAR(7, { 0, 0 }) },
    { "ten", SCALAR(8, { 0, 0 }) },
    { "Task.enter", LIST(TASKS, 0, SECONDS) },
    { "Task.leave", LIST(TASKS, 1, SECONDS) },
    { "Task.wait", LIST(TASKS, 2, SECONDS) },
    { "Task.bytes", LIST(TASKS, 3, BYTES) },
    { "Task.late", LIST(TASKS, 4, { 0, 0 }) },
    { "Call.wait", LIST(CALLS, 5, SECONDS) },
    { "Nothing.wait", LIST(NOTHING, 6, SECONDS) },
};
const size_t n_test_names = sizeof test_names / sizeof *test_names;

enum mpl_status look_up_test_name(void *context, const char *name,
                                  struct mpl_formula_name *out, const char **suggestion,
                                  const char **reason)
{
    const char *words[sizeof test_names / sizeof *test_names];

    (void) context;
    for (size_t i = 0; i < n_test_names; i++) {
        words[i] = test_names[i].name;
        if (strcmp(name, words[i]) == 0) {
            *out = test_names[i].meaning;
            return MPL_OK;
        }
    }
    if (strcmp(name, "refused") == 0) {
        *reason = "'refused' is of another role";
    }
    if (strcmp(name, "no_memory") == 0) {
        return MPL_E_NOMEM;
    }
    *suggestion = mpl_suggest(name, words, n_test_names);
    return MPL_E_MEANING;
}

enum mpl_status compile_test_formula(const char *text, struct mpl_arena *arena,
                                     struct mpl_lint **lint,
                                     const struct mpl_formula **formula)
{
    const struct mpl_place place = { "p.yaml", 7, 11 };

    *lint = mpl_lint_create(arena);
    return mpl_formula_compile(text, place, true, look_up_test_name, NULL, arena, *lint,
                               formula, NULL);
}
