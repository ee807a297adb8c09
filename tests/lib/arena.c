#include "config.h"

#include "arena.h"

#include <check.h>
#include <stdlib.h>

struct mpl_arena *arena;

void create_arena(void)
{
    mpl_alloc_fail_after(-1);
    arena = mpl_arena_create();
    ck_assert_ptr_nonnull(arena);
}

void destroy_arena(void)
{
    mpl_alloc_fail_after(-1);
    mpl_arena_destroy(arena);
    arena = NULL;
}

const char *in_tree(const char *path)
{
    const char *top = getenv("top_srcdir");
    const char *full = mpl_arena_printf(arena, "%s/%s", top != NULL ? top : ".", path);

    ck_assert_ptr_nonnull(full);
    return full;
}

static long n_failures;

bool fails_without_memory(long n, enum mpl_status st)
{
    const bool has_refused = mpl_alloc_fail_after(-1) < 0;

    ck_assert_msg(st == MPL_OK || st == MPL_E_NOMEM, "allocation %ld: status %d", n - 1,
                  st);
    ck_assert_int_lt(n, 100000);
    if (n == 0) {
        n_failures = 0;
        return true;
    }
    n_failures += st == MPL_E_NOMEM;
    if (!has_refused) {
        ck_assert_int_eq(st, MPL_OK);
        ck_assert_int_gt(n_failures, 1);
    }
    return has_refused;
}

long failures_without_memory(void)
{
    return n_failures;
}
