/*
 * What would be if something took longer or shorter: the user's questions, and the remedies of
 * the causes, by replay of the run. Rules say what a gain is by the model of their pattern, which
 * knows nothing of what else would then be waited for; the replay does.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Remedies of the causes that lead: the others matter little, and each costs a replay. */
enum { REMEDIES_TRIED = 12, REMEDIES_TOGETHER = 4 };

struct roles {
    struct mpl_replay_role *items;
    size_t n;
};

/* A remedy that was replayed, so that causes that share it pay once. */
struct tried {
    uint32_t run;
    const char *text;
    const struct trial *first; /* whose roles come first; NULL: nobody's */
    struct roles roles;
    const struct mpl_what_if *what;
    struct mpl_replay *replay;
    struct mpl_arena *arena; /* while it is replayed */
    enum mpl_status status;  /* MPL_OK, or MPL_E_USAGE: then failure says what is wrong */
    struct mpl_err failure;
    struct mpl_replayed replayed;
};

static enum mpl_status find_replay(struct mpl_analysis *a, uint32_t run,
                                   struct mpl_replay **out, struct mpl_err *err)
{
    struct mpl_variables *variables = NULL;

    if (!mpl_run_variables(&a->runs[run], &variables)) {
        return mpl_nomem(err);
    }
    *out = mpl_variables_replay(variables);
    return MPL_OK;
}

/* A story that was kept aside; the caller may not want any. */
static void hand_on(struct mpl_err *err, const struct mpl_err *story)
{
    if (err != NULL) {
        *err = *story;
    }
}

/* ---- who may be named ---------------------------------------------------------------- */

static void add_roles(const struct trial *t, struct roles *roles)
{
    for (size_t i = 0; i < mpl_pattern_role_count(t->shown.pattern); i++) {
        const struct mpl_role *role = mpl_recognition_role(t->recognition, i);

        if (role->n > 0) {
            roles->items[roles->n++] =
                (struct mpl_replay_role){ role->name, role->locations, role->n };
        }
    }
}

static bool has_roles(const struct trial *t, uint32_t run)
{
    return t->shown.run == run && t->shown.is_chosen && t->recognition != NULL;
}

/* Of the patterns of a run as they were chosen, those of \p first before all others. */
static enum mpl_status list_roles(const struct mpl_analysis *a, uint32_t run,
                                  const struct trial *first, struct roles *roles,
                                  struct mpl_err *err)
{
    size_t n = 0;

    for (size_t i = 0; i < a->n_trials; i++) {
        n += has_roles(&a->trials[i], run)
                 ? mpl_pattern_role_count(a->trials[i].shown.pattern)
                 : 0;
    }
    *roles = (struct roles){ MPL_NEW_ARRAY(a->arena, n, struct mpl_replay_role), 0 };
    if (roles->items == NULL) {
        return mpl_nomem(err);
    }
    if (first != NULL && has_roles(first, run)) {
        add_roles(first, roles);
    }
    for (size_t i = 0; i < a->n_trials; i++) {
        if (&a->trials[i] != first && has_roles(&a->trials[i], run)) {
            add_roles(&a->trials[i], roles);
        }
    }
    return MPL_OK;
}

/* The first role of that name, and whether another one of that name has other locations. */
static bool is_ambiguous(const struct roles *roles, const char *name)
{
    const struct mpl_replay_role *first = NULL;

    for (size_t i = 0; i < roles->n; i++) {
        const struct mpl_replay_role *role = &roles->items[i];

        if (strcmp(role->name, name) != 0) {
            continue;
        }
        if (first != NULL && !mpl_is_same_array(first->locations, first->n, role->locations,
                                                role->n, sizeof *role->locations)) {
            return true;
        }
        first = first == NULL ? role : first;
    }
    return false;
}

/* Says so where a role is that of several patterns. */
static enum mpl_status doubt_roles(const struct mpl_analysis *a,
                                   const struct mpl_what_if *what,
                                   const struct roles *roles, struct mpl_replayed *replayed,
                                   struct mpl_err *err)
{
    for (size_t i = 0; i < what->n; i++) {
        for (size_t k = 0; k < what->changes[i].n_who; k++) {
            const char *name = what->changes[i].who[k];

            if (!is_ambiguous(roles, name)) {
                continue;
            }
            replayed->doubt = mpl_arena_printf(
                a->arena, "%s%srole '%s' is taken of the first of several patterns",
                replayed->doubt == NULL ? "" : replayed->doubt,
                replayed->doubt == NULL ? "" : "; ", name);
            return replayed->doubt == NULL ? mpl_nomem(err) : MPL_OK;
        }
    }
    return MPL_OK;
}

/* ---- the user's questions -------------------------------------------------------------- */

enum mpl_status mpl_what_if_read(struct mpl_analysis *a,
                                 const struct mpl_analysis_options *options,
                                 struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    a->questions = MPL_NEW_ARRAY(a->arena, options->n_what_if, const struct mpl_what_if *);
    if (a->questions == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < options->n_what_if && st == MPL_OK; i++) {
        st = mpl_what_if_parse(options->what_if[i], a->arena,
                               &a->questions[a->n_questions++], err);
    }
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot read the what-if");
}

static enum mpl_status ask(struct mpl_analysis *a, uint32_t run,
                           const struct mpl_what_if *what,
                           struct mpl_what_if_answer *answer, struct mpl_err *err)
{
    struct mpl_replay *replay = NULL;
    struct roles roles;
    enum mpl_status st = list_roles(a, run, NULL, &roles, err);

    answer->run = run;
    answer->text = what->text;
    st = st == MPL_OK ? find_replay(a, run, &replay, err) : st;
    st = st == MPL_OK ? mpl_replay_ask(replay, what, roles.items, roles.n, a->arena,
                                       &answer->replayed, err)
                      : st;
    return st == MPL_OK ? doubt_roles(a, what, &roles, &answer->replayed, err) : st;
}

static struct mpl_what_if_range range_of(double *values, size_t n)
{
    const double median_s = mpl_median(values, n);

    return (struct mpl_what_if_range){ median_s, values[0], values[n - 1] };
}

/* The runs of a group, answer by answer to the same question. */
static void sum_up(const struct mpl_analysis *a, uint32_t group, const char *text,
                   double *const values[4], struct mpl_what_if_group *out)
{
    *out = (struct mpl_what_if_group){ .group = group, .text = text };
    for (size_t i = 0; i < a->diagnosis.n_what_ifs; i++) {
        const struct mpl_what_if_answer *answer = &a->diagnosis.what_ifs[i];
        const struct mpl_replayed *r = &answer->replayed;

        if (a->diagnosis.sets.group_of[answer->run] != group || answer->text != text) {
            continue;
        }
        out->n_asked++;
        if (!isnan(r->gain_s)) {
            values[0][out->n] = r->recorded_s;
            values[1][out->n] = r->baseline_s;
            values[2][out->n] = r->changed_s;
            values[3][out->n++] = r->gain_s;
        }
    }
    if (out->n >= 2) {
        out->recorded = range_of(values[0], out->n);
        out->baseline = range_of(values[1], out->n);
        out->changed = range_of(values[2], out->n);
        out->gain = range_of(values[3], out->n);
    }
}

static enum mpl_status sum_up_groups(struct mpl_analysis *a, struct mpl_err *err)
{
    const size_t n_groups = a->diagnosis.sets.n_groups;
    struct mpl_what_if_group *groups =
        MPL_NEW_ARRAY(a->arena, a->n_questions * n_groups, struct mpl_what_if_group);
    double *all = MPL_NEW_ARRAY(a->arena, 4 * a->n_runs, double);

    if (groups == NULL || all == NULL) {
        return mpl_nomem(err);
    }
    double *const values[4] = { all, all + a->n_runs, all + 2 * a->n_runs,
                                all + 3 * a->n_runs };

    a->diagnosis.what_if_groups = groups;
    for (size_t q = 0; q < a->n_questions; q++) {
        for (uint32_t g = 0; g < n_groups; g++) {
            struct mpl_what_if_group *group = &groups[a->diagnosis.n_what_if_groups];

            sum_up(a, g, a->questions[q]->text, values, group);
            a->diagnosis.n_what_if_groups += group->n >= 2;
        }
    }
    return MPL_OK;
}

/* Of several runs some may lack a process or role; all of them is a mistake of the user. */
static enum mpl_status ask_all(struct mpl_analysis *a, struct mpl_err *err)
{
    struct mpl_what_if_answer *answers =
        MPL_NEW_ARRAY(a->arena, a->n_questions * a->n_runs, struct mpl_what_if_answer);
    size_t n = 0;

    if (answers == NULL) {
        return mpl_nomem(err);
    }
    for (size_t q = 0; q < a->n_questions; q++) {
        const size_t before = n;
        struct mpl_err first = { 0 };

        for (uint32_t i = 0; i < a->n_runs; i++) {
            struct mpl_err failure = { 0 };
            enum mpl_status st = !mpl_run_is_usable(&a->runs[i])
                                     ? MPL_END
                                     : ask(a, i, a->questions[q], &answers[n], &failure);

            if (st != MPL_OK && st != MPL_END && st != MPL_E_USAGE) {
                hand_on(err, &failure);
                return st;
            }
            n += st == MPL_OK;
            first = st == MPL_E_USAGE && first.n == 0 ? failure : first;
        }
        if (n == before && first.n > 0) {
            hand_on(err, &first);
            return mpl_wrap(err, MPL_E_USAGE, "cannot answer the what-if");
        }
    }
    a->diagnosis.what_ifs = answers;
    a->diagnosis.n_what_ifs = n;
    return sum_up_groups(a, err);
}

/* ---- remedies of causes ---------------------------------------------------------------------- */

static enum mpl_status complain(struct mpl_analysis *a, const struct mpl_finding *f,
                                const char *why, struct mpl_err *err)
{
    const struct mpl_lint_message **slot = mpl_buf_add(&a->complaints);
    struct mpl_lint_message *message = MPL_NEW(a->arena, struct mpl_lint_message);

    if (slot == NULL || message == NULL) {
        return mpl_nomem(err);
    }
    message->severity = MPL_LINT_WARNING;
    message->text = mpl_arena_printf(a->arena, "rule %s asks what if %s", f->rule, why);
    for (size_t i = 0; i < mpl_rules_count(a->rules); i++) {
        const struct mpl_rule *rule = mpl_rules_get(a->rules, i);

        if (strcmp(rule->name, f->rule) == 0) {
            message->place = (struct mpl_place){ rule->file, rule->first_line, 0 };
        }
    }
    *slot = message;
    return message->text == NULL ? mpl_nomem(err) : MPL_OK;
}

static const struct trial *trial_of(const struct mpl_analysis *a,
                                    const struct mpl_finding *f)
{
    return mpl_trials_find(a, f->run, f->pattern);
}

/* What was wrong with the roles of one pattern may be right with those of another one. */
static const struct tried *find_tried(const struct mpl_analysis *a, const struct tried *all,
                                      size_t n, const struct mpl_diagnosed *d)
{
    for (size_t i = 0; i < n; i++) {
        if (all[i].run == d->run && strcmp(all[i].text, d->finding->what_if) == 0 &&
            (all[i].status == MPL_OK || all[i].first == trial_of(a, d->finding))) {
            return &all[i];
        }
    }
    return NULL;
}

/*
 * Two estimates of a gain: the model of the pattern, a closed formula that knows nothing of what else is then
 * waited for, and the replay, which knows that but keeps what calls take beyond waiting, rests on the clocks, and
 * thins out all computation of a section alike. Where they agree within a quarter the middle is taken, of which
 * neither is far. Where they do not the model is taken: on 26 such runs of 99 with made faults it was within a
 * quarter of the measured gain 24 times, and the replay never.
 */
static const double far_apart = 0.25;

static bool choose_gain(struct mpl_analysis *a, struct mpl_diagnosed *d)
{
    if (isnan(d->gain_replay_s)) {
        return true;
    }
    /* fmin() and fmax() pass over what is not known. */
    d->gain_low_s = fmin(d->gain_replay_s, d->gain_model_s);
    d->gain_high_s = fmax(d->gain_replay_s, d->gain_model_s);
    if (d->gain_high_s - d->gain_low_s <= far_apart * d->gain_high_s) {
        d->gain_s = (d->gain_low_s + d->gain_high_s) / 2;
        return true;
    }
    const char *replay = mpl_text_seconds(a->arena, d->gain_replay_s);
    const char *model = mpl_text_seconds(a->arena, d->gain_model_s);

    if (replay == NULL || model == NULL) {
        return false;
    }
    d->gain_s = d->gain_model_s;
    d->gain_reason = mpl_arena_printf(
        a->arena,
        "the model of the pattern says %s and is taken; the replay of the run says %s, but "
        "%s",
        model, replay,
        d->gain_doubt != NULL
            ? d->gain_doubt
            : "keeps what calls take beyond waiting, and where in a step a "
              "process is late");
    return d->gain_reason != NULL;
}

static enum mpl_status fill(struct mpl_analysis *a, struct mpl_diagnosed *d,
                            const struct tried *tried, struct mpl_err *err)
{
    d->what_if = tried->text;
    d->gain_doubt = tried->replayed.doubt;
    /* A remedy that only moves the waiting elsewhere may even cost a little. */
    d->gain_replay_s =
        isnan(tried->replayed.gain_s) ? NAN : fmax(tried->replayed.gain_s, 0);
    return choose_gain(a, d) ? MPL_OK : mpl_nomem(err);
}

static bool is_to_be_tried(const struct mpl_analysis *a, const struct mpl_diagnosed *d)
{
    return strcmp(d->finding->kind, "cause") == 0 && d->finding->what_if != NULL &&
           d->n_explained_by == 0 && mpl_run_is_usable(&a->runs[d->run]);
}

/* All that is to be known before it is replayed. */
static enum mpl_status prepare_one(struct mpl_analysis *a, const struct mpl_diagnosed *d,
                                   struct tried *tried, struct mpl_err *err)
{
    const struct mpl_finding *f = d->finding;

    *tried = (struct tried){ .run = d->run, .text = f->what_if, .first = trial_of(a, f) };
    tried->status = list_roles(a, d->run, tried->first, &tried->roles, err);
    if (tried->status == MPL_OK) {
        tried->status = find_replay(a, d->run, &tried->replay, err);
    }
    if (tried->status == MPL_OK) {
        tried->status =
            mpl_what_if_parse(tried->text, a->arena, &tried->what, &tried->failure);
        if (tried->status != MPL_OK && tried->status != MPL_E_USAGE) {
            hand_on(err, &tried->failure);
        }
    }
    return tried->status == MPL_E_USAGE ? MPL_OK : tried->status;
}

/* The next ones, at most \p most, behind the \p n that were tried. Causes stand in the order of what they are worth. */
static enum mpl_status prepare_next(struct mpl_analysis *a, struct tried *tried, size_t *n,
                                    size_t most, struct mpl_err *err)
{
    const size_t end = *n + most;
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < a->diagnosis.n_findings && *n < end && st == MPL_OK; i++) {
        const struct mpl_diagnosed *d = &a->findings[i];

        if (is_to_be_tried(a, d) && find_tried(a, tried, *n, d) == NULL) {
            st = prepare_one(a, d, &tried[(*n)++], err);
        }
    }
    return st;
}

static enum mpl_status replay_one(void *context, size_t i, unsigned worker,
                                  struct mpl_err *err)
{
    struct tried *tried = (struct tried *) context + i;

    (void) worker;
    if (tried->status != MPL_OK) {
        return MPL_OK;
    }
    tried->arena = mpl_arena_create();
    if (tried->arena == NULL) {
        return mpl_nomem(err);
    }
    tried->status =
        mpl_replay_ask(tried->replay, tried->what, tried->roles.items, tried->roles.n,
                       tried->arena, &tried->replayed, &tried->failure);
    if (tried->status != MPL_OK && tried->status != MPL_E_USAGE) {
        hand_on(err, &tried->failure);
        return tried->status;
    }
    return MPL_OK;
}

/* Several at a time. */
static enum mpl_status replay_all(struct mpl_analysis *a, struct tried *tried, size_t n,
                                  struct mpl_err *err)
{
    const unsigned n_threads = mpl_threads();
    const struct mpl_parallel job = { .n_tasks = n,
                                      .max_threads = n_threads < REMEDIES_TOGETHER
                                                         ? n_threads
                                                         : REMEDIES_TOGETHER,
                                      .run = replay_one,
                                      .context = tried };
    const enum mpl_status st = mpl_parallel_run(&job, err);

    for (size_t i = 0; i < n; i++) {
        mpl_arena_absorb(a->arena, tried[i].arena);
    }
    return st;
}

/* As many as may be, without those that say something wrong. */
static enum mpl_status replay_remedies(struct mpl_analysis *a, struct tried *tried,
                                       size_t *n, struct mpl_err *err)
{
    size_t n_good = 0;
    size_t before;
    enum mpl_status st;

    do {
        before = *n;
        st = prepare_next(a, tried, n, REMEDIES_TRIED - n_good, err);
        st = st == MPL_OK ? replay_all(a, tried + before, *n - before, err) : st;
        for (size_t i = before; i < *n; i++) {
            n_good += tried[i].status == MPL_OK;
        }
    } while (st == MPL_OK && *n > before && n_good < REMEDIES_TRIED);
    return st;
}

static enum mpl_status try_remedies(struct mpl_analysis *a, struct mpl_err *err)
{
    struct tried *tried = MPL_NEW_ARRAY(a->arena, a->diagnosis.n_findings, struct tried);
    size_t n = 0;
    enum mpl_status st =
        tried == NULL ? mpl_nomem(err) : replay_remedies(a, tried, &n, err);

    for (size_t i = 0; i < a->diagnosis.n_findings && st == MPL_OK; i++) {
        struct mpl_diagnosed *d = &a->findings[i];

        if (!is_to_be_tried(a, d)) {
            continue;
        }
        const struct tried *own = find_tried(a, tried, n, d);

        if (own == NULL) {
            d->gain_doubt = "only what would help against the leading causes is replayed";
        } else if (own->status == MPL_OK) {
            st = fill(a, d, own, err);
        } else {
            st = complain(a, d->finding, own->failure.cause[0].text, err);
        }
    }
    return st;
}

enum mpl_status mpl_what_if_answer(struct mpl_analysis *a, struct mpl_err *err)
{
    const enum mpl_status st = try_remedies(a, err);

    return st == MPL_OK ? ask_all(a, err) : st;
}
