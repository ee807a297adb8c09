/* Copies of a recognition, for threads that go on from it. */
#include "config.h"

#include "recognize/recognition_priv.h"

bool mpl_recognition_copy(const struct mpl_recognition *r, struct mpl_recognition *copy)
{
    *copy = *r;
    copy->is_copy = true;
    copy->arena = mpl_arena_create();
    if (copy->arena == NULL || !mpl_finders_prepare(copy)) {
        return false;
    }
    copy->finders.shared = &r->finders;
    return true;
}
