/* The story level by level: what was asked, which run answers it, what was found. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 9 };

/* The pattern that the story is about: that of the leading cause if it is a special one, else the one
 * that explains most; every MPI run is message-passing, so that only where there is nothing else. */
static const struct mpl_trial *hero_of(const struct mpl_diagnosis *d)
{
    const struct mpl_trial *hero = NULL;
    const struct mpl_diagnosed *leading = NULL;

    for (size_t i = 0; i < d->n_findings && leading == NULL; i++) {
        leading =
            strcmp(d->findings[i].finding->kind, "cause") == 0 ? &d->findings[i] : NULL;
    }
    for (size_t i = 0; i < d->n_trials; i++) {
        const struct mpl_trial *t = &d->trials[i];
        const bool is_special = t->is_chosen && mpl_pattern_is_structural(t->pattern);

        if (is_special && leading != NULL && t->run == leading->run &&
            strcmp(t->id, leading->finding->pattern) == 0) {
            return t;
        }
        if (t->is_chosen &&
            (hero == NULL || (is_special && (!mpl_pattern_is_structural(hero->pattern) ||
                                             t->share > hero->share)))) {
            hero = t;
        }
    }
    return hero;
}

static const char *key_of(const struct hunt *h, const struct mpl_diagnosed *d)
{
    return mpl_arena_printf(h->arena, "%s/%s", d->finding->pattern, d->finding->name);
}

static bool is_known(const struct hunt *h, const char *key)
{
    for (size_t i = 0; i < h->known.n; i++) {
        if (strcmp(*(const char **) mpl_buf_get(&h->known, i), key) == 0) {
            return true;
        }
    }
    return false;
}

static void remember_all(struct hunt *h, const struct mpl_diagnosis *d)
{
    for (size_t i = 0; i < d->n_findings; i++) {
        const char *key = key_of(h, &d->findings[i]);

        if (key != NULL && !is_known(h, key)) {
            (void) mpl_buf_put(&h->known, &key);
        }
    }
}

/* "1 master", "7 workers"; what is no noun has no plural. */
static const char *role_of(const struct hunt *h, const struct mpl_trial *t, size_t i)
{
    static const char *const adjectives[] = { "inner", "outer", "top",  "first",
                                              "last",  "left",  "right" };
    const char *role = mpl_pattern_role(t->pattern, i);
    const uint32_t n = mpl_recognition_role(t->recognition, i)->n;
    bool is_noun = true;

    for (size_t k = 0; k < sizeof adjectives / sizeof *adjectives; k++) {
        is_noun &= strcmp(adjectives[k], role) != 0;
    }
    return mpl_arena_printf(h->arena, "%u %s%s%s", n, role,
                            n == 1 || !is_noun || role[0] == '\0' ? ""
                            : role[strlen(role) - 1] == 's'       ? "e"
                                                                  : "",
                            n == 1 || !is_noun ? "" : "s");
}

static void tell_roles(const struct hunt *h, const struct mpl_trial *t)
{
    const char *roles = "";

    if (!mpl_pattern_is_structural(t->pattern)) {
        mpl_tell(h, MPL_NEWS_FOUND, 1, NULL,
                 "No pattern of parallel programs fits, so this is %s in general.",
                 mpl_pattern_name(t->pattern));
        return;
    }
    for (size_t i = 0; i < mpl_pattern_role_count(t->pattern) && roles != NULL; i++) {
        const char *role = role_of(h, t, i);

        if (role != NULL && mpl_recognition_role(t->recognition, i)->n > 0) {
            roles = mpl_arena_printf(h->arena, "%s%s%s", roles,
                                     roles[0] != '\0' ? ", " : "", role);
        }
    }
    mpl_tell(h, MPL_NEWS_FOUND, 1, NULL,
             "The program is a %s run (%s): that explains %.0f %% of its messages and "
             "collectives.",
             mpl_pattern_name(t->pattern), roles != NULL ? roles : "?", 100 * t->coverage);
}

/* Names of variables tell those who write patterns; here they are left out. */
static void tell_lack(const struct hunt *h, const struct mpl_experiment *e,
                      const struct mpl_case_run *run)
{
    if (e->why_needed == NULL ||
        strstr(e->why_needed, "is not known for this trace") != NULL) {
        mpl_tell(h, MPL_NEWS_FOUND, e->level, run,
                 "To %s, this run is not enough: it does not record what that takes.",
                 e->purpose);
    } else {
        mpl_tell(h, MPL_NEWS_FOUND, e->level, run, "To %s, this run is not enough: %s.",
                 e->purpose, e->why_needed);
    }
}

/* The questions of a level that the run answers at once, in one line. */
static void tell_questions(const struct hunt *h, const struct mpl_diagnosis *d,
                           const struct mpl_trial *t, int level)
{
    const char *all = "";

    for (size_t i = 0; i < d->n_experiments && all != NULL; i++) {
        const struct mpl_experiment *e = &d->experiments[i];

        if (e->level == level && e->run == t->run && strcmp(e->pattern, t->id) == 0 &&
            e->is_answered) {
            all = mpl_arena_printf(h->arena, "%s%s%s", all, all[0] != '\0' ? "; " : "",
                                   e->purpose);
        }
    }
    if (all != NULL && all[0] != '\0') {
        mpl_tell(h, MPL_NEWS_LEVEL, level, mpl_case_run_at(h->c, h->run_of[t->run]), "%s",
                 all);
    }
}

static void tell_level(const struct hunt *h, const struct mpl_diagnosis *d,
                       const struct mpl_trial *t, int level)
{
    const struct mpl_case_run *run = mpl_case_run_at(h->c, h->run_of[t->run]);

    tell_questions(h, d, t, level);
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];

        if (f->finding->level == level && f->run == t->run &&
            strcmp(f->finding->pattern, t->id) == 0) {
            mpl_tell(h, MPL_NEWS_FOUND, level, run, "%s", f->finding->text);
        }
    }
    for (size_t i = 0; i < d->n_experiments; i++) {
        const struct mpl_experiment *e = &d->experiments[i];

        if (e->level == level && e->run == t->run && strcmp(e->pattern, t->id) == 0 &&
            !e->is_answered) {
            tell_lack(h, e, run);
        }
    }
}

/* Whether no run has a message or a collective, not even part of one. */
static bool is_silent(const struct mpl_diagnosis *d)
{
    uint64_t n = 0;

    for (size_t i = 0; i < d->n_runs; i++) {
        if (d->runs[i].match != NULL) {
            const struct mpl_match_counts *c = &d->runs[i].match->counts;

            n += c->pairs + c->unmatched_sends + c->unmatched_receives + c->open_receives +
                 c->collectives + c->incomplete_collectives;
        }
    }
    return n == 0;
}

static bool is_alone(const struct hunt *h, const struct mpl_diagnosis *d)
{
    for (size_t i = 0; i < d->n_runs; i++) {
        if (d->runs[i].failure == NULL &&
            !mpl_is_alone(&h->c->command, d->runs[i].model, h->arena)) {
            return false;
        }
    }
    return d->n_runs > 0;
}

void mpl_narrate_levels(struct hunt *h)
{
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(h->analysis);
    const struct mpl_trial *hero = hero_of(d);

    if (hero != NULL) {
        tell_roles(h, hero);
    } else if (is_alone(h, d)) {
        const char *hint = mpl_alone_hint(&h->c->command, h->arena);

        mpl_tell(h, MPL_NEWS_FOUND, 1, NULL, "%s", hint != NULL ? hint : "?");
    } else if (h->options->analysis->pattern == NULL && is_silent(d)) {
        const char *name = mpl_command_name(&h->c->command, h->arena);

        mpl_tell(
            h, MPL_NEWS_FOUND, 1, NULL,
            "Behind MPI_Init no MPI call was recorded: \"%s\" does not communicate, or "
            "the tracer does not see how.",
            name != NULL ? name : "?");
    }
    for (int level = 1; hero != NULL && level <= LEVELS; level++) {
        tell_level(h, d, hero, level);
    }
    remember_all(h, d);
}

static const struct mpl_case_run *case_run(const struct hunt *h, uint32_t run)
{
    return mpl_case_run_at(h->c, h->run_of[run]);
}

/* "3.41", "0.539 s": always three digits. */
static const char *amount(const struct hunt *h, double value, const char *unit)
{
    const bool is_plain = unit == NULL || strcmp(unit, "1") == 0;
    const double size = fabs(value);
    const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
    const char *text = !is_plain && strcmp(unit, "s") == 0
                           ? mpl_text_seconds(h->arena, value)
                           : mpl_arena_printf(h->arena, "%.*f%s%s", decimals, value,
                                              is_plain ? "" : " ", is_plain ? "" : unit);

    return text != NULL ? text : "?";
}

/* Whether another number of processes lies between those of the row: the steps tell enough. */
static bool is_leap(const struct hunt *h, const struct mpl_diagnosis *d,
                    const struct mpl_scaling_row *row)
{
    const uint32_t from = case_run(h, row->from)->processes;
    const uint32_t to = case_run(h, row->to)->processes;

    for (size_t i = 0; i < d->n_scaling; i++) {
        const uint32_t between = case_run(h, d->scaling[i].to)->processes;

        if (strcmp(d->scaling[i].quantity, row->quantity) == 0 && between > from &&
            between < to) {
            return true;
        }
    }
    return false;
}

/* Only numbers that can be compared; false: there were none. */
static bool tell_expectation(const struct hunt *h, const struct mpl_scaling_row *row)
{
    const struct mpl_case_run *from = case_run(h, row->from);
    const struct mpl_case_run *to = case_run(h, row->to);
    const double off = 100 * (row->measured - row->expected) / row->expected;

    if (!isfinite(off)) {
        return false;
    }
    mpl_tell(h, MPL_NEWS_FOUND, 0, to,
             "From %u to %u processes (%s, %s), %s: %s where %s were expected (%+.0f %%).",
             from->processes, to->processes, from->id, to->id, row->quantity,
             amount(h, row->measured, row->unit), amount(h, row->expected, row->unit), off);
    return true;
}

/* What compares runs says itself which. */
static void tell_news(const struct hunt *h, const struct mpl_diagnosed *f)
{
    const struct mpl_case_run *run = case_run(h, f->run);

    if (f->is_of_set) {
        mpl_tell(h, MPL_NEWS_FOUND, f->finding->level, run, "%s", f->finding->text);
    } else {
        mpl_tell(h, MPL_NEWS_FOUND, f->finding->level, run, "%s: %s", run->id,
                 f->finding->text);
    }
}

void mpl_narrate_news(struct hunt *h)
{
    const struct mpl_diagnosis *d = mpl_analysis_diagnosis(h->analysis);
    bool has_news = false;

    for (size_t i = 0; i < d->n_scaling; i++) {
        has_news |= !is_leap(h, d, &d->scaling[i]) && tell_expectation(h, &d->scaling[i]);
    }
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];
        const char *key = key_of(h, f);

        /* What else is seen in a single run is in the diagnosis. */
        if (key != NULL && !is_known(h, key) && !f->is_within_spread &&
            (f->is_of_set || strcmp(f->finding->kind, "cause") == 0)) {
            has_news = true;
            tell_news(h, f);
        }
    }
    if (!has_news) {
        mpl_tell(h, MPL_NEWS_FOUND, 0, NULL, "Nothing that was not known already.");
    }
    remember_all(h, d);
}

/* Why an experiment that could be carried out is not. */
static const char *why_left(const struct hunt *h, const struct mpl_planned *e)
{
    const char *key = mpl_settings_key(e, h->arena);
    uint32_t processes = 0;
    uint32_t repetition = 0;

    if (mpl_missing_run(h, e, &processes, &repetition)) {
        const char *dear = mpl_too_dear(h, e);

        return dear != NULL ? dear : "left for another call";
    }
    for (size_t i = h->n_before; i < h->c->runs.n && key != NULL; i++) {
        const struct mpl_case_run *r = mpl_case_run_at(h->c, i);

        if (r->outcome != MPL_OUTCOME_OK && r->settings != NULL &&
            strcmp(r->settings, key) == 0) {
            return mpl_arena_printf(h->arena, "%s failed; the next call tries it once more",
                                    r->id);
        }
    }
    return "done, and it did not settle what it was asked for";
}

void mpl_narrate_rest(struct hunt *h)
{
    for (size_t i = 0; h->plan != NULL && i < h->plan->n; i++) {
        const struct mpl_planned *e = &h->plan->experiments[i];
        const char *obstacle = mpl_obstacle(h, e);
        const char *why = obstacle != NULL ? obstacle : why_left(h, e);

        mpl_tell(h, MPL_NEWS_ASKED, e->level, NULL, "%s. Not done: %s.", e->purpose,
                 why != NULL ? why : "?");
    }
}

void mpl_tell(const struct hunt *h, enum mpl_news what, int level,
              const struct mpl_case_run *run, const char *fmt, ...)
{
    va_list args;

    if (h->options->tell == NULL) {
        return;
    }
    va_start(args, fmt);
    const char *text = mpl_arena_vprintf(h->arena, fmt, args);
    va_end(args);
    if (text != NULL) {
        h->options->tell(h->options->context, what, level, text, run);
    }
}
