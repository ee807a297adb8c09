/*
 * Which rules can fire, as far as their conditions are written out. Most rules speak of one pattern, and a
 * run shows few: CLIPS takes 1 ms to read 2 rules, and the traces of small programs are read faster.
 */
#include "config.h"

#include "infer/infer_priv.h"

#include <string.h>

/* A string that stands alone in its slot, so that no fact with another one is meant. */
static bool is_only_value(struct mpl_scanner after, struct mpl_token value)
{
    return value.kind == TOKEN_STRING && value.is_closed &&
           memchr(after.text + value.begin, '\\', value.end - value.begin) == NULL &&
           mpl_scanner_next(&after).kind == TOKEN_CLOSE;
}

static bool is_among(const struct mpl_scanner *s, struct mpl_token value,
                     const char *const *patterns)
{
    const size_t n = value.end - value.begin - 2;

    for (size_t i = 0; patterns[i] != NULL; i++) {
        if (strlen(patterns[i]) == n &&
            memcmp(patterns[i], s->text + value.begin + 1, n) == 0) {
            return true;
        }
    }
    return false;
}

/* Behind "(pattern" up to its end: whether a fact of one of \p patterns can be meant. */
static bool may_be_met(struct mpl_scanner *s, const char *const *patterns)
{
    bool may_be = true;

    for (unsigned depth = 1; depth > 0;) {
        const struct mpl_token token = mpl_scanner_next(s);
        struct mpl_scanner slot = *s;

        if (token.kind == TOKEN_END) {
            return true;
        }
        if (token.kind == TOKEN_OPEN && depth == 1 &&
            mpl_token_is(s, mpl_scanner_next(&slot), "name")) {
            const struct mpl_token value = mpl_scanner_next(&slot);

            may_be =
                may_be && (!is_only_value(slot, value) || is_among(s, value, patterns));
        }
        depth += token.kind == TOKEN_OPEN;
        depth -= token.kind == TOKEN_CLOSE;
    }
    return may_be;
}

bool mpl_rule_can_fire(const struct mpl_source *source, const struct mpl_construct *rule,
                       const char *const *patterns)
{
    struct mpl_scanner s = mpl_scanner_make(source->text, rule->end);

    s.at = rule->begin;
    for (unsigned depth = 0;;) {
        const struct mpl_token token = mpl_scanner_next(&s);

        if (token.kind == TOKEN_END || (depth == 1 && mpl_token_is(&s, token, "=>"))) {
            return true;
        }
        if (token.kind == TOKEN_OPEN && depth == 1) {
            struct mpl_scanner behind = s;

            if (mpl_token_is(&s, mpl_scanner_next(&behind), "pattern")) {
                if (!may_be_met(&behind, patterns)) {
                    return false;
                }
                s = behind;
                continue;
            }
        }
        depth += token.kind == TOKEN_OPEN;
        depth -= token.kind == TOKEN_CLOSE;
    }
}
