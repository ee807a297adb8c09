/* Shared by the files of tracer only: a description as the loader leaves it. */
#ifndef MPL_TRACER_TRACER_PRIV_H
#define MPL_TRACER_TRACER_PRIV_H

#include "tracer/tracer.h"

struct word_list {
    const char *name; /* as a placeholder: {modules} */
    const char *join; /* between words */
    size_t n;
    const char *const *words; /* to begin with */
};

struct addition {
    size_t list;   /* index of a word list */
    bool replaces; /* what is there so far */
    size_t n;
    const char *const *words;
};

/* What a recording brings to the settings. */
struct part {
    size_t n_additions;
    const struct addition *additions;
    size_t n_environment;
    const struct mpl_setting_pair *environment; /* values are templates */
    size_t n_files;
    const struct mpl_setting_file *files; /* texts are templates */
};

struct recorded {
    const char *capability;
    const char *only; /* a condition; NULL: always */
    struct part part;
};

struct mpl_tracer_file {
    const char *name;
    const char *says;
    const char *program;
    size_t n_version_command;
    const char *const *version_command;
    size_t n_libraries;
    const char *const *libraries; /* of marple's own, one of which it needs */
    size_t n_launch;
    const char *const *launch; /* templates */
    bool is_installed;         /* when it was loaded */
    bool leads;                /* they may stand in front of the whole command */
    size_t n_finish;
    const char *const *finish; /* likewise */
    size_t n_by_hand;
    const char *const *by_hand; /* likewise */
    size_t n_lists;
    const struct word_list *lists;
    struct part always;
    size_t n_recorded;
    const struct recorded *recorded;
    size_t n_never;
    const struct mpl_setting_pair *never; /* capability and reason */
    struct part regions;                  /* when functions are named */
    const char *unsafe; /* characters of names that are not for the filter */
    char any;           /* what stands for them */
    struct part counters;
    const char *build_why; /* NULL: no rebuild */
    size_t n_build;
    const char *const *build; /* templates */
    double memory_factor;     /* of the expected bytes */
    double memory_least_mib;
    double memory_most_mib;
    double bytes_per_event;
    double overhead_s_per_event;
};

struct mpl_tracers {
    size_t n;
    const struct mpl_tracer_file **items;
};

/* What the functions of the loader share. */
struct tracer_loader {
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    struct mpl_tracer_file *tracer;
    bool has_fault;
};

/** Reads one description; faults go to lint. Where memory runs out, the arena is short. */
void mpl_tracer_load(struct tracer_loader *loader, const struct mpl_yaml *root);

/* load_values.c */
void mpl_tracer_fault(struct tracer_loader *loader, struct mpl_place place, const char *fmt,
                      ...) MPL_PRINTF(3, 4);
/** "; did you mean 'x'?" or "". */
const char *mpl_tracer_hint(struct tracer_loader *loader, const char *word,
                            const char *const *words, size_t n);
void mpl_tracer_keys(struct tracer_loader *loader, const struct mpl_yaml *map,
                     const char *const *keys, size_t n, const char *what);
bool mpl_tracer_is_map(struct tracer_loader *loader, const struct mpl_yaml *node,
                       const char *what);
/** NULL after a fault. */
const char *mpl_tracer_text(struct tracer_loader *loader, const struct mpl_yaml *node,
                            const char *what);
const char *const *mpl_tracer_texts(struct tracer_loader *loader,
                                    const struct mpl_yaml *node, const char *what,
                                    size_t *n);
/** A number above 0. */
bool mpl_tracer_number(struct tracer_loader *loader, const struct mpl_yaml *node,
                       const char *what, double *out);
/** Whether a text is made of letters, digits and \p others, and not empty. */
bool mpl_tracer_is_word(const char *text, const char *others);
/** A name of mpl_capability_table(), or NULL after a fault. */
const char *mpl_tracer_capability(struct tracer_loader *loader, const char *name,
                                  struct mpl_place place);

/* check.c: placeholders of all templates are known, and stand where they can. */
void mpl_tracer_check(struct tracer_loader *loader, const struct mpl_yaml *root);
/** Whether a name is a placeholder in every description. */
bool mpl_tracer_is_placeholder(const char *name);

#endif
