/*
 * The loop of a role in both runs: how often it is taken and, where its body differs, what it is. A role has the same
 * pairs of calls in both runs, which says nothing about how often each of them is made in an iteration.
 */
#include "config.h"

#include "diff/roles_priv.h"

/* What of a body is written; the rest is a number. */
enum { MOST_ITEMS = 10 };

/* The first of a role; where a run has nobody of it, who is most like it. MPL_NONE: nobody. */
static uint32_t first_of(const struct mpl_diff_role *role, int side)
{
    return role->sides[side].n > 0 ? role->sides[side].locations[0] : role->near;
}

/* The loop that most calls of a location are in. */
static struct mpl_item main_loop(const struct mpl_loops *loops,
                                 const struct mpl_folded *folded)
{
    struct mpl_item best = { 0, 0 };
    uint64_t most = 0;

    for (uint32_t i = 0; i < folded->n; i++) {
        const struct mpl_item item = folded->items[i];
        const uint64_t length = mpl_item_length(loops, item);

        if ((item.what & MPL_LOOP) != 0 && length > most) {
            best = item;
            most = length;
        }
    }
    return best;
}

static const char *body_text(const struct mpl_roles *r, const struct mpl_loops *loops,
                             uint32_t loop);

static const char *item_text(const struct mpl_roles *r, const struct mpl_loops *loops,
                             struct mpl_item item)
{
    const uint32_t loop = item.what & ~MPL_LOOP;

    if ((item.what & MPL_LOOP) == 0) {
        return mpl_symbol_text(r->comparison->symbols, item.what, true, r->scratch);
    }
    const char *text = body_text(r, loops, loop);
    return text == NULL ? NULL
           : mpl_loops_get(loops, loop).n == 1
               ? mpl_arena_printf(r->scratch, "%s^%u", text, item.count)
               : mpl_arena_printf(r->scratch, "(%s)^%u", text, item.count);
}

/* "Irecv Isend Waitall Allreduce^2". NULL: no memory. */
static const char *body_text(const struct mpl_roles *r, const struct mpl_loops *loops,
                             uint32_t loop)
{
    const struct mpl_loop body = mpl_loops_get(loops, loop);
    const char *text = "";

    for (uint32_t i = 0; i < body.n && i < MOST_ITEMS && text != NULL; i++) {
        const char *one = item_text(r, loops, body.items[i]);

        text = one == NULL
                   ? NULL
                   : mpl_arena_printf(r->scratch, "%s%s%s", text, i == 0 ? "" : " ", one);
    }
    return text == NULL || body.n <= MOST_ITEMS
               ? text
               : mpl_arena_printf(r->scratch, "%s (%u more)", text, body.n - MOST_ITEMS);
}

/* Their loops begin at the same call or not. False: no memory. */
static bool are_alike(const struct mpl_roles *r, const struct mpl_loops *loops,
                      const struct mpl_item *found, bool *alike)
{
    const uint32_t *of;

    if (!mpl_loops_find_rotations(loops, r->scratch, &of)) {
        return false;
    }
    *alike = of[found[0].what & ~MPL_LOOP] == of[found[1].what & ~MPL_LOOP];
    return true;
}

static bool say_bodies(const struct mpl_roles *r, const struct mpl_loops *loops,
                       const struct mpl_item *found, struct mpl_diff_role *role)
{
    for (int i = 0; i < 2; i++) {
        const char *text = body_text(r, loops, found[i].what & ~MPL_LOOP);

        role->sides[i].loop =
            text == NULL ? NULL : mpl_arena_strdup(r->comparison->arena, text);
        if (role->sides[i].loop == NULL) {
            return false;
        }
    }
    return true;
}

static enum mpl_status look(const struct mpl_roles *r, const struct mpl_sequence *sequences,
                            bool may_say, struct mpl_diff_role *role, struct mpl_err *err)
{
    struct mpl_loops *loops = mpl_loops_create(MPL_FILTER_K, r->scratch);
    struct mpl_folded folded[2];
    struct mpl_item found[2];
    bool alike = false;
    enum mpl_status st =
        loops == NULL ? mpl_nomem(err) : mpl_loops_fold(loops, sequences, 2, folded, err);

    for (int i = 0; i < 2 && st == MPL_OK; i++) {
        found[i] = main_loop(loops, &folded[i]);
    }
    if (st == MPL_OK && found[0].count > 0 && found[1].count > 0) {
        if (!are_alike(r, loops, found, &alike) ||
            (!alike && may_say && !say_bodies(r, loops, found, role))) {
            st = mpl_nomem(err);
        }
        for (int i = 0; i < 2 && (alike || may_say); i++) {
            role->sides[i].iterations = found[i].count;
        }
    }
    mpl_loops_destroy(loops);
    return st;
}

/* What stands in a row counts once, as for roles: how many neighbours one has depends on how many processes there are. */
static bool take_items(const struct mpl_roles *r, int side, uint32_t l,
                       struct mpl_sequence *out)
{
    const struct mpl_folded *items = &r->items[l + (side == 0 ? 0 : r->n[0])];
    uint32_t *symbols = MPL_NEW_ARRAY(r->scratch, items->n, uint32_t);

    for (uint32_t i = 0; i < items->n && symbols != NULL; i++) {
        symbols[i] = items->items[i].what;
    }
    *out = (struct mpl_sequence){ .n = items->n, .symbols = symbols };
    return symbols != NULL;
}

enum mpl_status mpl_roles_compare_loops(const struct mpl_roles *r,
                                        struct mpl_diff_role *role, struct mpl_err *err)
{
    const uint32_t firsts[2] = { first_of(role, 0), first_of(role, 1) };
    struct mpl_sequence whole[2];
    struct mpl_sequence short_of[2];

    if (role->kind == MPL_ROLE_LOOSE || firsts[0] == MPL_NONE || firsts[1] == MPL_NONE) {
        return MPL_OK;
    }
    for (int i = 0; i < 2; i++) {
        whole[i] = r->sequences[i][firsts[i]];
        if (!take_items(r, i, firsts[i], &short_of[i])) {
            return mpl_nomem(err);
        }
    }
    const enum mpl_status st = look(r, whole, false, role, err);
    return st == MPL_OK && role->sides[0].iterations == 0
               ? look(r, short_of, true, role, err)
               : st;
}
