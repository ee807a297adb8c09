/* From what is to be recorded to what is to be set: parts are joined, placeholders replaced. */
#include "config.h"

#include "tracer/tracer_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct settler {
    const struct mpl_tracer_file *tracer;
    const struct mpl_recording *recording;
    uint64_t expected_bytes;
    struct mpl_arena *arena;
    const struct part **parts; /* that apply, in order */
    size_t n_parts;
};

/* ---- which parts ----------------------------------------------------------------------- */

static bool is_asked(const struct mpl_recording *recording, const char *capability)
{
    for (size_t i = 0; i < recording->n_capabilities; i++) {
        if (strcmp(recording->capabilities[i], capability) == 0) {
            return true;
        }
    }
    return false;
}

static bool choose_parts(struct settler *s)
{
    const struct mpl_tracer_file *t = s->tracer;

    s->parts = MPL_NEW_ARRAY(s->arena, t->n_recorded + 3, const struct part *);
    if (s->parts == NULL) {
        return false;
    }
    s->parts[s->n_parts++] = &t->always;
    for (size_t i = 0; i < t->n_recorded; i++) {
        if (is_asked(s->recording, t->recorded[i].capability)) {
            s->parts[s->n_parts++] = &t->recorded[i].part;
        }
    }
    if (s->recording->n_regions > 0) {
        s->parts[s->n_parts++] = &t->regions;
    }
    if (s->recording->n_counters > 0) {
        s->parts[s->n_parts++] = &t->counters;
    }
    return true;
}

/* ---- placeholders ------------------------------------------------------------------------ */

/* Out of memory is passed on: a NULL makes NULL. */
static const char *append(struct settler *s, const char *text, const char *more)
{
    return text == NULL || more == NULL ? NULL
                                        : mpl_arena_printf(s->arena, "%s%s", text, more);
}

static const char *join(struct settler *s, const char *text, const char *between,
                        const char *word)
{
    return text != NULL && *text != '\0' ? append(s, append(s, text, between), word)
                                         : append(s, text, word);
}

static const char *words_of(struct settler *s, size_t list)
{
    const struct word_list *l = &s->tracer->lists[list];
    const char *text = "";

    for (size_t i = 0; i < l->n; i++) {
        text = join(s, text, l->join, l->words[i]);
    }
    for (size_t p = 0; p < s->n_parts; p++) {
        for (size_t a = 0; a < s->parts[p]->n_additions; a++) {
            const struct addition *add = &s->parts[p]->additions[a];

            if (add->list == list && add->replaces) {
                text = "";
            }
            for (size_t i = 0; add->list == list && i < add->n; i++) {
                text = join(s, text, l->join, add->words[i]);
            }
        }
    }
    return text;
}

/* Memory for the trace of one process, in whole MiB. */
static const char *memory_of(struct settler *s)
{
    const struct mpl_tracer_file *t = s->tracer;
    const double wanted = ceil(t->memory_factor * (double) s->expected_bytes / (1 << 20));
    const double mib = fmin(fmax(wanted, t->memory_least_mib), t->memory_most_mib);

    return mpl_arena_printf(s->arena, "%.0fM", mib);
}

static const char *counters_of(struct settler *s)
{
    const char *text = "";

    for (size_t i = 0; i < s->recording->n_counters; i++) {
        text = join(s, text, ",", s->recording->counters[i]);
    }
    return text;
}

/* The value of {name}; what only the runner knows, or nobody, stays as it is. */
static const char *value_of(struct settler *s, const char *name, const char *item)
{
    if (strcmp(name, "memory") == 0) {
        return memory_of(s);
    }
    if (strcmp(name, "counters") == 0) {
        return counters_of(s);
    }
    for (size_t i = 0; i < s->tracer->n_lists; i++) {
        if (strcmp(s->tracer->lists[i].name, name) == 0) {
            return words_of(s, i);
        }
    }
    return item != NULL && (strcmp(name, "region") == 0 || strcmp(name, "counter") == 0)
               ? item
               : mpl_arena_printf(s->arena, "{%s}", name);
}

/* Replaces placeholders; \p item is what {region} or {counter} stands for. A brace that stays open is text. */
static const char *fill(struct settler *s, const char *template, const char *item)
{
    const char *text = "";

    for (const char *at = template; text != NULL && *at != '\0';) {
        const size_t n = strcspn(at, "{");
        const size_t length = strcspn(at + n, "}");

        if (at[n + length] == '\0') {
            return append(s, text, at);
        }
        const char *name = mpl_arena_strndup(s->arena, at + n + 1, length - 1);

        text = append(s, text, mpl_arena_strndup(s->arena, at, n));
        text = append(s, text, name == NULL ? NULL : value_of(s, name, item));
        at += n + length + 1;
    }
    return text;
}

static bool is_control(char c)
{
    return (unsigned char) c < ' ' || c == 0x7F;
}

/* The name of a function as filters take it: what they would misread becomes a wildcard. Line ends and
 * the like would end the rule in any syntax. */
static const char *safe_name(struct settler *s, const char *region)
{
    const char *unsafe = s->tracer->unsafe != NULL ? s->tracer->unsafe : "";
    char *name = mpl_arena_strdup(s->arena, region);

    for (char *at = name; at != NULL && *at != '\0'; at++) {
        if (is_control(*at) || strchr(unsafe, *at) != NULL) {
            *at = s->tracer->any != '\0' ? s->tracer->any : '?';
        }
    }
    return name;
}

/* A line with {region} or {counter} stands there once for each. */
static const char *repeat_line(struct settler *s, const char *line)
{
    const bool is_region = strstr(line, "{region}") != NULL;
    const struct mpl_recording *r = s->recording;
    const char *text = "";

    if (!is_region && strstr(line, "{counter}") == NULL) {
        return fill(s, line, NULL);
    }
    for (size_t i = 0; i < (is_region ? r->n_regions : r->n_counters); i++) {
        const char *item = is_region ? safe_name(s, r->regions[i]) : r->counters[i];

        text = append(s, text, item == NULL ? NULL : fill(s, line, item));
    }
    return text;
}

static const char *fill_file(struct settler *s, const char *template)
{
    const char *text = "";

    while (text != NULL && *template != '\0') {
        const size_t n = strcspn(template, "\n");
        const size_t whole = n + (template[n] == '\n');
        const char *line = mpl_arena_strndup(s->arena, template, whole);

        text = append(s, text, line == NULL ? NULL : repeat_line(s, line));
        template += whole;
    }
    return text;
}

/* ---- what is asked for ---------------------------------------------------------------------- */

bool mpl_counter_is_name(const char *counter)
{
    const char *at = counter;

    while (*at != '\0' && !is_control(*at) && strchr(" ,;{}", *at) == NULL) {
        at++;
    }
    return *at == '\0' && at > counter;
}

/* Counters come from rules, which people write. */
static enum mpl_status check_counters(const struct mpl_recording *recording,
                                      struct mpl_err *err)
{
    for (size_t i = 0; i < recording->n_counters; i++) {
        if (!mpl_counter_is_name(recording->counters[i])) {
            return mpl_fail(err, MPL_E_MEANING, "\"%s\" cannot be the name of a counter",
                            recording->counters[i]);
        }
    }
    return MPL_OK;
}

/* ---- settings ----------------------------------------------------------------------------- */

static bool settle_environment(struct settler *s, struct mpl_settings *out)
{
    size_t most = 0;

    for (size_t p = 0; p < s->n_parts; p++) {
        most += s->parts[p]->n_environment;
    }
    struct mpl_setting_pair *all = MPL_NEW_ARRAY(s->arena, most, struct mpl_setting_pair);

    for (size_t p = 0; p < s->n_parts && all != NULL; p++) {
        for (size_t i = 0; i < s->parts[p]->n_environment; i++) {
            const struct mpl_setting_pair *pair = &s->parts[p]->environment[i];
            size_t at = 0;

            /* A later part may say it differently. */
            while (at < out->n_environment && strcmp(all[at].name, pair->name) != 0) {
                at++;
            }
            out->n_environment += at == out->n_environment;
            all[at] = (struct mpl_setting_pair){ pair->name, fill(s, pair->value, NULL) };
            if (all[at].value == NULL) {
                return false;
            }
        }
    }
    out->environment = all;
    return all != NULL;
}

static bool settle_files(struct settler *s, struct mpl_settings *out)
{
    size_t most = 0;

    for (size_t p = 0; p < s->n_parts; p++) {
        most += s->parts[p]->n_files;
    }
    struct mpl_setting_file *all = MPL_NEW_ARRAY(s->arena, most, struct mpl_setting_file);

    for (size_t p = 0; p < s->n_parts && all != NULL; p++) {
        for (size_t i = 0; i < s->parts[p]->n_files; i++) {
            const struct mpl_setting_file *file = &s->parts[p]->files[i];
            size_t at = 0;

            while (at < out->n_files && strcmp(all[at].name, file->name) != 0) {
                at++;
            }
            out->n_files += at == out->n_files;
            all[at] = (struct mpl_setting_file){ file->name, fill_file(s, file->text) };
            if (all[at].text == NULL) {
                return false;
            }
        }
    }
    out->files = all;
    return all != NULL;
}

static const char *const *fill_all(struct settler *s, const char *const *templates,
                                   size_t n)
{
    const char **texts = MPL_NEW_ARRAY(s->arena, n, const char *);

    for (size_t i = 0; texts != NULL && i < n; i++) {
        texts[i] = fill(s, templates[i], NULL);
        if (texts[i] == NULL) {
            return NULL;
        }
    }
    return texts;
}

static bool settle_lacks(struct settler *s, struct mpl_settings *out)
{
    const struct mpl_recording *r = s->recording;
    const char **lacks = MPL_NEW_ARRAY(s->arena, r->n_capabilities, const char *);

    for (size_t i = 0; lacks != NULL && i < r->n_capabilities; i++) {
        const char *why = NULL;

        if (!mpl_tracer_records(s->tracer, r->capabilities[i], &why) || why != NULL) {
            lacks[out->n_lacks++] = r->capabilities[i];
        }
    }
    out->lacks = lacks;
    return lacks != NULL;
}

enum mpl_status mpl_tracer_settle(const struct mpl_tracer_file *tracer,
                                  const struct mpl_recording *recording,
                                  uint64_t expected_bytes, struct mpl_arena *arena,
                                  struct mpl_settings *out, struct mpl_err *err)
{
    struct settler s = { .tracer = tracer,
                         .recording = recording,
                         .expected_bytes = expected_bytes,
                         .arena = arena };
    struct mpl_settings all = {
        .tracer = tracer,
        .n_launch = tracer->n_launch,
        .n_finish = tracer->n_finish,
        .n_by_hand = tracer->n_by_hand,
        .n_build = tracer->n_build,
        .needs_build = tracer->build_why,
        .bytes_per_event = tracer->bytes_per_event,
        .overhead_s_per_event = tracer->overhead_s_per_event,
    };

    const enum mpl_status st = check_counters(recording, err);

    if (st != MPL_OK) {
        return st;
    }
    if (!choose_parts(&s) || !settle_environment(&s, &all) || !settle_files(&s, &all) ||
        !settle_lacks(&s, &all)) {
        return mpl_nomem(err);
    }
    all.launch = fill_all(&s, tracer->launch, tracer->n_launch);
    all.finish = fill_all(&s, tracer->finish, tracer->n_finish);
    all.by_hand = fill_all(&s, tracer->by_hand, tracer->n_by_hand);
    all.build = fill_all(&s, tracer->build, tracer->n_build);
    if (all.launch == NULL || all.finish == NULL || all.by_hand == NULL ||
        all.build == NULL) {
        return mpl_nomem(err);
    }
    *out = all;
    return MPL_OK;
}
