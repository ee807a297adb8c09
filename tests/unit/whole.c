#include "config.h"

#include "whole.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 250, STRIDE = 61, ENOUGH = 12, MOST = 400000 };

struct written {
    enum mpl_status status;
    char *bytes;
    size_t n;
};

static struct written write_once(writer write, void *context, long refused)
{
    struct mpl_err err = { 0 };
    struct written written = { .status = MPL_OK };
    FILE *out = open_memstream(&written.bytes, &written.n);

    ck_assert_ptr_nonnull(out);
    mpl_alloc_fail_after(refused);
    written.status = write(context, out, &err);
    mpl_alloc_fail_after(-1);
    ck_assert_int_eq(fclose(out), 0);
    return written;
}

/* Until it is written several times one after the other: then more allocations are allowed than it needs. */
void check_whole_or_error(writer write, void *context, const char *name)
{
    struct written whole = write_once(write, context, -1);
    long failures = 0;
    int n_good = 0;

    ck_assert_int_eq(whole.status, MPL_OK);
    ck_assert_uint_gt(whole.n, 0);
    for (long n = 0; n_good < ENOUGH; n += n < EACH ? 1 : STRIDE) {
        struct written one = write_once(write, context, n);

        ck_assert_int_lt(n, MOST);
        ck_assert_msg(one.status == MPL_OK || one.status == MPL_E_NOMEM,
                      "%s, allocation %ld: status %d", name, n, one.status);
        ck_assert_msg(one.status != MPL_OK ||
                          (one.n == whole.n && memcmp(one.bytes, whole.bytes, one.n) == 0),
                      "%s, allocation %ld: it lacks something, and nothing says so", name,
                      n);
        n_good = one.status == MPL_OK ? n_good + 1 : 0;
        failures += one.status == MPL_E_NOMEM;
        free(one.bytes);
    }
    ck_assert_int_gt(failures, 3);
    free(whole.bytes);
}
