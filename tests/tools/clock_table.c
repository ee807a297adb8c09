/*
 * clock_table TRACE...
 *
 * Prints for every trace how well its messages are ordered: on the clocks as recorded, with the
 * offsets that the EventSpace paper estimates, and with ours.
 */
#include "config.h"

#include "misses.h"

#include "read/read.h"

static enum mpl_status print_table(const char *path, enum mpl_clock_choice choice,
                                   const char *what, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_model *model = NULL;
    const struct mpl_match *match = NULL;
    struct miss_table table;
    enum mpl_status st =
        arena == NULL ? mpl_nomem(err) : mpl_read(path, arena, NULL, &model, err);

    if (st == MPL_OK) {
        st = mpl_match_create(model, arena, &match, err);
    }
    if (st == MPL_OK) {
        st = misses_measure(model, match, choice, arena, &table, err);
    }
    if (st == MPL_OK) {
        misses_print(what, &table, stdout);
    }
    mpl_arena_destroy(arena);
    return st;
}

static enum mpl_status print_tables(const char *path, struct mpl_err *err)
{
    enum mpl_status st;

    (void) printf("%s\n", path);
    st = print_table(path, MPL_CLOCK_NONE, "recorded", err);
    if (st == MPL_OK) {
        st = print_table(path, MPL_CLOCK_ONLY_EVENTSPACE, "eventspace", err);
    }
    if (st == MPL_OK) {
        st = print_table(path, MPL_CLOCK_ONLY_MESSAGES, "messages", err);
    }
    return st;
}

int main(int argc, char **argv)
{
    struct mpl_err err = { 0 };
    enum mpl_status st = MPL_OK;

    if (argc < 2) {
        (void) fputs("usage: clock_table TRACE...\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc && st == MPL_OK; i++) {
        st = print_tables(argv[i], &err);
    }
    if (st != MPL_OK) {
        mpl_err_print(&err, stderr);
    }
    return st == MPL_OK ? 0 : 3;
}
