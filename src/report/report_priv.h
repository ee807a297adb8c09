/* Shared by the text reports: a page that remembers its first failure. */
#ifndef MPL_REPORT_REPORT_PRIV_H
#define MPL_REPORT_REPORT_PRIV_H

#include "report/report.h"

struct page {
    FILE *out;
    int width;
    struct mpl_arena *scratch;
    const struct mpl_plan *plan; /* NULL: there is none */
};

/** A page of its own on \p out; and its end, which says whether there was memory for it, and all was written. */
void mpl_page_open(struct page *page, const struct mpl_report_options *options, FILE *out);
enum mpl_status mpl_page_close(struct page *page, struct mpl_err *err);
/** The same for what is no report: "plan". */
enum mpl_status mpl_page_end(struct page *page, const char *what, struct mpl_err *err);

/** The critical path of a diagnosis: the key "critical_path"; and in short. */
void mpl_report_path_of_json(struct mpl_json *json, const struct mpl_diagnosis *d);
void mpl_page_path(struct page *page, const struct mpl_diagnosis *d);
/** "at 0.213 s; f2 (1.93 s) must have come after that"; NULL: it precedes no other cause. */
const char *mpl_page_began(struct page *page, const struct mpl_diagnosis *d,
                           const struct mpl_diagnosed *f);

/** A document of "marple-order/1" about \p run, to which \p query adds its answer. */
struct mpl_json mpl_report_order_json(const struct mpl_run *run, const char *query);
/** A record in such a document. */
void mpl_report_instant_json(struct mpl_json *json, const char *key,
                             const struct mpl_run *run, const struct mpl_instant *i);
/** The label of a location; null if it is MPL_NONE. */
void mpl_report_label_json(struct mpl_json *json, const char *key,
                           const struct mpl_run *run, uint32_t location);

/** printf to the page, wrapped at its width, each line indented. */
void mpl_page_say(struct page *page, int indent, const char *fmt, ...) MPL_PRINTF(3, 4);
/** The same behind a label ("what:  "); further lines begin below the text. */
void mpl_page_tell(struct page *page, int indent, const char *label, const char *fmt, ...)
    MPL_PRINTF(4, 5);
/** A heading with a line under it, after an empty line. */
void mpl_page_heading(struct page *page, const char *text);
/** "0.301 s", "34.3 %", "1,234", in the page's scratch; "?" when out of memory. */
const char *mpl_page_seconds(struct page *page, double seconds);
const char *mpl_page_share(struct page *page, double share);
/** "solve", or of a call "before MPI_Wait in solve (62 % of it)". */
const char *mpl_page_source(struct page *page, const struct mpl_where *at);
const char *mpl_page_count(struct page *page, uint64_t n);
/** "?" for NULL: there was no memory. */
const char *mpl_or_unknown(const char *text);
/** A value in its unit: "3.10 ms", "62,000 B", "0.385". */
const char *mpl_page_value(struct page *page, double value, const char *unit);
/** "0, 1, 5 to 7"; of many "3, 43, 83 and 22 others". Labels are those of locations. */
const char *mpl_page_labels(struct page *page, const char *const *labels, size_t n);

/** ", sure" behind a verdict; "" where it says that something is not known, of which nobody can be sure. */
const char *mpl_report_certainty(const struct mpl_diagnosis *d);
/** Runs of a case that failed; nothing where there are none. */
void mpl_page_failed(struct page *page, const struct mpl_report_options *options);
/** The headline; of several programs one for each. */
void mpl_page_summary(struct page *page, const struct mpl_diagnosis *d);
/** Several runs: which are repetitions of one another; nothing for a single run. */
void mpl_page_groups(struct page *page, const struct mpl_diagnosis *d);
/** What models expect of larger runs, and what rules say of that. */
void mpl_page_scaling(struct page *page, const struct mpl_diagnosis *d);
/** In which runs a cause was found; nothing for a single run. */
void mpl_page_repeats(struct page *page, const struct mpl_diagnosis *d,
                      const struct mpl_diagnosed *f);
/** " (In 2 of 3 runs.)", or "" where all of its group have it. */
const char *mpl_page_seen(struct page *page, const struct mpl_diagnosed *f);
/** Whether another run, of which it is a repetition, represents a run. */
bool mpl_page_is_spoken_for(const struct mpl_diagnosis *d, uint32_t run);
size_t mpl_report_usable_runs(const struct mpl_diagnosis *d);
/** Seconds of lost time that nothing accounts for; 0 where only rounding is left. */
double mpl_report_unexplained_s(const struct mpl_diagnosis *d);
/** What is not computation, and how much of it causes explain. */
void mpl_page_remains(struct page *page, const struct mpl_diagnosis *d);
/** Causes that may be noise. */
void mpl_page_noise(struct page *page, const struct mpl_diagnosis *d);

/** What was read, how its clocks were corrected, what weakens conclusions. */
void mpl_page_run(struct page *page, const struct mpl_run *run);

/* Sentences about two runs (diff_words.c), without a full stop, in the page's scratch. */
/** "rank 5"; of several threads "thread 5.1". */
const char *mpl_words_location(struct page *page, const struct mpl_diff *diff,
                               uint32_t location);
/** "with the same structure; 3.53 s instead of 0.48 s"; or why they cannot be compared. */
const char *mpl_words_verdict(struct page *page, const struct mpl_diff *diff);
/** What the verdict alone leaves open, a sentence without its point: why it is SAME although computation or run time differ,
    or that one run each may differ by chance. NULL: nothing. */
const char *mpl_words_verdict_note(struct page *page, const struct mpl_diff *diff);
/** "Fails on slower:5%: it takes 3.05 s (635 %) longer", of a gate that fails. */
const char *mpl_words_gate(struct page *page, const struct mpl_diff *diff,
                           const struct mpl_gate *gate);
/**
 * Changes that are alike, but for partners, are one group. \p of: per change its group, numbered by first
 * appearance; SIZE_MAX: beyond the first \p most groups. Returns how many of these there are.
 */
size_t mpl_changes_group(const struct mpl_diff *diff, size_t most, size_t *of);
/** The first change of a group. */
const struct mpl_divergence *mpl_changes_first(const struct mpl_diff *diff,
                                               const size_t *of, size_t group);
/** "rank 5 goes another way from iteration 7 of 16 on", "ranks 0 to 3 go ...". */
const char *mpl_words_change(struct page *page, const struct mpl_diff *diff,
                             const size_t *of, size_t group);
/** Whether these words are about one location: "rank 5". */
bool mpl_words_is_one(const char *who);
/** "ranks 0 to 3" of a group, or of all that are in none (SIZE_MAX); NULL: nobody is. */
const char *mpl_words_group(struct page *page, const struct mpl_diff *diff,
                            const size_t *of, size_t group);
/** Whether all that differs is how often a loop is taken, which the sentence then says. */
bool mpl_words_is_count(const struct mpl_divergence *change);
/** The calls of a process in both runs below each other, wrapped at the page's width, and bodies of loops; unless \p
    is_full long stretches are cut. */
void mpl_page_alignment(struct page *page, const struct mpl_diff *diff,
                        const struct mpl_divergence *x, bool is_full);
/* Runs of other numbers of processes (diff_roles.c): "by role (4 processes in the base, 8 in the new run)"; what the roles
   do; and the key "roles". */
const char *mpl_words_by_role(struct page *page, const struct mpl_diff *diff);
void mpl_page_roles(struct page *page, const struct mpl_diff *diff);
void mpl_diff_roles_json(struct mpl_json *json, const struct mpl_diff *diff);
/** "rank 5", "ranks 0 to 3"; sorts them. */
const char *mpl_words_locations(struct page *page, const struct mpl_diff *diff,
                                uint32_t *locations, size_t n);
/* "rank 5", "ranks 1, 2, 3" of loads \p first to \p end - 1. */
const char *mpl_words_loads(struct page *page, const struct mpl_diff *diff, uint32_t first,
                            uint32_t end);
const char *mpl_words_tasks(struct page *page, const struct mpl_load *load);
/** Who of those that are named stands behind \p first, and how much more they compute. */
const char *mpl_words_more_loads(struct page *page, const struct mpl_diff *diff,
                                 uint32_t first);
/** How many tasks those from \p first on got, of what size. */
const char *mpl_words_few_tasks(struct page *page, const struct mpl_diff *diff,
                                uint32_t first);
const char *mpl_words_closing(struct page *page, const struct mpl_diff *diff);
const char *mpl_words_blame(struct page *page, const struct mpl_diff *diff);
/** "rank 5 computes 3.09 s longer than in the base: 3.53 s instead of 0.44 s" */
const char *mpl_words_load(struct page *page, const struct mpl_diff *diff,
                           const struct mpl_load *load);
/** "20.2 ms in each of 153 iterations, from iteration 7 of 160 on, before MPI_Send(6)" of a load (diff_places.c); NULL: nothing is known. */
const char *mpl_words_place(struct page *page, const struct mpl_diff *diff,
                            const struct mpl_load *load);
/** "20.2 ms in each of 153 iterations, from iteration 7 of 160 on" */
const char *mpl_words_when(struct page *page, const struct mpl_place_load *x);
/** "ranks 0 to 4 wait 24.5 s longer, added up, in MPI_Barrier because of rank 5: …", of the function in which that is most, or
    that is called longest beside waits (diff_calls.c); NULL: none differs by more than chance. */
const char *mpl_words_calls(struct page *page, const struct mpl_diff *diff,
                            enum mpl_time time);
/** Adds places to an array; texts are made in \p scratch. */
void mpl_diff_places_json(struct mpl_json *json, const struct mpl_diff *diff,
                          struct mpl_arena *scratch);

/** A call; null if it is MPL_NONE. */
void mpl_report_symbol_json(struct mpl_json *json, const char *key,
                            const struct mpl_symbols *symbols, uint32_t symbol,
                            struct mpl_arena *scratch);
/** Where a location goes another way, and with which calls. */
void mpl_report_change_json(struct mpl_json *json, const struct mpl_symbols *symbols,
                            const struct mpl_divergence *x, struct mpl_arena *scratch);

/** Where the time line comes from, what was wrong with it, how far to trust it. */
void mpl_page_clock(struct page *page, const struct mpl_run *run);
/** Every location's clock, and the repair in full. */
void mpl_page_clock_in_full(struct page *page, const struct mpl_run *run);

/** What the remedy of a cause saves, by the model and by replay; the answers to the user's
 *  questions under a heading, if there were any. */
void mpl_page_gain(struct page *page, const struct mpl_diagnosed *d);
void mpl_page_what_ifs(struct page *page, const struct mpl_diagnosis *d);
/** Adds gain_s and what it rests on to the JSON of a finding. */
void mpl_report_gain_json(struct mpl_json *finding, const struct mpl_diagnosed *d);
/** Keys "what_if" and "what_if_groups". */
void mpl_report_what_ifs_json(struct mpl_json *json, const struct mpl_diagnosis *d);

/** What a document says of a diagnosis; others may add keys of their own. */
void mpl_report_diagnosis_json(struct mpl_json *json, const struct mpl_diagnosis *diagnosis,
                               const struct mpl_plan *plan);
/** "What to measure next", where there is something. */
void mpl_page_plan(struct page *page, const struct mpl_plan *plan);
/** "Run 3 times with 8 processes under eztrace, and record receive-completions" */
const char *mpl_page_experiment(struct page *page, const struct mpl_planned *e);
/** Ids of the experiments that would confirm or refute it; NULL: none. */
const char *mpl_page_experiments_of(struct page *page, const struct mpl_plan *plan,
                                    const struct mpl_diagnosed *finding);
bool mpl_planned_separates(const struct mpl_planned *experiment,
                           const struct mpl_diagnosed *finding);
/** Lines for a shell; NULL without memory or settings. */
const char *mpl_report_plan_shell(const struct mpl_planned *experiment,
                                  struct mpl_arena *arena);
/** An item of "experiments"; and the key "tested_by" of a finding. */
void mpl_report_planned_json(struct mpl_json *json, const struct mpl_plan *plan,
                             const struct mpl_planned *experiment);
void mpl_report_tested_by_json(struct mpl_json *json, const struct mpl_plan *plan,
                               const struct mpl_diagnosed *finding);
/** Keys "groups", "programs" and "scaling", and those of a finding. */
void mpl_report_groups_json(struct mpl_json *json, const struct mpl_diagnosis *d);
void mpl_report_programs_json(struct mpl_json *json, const struct mpl_diagnosis *d);
void mpl_report_scaling_json(struct mpl_json *json, const struct mpl_diagnosis *d);
void mpl_report_repeats_json(struct mpl_json *finding, const struct mpl_diagnosed *d);

/** Shared by both JSON documents: an item of "runs", as DESIGN section 9 shows it. */
void mpl_report_run_json(struct mpl_json *json, const struct mpl_run *run);
/** Its key "clock". */
void mpl_report_clock_json(struct mpl_json *json, const struct mpl_run *run);

#endif
