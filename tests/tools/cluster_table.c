/* Hierarchical clusters of matrices from standard input, so that others' programs can be compared with ours. A matrix is
 * the name of a linkage, the number of items and the distances, row by row. Of each are printed its
 * merges and the clusters of each item for every number of clusters; "-": cut so, it is chance. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff/similarity.h"

static enum mpl_linkage linkage_of(const char *name)
{
    int i = 0;

    while (i < MPL_LINKAGES && strcmp(mpl_linkage_name((enum mpl_linkage) i), name) != 0) {
        i++;
    }
    if (i == MPL_LINKAGES) {
        fprintf(stderr, "no such linkage: %s\n", name);
        exit(2);
    }
    return (enum mpl_linkage) i;
}

static void print_tree(const struct mpl_tree *tree, struct mpl_arena *arena)
{
    uint32_t *of = MPL_NEW_ARRAY(arena, tree->n, uint32_t);

    for (uint32_t i = 0; i + 1 < tree->n; i++) {
        const struct mpl_merge m = tree->merges[i];

        printf("%" PRIu32 " %" PRIu32 " %.17g %" PRIu32 "\n", m.a, m.b, m.height, m.size);
    }
    for (uint32_t k = 1; k <= tree->n; k++) {
        const bool is_cut = mpl_tree_cut(tree, k, of);

        printf(is_cut ? "" : "-");
        for (uint32_t i = 0; i < tree->n && is_cut; i++) {
            printf("%s%" PRIu32, i == 0 ? "" : " ", of[i]);
        }
        printf("\n");
    }
}

int main(void)
{
    char name[32];
    uint32_t n;

    while (scanf("%31s %" SCNu32, name, &n) == 2 && n > 0 && n < 10000) {
        struct mpl_arena *arena = mpl_arena_create();
        double *distances = MPL_NEW_ARRAY(arena, (size_t) n * n, double);
        const struct mpl_tree *tree = NULL;

        for (size_t i = 0; i < (size_t) n * n; i++) {
            if (scanf("%lf", &distances[i]) != 1) {
                return 2;
            }
        }
        if (mpl_tree_create(distances, NULL, n, linkage_of(name), arena, &tree, NULL) !=
            MPL_OK) {
            return 3;
        }
        print_tree(tree, arena);
        mpl_arena_destroy(arena);
    }
    return 0;
}
