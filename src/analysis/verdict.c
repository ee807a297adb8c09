#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>
#include <string.h>

/* From this share of the process time on a cause is a problem, and from as much run time on that it may save: where
 * the trace shows only a part of the waiting, it costs less than it is worth (KNOWLEDGE: warn at 5 %). */
static const double problem_severity = 0.05;

/* Lost time that no cause explains makes the answer inconclusive from this share on. */
static const double unexplained_share = 0.2;

const char *mpl_verdict_name(enum mpl_verdict verdict)
{
    static const char *const names[] = {
        [MPL_VERDICT_PROBLEMS] = "problems",
        [MPL_VERDICT_NO_PROBLEM] = "no-significant-problem",
        [MPL_VERDICT_INCONCLUSIVE] = "inconclusive",
        [MPL_VERDICT_UNUSABLE] = "unusable",
    };

    return names[verdict];
}

const char *mpl_verdict_words(enum mpl_verdict verdict)
{
    return verdict == MPL_VERDICT_PROBLEMS     ? "problems"
           : verdict == MPL_VERDICT_NO_PROBLEM ? "no significant problem"
                                               : "inconclusive";
}

static bool is_of(const struct mpl_analysis *a, const struct mpl_diagnosed *f,
                  const struct mpl_group_verdict *g)
{
    return mpl_group_of(&a->diagnosis.sets, f->run) == g->group;
}

/* The speaker's time, and what the findings that are facts account for. */
static void add_up(const struct mpl_analysis *a, struct mpl_group_verdict *g)
{
    const struct mpl_diagnosis *d = &a->diagnosis;
    const struct mpl_run *run = &a->runs[g->group->speaker];
    double compute_s = 0;

    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        compute_s += mpl_events_totals(run->events, l)->class_s[MPL_SPAN_COMPUTE];
    }
    g->location_s = (run->window_s + run->halted_s) * run->model->n_locations;
    g->lost_s = g->location_s > compute_s ? g->location_s - compute_s : 0;
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (isnan(f->lost_s) || !is_of(a, f, g)) {
            continue;
        }
        if (mpl_diagnosed_is_cause(f) && !f->is_within_spread) {
            g->explained_s +=
                f->n_explained_by > 0 ? 0 : fmax(0, f->lost_s - f->finding->computing_s);
            g->nested_s += f->outer_s;
        } else if (f->finding->is_healthy) {
            g->normal_s += f->lost_s;
        }
    }
    g->explained_s = fmin(g->explained_s, g->lost_s);
    g->nested_s = fmin(g->nested_s, g->lost_s - g->explained_s);
    g->normal_s = fmin(g->normal_s, g->lost_s - g->explained_s - g->nested_s);
}

static enum mpl_status add_up_all(struct mpl_analysis *a, struct mpl_err *err)
{
    struct mpl_diagnosis *d = &a->diagnosis;

    a->group_verdicts = MPL_NEW_ARRAY(a->arena, d->sets.n_groups, struct mpl_group_verdict);
    d->group_verdicts = a->group_verdicts;
    if (a->group_verdicts == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < d->sets.n_groups; i++) {
        struct mpl_group_verdict *g = &a->group_verdicts[i];

        g->group = &d->sets.groups[i];
        add_up(a, g);
        d->location_s += g->location_s;
        d->lost_s += g->lost_s;
        d->explained_s += g->explained_s;
        d->nested_s += g->nested_s;
        d->normal_s += g->normal_s;
    }
    return MPL_OK;
}

/* Lost time that nothing accounts for. */
static double unexplained_s(const struct mpl_group_verdict *g)
{
    return g->lost_s - g->explained_s - g->nested_s - g->normal_s;
}

static bool is_unexplained(const struct mpl_group_verdict *g)
{
    return unexplained_s(g) >= unexplained_share * g->location_s;
}

static bool is_problem(const struct mpl_analysis *a, const struct mpl_diagnosed *f)
{
    const double window_s = a->runs[f->run].window_s;

    return f->finding->is_fatal || mpl_nesting_severity(f) >= problem_severity ||
           f->gain_model_s >= problem_severity * window_s;
}

/* The first cause of a group that is a fact and a problem, or NULL. One that costs less may stand before
 * it, when more can be gained there. */
static const struct mpl_diagnosed *leading_problem(const struct mpl_analysis *a,
                                                   const struct mpl_group_verdict *g)
{
    const struct mpl_diagnosis *d = &a->diagnosis;

    for (size_t i = 0; i < d->n_findings && mpl_diagnosed_is_cause(&d->findings[i]); i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (is_of(a, f, g) && !f->is_within_spread && is_problem(a, f)) {
            return f;
        }
    }
    return NULL;
}

/* By how much a cause is more than what makes a problem; less than 0: by how much it is less. */
static double excess_s(const struct mpl_analysis *a, const struct mpl_group_verdict *g,
                       const struct mpl_diagnosed *f)
{
    return fmax(f->lost_s + f->outer_s - problem_severity * g->location_s,
                f->gain_model_s - problem_severity * a->runs[f->run].window_s);
}

double mpl_verdict_margin_s(const struct mpl_analysis *a, const struct mpl_group_verdict *g)
{
    const struct mpl_diagnosis *d = &a->diagnosis;
    double margin_s = fabs(unexplained_s(g) - unexplained_share * g->location_s);

    if (g->verdict == MPL_VERDICT_PROBLEMS) {
        const struct mpl_diagnosed *leading = leading_problem(a, g);

        return leading->finding->is_fatal ? INFINITY : excess_s(a, g, leading);
    }
    for (size_t i = 0; i < d->n_findings && mpl_diagnosed_is_cause(&d->findings[i]); i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (is_of(a, f, g) && !f->is_within_spread) {
            margin_s = fmin(margin_s, fabs(excess_s(a, g, f)));
        }
    }
    return margin_s;
}

/* How much what is found in that pattern says of the program: of one without a structure of its own less than nothing,
 * else its share of the communication. */
static double weight_of(struct mpl_analysis *a, const struct mpl_diagnosed *f)
{
    const struct trial *t = mpl_trials_find(a, f->finding->run, f->finding->pattern);

    return t == NULL || !mpl_pattern_is_structural(t->shown.pattern) ? -1.0
                                                                     : t->shown.share;
}

/* A pattern of the program that says its roles are busy answers for the idle rest, e.g. the master. */
static const struct mpl_diagnosed *all_clear(struct mpl_analysis *a,
                                             const struct mpl_group_verdict *g)
{
    const struct mpl_diagnosed *found = NULL;

    for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
        const struct mpl_diagnosed *f = &a->findings[i];

        if (f->finding->is_all_clear && is_of(a, f, g) && !f->is_within_spread &&
            (found == NULL || weight_of(a, f) > weight_of(a, found))) {
            found = f;
        }
    }
    return found;
}

/* What is inside of a pattern, as half a sentence; "" when nothing is. */
static const char *inside_phrase(struct mpl_analysis *a, const struct trial *outer)
{
    const char *name = NULL;
    bool is_one_kind = true;
    size_t n = 0;

    for (size_t i = 0; i < a->n_trials; i++) {
        if (mpl_trial_is_inside(&a->trials[i], outer)) {
            const char *own = mpl_pattern_name(a->trials[i].shown.pattern);

            is_one_kind = is_one_kind && (n == 0 || strcmp(own, name) == 0);
            name = own;
            n++;
        }
    }
    return n == 0 ? ""
           : is_one_kind
               ? mpl_arena_printf(a->arena, " whose work is a %s in %zu communicator%s",
                                  name, n, n > 1 ? "s" : "")
               : mpl_arena_printf(a->arena,
                                  " whose work is done by patterns in %zu "
                                  "communicators",
                                  n);
}

/* The pattern of the run; of nested ones the outermost. */
static const struct trial *main_trial(struct mpl_analysis *a, uint32_t run)
{
    const struct trial *found = NULL;

    for (size_t i = 0; i < a->n_trials; i++) {
        const struct trial *t = &a->trials[i];

        if (t->shown.is_chosen && t->shown.run == run &&
            mpl_pattern_is_structural(t->shown.pattern) &&
            (found == NULL || mpl_trial_is_inside(found, t))) {
            found = t;
        }
    }
    return found;
}

static const char *pattern_phrase(struct mpl_analysis *a, uint32_t run)
{
    const struct trial *t = main_trial(a, run);
    const char *inside = t == NULL ? "" : inside_phrase(a, t);

    if (t == NULL || inside == NULL) {
        return inside;
    }
    return mpl_arena_printf(a->arena, "The program is a %s run%s. ",
                            mpl_pattern_name(t->shown.pattern), inside);
}

static const struct mpl_diagnosed *longest_observation(struct mpl_analysis *a,
                                                       const struct mpl_group_verdict *g)
{
    const struct mpl_diagnosis *d = &a->diagnosis;
    const struct mpl_diagnosed *longest = NULL;

    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (strcmp(f->finding->kind, "observation") == 0 && !isnan(f->lost_s) &&
            is_of(a, f, g) && !f->is_within_spread &&
            (longest == NULL || f->lost_s > longest->lost_s ||
             (f->lost_s == longest->lost_s && weight_of(a, f) > weight_of(a, longest)))) {
            longest = f;
        }
    }
    return longest;
}

/* What is wrong and what to do, a sentence each; the rest stands with the cause. */
static const char *problem_text(struct mpl_analysis *a, const struct mpl_diagnosed *leading)
{
    const struct mpl_finding *f = leading->finding;
    const char *remedy = f->remedy != NULL ? f->remedy : "";

    return mpl_arena_printf(a->arena, "%.*s%s%.*s", mpl_text_sentence(f->text), f->text,
                            remedy[0] != '\0' ? " " : "", mpl_text_sentence(remedy),
                            remedy);
}

static const char *inconclusive_text(struct mpl_analysis *a,
                                     const struct mpl_group_verdict *g)
{
    const struct mpl_diagnosed *leading = leading_problem(a, g);
    const struct mpl_diagnosed *f = longest_observation(a, g);
    const char *rest = mpl_text_seconds(a->arena, unexplained_s(g));

    if (leading != NULL) {
        return mpl_arena_printf(a->arena,
                                "More may hide in what is missing than what is found: %s",
                                leading->headline);
    }
    if (a->diagnosis.why_stopped != NULL) {
        return "Causes may be missing, since the rules were stopped before they had "
               "weighed all.";
    }
    if (!is_unexplained(g)) {
        return "It shows no problem, but one may hide in what is missing.";
    }
    return mpl_arena_printf(a->arena, "No cause was found for %s of lost process time.%s%s",
                            rest != NULL ? rest : "much", f != NULL ? " " : "",
                            f != NULL ? f->finding->text : "");
}

/* What the damaged traces of a program lack: the first sentence, since the others rest on it. */
static const char *damage_phrase(const struct mpl_analysis *a, uint32_t program)
{
    for (uint32_t i = 0; i < a->n_runs; i++) {
        const struct mpl_group *g = mpl_group_of(&a->diagnosis.sets, i);
        const struct mpl_run *run = &a->runs[i];

        if (g == NULL || g->program != program || run->damage == NULL) {
            continue;
        }
        const char *share = mpl_text_share(
            a->arena, run->unknown_s / (run->window_s * run->model->n_locations));

        return share == NULL
                   ? NULL
                   : mpl_arena_printf(
                         a->arena,
                         "%s is damaged: it lacks %s, so what happened in %s of the "
                         "process time is unknown; what follows holds for the rest. ",
                         a->n_runs > 1 ? run->id : "The trace", run->damage, share);
    }
    return "";
}

/*
 * Whether something larger than what is known may hide in what a damaged trace lacks: larger than the cause
 * that costs most, or than a problem at all. A process whose partner's events are missing looks late though
 * it only passes on that partner's delay.
 */
static bool is_hidden(const struct mpl_analysis *a, const struct mpl_group_verdict *g)
{
    const struct mpl_diagnosis *d = &a->diagnosis;
    double known_s = problem_severity * g->location_s;

    for (size_t i = 0; i < d->n_findings && mpl_diagnosed_is_cause(&d->findings[i]); i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (is_of(a, f, g) && !f->is_within_spread && !isnan(f->lost_s)) {
            known_s = fmax(known_s, f->lost_s + f->outer_s);
        }
    }
    return a->runs[g->group->speaker].unknown_s >= known_s;
}

static const char *verdict_text(struct mpl_analysis *a, const struct mpl_group_verdict *g)
{
    const struct mpl_diagnosed *clear = all_clear(a, g);

    switch (g->verdict) {
    case MPL_VERDICT_PROBLEMS:
        return problem_text(a, leading_problem(a, g));
    case MPL_VERDICT_INCONCLUSIVE:
        return inconclusive_text(a, g);
    default:
        return clear != NULL ? clear->finding->text
                             : mpl_arena_printf(
                                   a->arena,
                                   "No cause was found that costs %.0f %% of the process "
                                   "time or more; %.0f %% of it is not computation.",
                                   100 * problem_severity,
                                   g->location_s > 0 ? 100 * g->lost_s / g->location_s : 0);
    }
}

/* Of several runs, those of which the summary speaks. */
static const char *group_phrase(struct mpl_analysis *a, const struct mpl_group_verdict *g)
{
    if (a->diagnosis.sets.n_groups == 1 && g->group->n_runs == 1) {
        return "";
    }
    return g->group->n_runs > 1
               ? mpl_arena_printf(a->arena, "With %u processes (%zu runs): ",
                                  (unsigned) g->group->processes, g->group->n_runs)
               : mpl_arena_printf(
                     a->arena, "With %u processes (%s): ", (unsigned) g->group->processes,
                     a->runs[g->group->speaker].id);
}

/*
 * Of several groups any problem is one of the program: problems, if any group has one, else
 * inconclusive, if any group is. The summary speaks of the largest of those that decide, as what a
 * program loses grows with its processes. Groups ascend by these.
 */
static const struct mpl_group_verdict *deciding_of(const struct mpl_diagnosis *d,
                                                   uint32_t program)
{
    const struct mpl_group_verdict *deciding = NULL;

    for (size_t i = 0; i < d->sets.n_groups; i++) {
        const struct mpl_group_verdict *g = &d->group_verdicts[i];

        if (g->group->program == program &&
            (deciding == NULL || g->verdict == MPL_VERDICT_PROBLEMS ||
             (g->verdict == MPL_VERDICT_INCONCLUSIVE &&
              deciding->verdict != MPL_VERDICT_PROBLEMS) ||
             g->verdict == deciding->verdict)) {
            deciding = g;
        }
    }
    return deciding;
}

static const char *summary_of(struct mpl_analysis *a,
                              const struct mpl_group_verdict *deciding)
{
    const char *text = verdict_text(a, deciding);
    const char *pattern = pattern_phrase(a, deciding->group->speaker);
    const char *group = group_phrase(a, deciding);
    const char *damage = damage_phrase(a, deciding->group->program);

    return text == NULL || pattern == NULL || group == NULL || damage == NULL
               ? NULL
               : mpl_arena_printf(a->arena, "%s%s%s%s", damage, pattern, group, text);
}

/* "r1, r2": all runs of a program, in their own order. */
static const char *runs_of(struct mpl_analysis *a, uint32_t program)
{
    const char *text = "";

    for (uint32_t r = 0; r < a->n_runs && text != NULL; r++) {
        const struct mpl_group *g = mpl_group_of(&a->diagnosis.sets, r);

        if (g != NULL && g->program == program) {
            text = mpl_arena_printf(a->arena, "%s%s%s", text, text[0] != '\0' ? ", " : "",
                                    a->runs[r].id);
        }
    }
    return text;
}

/* All programs one after the other, each with its runs and its verdict. */
static const char *summary_of_all(struct mpl_analysis *a)
{
    const struct mpl_diagnosis *d = &a->diagnosis;
    const char *text =
        d->n_programs == 1
            ? d->programs[0].summary
            : mpl_arena_printf(a->arena, "These are runs of %zu programs.", d->n_programs);

    for (uint32_t i = 0; i < d->n_programs && d->n_programs > 1 && text != NULL; i++) {
        const char *runs = runs_of(a, i);

        text = runs == NULL ? NULL
                            : mpl_arena_printf(a->arena, "%s %s: %s. %s", text, runs,
                                               mpl_verdict_words(d->programs[i].verdict),
                                               d->programs[i].summary);
    }
    return text;
}

static enum mpl_verdict worse_of(enum mpl_verdict x, enum mpl_verdict y)
{
    return x == MPL_VERDICT_PROBLEMS || y == MPL_VERDICT_NO_PROBLEM ? x : y;
}

static enum mpl_status judge_usable(struct mpl_analysis *a, struct mpl_err *err)
{
    struct mpl_diagnosis *d = &a->diagnosis;
    struct mpl_program *programs =
        MPL_NEW_ARRAY(a->arena, d->sets.n_groups, struct mpl_program);
    const struct mpl_group_verdict *deciding = NULL;

    if (programs == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < d->sets.n_groups; i++) {
        struct mpl_group_verdict *g = &a->group_verdicts[i];

        g->verdict = is_hidden(a, g)                 ? MPL_VERDICT_INCONCLUSIVE
                     : leading_problem(a, g) != NULL ? MPL_VERDICT_PROBLEMS
                     : is_unexplained(g) || d->why_stopped != NULL
                         ? MPL_VERDICT_INCONCLUSIVE
                         : MPL_VERDICT_NO_PROBLEM;
    }
    d->verdict = MPL_VERDICT_NO_PROBLEM;
    while ((deciding = deciding_of(d, (uint32_t) d->n_programs)) != NULL) {
        struct mpl_program *p = &programs[d->n_programs++];

        p->verdict = deciding->verdict;
        p->summary = summary_of(a, deciding);
        if (p->summary == NULL) {
            return mpl_nomem(err);
        }
        if (d->n_programs == 1 || worse_of(d->verdict, p->verdict) != d->verdict) {
            d->speaker = deciding->group->speaker;
            d->claim = verdict_text(a, deciding);
            d->leading =
                p->verdict == MPL_VERDICT_PROBLEMS ? leading_problem(a, deciding) : NULL;
        }
        d->verdict = worse_of(d->verdict, p->verdict);
    }
    d->programs = programs;
    d->summary = summary_of_all(a);
    return d->summary == NULL || d->claim == NULL ? mpl_nomem(err) : MPL_OK;
}

enum mpl_status mpl_verdict_reach(struct mpl_analysis *a, struct mpl_err *err)
{
    struct mpl_diagnosis *d = &a->diagnosis;

    for (size_t i = 0; i < a->n_runs; i++) {
        if (mpl_run_is_usable(&a->runs[i])) {
            const enum mpl_status st = add_up_all(a, err);

            return st == MPL_OK ? judge_usable(a, err) : st;
        }
    }
    d->verdict = MPL_VERDICT_UNUSABLE;
    d->summary =
        mpl_arena_printf(a->arena, "Nothing can be diagnosed: %s.",
                         a->n_runs > 0 ? a->runs[0].failure : "no trace was given");
    d->claim = d->summary;
    return d->summary == NULL ? mpl_nomem(err) : MPL_OK;
}
