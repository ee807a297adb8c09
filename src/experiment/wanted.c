/* What is still to be run, and what stands in the way of it. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <string.h>

/* ---- which runs --------------------------------------------------------------------------- */

bool mpl_is_usable(const struct mpl_case_run *r)
{
    return r->outcome == MPL_OUTCOME_OK && r->trace != NULL;
}

bool mpl_is_cut_off(const struct mpl_case_run *r)
{
    /* One that ended by itself with status 0 was only paused, and its times tell nothing. */
    const bool is_stopped = r->outcome == MPL_OUTCOME_TIMED_OUT ||
                            (r->outcome == MPL_OUTCOME_INTERRUPTED && r->exit_status != 0);

    return is_stopped && r->partial != NULL;
}

/* Good runs with these settings and processes; MPL_NONE if one has failed in this call. */
static uint32_t count_runs(const struct hunt *h, const char *key, uint32_t processes)
{
    uint32_t n = 0;

    for (size_t i = 0; i < h->c->runs.n; i++) {
        const struct mpl_case_run *r = mpl_case_run_at(h->c, i);

        if (r->settings == NULL || strcmp(r->settings, key) != 0 ||
            (processes != 0 && r->processes != processes)) {
            continue;
        }
        if (mpl_is_usable(r)) {
            n++;
        } else if (i >= h->n_before && r->outcome != MPL_OUTCOME_INTERRUPTED) {
            /* What was paused is run once more; what was stopped ends the call. */
            return MPL_NONE;
        }
    }
    return n;
}

bool mpl_missing_run(const struct hunt *h, const struct mpl_planned *planned,
                     uint32_t *processes, uint32_t *repetition)
{
    const char *key = mpl_settings_key(planned, h->arena);
    const uint32_t *list =
        planned->n_processes > 0 ? planned->processes : &h->first_processes;
    const size_t n = planned->n_processes > 0 ? planned->n_processes : 1;
    const uint32_t wanted = planned->repetitions > 0 ? planned->repetitions : 1;

    /* All numbers once before any is repeated: a first answer comes sooner. */
    for (uint32_t k = 1; k <= wanted && key != NULL; k++) {
        for (size_t i = 0; i < n; i++) {
            const uint32_t done = count_runs(h, key, list[i]);

            if (done != MPL_NONE && done < k) {
                *processes = list[i];
                *repetition = done + 1;
                return true;
            }
        }
    }
    return false;
}

/* Of the runs that it needs, the share that is not there yet. */
static double missing_share(const struct hunt *h, const struct mpl_planned *planned)
{
    const char *key = mpl_settings_key(planned, h->arena);
    const size_t n = planned->n_processes;
    const uint32_t wanted = planned->repetitions > 0 ? planned->repetitions : 1;
    uint64_t there = 0;

    for (size_t i = 0; i < n && key != NULL; i++) {
        const uint32_t done = count_runs(h, key, planned->processes[i]);

        there += done == MPL_NONE ? 0 : done < wanted ? done : wanted;
    }
    return n > 0 ? 1.0 - (double) there / (double) (n * wanted) : 1.0;
}

/* ---- what an earlier call began ------------------------------------------------------------ */

bool mpl_case_run_is_alike(const struct mpl_case_run *x, const struct mpl_case_run *y)
{
    return x->level == y->level && x->experiment != NULL && y->experiment != NULL &&
           strcmp(x->experiment, y->experiment) == 0;
}

/* The experiment of a run, with what is still to be done in it; NULL if that cannot be carried out. */
static const struct mpl_planned *planned_again(const struct hunt *h,
                                               const struct mpl_case_run *r)
{
    struct mpl_planned *again = MPL_NEW(h->arena, struct mpl_planned);
    struct mpl_settings *settings = MPL_NEW(h->arena, struct mpl_settings);
    const char **reason = MPL_NEW_ARRAY(h->arena, 1, const char *);
    const struct mpl_tracer_file *tracer =
        r->tracer != NULL ? mpl_tracers_find(h->options->plan.tracers, r->tracer) : NULL;
    const uint64_t bytes_of_one = r->trace_bytes / (r->processes > 0 ? r->processes : 1);

    const char *asked = h->options->plan.tracer;

    if (again == NULL || settings == NULL || reason == NULL || tracer == NULL ||
        (asked != NULL && strcmp(asked, r->tracer) != 0) ||
        !mpl_tracer_is_installed(tracer) ||
        mpl_tracer_settle(tracer, &r->recording, bytes_of_one, h->arena, settings, NULL) !=
            MPL_OK) {
        return NULL;
    }
    const uint32_t n = (uint32_t) r->n_sizes * r->repetitions;
    *reason = "an earlier call began it and did not finish it";
    *again = (struct mpl_planned){ .purpose = r->experiment,
                                   .level = r->level,
                                   .n_reasons = 1,
                                   .reasons = reason,
                                   .recording = r->recording,
                                   .n_processes = r->n_sizes,
                                   .processes = r->sizes,
                                   .repetitions = r->repetitions,
                                   .bytes = (double) r->trace_bytes * n,
                                   .run_s = r->duration_s * n,
                                   .settings = settings,
                                   .is_executable = true };
    return again;
}

const struct mpl_planned *mpl_unfinished(const struct hunt *h)
{
    for (size_t i = 0; i < h->n_before; i++) {
        const struct mpl_case_run *r = mpl_case_run_at(h->c, i);
        bool is_first = true;
        uint32_t processes = 0;
        uint32_t repetition = 0;

        for (size_t k = 0; k < i; k++) {
            const struct mpl_case_run *before = mpl_case_run_at(h->c, k);

            is_first &= !(mpl_is_usable(before) && mpl_case_run_is_alike(before, r));
        }
        if (!is_first || !mpl_is_usable(r) || r->n_sizes * r->repetitions < 2) {
            continue;
        }
        const struct mpl_planned *again = planned_again(h, r);
        if (again != NULL && mpl_obstacle(h, again) == NULL &&
            mpl_missing_run(h, again, &processes, &repetition)) {
            return again;
        }
    }
    return NULL;
}

/* ---- what stands in the way ------------------------------------------------------------------ */

/* Where the command starts always as many processes and others are asked for. */
static const char *cannot_vary(const struct hunt *h, const struct mpl_planned *planned)
{
    /* "3 and 5" */
    const char *numbers = "";

    for (size_t i = 0; i < planned->n_processes && numbers != NULL; i++) {
        const char *between = i == 0 ? "" : i + 1 < planned->n_processes ? ", " : " and ";

        numbers =
            mpl_arena_printf(h->arena, "%s%s%u", numbers, between, planned->processes[i]);
    }
    const char *always = h->first_processes > 0
                             ? mpl_arena_printf(h->arena, "%u", h->first_processes)
                             : "as many as it likes";

    return mpl_arena_printf(h->arena,
                            "it takes %s processes, and the command always starts %s; "
                            "write {processes} where its number stands",
                            numbers, always);
}

const char *mpl_obstacle(const struct hunt *h, const struct mpl_planned *planned)
{
    const bool can_vary = mpl_command_has(&h->c->command, "{processes}");
    const struct mpl_settings *s = planned->settings;

    for (size_t i = 0; i < planned->n_processes && !can_vary; i++) {
        /* Nobody knows how many it starts before it has run. */
        if (h->first_processes > 0 && planned->processes[i] != h->first_processes) {
            return cannot_vary(h, planned);
        }
    }
    if (s == NULL) {
        return planned->problem != NULL ? planned->problem : "no tracer at hand records it";
    }
    if (planned->knob != NULL) {
        return mpl_arena_printf(h->arena, "it varies what only you can, %s", planned->knob);
    }
    if (mpl_command_lacks_place(&h->c->command, s->tracer)) {
        return mpl_arena_printf(h->arena,
                                "the command does not say where %s belongs; write "
                                "{tracer} in front of the program",
                                mpl_tracer_file_name(s->tracer));
    }
    /* Who names a tracer that is linked into the program has built it so; whether it is there shows. */
    if (planned->is_executable || (h->options->plan.tracer != NULL && s->n_launch == 0)) {
        return NULL;
    }
    if (s->needs_build != NULL) {
        return mpl_arena_printf(h->arena, "the program must be built anew, as %s",
                                s->needs_build);
    }
    if (!mpl_tracer_is_installed(s->tracer)) {
        return mpl_arena_printf(h->arena, "%s is not installed here",
                                mpl_tracer_file_name(s->tracer));
    }
    return planned->problem != NULL ? planned->problem : "it cannot be carried out here";
}

/* ---- budget ----------------------------------------------------------------------------------- */

uint64_t mpl_bytes_kept(const struct hunt *h)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < h->c->runs.n; i++) {
        bytes += mpl_case_run_at(h->c, i)->trace_bytes;
    }
    return bytes;
}

const char *mpl_spent(const struct hunt *h)
{
    const struct mpl_budget *b = &h->options->budget;

    if (b->max_experiments > 0 && h->n_run >= b->max_experiments) {
        return mpl_arena_printf(h->arena, "--max-experiments %u is reached",
                                b->max_experiments);
    }
    if (b->max_s > 0 && h->run_s >= b->max_s) {
        return mpl_arena_printf(h->arena, "--max-time is spent: %s",
                                mpl_text_seconds(h->arena, h->run_s));
    }
    if (b->max_bytes > 0 && mpl_bytes_kept(h) >= b->max_bytes) {
        return mpl_arena_printf(h->arena, "--max-size is reached");
    }
    return NULL;
}

const char *mpl_too_dear(const struct hunt *h, const struct mpl_planned *e)
{
    const struct mpl_budget *b = &h->options->budget;
    const double share = missing_share(h, e);

    if (b->max_s > 0 && h->run_s + share * e->run_s > b->max_s) {
        return mpl_arena_printf(h->arena,
                                "it would take some %s, more than --max-time leaves",
                                mpl_text_seconds(h->arena, share * e->run_s));
    }
    if (b->max_bytes > 0 &&
        (double) mpl_bytes_kept(h) + share * e->bytes > (double) b->max_bytes) {
        return mpl_arena_printf(h->arena,
                                "it would need some %s bytes, more than --max-size leaves",
                                mpl_text_count(h->arena, (uint64_t) (share * e->bytes)));
    }
    return NULL;
}

/* Of text that is too long to be kept; FNV-1a. */
static uint32_t sum_of(const char *text)
{
    uint32_t sum = 2166136261U;

    for (; *text != '\0'; text++) {
        sum = (sum ^ (unsigned char) *text) * 16777619U;
    }
    return sum;
}

const char *mpl_settings_key(const struct mpl_planned *planned, struct mpl_arena *arena)
{
    struct mpl_settings s;

    /* Without an expected size: how much memory the tracer is given makes no other recording. */
    if (mpl_tracer_settle(planned->settings->tracer, &planned->recording, 0, arena, &s,
                          NULL) != MPL_OK) {
        return NULL;
    }
    const char *text = mpl_words_print(s.launch, s.n_launch, arena);

    for (size_t i = 0; i < s.n_environment && text != NULL; i++) {
        text = mpl_arena_printf(arena, "%s; %s=%s", text, s.environment[i].name,
                                s.environment[i].value);
    }
    for (size_t i = 0; i < s.n_files && text != NULL; i++) {
        text = mpl_arena_printf(arena, "%s; %s: %08x", text, s.files[i].name,
                                sum_of(s.files[i].text));
    }
    return text;
}
