/*
 * What may meet what: lists and single values, units. A wrong operand is reported once; then
 * it is bad, and everything made of it is bad in silence, so that a formula with three
 * mistakes gives three messages and not ten.
 */
#include "config.h"

#include "formula/formula_priv.h"

void mpl_operand_join(struct compiler *c, size_t at, const struct operand *a,
                      const struct operand *b, struct operand *out)
{
    struct operand joined = a->is_list ? *a : *b;

    joined.is_bad = a->is_bad || b->is_bad;
    joined.is_varying = a->is_varying || b->is_varying;
    joined.has_aggregate = a->has_aggregate || b->has_aggregate;
    joined.inside = a->has_aggregate ? a->inside : b->inside;
    joined.fits_any_unit = false;
    joined.is_plain_number = false;
    joined.is_condition = false;
    if (!joined.is_bad && a->is_list && b->is_list && a->group != b->group) {
        (void) mpl_formula_error(
            c, at, "'%.*s' and '%.*s' are lists of different things; aggregate each alone",
            (int) a->name.n, c->text + a->name.at, (int) b->name.n, c->text + b->name.at);
        joined.is_bad = true;
    }
    *out = joined;
}

/* How a plain number gets the unit that the other side has. */
static const char *hint(const struct operand *a, const struct operand *b)
{
    const struct mpl_unit seconds = { 1, 0 };
    const struct mpl_unit bytes = { 0, 1 };
    const struct mpl_unit other = a->is_plain_number ? b->unit : a->unit;

    if (!a->is_plain_number && !b->is_plain_number) {
        return "";
    }
    if (mpl_unit_equal(other, seconds)) {
        return "; a number gets its unit as in 5 ms";
    }
    return mpl_unit_equal(other, bytes) ? "; a number gets its unit as in 64 KiB" : "";
}

void mpl_operand_equal_units(struct compiler *c, size_t at, const char *what,
                             const struct operand *a, const struct operand *b,
                             struct operand *out)
{
    char unit_a[UNIT_TEXT_BYTES];
    char unit_b[UNIT_TEXT_BYTES];

    out->fits_any_unit = a->fits_any_unit && b->fits_any_unit;
    out->unit = a->fits_any_unit ? b->unit : a->unit;
    if (out->is_bad || a->fits_any_unit || b->fits_any_unit ||
        mpl_unit_equal(a->unit, b->unit)) {
        return;
    }
    (void) mpl_formula_error(c, at, "%s needs equal units, not %s and %s%s", what,
                             mpl_unit_text(a->unit, unit_a), mpl_unit_text(b->unit, unit_b),
                             hint(a, b));
    out->is_bad = true;
}

void mpl_operand_need_plain(struct compiler *c, size_t at, const char *what,
                            struct operand *operand)
{
    char unit[UNIT_TEXT_BYTES];

    if (operand->is_bad || mpl_unit_equal(operand->unit, (struct mpl_unit){ 0, 0 })) {
        return;
    }
    (void) mpl_formula_error(c, at, "%s needs a number without unit, not %s", what,
                             mpl_unit_text(operand->unit, unit));
    operand->is_bad = true;
}

void mpl_operand_product(struct compiler *c, size_t at, int sign, const struct operand *a,
                         const struct operand *b, struct operand *out)
{
    if (out->is_bad || mpl_unit_combine(a->unit, b->unit, sign, &out->unit)) {
        return;
    }
    (void) mpl_formula_error(c, at, "the result's unit has a power beyond %d",
                             UNIT_POWER_LIMIT);
    out->is_bad = true;
}
