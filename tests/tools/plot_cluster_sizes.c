/*
 * plot_cluster_sizes OUT.svg
 *
 * Fig. 7 of Ward and Taylor, Self-Organizing Hierarchical Cluster Timestamps, for programs that can
 * be described in a sentence each (programs.h): the numbers in an average timestamp over the number
 * of processes, for each maximum size of clusters from 1 to 50. Prints them as a table, with those of all
 * programs where processes are numbered at random, and a line for three levels of 4, 16 and 64 on the halo
 * exchanges.
 *
 * Self-organising clusters depend on the order in which messages are seen. Here it is that of
 * mpl_net_walk() in rounds: in each all processes that can go on, by number, and each over its next receives and
 * the sends behind them, as far as these have been sent.
 */
#include "config.h"

#include "chart.h"
#include "programs.h"

#include "causality/causality.h"

#include <errno.h>
#include <string.h>

enum { MOST = 50, N_KINDS = 3 };

static const char *const kind_name[N_KINDS] = { "static", "self-organising", "informed" };

/* -1: no memory. */
static double ratio_of(struct mpl_net *net, const struct mpl_causality_options *options)
{
    struct mpl_causality *causality;
    double ratio;

    if (mpl_causality_create(net, options, &causality, NULL) != MPL_OK) {
        return -1;
    }
    ratio = mpl_causality_size(causality).ratio;
    mpl_causality_destroy(causality);
    return ratio;
}

static bool measure(struct mpl_net *net, struct chart_point points[N_KINDS][MOST])
{
    for (int kind = 0; kind < N_KINDS; kind++) {
        for (uint32_t most = 1; most <= MOST; most++) {
            const struct mpl_causality_options options = { (enum mpl_clustering) kind,
                                                           1,
                                                           { most } };
            const double ratio = ratio_of(net, &options);

            if (ratio < 0) {
                return false;
            }
            points[kind][most - 1] = (struct chart_point){ most, ratio };
        }
    }
    return true;
}

static void print_table(enum program program, const char *suffix,
                        struct chart_point points[N_KINDS][MOST])
{
    for (int kind = 0; kind < N_KINDS; kind++) {
        for (int i = 0; i < MOST; i++) {
            (void) printf("%s%s\t%s\t%d\t%.4f\n", program_name(program), suffix,
                          kind_name[kind], i + 1, points[kind][i].y_s);
        }
    }
}

static bool print_hierarchy(enum program program, struct mpl_net *net)
{
    for (int kind = 0; kind < N_KINDS; kind++) {
        const struct mpl_causality_options options = { (enum mpl_clustering) kind,
                                                       3,
                                                       { 4, 16, 64 } };
        const double ratio = ratio_of(net, &options);

        if (ratio < 0) {
            return false;
        }
        (void) printf("%s\t%s\t4 16 64\t%.4f\n", program_name(program), kind_name[kind],
                      ratio);
    }
    return true;
}

static bool measure_all(struct mpl_arena *arena,
                        struct chart_point points[N_PROGRAMS][N_KINDS][MOST])
{
    for (enum program p = 0; p < N_PROGRAMS; p++) {
        struct mpl_net *net = program_make(p, arena);

        if (net == NULL || !measure(net, points[p])) {
            return false;
        }
        print_table(p, "", points[p]);
        if ((p == PROGRAM_HALO || p == PROGRAM_HALO_SHUFFLED) && !print_hierarchy(p, net)) {
            return false;
        }
    }
    return true;
}

/* The halo exchange is drawn so, the others are printed only. */
static bool measure_shuffled(struct mpl_arena *arena)
{
    struct chart_point points[N_KINDS][MOST];

    for (enum program p = 0; p < N_PROGRAMS; p++) {
        struct mpl_net *net = p == PROGRAM_HALO || p == PROGRAM_HALO_SHUFFLED
                                  ? NULL
                                  : program_make_shuffled(p, arena);

        if (net != NULL && measure(net, points)) {
            print_table(p, ", shuffled", points);
        } else if (p != PROGRAM_HALO && p != PROGRAM_HALO_SHUFFLED) {
            return false;
        }
    }
    return true;
}

static void draw(struct chart_point points[N_PROGRAMS][N_KINDS][MOST], FILE *out)
{
    struct chart_curve curves[N_PROGRAMS][N_KINDS];
    struct chart_panel panels[N_PROGRAMS];
    const struct chart chart = { .title =
                                     "Numbers in a timestamp, over the number of processes",
                                 .made_by = "Made by tests/tools/plot_cluster_sizes.",
                                 .x_label = "maximum size of clusters",
                                 .y_label = "share",
                                 .is_plain = true,
                                 .n_names = N_KINDS,
                                 .names = kind_name,
                                 .n_panels = N_PROGRAMS,
                                 .panels = panels };

    for (enum program p = 0; p < N_PROGRAMS; p++) {
        for (int kind = 0; kind < N_KINDS; kind++) {
            curves[p][kind] = (struct chart_curve){ MOST, points[p][kind] };
        }
        panels[p] = (struct chart_panel){ program_name(p), "", N_KINDS, curves[p], 0 };
    }
    chart_write(&chart, out);
}

int main(int argc, char **argv)
{
    static struct chart_point points[N_PROGRAMS][N_KINDS][MOST];
    struct mpl_arena *arena;
    bool is_done;
    FILE *out;

    if (argc != 2) {
        (void) fputs("usage: plot_cluster_sizes OUT.svg\n", stderr);
        return 2;
    }
    arena = mpl_arena_create();
    is_done = arena != NULL && measure_all(arena, points) && measure_shuffled(arena);
    mpl_arena_destroy(arena);
    if (!is_done) {
        (void) fputs("plot_cluster_sizes: out of memory\n", stderr);
        return 1;
    }
    out = fopen(argv[1], "w");
    if (out != NULL) {
        draw(points, out);
    }
    if (out == NULL || ferror(out) || fclose(out) != 0) {
        (void) fprintf(stderr, "plot_cluster_sizes: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    return 0;
}
