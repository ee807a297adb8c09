/* One run of the program under a tracer, from the folder that it is kept in to its outcome. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define GRACE_S   5.0
#define WRITE_S   10.0 /* For traces of all ranks, on few cores. */
#define VERSION_S 5.0
#define PAUSE_LEAST \
    0.01 /* Of the run's time; a shorter pause changes nothing that is measured. */
#define LOOK_EVERY_S 1.0 /* Walking through the trace's folder is not free. */
/* Launchers take some time to place ranks. Then they stay where they are, mostly: each look comes after twice
 * the time of the one before, since it costs time of the program's cores. */
#define FIRST_LOOK_S 0.25

/* ---- settings -------------------------------------------------------------------------- */

/* What the placeholder at the beginning of \p text stands for, and how long it is: {trace} and {file:NAME} are
 * paths in the run's folder. 0: there is none; NULL: no memory. */
static const char *place_of(const char *text, const char *folder, struct mpl_arena *arena,
                            size_t *length)
{
    *length = strcspn(text, "}") + 1;
    if (strncmp(text, "{trace}", 7) == 0) {
        return mpl_arena_printf(arena, "%s/trace", folder);
    }
    if (strncmp(text, "{marple}", 8) == 0) {
        const char *own = mpl_own_program(arena);

        return own != NULL ? own : "marple";
    }
    if (strncmp(text, "{file:", 6) == 0 && strchr(text, '}') != NULL) {
        return mpl_arena_printf(arena, "%s/%.*s", folder, (int) *length - 7, text + 6);
    }
    *length = 0;
    return NULL;
}

static const char *resolve(const char *text, const char *folder, struct mpl_arena *arena)
{
    const char *out = "";

    while (out != NULL && *text != '\0') {
        size_t length = 0;
        const char *place = place_of(text, folder, arena, &length);

        if (length > 0) {
            out = place != NULL ? mpl_arena_printf(arena, "%s%s", out, place) : NULL;
            text += length;
        } else {
            out = mpl_arena_printf(arena, "%s%c", out, *text++);
        }
    }
    return out;
}

/* What is about to be run. */
struct attempt {
    struct hunt *h;
    const struct mpl_planned *planned;
    const char *folder; /* Absolute: the program may change its directory. */
    struct mpl_case_run run;
    size_t index; /* Of the run in the case. */
    double looked_s;
    bool is_too_large;
    unsigned n_anchor_seen; /* Since its ranks were told to write. */
    struct mpl_buf ranks;   /* struct rank_seen: where they run, as seen last. */
    double next_look_s;     /* When they are looked at again. */
    bool is_without_mpi;    /* What was printed is the tracer's trouble with that. */
    const char
        *unfinished; /* Why no trace could be made of what was recorded; "": it was. */
};

static const char *const *resolve_all(const struct attempt *a, const char *const *words,
                                      size_t n)
{
    struct mpl_arena *arena = a->h->c->arena;
    const char **all = MPL_NEW_ARRAY(arena, n, const char *);

    for (size_t i = 0; i < n && all != NULL; i++) {
        all[i] = resolve(words[i], a->folder, arena);
        if (all[i] == NULL) {
            return NULL;
        }
    }
    return all;
}

static enum mpl_status fill_words(struct attempt *a, struct mpl_err *err)
{
    struct mpl_arena *arena = a->h->c->arena;
    const struct mpl_settings *s = a->planned->settings;
    const char *const *launch = resolve_all(a, s->launch, s->n_launch);
    struct mpl_setting_pair *pairs =
        MPL_NEW_ARRAY(arena, s->n_environment, struct mpl_setting_pair);
    bool is_good = launch != NULL && pairs != NULL;

    for (size_t i = 0; i < s->n_environment && is_good; i++) {
        pairs[i].name = mpl_arena_strdup(arena, s->environment[i].name);
        pairs[i].value = resolve(s->environment[i].value, a->folder, arena);
        is_good = pairs[i].name != NULL && pairs[i].value != NULL;
    }
    if (!is_good) {
        return mpl_nomem(err);
    }
    const struct filling filling = { .processes = a->run.processes,
                                     .launch = launch,
                                     .n_launch = s->n_launch };
    a->run.environment = pairs;
    a->run.n_environment = s->n_environment;
    return mpl_command_fill(&a->h->c->command, &filling, arena, &a->run.words,
                            &a->run.n_words, err);
}

/* ---- the folder --------------------------------------------------------------------------- */

/* The first number without a folder: what a crash left may be of use to somebody. */
static enum mpl_status make_folder(struct attempt *a, struct mpl_err *err)
{
    struct hunt *h = a->h;
    char here[PATH_MAX] = "";
    const bool is_absolute = h->c->directory[0] == '/' || getcwd(here, sizeof here) == NULL;

    for (size_t n = h->c->runs.n + 1;; n++) {
        a->run.id = mpl_arena_printf(h->c->arena, "run-%02zu", n);
        a->folder = mpl_arena_printf(h->c->arena, "%s%s%s/%s", is_absolute ? "" : here,
                                     is_absolute ? "" : "/", h->c->directory, a->run.id);
        if (a->run.id == NULL || a->folder == NULL) {
            return mpl_nomem(err);
        }
        if (h->options->is_dry || mkdir(a->folder, 0777) == 0) {
            return MPL_OK;
        }
        if (errno != EEXIST) {
            return mpl_fail(err, MPL_E_IO, "cannot make the directory \"%s\": %s",
                            a->folder, strerror(errno));
        }
    }
}

static enum mpl_status write_files(const struct attempt *a, struct mpl_err *err)
{
    struct mpl_arena *arena = a->h->c->arena;
    const struct mpl_settings *s = a->planned->settings;
    const char *text = "";
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < s->n_files && st == MPL_OK; i++) {
        const char *path = mpl_arena_printf(arena, "%s/%s", a->folder, s->files[i].name);
        st = path != NULL
                 ? mpl_folder_write(path, s->files[i].text, strlen(s->files[i].text), err)
                 : mpl_nomem(err);
    }
    for (size_t i = 0; i < a->run.n_environment && text != NULL; i++) {
        text = mpl_arena_printf(arena, "%s%s=%s\n", text, a->run.environment[i].name,
                                a->run.environment[i].value);
    }
    for (size_t i = 0; i < a->run.n_words && text != NULL; i++) {
        text = mpl_arena_printf(arena, "%s%s\n", text, a->run.words[i]);
    }
    const char *path = mpl_arena_printf(arena, "%s/command.txt", a->folder);
    if (st == MPL_OK && (text == NULL || path == NULL)) {
        return mpl_nomem(err);
    }
    return st == MPL_OK ? mpl_folder_write(path, text, strlen(text), err) : st;
}

/* ---- metadata -------------------------------------------------------------------------------- */

uint32_t mpl_default_processes(const struct mpl_command *command)
{
    const uint32_t cores = mpl_machine_cores("");

    return cores < 8 && (mpl_command_has(command, "oversubscribe") ||
                         mpl_command_has(command, "OVERSUBSCRIBE"))
               ? 8
               : cores;
}

static const char *const *copy_words(struct mpl_arena *arena, const char *const *words,
                                     size_t n)
{
    const char **copy = MPL_NEW_ARRAY(arena, n, const char *);

    for (size_t i = 0; i < n && copy != NULL; i++) {
        copy[i] = mpl_arena_strdup(arena, words[i]);
        if (copy[i] == NULL) {
            return NULL;
        }
    }
    return copy;
}

/* The case outlives the plan. */
static bool describe_experiment(struct attempt *a)
{
    struct mpl_arena *arena = a->h->c->arena;
    const struct mpl_planned *e = a->planned;
    const struct mpl_recording *from = &e->recording;
    struct mpl_recording *to = &a->run.recording;
    uint32_t *sizes = MPL_NEW_ARRAY(arena, e->n_processes, uint32_t);

    *to = (struct mpl_recording){
        .capabilities = copy_words(arena, from->capabilities, from->n_capabilities),
        .n_capabilities = from->n_capabilities,
        .regions = copy_words(arena, from->regions, from->n_regions),
        .n_regions = from->n_regions,
        .counters = copy_words(arena, from->counters, from->n_counters),
        .n_counters = from->n_counters,
    };
    /* 0 is a number that only the launcher knows. */
    for (size_t i = 0; i < e->n_processes && sizes != NULL; i++) {
        sizes[a->run.n_sizes] = e->processes[i];
        a->run.n_sizes += e->processes[i] > 0;
    }
    a->run.sizes = sizes;
    a->run.repetitions = e->repetitions > 0 ? e->repetitions : 1;
    a->run.experiment = mpl_arena_strdup(arena, e->purpose);
    return to->capabilities != NULL && to->regions != NULL && to->counters != NULL &&
           sizes != NULL && a->run.experiment != NULL;
}

static bool describe(struct attempt *a)
{
    struct mpl_arena *arena = a->h->c->arena;
    char host[256] = "";
    char date[32] = "";
    struct tm parts;
    const time_t now = time(NULL);

    (void) gethostname(host, sizeof host - 1);
    if (gmtime_r(&now, &parts) != NULL) {
        (void) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    a->run.host = mpl_arena_strdup(arena, host);
    a->run.date = mpl_arena_strdup(arena, date);
    a->run.cores = mpl_machine_cores("");
    a->run.settings = mpl_settings_key(a->planned, arena);
    a->run.tracer =
        mpl_arena_strdup(arena, mpl_tracer_file_name(a->planned->settings->tracer));
    return describe_experiment(a) && a->run.host != NULL && a->run.date != NULL &&
           a->run.settings != NULL && a->run.tracer != NULL;
}

/* ---- how it ended ----------------------------------------------------------------------------------- */

static double time_limit(const struct hunt *h)
{
    const struct mpl_budget *b = &h->options->budget;
    const double left = b->max_s > 0 ? b->max_s - h->run_s : 0;

    if (b->max_s <= 0) {
        return b->timeout_s;
    }
    return b->timeout_s > 0 && b->timeout_s < left ? b->timeout_s : left;
}

static const char *colon(const char *gist)
{
    return gist[0] != '\0' ? ": " : "";
}

/* A clause about a run that left nothing at all, if it lacks MPI; NULL: nobody knows. A program that fails says why
 * itself, and may be a launcher that found no program. */
static const char *without_mpi(const struct attempt *a, bool has_failed)
{
    struct mpl_arena *arena = a->h->c->arena;
    const char *name = mpl_command_name(&a->h->c->command, arena);
    const char *path = mpl_command_file(&a->h->c->command, arena);

    if (path == NULL || name == NULL || a->run.trace_bytes > 0 ||
        a->planned->settings->n_launch == 0) {
        return NULL;
    }
    switch (mpl_program_speaks_of_mpi(path)) {
    case MPL_SPEAKS_NOT:
        return mpl_arena_printf(
            arena, "\"%s\" is not an MPI program (no MPI call was recorded)", name);
    case MPL_SPEAKS_UNKNOWN:
        return has_failed ? NULL
                          : mpl_arena_printf(arena,
                                             "no MPI call was recorded: \"%s\" is not an "
                                             "MPI program, or it ended before MPI_Init",
                                             name);
    default:
        return NULL;
    }
}

static const char *why_no_trace(const struct attempt *a, const char *why)
{
    if (why != NULL) {
        return why;
    }
    if (a->unfinished[0] != '\0' && a->run.trace_bytes > 0) {
        return mpl_arena_printf(a->h->c->arena, "it ran, but left no trace: %s",
                                a->unfinished);
    }
    return mpl_arena_printf(a->h->c->arena, "it ran, but %s left no trace: %s",
                            a->run.tracer,
                            a->planned->settings->n_launch > 0
                                ? "it may be linked statically, be no MPI program, or end "
                                  "without MPI_Finalize"
                                : "it may not have been built for that");
}

/* What an exit status above 128 says by the convention of shells, which launchers follow. */
static const char *signal_of(int exit_status, struct mpl_arena *arena)
{
    const int signal = exit_status - 128;
    const char *said =
        signal > 0 && signal < NSIG
            ? mpl_arena_printf(arena, " (as by signal %d, %s)", signal, strsignal(signal))
            : NULL;

    return said != NULL ? said : "";
}

/* Sets outcome and problem. */
static void judge(struct attempt *a, const struct program_end *end, const char *anchor,
                  const char *gist)
{
    struct mpl_arena *arena = a->h->c->arena;
    struct mpl_case_run *r = &a->run;
    /* Where the tracer stands in front of the command, the command is meant all the same. */
    const char *word = r->words[mpl_command_has(&a->h->c->command, "{tracer}")
                                    ? 0
                                    : a->planned->settings->n_launch];
    const char *why = anchor == NULL && end->start_errno == 0
                          ? without_mpi(a, end->exit_status != 0)
                          : NULL;

    /* What it says then is about something else. */
    gist = why != NULL ? "" : gist;
    a->is_without_mpi = why != NULL;
    if (end->start_errno != 0) {
        r->outcome = MPL_OUTCOME_NOT_STARTED;
        r->problem = mpl_arena_printf(arena, "\"%s\" cannot be executed: %s", word,
                                      strerror(end->start_errno));
    } else if (end->is_interrupted) {
        r->outcome = MPL_OUTCOME_INTERRUPTED;
        r->problem = "the user stopped it";
    } else if (end->has_timed_out) {
        r->outcome = MPL_OUTCOME_TIMED_OUT;
        r->problem = mpl_arena_printf(arena, "it had not ended after %s and was stopped",
                                      mpl_text_seconds(arena, time_limit(a->h)));
    } else if (a->is_too_large) {
        r->outcome = MPL_OUTCOME_FAILED;
        r->problem = "it was stopped because its trace outgrew --max-size";
    } else if (end->paused_s > PAUSE_LEAST * end->duration_s) {
        r->outcome = MPL_OUTCOME_INTERRUPTED;
        r->problem =
            mpl_arena_printf(arena, "it was paused for %s, so its times would tell nothing",
                             mpl_text_seconds(arena, end->paused_s));
    } else if (end->signal != 0) {
        r->outcome = MPL_OUTCOME_KILLED;
        r->problem =
            mpl_arena_printf(arena, "%s%s\"%s\" was ended by signal %d (%s)%s%s",
                             why != NULL ? why : "", why != NULL ? "; " : "", word,
                             end->signal, strsignal(end->signal), colon(gist), gist);
    } else if (end->exit_status != 0) {
        r->outcome = MPL_OUTCOME_FAILED;
        r->problem = mpl_arena_printf(arena, "%s%s\"%s\" ended with exit status %d%s%s%s",
                                      why != NULL ? why : "", why != NULL ? "; " : "", word,
                                      end->exit_status, signal_of(end->exit_status, arena),
                                      colon(gist), gist);
    } else {
        r->outcome = anchor == NULL ? MPL_OUTCOME_NO_TRACE : MPL_OUTCOME_OK;
        r->problem = anchor == NULL ? why_no_trace(a, why) : NULL;
    }
}

static void conclude(struct attempt *a, const struct program_end *end, const char *gist)
{
    struct mpl_arena *arena = a->h->c->arena;
    const char *place = mpl_arena_printf(arena, "%s/trace", a->folder);
    const char *anchor = place != NULL ? mpl_folder_anchor(place, arena) : NULL;
    const char *own =
        anchor != NULL ? mpl_arena_printf(arena, "%s/trace/%s", a->run.id, anchor) : NULL;

    a->run.exit_status = end->exit_status;
    a->run.signal = end->signal;
    a->run.duration_s = end->duration_s;
    a->run.trace_bytes = place != NULL ? mpl_folder_bytes(place) : 0;
    judge(a, end, own, gist);
    if (a->run.outcome == MPL_OUTCOME_OK) {
        a->run.trace = own;
        return;
    }
    a->run.partial = own;
    if (own == NULL && a->run.trace_bytes > 0 && a->run.problem != NULL) {
        a->run.problem =
            a->unfinished[0] != '\0'
                ? mpl_arena_printf(arena, "%s; %s", a->run.problem, a->unfinished)
                : mpl_arena_printf(arena,
                                   "%s; its trace cannot be read, as %s did not write the "
                                   "anchor (*.otf2)",
                                   a->run.problem, a->run.tracer);
    }
    const char *path = own != NULL ? mpl_arena_printf(arena, "%s/%s", place, anchor) : NULL;
    const char *alone = path != NULL ? mpl_alone_in(&a->h->c->command, path, arena) : NULL;
    if (alone != NULL && a->run.problem != NULL) {
        a->run.problem = mpl_arena_printf(arena, "%s; %s", a->run.problem, alone);
    }
}

/* ---- the machine ----------------------------------------------------------------------------------------- */

static void look_at_ranks(struct attempt *a, const struct offspring *offspring,
                          double elapsed_s)
{
    struct mpl_buf seen = mpl_buf_make(sizeof(struct rank_seen));

    if (elapsed_s < a->next_look_s) {
        return;
    }
    a->next_look_s = 2 * elapsed_s;
    mpl_ranks_look(offspring, &seen);
    /* While it ends, there are fewer of them. */
    if (seen.n >= a->ranks.n) {
        mpl_buf_free(&a->ranks);
        a->ranks = seen;
    } else {
        mpl_buf_free(&seen);
    }
}

/* What is known of it when the run is over. */
static bool note_machine(struct attempt *a, const struct machine_look *before,
                         const struct program_end *end)
{
    const struct machine_look after = mpl_machine_look("");
    struct mpl_case_run *r = &a->run;

    r->load = before->load;
    /* Ranks that a service of the system has started would count as others. */
    r->foreign_cores =
        a->ranks.n > 0 ? mpl_machine_foreign(before, &after, end->duration_s) : NAN;
    r->ranks_per_core = mpl_ranks_per_core(&a->ranks, r->cores);
    return mpl_ranks_print(&a->ranks, a->h->c->arena, &r->placement, &r->n_placement);
}

/* ---- running ------------------------------------------------------------------------------------------- */

static bool tick(void *context, const struct offspring *offspring, double elapsed_s)
{
    struct attempt *a = context;
    const uint64_t most = a->h->options->budget.max_bytes;

    a->run.duration_s = elapsed_s;
    look_at_ranks(a, offspring, elapsed_s);
    mpl_tell(a->h, MPL_NEWS_RUNNING, a->run.level, &a->run, "%s", "");
    if (most > 0 && elapsed_s - a->looked_s >= LOOK_EVERY_S) {
        a->looked_s = elapsed_s;
        a->is_too_large = mpl_bytes_kept(a->h) + mpl_folder_bytes(a->folder) > most;
    }
    return a->is_too_large;
}

static bool write_out(void *context, const struct offspring *offspring)
{
    const struct attempt *a = context;

    return mpl_ranks_write_out(offspring, a->folder, a->run.processes);
}

/* The anchor is written last. Seen twice: then the others have had time to close their files, too. */
static bool has_written(void *context)
{
    struct attempt *a = context;
    const char *place = mpl_arena_printf(a->h->arena, "%s/trace", a->folder);

    a->n_anchor_seen += place != NULL && mpl_folder_anchor(place, a->h->arena) != NULL;
    return a->n_anchor_seen > 1;
}

/* What a helper of the tracer leaves: the last lines of its output, or of its complaint where it fails. */
static const char *call(struct attempt *a, const char *const *words, size_t n,
                        double timeout_s, bool *is_good)
{
    struct mpl_arena *arena = a->h->c->arena;
    struct program_end end = { 0 };
    const struct program program = {
        .words = resolve_all(a, words, n),
        .n_words = n,
        .out_path = mpl_arena_printf(arena, "%s/helper", a->folder),
        .err_path = mpl_arena_printf(arena, "%s/helper.err", a->folder),
        .timeout_s = timeout_s,
        .grace_s = timeout_s > 0 ? 0.1 : GRACE_S,
    };

    *is_good = false;
    if (program.words == NULL || program.out_path == NULL || program.err_path == NULL) {
        return "";
    }
    *is_good = mpl_program_run(&program, arena, &end, NULL) == MPL_OK &&
               end.start_errno == 0 && end.exit_status == 0;
    const char *text = mpl_said_tail(*is_good ? program.out_path : program.err_path, arena);
    (void) unlink(program.out_path);
    (void) unlink(program.err_path);
    a->h->is_interrupted |= end.is_interrupted;
    return text;
}

/* The first line that the tracer prints when asked; NULL when it does not say. */
static const char *ask_version(struct attempt *a)
{
    size_t n = 0;
    const char *const *words = mpl_tracer_version_command(a->planned->settings->tracer, &n);
    const struct mpl_case_run shown = { .words = resolve_all(a, words, n), .n_words = n };
    bool is_good = false;

    if (n == 0 || shown.words == NULL) {
        return NULL;
    }
    mpl_tell(a->h, MPL_NEWS_COMMAND, a->run.level, &shown, "%s", "");
    if (a->h->options->is_dry) {
        return NULL;
    }
    const char *text = call(a, words, n, VERSION_S, &is_good);
    const char *line =
        mpl_arena_strndup(a->h->c->arena, is_good ? text : "", strcspn(text, "\n"));
    return line != NULL && line[0] != '\0' ? line : NULL;
}

/* What was recorded becomes a trace, also of a run that was stopped. */
static void finish(struct attempt *a)
{
    const struct mpl_settings *s = a->planned->settings;
    bool is_good = true;
    const char *text = s->n_finish > 0 ? call(a, s->finish, s->n_finish, 0, &is_good) : "";

    a->unfinished = is_good ? "" : mpl_said_gist(text, a->h->c->arena);
}

/* Known from another run of this call with the same tracer, or asked for. */
static const char *version_of(struct attempt *a)
{
    const struct mpl_case *c = a->h->c;

    for (size_t i = a->h->n_before; i < c->runs.n; i++) {
        const struct mpl_case_run *r = mpl_case_run_at(c, i);

        if (r->tracer != NULL && strcmp(r->tracer, a->run.tracer) == 0) {
            return r->version;
        }
    }
    return ask_version(a);
}

static enum mpl_status execute(struct attempt *a, const char **tail, struct mpl_err *err)
{
    struct mpl_arena *arena = a->h->c->arena;
    struct program_end end;
    const struct program program = {
        .words = a->run.words,
        .n_words = a->run.n_words,
        .environment = a->run.environment,
        .n_environment = a->run.n_environment,
        .out_path = mpl_arena_printf(arena, "%s/stdout", a->folder),
        .err_path = mpl_arena_printf(arena, "%s/stderr", a->folder),
        .timeout_s = time_limit(a->h),
        .grace_s = GRACE_S,
        .tick = tick,
        /* What a finishing command takes is there already. */
        .write_out = a->planned->settings->n_finish == 0 ? write_out : NULL,
        .has_written = has_written,
        .write_s = WRITE_S,
        .context = a,
    };

    if (program.out_path == NULL || program.err_path == NULL) {
        return mpl_nomem(err);
    }
    const struct machine_look before = mpl_machine_look("");
    const enum mpl_status st = mpl_program_run(&program, arena, &end, err);
    if (st != MPL_OK) {
        return st;
    }
    if (!note_machine(a, &before, &end)) {
        return mpl_nomem(err);
    }
    finish(a);
    *tail = mpl_said_tail(program.err_path, arena);
    if ((*tail)[0] == '\0') {
        *tail = mpl_said_tail(program.out_path, arena);
    }
    conclude(a, &end, mpl_said_gist(*tail, arena));
    if (a->run.outcome == MPL_OUTCOME_OK) {
        *tail = end.n_killed == 0 ? ""
                                  : mpl_arena_printf(arena,
                                                     "processes that it left behind and "
                                                     "that were ended: %u",
                                                     end.n_killed);
        *tail = *tail != NULL ? *tail : "";
    }
    *tail = a->is_without_mpi ? "" : *tail;
    a->h->n_run++;
    a->h->run_s += end.duration_s;
    a->h->is_interrupted |= end.is_interrupted;
    return MPL_OK;
}

/* The case knows of a run before it begins: a crash of the machine must not hide it. */
static enum mpl_status run_it(struct attempt *a, struct mpl_err *err)
{
    struct hunt *h = a->h;
    const char *tail = "";
    enum mpl_status st = write_files(a, err);

    a->run.outcome = MPL_OUTCOME_INTERRUPTED;
    a->run.problem = "marple ended before it did";
    if (st == MPL_OK) {
        struct mpl_case_run *slot = mpl_case_add(h->c);

        st = slot != NULL ? MPL_OK : mpl_nomem(err);
        if (slot != NULL) {
            a->index = h->c->runs.n - 1;
            *slot = a->run;
        }
    }
    st = st == MPL_OK ? mpl_case_write(h->c, err) : st;
    st = st == MPL_OK ? execute(a, &tail, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    *mpl_case_run_at(h->c, a->index) = a->run;
    st = mpl_case_write(h->c, err);
    mpl_tell(h, MPL_NEWS_RAN, a->run.level, &a->run, "%s", tail);
    return st;
}

enum mpl_status mpl_attempt(struct hunt *h, const struct mpl_planned *planned,
                            uint32_t processes, uint32_t repetition, size_t *index,
                            struct mpl_err *err)
{
    struct attempt a = { .h = h,
                         .planned = planned,
                         .ranks = mpl_buf_make(sizeof(struct rank_seen)),
                         .next_look_s = FIRST_LOOK_S,
                         .run = { .level = planned->level,
                                  .processes = processes,
                                  .repetition = repetition,
                                  .exit_status = -1,
                                  .load = NAN,
                                  .foreign_cores = NAN } };
    enum mpl_status st = describe(&a) ? MPL_OK : mpl_nomem(err);

    st = st == MPL_OK ? make_folder(&a, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    st = fill_words(&a, err);
    if (st == MPL_OK) {
        a.run.version = version_of(&a);
        mpl_tell(h, MPL_NEWS_COMMAND, planned->level, &a.run, "%s", "");
    }
    if (st == MPL_OK && !h->options->is_dry && !h->is_interrupted) {
        st = run_it(&a, err);
        mpl_buf_free(&a.ranks);
    } else if (!h->options->is_dry) {
        (void) rmdir(a.folder);
    }
    *index = a.index;
    return st;
}
