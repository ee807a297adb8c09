/* Slots of facts. */
#include "config.h"

#include "analysis/analysis_priv.h"

struct mpl_slot mpl_slot_text(const char *name, const char *text)
{
    return (struct mpl_slot){ .name = name, .kind = MPL_SLOT_STRING, .text = text };
}

struct mpl_slot mpl_slot_symbol(const char *name, const char *text)
{
    return (struct mpl_slot){ .name = name, .kind = MPL_SLOT_SYMBOL, .text = text };
}

struct mpl_slot mpl_slot_integer(const char *name, uint64_t value)
{
    return (struct mpl_slot){ .name = name,
                              .kind = MPL_SLOT_INTEGER,
                              .integer = value > INT64_MAX ? INT64_MAX : (int64_t) value };
}

struct mpl_slot mpl_slot_float(const char *name, double value)
{
    return (struct mpl_slot){ .name = name, .kind = MPL_SLOT_FLOAT, .number = value };
}
