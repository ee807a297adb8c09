/* Counting what ends before it begins, of a whole run at once. */
#ifndef MPL_TESTS_UNIT_VIOLATIONS_H
#define MPL_TESTS_UNIT_VIOLATIONS_H

#include "order/order.h"

/** All violations on the times of \p view. Errors: MPL_E_NOMEM. */
enum mpl_status violations_count(const struct mpl_order_view *view,
                                 struct mpl_violations *out, struct mpl_err *err);

#endif
