/* What is different between two runs of other numbers of processes, role by role: for a person, and for a program. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A page says no more. */
enum { MOST_ROLES = 6 };
static const char *const sides[] = { "the base", "the new run" };

static const struct mpl_model *model_of(const struct mpl_diff *diff, int side)
{
    return (side == 0 ? diff->base : diff->new)->model;
}

static const char *label_of(const struct mpl_diff *diff, int side, uint32_t location)
{
    return model_of(diff, side)->locations[location].label;
}

const char *mpl_words_by_role(struct page *page, const struct mpl_diff *diff)
{
    const struct mpl_model *base = model_of(diff, 0);
    const struct mpl_model *new = model_of(diff, 1);
    const bool are_processes = base->n_processes != new->n_processes;

    return mpl_or_unknown(mpl_arena_printf(
        page->scratch, "by role (%" PRIu32 " %s in the base, %" PRIu32 " in the new run)",
        are_processes ? base->n_processes : base->n_locations,
        are_processes ? "processes" : "threads",
        are_processes ? new->n_processes : new->n_locations));
}

/* "3 of 4 processes of the base". */
static const char *holders_text(struct page *page, const struct mpl_diff *diff,
                                const struct mpl_diff_role *role, int side)
{
    const uint32_t n = model_of(diff, side)->n_locations;

    return mpl_or_unknown(mpl_arena_printf(
        page->scratch, "%" PRIu32 " of %" PRIu32 " %s of %s", role->sides[side].n, n,
        n == model_of(diff, side)->n_processes ? "processes" : "threads", sides[side]));
}

static const char *first_text(struct page *page, const struct mpl_diff *diff,
                              const struct mpl_diff_role *role, int side)
{
    const char *label = label_of(diff, side, role->sides[side].locations[0]);

    return mpl_or_unknown(mpl_arena_printf(
        page->scratch, "%s %s", strchr(label, '.') == NULL ? "rank" : "thread", label));
}

/* "0.577 s instead of 1.36 s". */
static const char *times_text(struct page *page, double base_s, double new_s)
{
    return mpl_or_unknown(mpl_arena_printf(page->scratch, "%s instead of %s",
                                           mpl_page_seconds(page, new_s),
                                           mpl_page_seconds(page, base_s)));
}

static void print_times(struct page *page, const struct mpl_diff_role *role)
{
    const struct mpl_diff_role_side *base = &role->sides[0];
    const struct mpl_diff_role_side *new = &role->sides[1];

    if (base->n == 1 && new->n == 1) {
        mpl_page_say(page, 4, "It computes %s", times_text(page, base->sum_s, new->sum_s));
    } else {
        mpl_page_say(page, 4, "Each computes %s (medians); all of them %s",
                     times_text(page, base->median_s, new->median_s),
                     times_text(page, base->sum_s, new->sum_s));
    }
    if (!isnan(base->waited_s) && base->waited_s + new->waited_s > 0) {
        mpl_page_say(page, 4, "%s %s on average",
                     base->n == 1 && new->n == 1 ? "It waits" : "Each waits",
                     times_text(page, base->waited_s / base->n, new->waited_s / new->n));
    }
}

/* Both runs have it. */
static void print_common(struct page *page, const struct mpl_diff *diff,
                         const struct mpl_diff_role *role)
{
    const char *base = first_text(page, diff, role, 0);
    const char *new = first_text(page, diff, role, 1);

    mpl_page_say(page, 2, "Like %s%s%s: %s, %s", base,
                 strcmp(base, new) == 0 ? "" : ", now like ",
                 strcmp(base, new) == 0 ? "" : new, holders_text(page, diff, role, 0),
                 holders_text(page, diff, role, 1));
    if (role->kind == MPL_ROLE_LOOSE) {
        mpl_page_say(page, 4,
                     "They make the same calls; in which order differs from one to the "
                     "next, and is not compared");
    }
    print_times(page, role);
}

static void print_single(struct page *page, const struct mpl_diff *diff,
                         const struct mpl_diff_role *role)
{
    const int side = role->sides[0].n == 0;
    const char *who = first_text(page, diff, role, side);

    if (role->near == MPL_NONE) {
        mpl_page_say(page, 2, "Like %s: %s, without calls of MPI", who,
                     holders_text(page, diff, role, side));
        return;
    }
    mpl_page_say(page, 2, "Nobody in %s is like %s of %s (%s); rank %s comes nearest",
                 sides[1 - side], who, sides[side], holders_text(page, diff, role, side),
                 label_of(diff, 1 - side, role->near));
}

static void print_all(struct page *page, const struct mpl_diff *diff)
{
    double sum_s[2] = { 0, 0 };
    const double n[2] = { model_of(diff, 0)->n_locations, model_of(diff, 1)->n_locations };

    for (uint32_t i = 0; i < diff->n_roles; i++) {
        sum_s[0] += diff->roles[i].sides[0].sum_s;
        sum_s[1] += diff->roles[i].sides[1].sum_s;
    }
    mpl_page_say(page, 2,
                 "All compute %s, added up, which stays the same where they share the same "
                 "work (strong scaling); on average %s, which stays the same where each "
                 "brings its own (weak scaling)",
                 times_text(page, sum_s[0], sum_s[1]),
                 times_text(page, sum_s[0] / n[0], sum_s[1] / n[1]));
}

static void print_role(struct page *page, const struct mpl_diff *diff,
                       const struct mpl_diff_role *role)
{
    if (role->sides[0].n > 0 && role->sides[1].n > 0) {
        print_common(page, diff, role);
    } else {
        print_single(page, diff, role);
    }
    const struct mpl_diff_role_side *base = &role->sides[0];
    const struct mpl_diff_role_side *new = &role->sides[1];

    if (base->loop != NULL && new->loop != NULL) {
        mpl_page_say(page, 4, "The loop of the first is %s times %s instead of %s times %s",
                     mpl_page_count(page, new->iterations), new->loop,
                     mpl_page_count(page, base->iterations), base->loop);
    } else if (base->iterations > 0) {
        mpl_page_say(page, 4, "The loop of the first is taken %s times instead of %s",
                     mpl_page_count(page, new->iterations),
                     mpl_page_count(page, base->iterations));
    }
    for (int side = 1; side >= 0; side--) {
        if (role->only[side][0] != '\0') {
            mpl_page_say(page, 4, "Only in %s: %s", sides[side], role->only[side]);
        }
    }
}

void mpl_page_roles(struct page *page, const struct mpl_diff *diff)
{
    uint32_t i = 0;

    for (; i < diff->n_roles && i < MOST_ROLES && mpl_diff_role_differs(&diff->roles[i]);
         i++) {
        print_role(page, diff, &diff->roles[i]);
    }
    print_all(page, diff);
    for (; i < diff->n_roles && i < MOST_ROLES; i++) {
        print_role(page, diff, &diff->roles[i]);
    }
    if (diff->n_roles > MOST_ROLES) {
        mpl_page_say(page, 2, "There are %" PRIu32 " more roles (--format json)",
                     diff->n_roles - MOST_ROLES);
    }
}

static void put_side(struct mpl_json *json, const char *key, const struct mpl_diff *diff,
                     const struct mpl_diff_role *role, int side)
{
    const struct mpl_diff_role_side *x = &role->sides[side];

    mpl_json_object(json, key);
    mpl_json_array(json, "locations");
    for (uint32_t i = 0; i < x->n; i++) {
        mpl_json_string(json, NULL, label_of(diff, side, x->locations[i]));
    }
    mpl_json_end(json);
    mpl_json_number(json, "computed_each_s", x->median_s);
    mpl_json_number(json, "computed_all_s", x->sum_s);
    mpl_json_number(json, "waited_all_s", x->waited_s);
    mpl_json_integer_if(json, "iterations", x->iterations > 0, x->iterations);
    mpl_json_string(json, "loop", x->loop);
    mpl_json_string(json, "only_here",
                    role->only[side][0] != '\0' ? role->only[side] : NULL);
    mpl_json_end(json);
}

void mpl_diff_roles_json(struct mpl_json *json, const struct mpl_diff *diff)
{
    static const char *const kinds[] = { [MPL_ROLE_SAME] = "same",
                                         [MPL_ROLE_LOOSE] = "order not compared",
                                         [MPL_ROLE_ORDER] = "other order",
                                         [MPL_ROLE_CALLS] = "other calls" };

    if (diff->n_roles == 0) {
        mpl_json_string(json, "roles", NULL);
        return;
    }
    mpl_json_array(json, "roles");
    for (uint32_t i = 0; i < diff->n_roles; i++) {
        mpl_json_object(json, NULL);
        mpl_json_string(json, "calls", kinds[diff->roles[i].kind]);
        put_side(json, "base", diff, &diff->roles[i], 0);
        put_side(json, "new", diff, &diff->roles[i], 1);
        mpl_json_end(json);
    }
    mpl_json_end(json);
}
