#include "config.h"

#include "clc/clc.h"

struct mpl_clc_options mpl_clc_defaults(void)
{
    return (struct mpl_clc_options){ .gamma = 0.999,
                                     .delta_s = 1e-9,
                                     .mu_s = -1,
                                     .amortization = 50,
                                     .error_s = -1,
                                     .max_passes = 8 };
}

const char *mpl_clc_class_name(enum mpl_clc_class class)
{
    switch (class) {
    case MPL_CLC_P2P_INSIDE:
        return "messages inside hosts";
    case MPL_CLC_P2P_BETWEEN:
        return "messages between hosts";
    case MPL_CLC_COLLECTIVE:
        return "collectives";
    default:
        return "threads";
    }
}
