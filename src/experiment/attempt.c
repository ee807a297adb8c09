/* One run of the program under a tracer, from the folder that it is kept in to its outcome. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define GRACE_S      5.0
#define VERSION_S    5.0
#define LOOK_EVERY_S 1.0 /* Walking through the trace's folder is not free. */
enum { TAIL_BYTES = 6000, TAIL_LINES = 40, CLAUSE_BYTES = 200 };

/* ---- settings -------------------------------------------------------------------------- */

const char *mpl_settings_key(const struct mpl_settings *settings, struct mpl_arena *arena)
{
    const char *text = mpl_words_print(settings->launch, settings->n_launch, arena);

    for (size_t i = 0; i < settings->n_environment && text != NULL; i++) {
        text = mpl_arena_printf(arena, "%s; %s=%s", text, settings->environment[i].name,
                                settings->environment[i].value);
    }
    for (size_t i = 0; i < settings->n_files && text != NULL; i++) {
        text = mpl_arena_printf(arena, "%s; %s: %s", text, settings->files[i].name,
                                settings->files[i].text);
    }
    return text;
}

/* {trace} and {file:NAME} by paths in the run's folder. */
static const char *resolve(const char *text, const char *folder, struct mpl_arena *arena)
{
    const char *out = "";

    while (out != NULL && *text != '\0') {
        const char *name = NULL;
        size_t length = 0;

        if (strncmp(text, "{trace}", 7) == 0) {
            name = "trace";
            length = 7;
        } else if (strncmp(text, "{file:", 6) == 0 && strchr(text, '}') != NULL) {
            length = strcspn(text, "}") + 1;
            name = mpl_arena_strndup(arena, text + 6, length - 7);
        }
        if (length > 0) {
            out =
                name != NULL ? mpl_arena_printf(arena, "%s%s/%s", out, folder, name) : NULL;
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
};

static enum mpl_status fill_words(struct attempt *a, struct mpl_err *err)
{
    struct mpl_arena *arena = a->h->c->arena;
    const struct mpl_settings *s = a->planned->settings;
    const char **launch = MPL_NEW_ARRAY(arena, s->n_launch, const char *);
    struct mpl_setting_pair *pairs =
        MPL_NEW_ARRAY(arena, s->n_environment, struct mpl_setting_pair);
    bool is_good = launch != NULL && pairs != NULL;

    for (size_t i = 0; i < s->n_launch && is_good; i++) {
        launch[i] = resolve(s->launch[i], a->folder, arena);
        is_good = launch[i] != NULL;
    }
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

static uint32_t count_cores(void)
{
    cpu_set_t set;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return (uint32_t) CPU_COUNT(&set);
    }
    return online > 0 ? (uint32_t) online : 1;
}

uint32_t mpl_default_processes(const struct mpl_command *command)
{
    const uint32_t cores = count_cores();

    return cores < 8 && (mpl_command_has(command, "oversubscribe") ||
                         mpl_command_has(command, "OVERSUBSCRIBE"))
               ? 8
               : cores;
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
    a->run.cores = count_cores();
    a->run.experiment = mpl_arena_strdup(arena, a->planned->purpose);
    a->run.settings = mpl_settings_key(a->planned->settings, arena);
    a->run.tracer =
        mpl_arena_strdup(arena, mpl_tracer_file_name(a->planned->settings->tracer));
    return a->run.host != NULL && a->run.date != NULL && a->run.experiment != NULL &&
           a->run.settings != NULL && a->run.tracer != NULL;
}

/* ---- what it said ------------------------------------------------------------------------------- */

/* The last lines of a file, without blank ones at the end; "" when there are none. */
static const char *tail_of(const char *path, struct mpl_arena *arena)
{
    char text[TAIL_BYTES + 1];
    FILE *in = fopen(path, "rb");
    size_t n = 0;

    if (in == NULL) {
        return "";
    }
    if (fseek(in, -TAIL_BYTES, SEEK_END) != 0) {
        (void) fseek(in, 0, SEEK_SET);
    }
    n = fread(text, 1, TAIL_BYTES, in);
    (void) fclose(in);
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char) text[i];
        text[i] = c == '\n' || c == '\t' || c >= 0x20 ? text[i] : '?';
    }
    while (n > 0 && strchr(" \t\n", text[n - 1]) != NULL) {
        n--;
    }
    text[n] = '\0';
    const char *start = text + n;
    for (unsigned lines = 0; start > text; start--) {
        lines += start[-1] == '\n';
        if (lines == TAIL_LINES) {
            break;
        }
    }
    const char *copy = mpl_arena_strdup(arena, start);
    return copy != NULL ? copy : "";
}

static bool is_rule(const char *line, size_t n)
{
    return n >= 8 && strspn(line, "-=*") >= n;
}

/* The first sentence of some lines, on one line, without its period. */
static const char *sentence_of(const char *text, struct mpl_arena *arena)
{
    char out[CLAUSE_BYTES + 1];
    size_t n = 0;

    for (const char *p = text; *p != '\0' && n < CLAUSE_BYTES; p++) {
        const bool is_blank = strchr(" \t\n", *p) != NULL;

        if ((*p == '.' && (p[1] == '\0' || strchr(" \n", p[1]) != NULL)) ||
            (*p == '\n' && (p[1] == '\n' || is_rule(p + 1, strcspn(p + 1, "\n"))))) {
            break;
        }
        if (!is_blank || (n > 0 && out[n - 1] != ' ')) {
            out[n++] = is_blank ? ' ' : *p;
        }
    }
    while (n > 0 && strchr(" :", out[n - 1]) != NULL) {
        n--;
    }
    out[n] = '\0';
    const char *copy = mpl_arena_strdup(arena, out);
    return copy != NULL ? copy : "";
}

/* Launchers put what they know between two lines of dashes, and the nearest reason last; without such
 * a block the last line says most. */
static const char *gist_of(const char *tail, struct mpl_arena *arena)
{
    const char *framed = NULL;
    const char *last = tail;
    bool is_inside = false;
    bool is_first = false;

    for (const char *line = tail; *line != '\0';) {
        const size_t n = strcspn(line, "\n");

        if (is_rule(line, n)) {
            is_inside = !is_inside;
            is_first = is_inside;
        } else if (n > 0) {
            framed = is_first ? line : framed;
            is_first = false;
            last = line;
        }
        line += n + (line[n] == '\n');
    }
    return sentence_of(framed != NULL ? framed : last, arena);
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

/* Sets outcome and problem. */
static void judge(struct attempt *a, const struct program_end *end, const char *anchor,
                  const char *gist)
{
    struct mpl_arena *arena = a->h->c->arena;
    struct mpl_case_run *r = &a->run;
    const char *word = r->words[0];

    if (end->start_errno != 0) {
        r->outcome = MPL_OUTCOME_NOT_STARTED;
        r->problem = mpl_arena_printf(arena, "\"%s\" cannot be executed: %s", word,
                                      strerror(end->start_errno));
    } else if (end->is_interrupted) {
        r->outcome = MPL_OUTCOME_INTERRUPTED;
        r->problem = "the user stopped it";
    } else if (end->has_timed_out) {
        r->outcome = MPL_OUTCOME_TIMED_OUT;
        r->problem = mpl_arena_printf(
            arena, "it had not ended after %.3g s and was stopped", time_limit(a->h));
    } else if (a->is_too_large) {
        r->outcome = MPL_OUTCOME_FAILED;
        r->problem = "it was stopped because its trace outgrew --max-size";
    } else if (end->signal != 0) {
        r->outcome = MPL_OUTCOME_KILLED;
        r->problem =
            mpl_arena_printf(arena, "\"%s\" was ended by signal %d (%s)%s%s", word,
                             end->signal, strsignal(end->signal), colon(gist), gist);
    } else if (end->exit_status != 0) {
        r->outcome = MPL_OUTCOME_FAILED;
        r->problem = mpl_arena_printf(arena, "\"%s\" ended with exit status %d%s%s", word,
                                      end->exit_status, colon(gist), gist);
    } else if (anchor == NULL) {
        r->outcome = MPL_OUTCOME_NO_TRACE;
        r->problem = mpl_arena_printf(arena, "it ran, but %s left no trace: %s", r->tracer,
                                      a->planned->settings->n_launch > 0
                                          ? "it may be linked statically, be no MPI "
                                            "program, or end without MPI_Finalize"
                                          : "it may not have been built for that");
    } else {
        r->outcome = MPL_OUTCOME_OK;
        r->problem = NULL;
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
    } else {
        a->run.partial = own;
    }
}

/* ---- running ------------------------------------------------------------------------------------------- */

static uint64_t bytes_so_far(const struct hunt *h)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < h->c->runs.n; i++) {
        bytes += mpl_case_run_at(h->c, i)->trace_bytes;
    }
    return bytes;
}

static bool tick(void *context, double elapsed_s)
{
    struct attempt *a = context;
    const uint64_t most = a->h->options->budget.max_bytes;

    a->run.duration_s = elapsed_s;
    mpl_tell(a->h, MPL_TOLD_RUNNING, a->run.level, &a->run, "%s", "");
    if (most > 0 && elapsed_s - a->looked_s >= LOOK_EVERY_S) {
        a->looked_s = elapsed_s;
        a->is_too_large = bytes_so_far(a->h) + mpl_folder_bytes(a->folder) > most;
    }
    return a->is_too_large;
}

/* The first line that the tracer prints when asked; NULL when it does not say. */
static const char *ask_version(const struct attempt *a)
{
    struct mpl_arena *arena = a->h->c->arena;
    size_t n = 0;
    const char *const *words = mpl_tracer_version_command(a->planned->settings->tracer, &n);
    struct program_end end = { 0 };
    const struct program program = {
        .words = words,
        .n_words = n,
        .out_path = mpl_arena_printf(arena, "%s/version", a->folder),
        .err_path = mpl_arena_printf(arena, "%s/version.err", a->folder),
        .timeout_s = VERSION_S,
        .grace_s = 0.1,
    };

    if (n == 0 || program.out_path == NULL || program.err_path == NULL) {
        return NULL;
    }
    const struct mpl_case_run shown = { .words = words, .n_words = n };
    mpl_tell(a->h, MPL_TOLD_COMMAND, a->run.level, &shown, "%s", "");
    if (a->h->options->is_dry) {
        return NULL;
    }
    const bool is_good = mpl_program_run(&program, arena, &end, NULL) == MPL_OK &&
                         end.start_errno == 0 && end.exit_status == 0;
    const char *text = is_good ? tail_of(program.out_path, arena) : "";
    const char *line = mpl_arena_strndup(arena, text, strcspn(text, "\n"));
    (void) unlink(program.out_path);
    (void) unlink(program.err_path);
    a->h->is_interrupted |= end.is_interrupted;
    return line != NULL && line[0] != '\0' ? line : NULL;
}

/* Known from another run of this call with the same tracer, or asked for. */
static const char *version_of(const struct attempt *a)
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
        .context = a,
    };

    if (program.out_path == NULL || program.err_path == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = mpl_program_run(&program, arena, &end, err);
    if (st != MPL_OK) {
        return st;
    }
    *tail = tail_of(program.err_path, arena);
    if ((*tail)[0] == '\0') {
        *tail = tail_of(program.out_path, arena);
    }
    conclude(a, &end, gist_of(*tail, arena));
    if (a->run.outcome == MPL_OUTCOME_OK) {
        *tail = end.n_killed == 0 ? ""
                                  : mpl_arena_printf(arena,
                                                     "processes that it left behind and "
                                                     "that were ended: %u",
                                                     end.n_killed);
        *tail = *tail != NULL ? *tail : "";
    }
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
    mpl_tell(h, MPL_TOLD_RAN, a->run.level, &a->run, "%s", tail);
    return st;
}

enum mpl_status mpl_attempt(struct hunt *h, const struct mpl_planned *planned,
                            uint32_t processes, uint32_t repetition, size_t *index,
                            struct mpl_err *err)
{
    struct attempt a = { .h = h,
                         .planned = planned,
                         .run = { .level = planned->level,
                                  .processes = processes,
                                  .repetition = repetition,
                                  .exit_status = -1 } };
    enum mpl_status st = describe(&a) ? MPL_OK : mpl_nomem(err);

    st = st == MPL_OK ? make_folder(&a, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    st = fill_words(&a, err);
    if (st == MPL_OK) {
        a.run.version = version_of(&a);
        mpl_tell(h, MPL_TOLD_COMMAND, planned->level, &a.run, "%s", "");
    }
    if (st == MPL_OK && !h->options->is_dry && !h->is_interrupted) {
        st = run_it(&a, err);
    } else if (st != MPL_OK && !h->options->is_dry) {
        (void) rmdir(a.folder);
    }
    *index = a.index;
    return st;
}
