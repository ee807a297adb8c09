#include "config.h"

#include "base/base_priv.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

/*
 * The one mutable variable at file scope in the program. A fault test has to reach
 * allocations deep inside a call, also those made by its worker threads, without each
 * interface carrying a test hook. Negative means that nothing is refused.
 */
enum { NOTHING_CHOSEN = -1, HAS_REFUSED = -2 };
static atomic_long n_until_refusal = NOTHING_CHOSEN;

long mpl_alloc_fail_after(long n)
{
    const long before = atomic_load(&n_until_refusal);

    if (n >= 0 || before != HAS_REFUSED) {
        atomic_store(&n_until_refusal, n < 0 ? NOTHING_CHOSEN : n);
    }
    return before == HAS_REFUSED ? -1 : before == NOTHING_CHOSEN ? 0 : before;
}

bool mpl_alloc_is_refused(void)
{
    /* Outside of tests this is all that an allocation pays. */
    if (atomic_load_explicit(&n_until_refusal, memory_order_relaxed) < 0) {
        return false;
    }
    /*
     * Only the chosen one fails and the next succeeds: a caller that overlooks the
     * failure then goes on to a wrong result, which a test can see.
     */
    long left = atomic_load(&n_until_refusal);
    while (left >= 0) {
        if (atomic_compare_exchange_weak(&n_until_refusal, &left,
                                         left == 0 ? HAS_REFUSED : left - 1)) {
            return left == 0;
        }
    }
    return false;
}

/*
 * Stages free tens of megabytes and allocate as much again. What goes back to the kernel in between comes back as pages that
 * have to be cleared, which takes longer than most of what is done with them. So blocks come from one heap for all threads
 * as far as malloc() allows, and the heap does not shrink. It grows by little more than is asked for: of what it has, calloc()
 * cannot know that it is zero, and touches all.
 *
 * Large pages are not asked for. They save a fiftieth of the time at best; but a virtual machine that gives free ones back to
 * its host gets them again at 1 to 5 ms each, where small ones are at hand.
 */
void mpl_alloc_keep_freed(void)
{
#ifdef __GLIBC__
    enum { MOST_ALLOWED_BYTES = 1 << 25, NEVER = -1 };

    (void) mallopt(M_MMAP_THRESHOLD, MOST_ALLOWED_BYTES);
    (void) mallopt(M_TRIM_THRESHOLD, NEVER);
    (void) mallopt(M_ARENA_MAX, 1);
#endif
}

void *mpl_heap_zeroed(size_t n, size_t size)
{
    return mpl_alloc_is_refused() ? NULL : calloc(n == 0 ? 1 : n, size == 0 ? 1 : size);
}

void *mpl_heap_resize(void *block, size_t n, size_t size)
{
    size_t bytes = 0;

    if (mpl_alloc_is_refused() || __builtin_mul_overflow(n, size, &bytes)) {
        return NULL;
    }
    return realloc(block, bytes == 0 ? 1 : bytes);
}
