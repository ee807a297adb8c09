#include "config.h"

#include "cli/cli_priv.h"

#include <stdlib.h>

/* Ranks of MPI are int. */
static const unsigned long most = 0x7fffffff;

static bool take_rank(const char **at, uint32_t *rank)
{
    char *end = NULL;
    const bool is_digit = **at >= '0' && **at <= '9';
    const unsigned long number = is_digit ? strtoul(*at, &end, 10) : 0;

    *rank = (uint32_t) number;
    *at = is_digit ? end : *at;
    return is_digit && number <= most;
}

enum mpl_status mpl_take_ranks(struct mpl_args *args, void *target, struct mpl_err *err)
{
    const char *at = args->value;

    for (;;) {
        struct mpl_rank_pair *pair = mpl_buf_add((struct mpl_buf *) target);

        if (pair == NULL) {
            return mpl_nomem(err);
        }
        bool is_right = take_rank(&at, &pair->from) && *at == '=';
        at += is_right;
        is_right = is_right && take_rank(&at, &pair->to) && (*at == ',' || *at == '\0');
        if (!is_right) {
            return mpl_fail(
                err, MPL_E_USAGE,
                "option \"--%s\" takes a rank of the base, = and its rank in the "
                "new run, as 3=5 or 3=5,5=3; column %zu of \"%s\" is something "
                "else",
                args->option->name, (size_t) (at - args->value) + 1, args->value);
        }
        if (*at++ == '\0') {
            return MPL_OK;
        }
    }
}
