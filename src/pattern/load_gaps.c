/*
 * The commonest reason why an event has no instances: its expression has two calls one behind the
 * other, but between two calls a location computes, be it for no time, and where `compute` is a member
 * of the event each computation counts.
 */
#include "config.h"

#include "pattern/load_priv.h"

#include <string.h>

static bool is_a(const struct mpl_span_filter *filter, enum mpl_primitive_test test)
{
    return filter->primitive != MPL_NONE &&
           mpl_primitive_row(filter->primitive)->test == test;
}

/* The call that a word of the expression stands for, if it must be there; else NULL. */
static const struct mpl_member *call_of(const struct mpl_event_definition *event,
                                        const char *word, size_t n)
{
    while (n > 0 && *word == '(') {
        word++;
        n--;
    }
    while (n > 0 && (word[n - 1] == ')' || word[n - 1] == '+')) {
        n--;
    }
    for (uint32_t i = 0; i < event->n_members; i++) {
        const struct mpl_member *member = &event->members[i];

        if (strlen(member->name) == n && memcmp(member->name, word, n) == 0) {
            /* A region may be a computation, too. */
            return member->filter.primitive == MPL_NONE ||
                           is_a(&member->filter, MPL_TEST_COMPUTE) ||
                           is_a(&member->filter, MPL_TEST_REGION)
                       ? NULL
                       : member;
        }
    }
    return NULL;
}

/* Whether every computation is an event of interest. */
static bool takes_computations(const struct mpl_event_definition *event)
{
    for (uint32_t i = 0; i < event->n_members; i++) {
        const struct mpl_span_filter *filter = &event->members[i].filter;

        if (is_a(filter, MPL_TEST_COMPUTE) && filter->region == NULL &&
            filter->where == NULL && filter->n_tags == 0) {
            return true;
        }
    }
    return false;
}

void mpl_load_gaps(struct mpl_loader *loader, const struct mpl_yaml *expression,
                   const struct mpl_event_definition *event)
{
    static const char blanks[] = " \t\n";
    const char *at = expression->text + strspn(expression->text, blanks);
    const struct mpl_member *before = NULL;

    while (takes_computations(event) && *at != '\0') {
        const size_t n = strcspn(at, blanks);
        const struct mpl_member *here = call_of(event, at, n);

        if (before != NULL && here != NULL) {
            mpl_load_warn(
                loader, expression->place,
                "this matches nothing: between the calls '%s' and '%s' there is a "
                "compute span, which may be empty; name it, as in \"%s gap %s\"",
                before->name, here->name, before->name, here->name);
            return;
        }
        before = here;
        at += n;
        at += strspn(at, blanks);
    }
}
