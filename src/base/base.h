/*
 * Takes:        nothing; this is the floor that the other modules stand on.
 * Makes:        status and errors, arenas, growing buffers, hashes, quality notes,
 *               messages about a text (file:line:column), YAML trees, JSON values.
 * Leaves alone: traces; no function here knows what an event is.
 */
#ifndef MPL_BASE_BASE_H
#define MPL_BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "marple/status.h"

#if defined(__GNUC__)
#define MPL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define MPL_PRINTF(fmt, args)
#endif

/** "No such index" in every 32-bit index column. */
#define MPL_NONE UINT32_MAX

/* ---- status and errors -------------------------------------------------- */

enum { MPL_ERR_CAUSES = 6, MPL_ERR_TEXT = 400 };

/**
 * Why a call failed, as a chain of clauses, innermost first. Fixed size, so that
 * running out of memory can be reported. Owned by the caller, zeroed with { 0 }.
 * When full, the middle is dropped: the innermost causes say why, the outermost
 * what the user asked.
 */
struct mpl_err {
    enum mpl_status code;
    unsigned n;
    struct {
        char text[MPL_ERR_TEXT];
    } cause[MPL_ERR_CAUSES];
};

/** Starts a story: sets \p code and the first clause. \p err may be NULL. Returns \p code. */
enum mpl_status mpl_fail(struct mpl_err *err, enum mpl_status code, const char *fmt, ...)
    MPL_PRINTF(3, 4);

/** Adds what the caller was doing. Returns \p status, the innermost code. */
enum mpl_status mpl_wrap(struct mpl_err *err, enum mpl_status status, const char *fmt, ...)
    MPL_PRINTF(3, 4);

/** Shorthand for mpl_fail(err, MPL_E_NOMEM, "out of memory"). */
enum mpl_status mpl_nomem(struct mpl_err *err);

/** "marple: outermost\n  because …\n  because innermost\n". */
MPL_API void mpl_err_print(const struct mpl_err *err, FILE *out);

/** A condition that only a bug of ours can break: prints and aborts, in all builds. */
#define mpl_assert(cond) ((cond) ? (void) 0 : mpl_assert_failed(#cond, __FILE__, __LINE__))
void mpl_assert_failed(const char *cond, const char *file, int line)
    __attribute__((noreturn));

/* ---- log ----------------------------------------------------------------- */

enum mpl_log_level { MPL_LOG_ERROR, MPL_LOG_WARN, MPL_LOG_INFO, MPL_LOG_DEBUG };

/** The level up to which mpl_log() prints; taken from MARPLE_LOG once, default warn. */
enum mpl_log_level mpl_log_level(void);

/** "[module] level: sentence" on standard error. */
void mpl_log(enum mpl_log_level level, const char *module, const char *fmt, ...)
    MPL_PRINTF(3, 4);

/**
 * Progress of a long job, reported to whoever asked for it. \p done of \p total steps;
 * \p what is a present participle ("reading events"). NULL callback means silence.
 */
struct mpl_progress {
    void (*tell)(void *context, const char *what, uint64_t done, uint64_t total);
    void *context;
};
void mpl_progress_tell(const struct mpl_progress *progress, const char *what, uint64_t done,
                       uint64_t total);

/* ---- arena ---------------------------------------------------------------- */

/** Memory of one stage, freed as a whole. Large items get a block of their own. */
struct mpl_arena;

/** NULL when out of memory: it stands for an arena that has none to give, so what asks mpl_arena_is_short() in the end
 *  need not look here. */
struct mpl_arena *mpl_arena_create(void);
void mpl_arena_destroy(struct mpl_arena *arena); /* NULL is allowed */

/** \p bytes zeroed bytes, aligned for any type; NULL when out of memory. 0 bytes is allowed. */
void *mpl_arena_alloc(struct mpl_arena *arena, size_t bytes);
/** An array of \p n items of \p size; NULL also when n * size overflows. */
void *mpl_arena_array(struct mpl_arena *arena, size_t n, size_t size);
/** Likewise, of items that hold anything: for a long array each of whose items is set before somebody reads it. */
void *mpl_arena_unset(struct mpl_arena *arena, size_t n, size_t size);
char *mpl_arena_strdup(struct mpl_arena *arena, const char *text);
char *mpl_arena_strndup(struct mpl_arena *arena, const char *text, size_t n);
char *mpl_arena_printf(struct mpl_arena *arena, const char *fmt, ...) MPL_PRINTF(2, 3);
char *mpl_arena_vprintf(struct mpl_arena *arena, const char *fmt, va_list args);
/** The clauses of \p err, innermost first, as one sentence for a report. Behind "did you mean "x"?" the sentence
 *  is over. NULL: no memory. */
const char *mpl_err_sentence(struct mpl_arena *arena, const struct mpl_err *err);
/** Has \p destroy called with \p object when the arena is destroyed, while all in it is still there.
 *  False: no memory, it will not be called. */
bool mpl_arena_keep(struct mpl_arena *arena, void *object, void (*destroy)(void *object));
size_t mpl_arena_bytes(const struct mpl_arena *arena); /**< Handed out so far. */
/** Gives all that \p from owns to \p into, whose lifetime it then has, and ends \p from; NULL is allowed. */
void mpl_arena_absorb(struct mpl_arena *into, struct mpl_arena *from);
/** Whether there was no memory for something: what consists of many parts asks once, in the end. */
bool mpl_arena_is_short(const struct mpl_arena *arena);
/** Says so of what was to live in it, and failed elsewhere. */
void mpl_arena_set_short(struct mpl_arena *arena);

/**
 * For tests: the \p n-th allocation from now (0 is the next) fails, in any arena, buffer or
 * hash and in any thread; those after it succeed again. -1 for none. Returns how many were left before the one chosen
 * last would have failed; -1 if it has failed.
 */
long mpl_alloc_fail_after(long n);

/**
 * Has the process keep memory that is freed, for what is allocated next by whatever thread. For a program of ours, before
 * its first thread; a library leaves such choices to the program that it is linked with.
 */
void mpl_alloc_keep_freed(void);

#define MPL_NEW(arena, type)          ((type *) mpl_arena_alloc((arena), sizeof(type)))
#define MPL_NEW_ARRAY(arena, n, type) ((type *) mpl_arena_array((arena), (n), sizeof(type)))
#define MPL_NEW_UNSET(arena, n, type) ((type *) mpl_arena_unset((arena), (n), sizeof(type)))

/* ---- growing buffer -------------------------------------------------------- */

/** A growing array on the heap for results whose size is not known beforehand. */
struct mpl_buf {
    void *data;  /**< Owned unless \p lent; NULL while empty. */
    size_t n;    /**< Items in use. */
    size_t room; /**< Items allocated. */
    size_t size; /**< Bytes per item. */
    size_t lent; /**< Items in front that an arena has, with the block; 0: it has none. */
};

struct mpl_buf mpl_buf_make(size_t item_size);
/** A new zeroed item at the end, valid until the next call; NULL when out of memory. */
void *mpl_buf_add(struct mpl_buf *buf);
/**
 * Makes \p buf hold \p n items; what the new ones contain is not defined. For arrays that are
 * filled by index, where a call per item would cost more than the item. False: no memory.
 */
static inline bool mpl_buf_grow_to(struct mpl_buf *buf, size_t n)
{
    while (buf->room < n) {
        buf->n = buf->room;
        if (mpl_buf_add(buf) == NULL) {
            return false;
        }
    }
    buf->n = n;
    return true;
}
/** Adds a copy of \p item; false when out of memory. */
bool mpl_buf_put(struct mpl_buf *buf, const void *item);
/** As mpl_buf_add() for \p n items, one behind the other. */
void *mpl_buf_add_many(struct mpl_buf *buf, size_t n);
/** Room for \p room items in all, which then need not be moved; false when out of memory. */
bool mpl_buf_reserve(struct mpl_buf *buf, size_t room);
void *mpl_buf_get(const struct mpl_buf *buf, size_t i);
/** Moves the items into \p arena and empties the buffer; NULL when out of memory. */
void *mpl_buf_take(struct mpl_buf *buf, struct mpl_arena *arena);
/**
 * As mpl_buf_take() of the first \p n items, but the buffer keeps the room behind for what comes next; to be freed in the end all the same.
 * Always into the same arena, which must outlive the buffer. Who fills by index must set \p buf->n before each
 * mpl_buf_reserve() from then on: only what it counts goes along to a new place.
 */
void *mpl_buf_drain(struct mpl_buf *buf, size_t n, struct mpl_arena *arena);
void mpl_buf_free(struct mpl_buf *buf);

/** Items of one size, which nearly always are kept once only if they are equal: for what a loop of a program repeats. */
struct mpl_distinct {
    struct mpl_buf items;  /**< Of a multiple of 8 bytes. */
    struct mpl_buf places; /**< uint32_t, of items: by the one before, and by hash. */
    uint32_t last;         /**< That was found or added. */
};

struct mpl_distinct mpl_distinct_make(size_t item_size);
/** Where \p item is among those kept, all of whose bytes count; MPL_NONE: no memory. */
uint32_t mpl_distinct_add(struct mpl_distinct *distinct, const void *item);
/** Moves the items into \p arena, and begins anew without any; NULL when out of memory. */
void *mpl_distinct_take(struct mpl_distinct *distinct, struct mpl_arena *arena);
void mpl_distinct_free(struct mpl_distinct *distinct);

/* ---- memory that is needed soon ------------------------------------------------- */

/*
 * A function that only prefetches has no effect as gcc sees it, and calls of it are removed; an empty statement of assembly
 * is an effect that costs nothing.
 */
/** Begins to bring what is at \p address from memory, and does not wait for it. Any address will do. */
static inline void mpl_prefetch(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("");
}

/** The same of what is to be written. */
static inline void mpl_prefetch_to_write(const void *address)
{
    __builtin_prefetch(address, 1);
    __asm__ volatile("");
}

/* ---- hashes ----------------------------------------------------------------- */

/** The finaliser of splitmix64 (Steele, Lea, Flood 2014): every bit of \p x reaches every bit. Of 0, 1, 2, … it
    makes random numbers, equal on all machines. */
uint64_t mpl_hash_mix(uint64_t x);

/** Map from a 64-bit key to a 32-bit value, open addressing. Lives on the heap. */
struct mpl_map;
struct mpl_map *mpl_map_create(void);
void mpl_map_destroy(struct mpl_map *map); /* NULL is allowed */
/** Finds \p key; MPL_NONE if absent. */
uint32_t mpl_map_find(const struct mpl_map *map, uint64_t key);
/** Sets or replaces; false when out of memory. \p value must not be MPL_NONE. */
bool mpl_map_put(struct mpl_map *map, uint64_t key, uint32_t value);
/** The item of a key among \p items, to which a new key adds a zeroed one; valid until the next call. NULL: no memory. */
void *mpl_map_item(struct mpl_map *map, uint64_t key, struct mpl_buf *items);
size_t mpl_map_count(const struct mpl_map *map);

/** Map from text to a 32-bit number, dense from 0 in order of first sight. */
struct mpl_names;
struct mpl_names *mpl_names_create(void);
void mpl_names_destroy(struct mpl_names *names); /* NULL is allowed */
/** The number of \p text, given now if it has none; MPL_NONE when out of memory. */
uint32_t mpl_names_put(struct mpl_names *names, const char *text);
uint32_t mpl_names_find(const struct mpl_names *names, const char *text);
/** Borrowed until the next put. */
const char *mpl_names_text(const struct mpl_names *names, uint32_t number);
size_t mpl_names_count(const struct mpl_names *names);

/* ---- quality notes ------------------------------------------------------------ */

/**
 * What weakens conclusions without stopping them: counted and located. Notes with
 * the same \p note name are one entry; \p text says what it means for the reader.
 */
struct mpl_quality_note {
    const char *note; /**< Stable name, e.g. "unmatched-send". */
    const char *text; /**< One sentence for the user. */
    uint64_t count;
    uint32_t n_locations;
    const uint32_t *locations; /**< Ascending location indices. */
};

struct mpl_quality;
struct mpl_quality *mpl_quality_create(struct mpl_arena *arena); /* lives in arena */
/**
 * Adds \p count occurrences at \p location (MPL_NONE: of the run as a whole). 0: of an occurrence that
 * is counted at another location, this one has a part.
 * \p fmt is used at the first call for this note; it may be NULL later.
 * Out of memory loses the note's location but never the analysis.
 */
void mpl_quality_add(struct mpl_quality *quality, const char *note, uint32_t location,
                     uint64_t count, const char *fmt, ...) MPL_PRINTF(5, 6);
/** Likewise, where something has occurred: nothing with 0. */
void mpl_quality_add_some(struct mpl_quality *quality, const char *note, uint32_t location,
                          uint64_t count, const char *text);
size_t mpl_quality_count(const struct mpl_quality *quality);
const struct mpl_quality_note *mpl_quality_get(const struct mpl_quality *quality, size_t i);
/** The note of that name, or NULL. */
const struct mpl_quality_note *mpl_quality_find(const struct mpl_quality *quality,
                                                const char *note);

/* ---- messages about a text the user wrote --------------------------------------- */

/** A place in a text; line and column from 1, 0 when unknown. */
struct mpl_place {
    const char *file;
    unsigned line;
    unsigned column;
};

enum mpl_severity { MPL_LINT_ERROR, MPL_LINT_WARNING };

struct mpl_lint_message {
    enum mpl_severity severity;
    struct mpl_place place;
    /** "unknown key 'expresion' in an event; did you mean 'expression'?" */
    const char *text;
    const char *source; /**< The line of the text, without line end; NULL when unknown. */
};

/** Several findings about one or more texts, in the order in which they were made. */
struct mpl_lint;
/** Lives in \p arena; NULL when out of memory. */
struct mpl_lint *mpl_lint_create(struct mpl_arena *arena);
/** Remembers the lines of \p text, so that messages can quote them. */
void mpl_lint_source(struct mpl_lint *lint, const char *file, const char *text,
                     size_t bytes);
void mpl_lint_add(struct mpl_lint *lint, enum mpl_severity severity, struct mpl_place place,
                  const char *fmt, ...) MPL_PRINTF(4, 5);
size_t mpl_lint_errors(const struct mpl_lint *lint);
size_t mpl_lint_count(const struct mpl_lint *lint);
const struct mpl_lint_message *mpl_lint_get(const struct mpl_lint *lint, size_t i);
/** "file:line:col: error: text\n  source line\n  caret\n" for each. */
void mpl_lint_print(const struct mpl_lint *lint, FILE *out);
/** First error as an mpl_err (MPL_E_SYNTAX) with "and N more" where there are more. */
enum mpl_status mpl_lint_fail(const struct mpl_lint *lint, struct mpl_err *err);

/** The word of \p words that \p word is a common name for, else the nearest one (edit distance at most
 *  1/3 of its length), or NULL. */
const char *mpl_suggest(const char *word, const char *const *words, size_t n);
/** The same for the end of a message: "; did you mean 'x'?", or "". NULL without memory. */
const char *mpl_suggest_hint(struct mpl_arena *arena, const char *word,
                             const char *const *words, size_t n);

/* ---- files and text --------------------------------------------------------------- */

/**
 * Opens a regular file for reading, of which \p *bytes is the size now. Whatever else stands there, a
 * pipe, a socket or a device, is refused at once: it might never answer, or never end.
 * Errors: MPL_END: there is none of that name; MPL_E_IO with the reason, without the name.
 */
enum mpl_status mpl_file_open(const char *path, int *fd, size_t *bytes,
                              struct mpl_err *err);
/** The same as a stream, to be closed by fclose(); a file that is not there is MPL_E_IO, too. */
enum mpl_status mpl_file_stream(const char *path, FILE **out, struct mpl_err *err);
/** Reads a whole regular file of at most \p limit bytes, NUL-terminated. */
enum mpl_status mpl_file_read(const char *path, size_t limit, struct mpl_arena *arena,
                              char **text, size_t *bytes, struct mpl_err *err);

/** The part behind the last slash. */
const char *mpl_file_name(const char *path);
/** The file of the running program, and its directory; NULL where the system does not tell. */
const char *mpl_own_program(struct mpl_arena *arena);
const char *mpl_own_directory(struct mpl_arena *arena);
/** The file that execvp() executes for \p name, by PATH unless it has a slash; NULL: there is none. */
const char *mpl_program_file(const char *name, struct mpl_arena *arena);
/** A library that is installed with marple, "libmarple-trace-mpich.so", or lies in its build tree; NULL: there is
 *  none. */
const char *mpl_own_library(const char *file, struct mpl_arena *arena);

/**
 * A new file to write to, with the rights that new files get here; the Xs at the end of \p path,
 * "report.XXXXXX", become what no other file has. -1 with errno when it cannot be made.
 */
int mpl_file_make_temporary(char *path);
/** Writes all of it; false with errno when that is not possible. */
bool mpl_file_put(int fd, const void *bytes, size_t n);
/** Puts bytes that are no text: a file of another program. False with errno. */
bool mpl_file_append(FILE *out, const void *bytes, size_t n);
/** Writes out what \p out holds back. MPL_E_IO with the reason if this or an earlier write failed. */
enum mpl_status mpl_file_flush(FILE *out, struct mpl_err *err);

/**
 * What is being written must not be left half there. Between the two calls SIGINT, SIGTERM and SIGHUP
 * wait, unless they are ignored; behind the second one the process ends by them. Whoever writes for long
 * asks in between, stops, and removes what there is.
 */
unsigned mpl_ends_hold(void); /* for mpl_ends_let_go() */
bool mpl_ends_are_asked_for(void);
void mpl_ends_let_go(unsigned held);

/** Also where both are NULL. */
static inline bool mpl_is_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}
/** Two arrays, of items of \p bytes without gaps; an empty one may be NULL. */
static inline bool mpl_is_same_array(const void *a, size_t n_a, const void *b, size_t n_b,
                                     size_t bytes)
{
    return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * bytes) == 0);
}
/** "0.301 s", "3.1 ms", "12 us", "0 s": three significant digits, unit chosen for a person. */
char *mpl_text_seconds(struct mpl_arena *arena, double seconds);
/** "34.3 %" of a share 0-1. */
char *mpl_text_share(struct mpl_arena *arena, double share);
/** "1,234,567". */
char *mpl_text_count(struct mpl_arena *arena, uint64_t n);
/**
 * printf() for people, and the only way to a terminal for a text that is not ours (a name in a trace, a
 * path, a pattern): what %s and %c bring in is shown on its line, with '?' for bytes that are
 * not UTF-8 and for control characters. Widths count characters. Knows %s %c %d %u %x %e %f %g %% and
 * the lengths l, ll, z.
 */
void mpl_text_print(FILE *out, const char *fmt, ...) MPL_PRINTF(2, 3);
void mpl_text_vprint(FILE *out, const char *fmt, va_list args);
/** The same into \p arena; NULL: no memory. */
char *mpl_text_vformat(struct mpl_arena *arena, const char *fmt, va_list args);
/**
 * printf() for HTML and SVG: what %s and %c bring in is text there, in an element and between quotation
 * marks, whatever it holds. Of a longer one than 2,000 bytes the beginning is shown, with "…" behind it.
 * Otherwise as mpl_text_print().
 */
void mpl_markup_print(FILE *out, const char *fmt, ...) MPL_PRINTF(2, 3);
/** Puts \p text, which is markup of ours, as it is. */
void mpl_markup_put(FILE *out, const char *text);
/** Bytes as base64, with padding. */
void mpl_markup_base64(FILE *out, const void *bytes, size_t n);
/** The double nearest to the decimal number of six digits that \p number, which must be finite, is nearest to. */
double mpl_round_to_six_digits(double number);
/** qsort() for which \p items may be NULL where \p n is 0, as those of an empty buffer are. */
void mpl_sort(void *items, size_t n, size_t size,
              int (*compare)(const void *x, const void *y));
enum { MPL_SORT_FEW = 32, MPL_SORT_ITEM_BYTES = 64 };
/**
 * As mpl_sort(), for who sorts a few items very often: where \p size, at most MPL_SORT_ITEM_BYTES, and \p compare
 * are constants, they become part of the caller. More items than MPL_SORT_FEW are a matter for qsort(), which
 * is faster then; of fewer, those that compare as equal keep their order.
 */
static inline void mpl_sort_few(void *items, size_t n, size_t size,
                                int (*compare)(const void *x, const void *y))
{
    char *const at = items;
    char item[MPL_SORT_ITEM_BYTES];

    if (n > MPL_SORT_FEW) {
        mpl_sort(items, n, size, compare);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        for (char *p = at + i * size; p > at && compare(p - size, p) > 0; p -= size) {
            memcpy(item, p, size);
            memcpy(p, p - size, size);
            memcpy(p - size, item, size);
        }
    }
}
/** For qsort() of numbers, ascending. */
int mpl_compare_u32(const void *x, const void *y);
int mpl_compare_i64(const void *x, const void *y);
int mpl_compare_doubles(const void *x, const void *y);
/** The median of \p n numbers, which are then in ascending order; NaN of none. */
double mpl_median(double *values, size_t n);
/** The one of \p n > 0 numbers, none below 0, from which on they have half of the sum, at least; they are then in another order.
 *  Of durations it is how long most of the time takes: many short ones hardly count. */
int64_t mpl_usual(int64_t *values, size_t n);

/** Whether \p end is the end of \p text, but not all of it. */
bool mpl_ends_with(const char *text, const char *end);
/** Characters in \p n bytes of UTF-8; a byte that is not UTF-8 counts as one. */
size_t mpl_utf8_count(const char *text, size_t n);
/** Length of the first sentence, with its full stop; one inside a number ends none. */
int mpl_text_sentence(const char *text);
/** Writes \p text, wrapped at \p width with \p indent blanks before each line. */
void mpl_text_wrap(FILE *out, const char *text, int indent, int width);
/** The same behind a label; further lines begin below the text, not below the label. A number and
 *  its unit stay on one line in both. */
void mpl_text_hang(FILE *out, const char *label, const char *text, int indent, int width);
/** The same with further lines behind \p inner blanks, whatever the label is; line ends are blanks. */
void mpl_text_lead(FILE *out, const char *label, const char *text, int inner, int width);
/** Columns that it takes in a terminal. */
size_t mpl_text_columns(const char *text);
/** A page that is thrown away: to see how long it would be. */
struct mpl_draft {
    FILE *out; /**< NULL without memory. */
    char *text;
    size_t n;
};
void mpl_draft_open(struct mpl_draft *draft);
/** How many lines were written. Throws them away. */
size_t mpl_draft_close(struct mpl_draft *draft);
/**
 * The beginning of \p text that these three print on at most \p lines lines, of \p first and then
 * \p further columns: as many whole sentences as fit, or words and "…" where not even one does.
 */
char *mpl_text_fit(struct mpl_arena *arena, const char *text, int first, int further,
                   int lines);

/**
 * The word as it can be pasted into a shell: as it is where every shell takes it so, else in single
 * quotes. Placeholders as {processes} need none. NULL without memory.
 */
const char *mpl_shell_quote(struct mpl_arena *arena, const char *text);

/* ---- threads --------------------------------------------------------------------------- */

enum { MPL_PARALLEL_MOST = 64 };

/** How many threads a job may have: $MARPLE_THREADS, else as many as processors that this process may use. */
unsigned mpl_threads(void);

/** Tasks that do not depend on each other. */
struct mpl_parallel {
    size_t n_tasks;
    unsigned
        max_threads; /**< 1 is the caller's alone; never more than MPL_PARALLEL_MOST or than tasks. */
    /**
     * Does task \p task. \p worker is below max_threads and names the thread, so that each can
     * have scratch memory of its own; 0 is the caller's. Tasks begin in ascending order, if they are not spread.
     */
    enum mpl_status (*run)(void *context, size_t task, unsigned worker,
                           struct mpl_err *err);
    /** Called in the caller's thread after its tasks and while it waits for others, so that
     *  progress can be shown; NULL: not called. */
    void (*tick)(void *context);
    void *context; /**< Handed to both. */
    /**
     * Whether tasks done at the same time are to have numbers far from each other. For locations whose tasks look at each
     * other's data, or change it: neighbours have most in common, and memory that two threads write to travels between them.
     */
    bool is_spread;
    /**
     * Whether these tasks are left to idle threads: others begin one only when no other job has a task for them, and no thread
     * is started for them. For a first task that has jobs of its own, and behind it what may be done at any time meanwhile.
     */
    bool is_for_idle;
};

/**
 * Does all tasks. After a failure no other task begins, and of the failures that of the task that began
 * first is returned. Where threads cannot be had, the caller's does all of it.
 *
 * A task may run a job of its own. All jobs inside of one another have together as many threads as the one with the highest
 * max_threads; a thread without a task helps with the next of them. A task may hold a lock meanwhile, unless tasks of jobs
 * inside ask for it.
 */
enum mpl_status mpl_parallel_run(const struct mpl_parallel *job, struct mpl_err *err);

/* ---- YAML ---------------------------------------------------------------------------- */

enum mpl_yaml_kind { MPL_YAML_SCALAR, MPL_YAML_MAP, MPL_YAML_SEQ };

/** A node of a YAML text. Aliases, anchors, tags and duplicate keys are refused at reading. */
struct mpl_yaml {
    enum mpl_yaml_kind kind;
    struct mpl_place place;     /**< Of the value. */
    struct mpl_place key_place; /**< Of the key, for members of a map. */
    const char *key;            /**< NULL outside a map. */
    const char *text;           /**< Scalar text; NULL for maps and sequences. */
    /**
     * Byte i of text is column place.column + i of the file: true for one-line scalars
     * in ASCII, plain or quoted (the place is that of the first character of the text),
     * without escapes.
     */
    bool is_inline;
    const struct mpl_yaml *first; /**< First child. */
    const struct mpl_yaml *next;  /**< Next sibling. */
    size_t n;                     /**< Number of children. */
};

/**
 * Parses \p text (of \p bytes) under the name \p file. Everything wrong goes to \p lint,
 * several messages per call. Depth at most 32, at most 16 MiB.
 * \p *root is NULL for an empty text. Errors: MPL_E_SYNTAX when lint got an error.
 */
enum mpl_status mpl_yaml_parse(const char *file, const char *text, size_t bytes,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct mpl_yaml **root, struct mpl_err *err);
/**
 * The text in double quotes, so that any reader of YAML or of our own takes it back as it was. Bytes
 * that are not UTF-8 become the characters of that number. NULL: no memory.
 */
const char *mpl_yaml_quote(struct mpl_arena *arena, const char *text);
/** The member \p key of a map, or NULL. */
const struct mpl_yaml *mpl_yaml_find(const struct mpl_yaml *map, const char *key);
/**
 * The first member of a map, from \p member on, whose key is none of the \p n \p keys; NULL: there is none,
 * also if \p member is NULL.
 */
const struct mpl_yaml *mpl_yaml_find_unknown(const struct mpl_yaml *member,
                                             const char *const *keys, size_t n);

/* ---- JSON ------------------------------------------------------------------------------ */

/**
 * A JSON object that is being written, into memory first. A report without one of its numbers must not look
 * complete, so what fails (no memory) makes mpl_json_write() fail. Keys of an object must differ.
 */
enum { MPL_JSON_DEPTH = 16 };
struct mpl_json {
    struct mpl_buf text;
    struct mpl_json_level {
        char end; /**< The bracket. */
        bool has_values;
        bool is_flat;
    } levels
        [MPL_JSON_DEPTH]; /**< Objects and arrays that have not ended, outermost first. */
    size_t depth;
    bool is_flat;
    bool has_failed;
};

struct mpl_json mpl_json_begin(void);
/** What follows goes into an object or array of that key until it ends. In an array \p key is NULL, here and below. */
void mpl_json_object(struct mpl_json *json, const char *key);
void mpl_json_array(struct mpl_json *json, const char *key);
void mpl_json_end(struct mpl_json *json);
/** Whether objects and arrays that begin from now on stand on one line. */
void mpl_json_flat(struct mpl_json *json, bool is_flat);
/** NULL gives null; bytes that are not UTF-8 become U+FFFD. */
void mpl_json_string(struct mpl_json *json, const char *key, const char *text);
/** An array. */
void mpl_json_strings(struct mpl_json *json, const char *key, const char *const *texts,
                      size_t n);
/** NaN and infinities give null. 15 significant digits are written. */
void mpl_json_number(struct mpl_json *json, const char *key, double value);
void mpl_json_integer(struct mpl_json *json, const char *key, int64_t value);
void mpl_json_boolean(struct mpl_json *json, const char *key, bool value);
/** null if not \p is_known. */
void mpl_json_integer_if(struct mpl_json *json, const char *key, bool is_known,
                         int64_t value);
void mpl_json_boolean_if(struct mpl_json *json, const char *key, bool is_known, bool value);
/** Ends the document, writes it, and frees it, also after an error. */
enum mpl_status mpl_json_write(struct mpl_json *json, FILE *out, struct mpl_err *err);
/** Writes what there is of a document that is too long to be held. */
enum mpl_status mpl_json_write_part(struct mpl_json *json, FILE *out, struct mpl_err *err);
void mpl_json_destroy(struct mpl_json *json);

/**
 * A JSON text that was read. A value that is not there is NULL, which all of these take: what is asked of it is
 * not there either. Errors: MPL_E_SYNTAX with line and column. Ownership: free the root; the rest is its.
 */
struct mpl_json_value;
enum mpl_status mpl_json_read(const char *text, size_t n, struct mpl_json_value **out,
                              struct mpl_err *err);
void mpl_json_free(struct mpl_json_value *root); /* NULL is allowed */
const struct mpl_json_value *mpl_json_member(const struct mpl_json_value *object,
                                             const char *key);
size_t mpl_json_count(const struct mpl_json_value *array); /**< 0 if it is none. */
const struct mpl_json_value *mpl_json_item(const struct mpl_json_value *array, size_t i);
/** NULL if it is none. UTF-8 without NUL. */
const char *mpl_json_text(const struct mpl_json_value *value);
/** False if it is no whole number, or not from \p low to \p high. */
bool mpl_json_whole(const struct mpl_json_value *value, int64_t low, int64_t high,
                    int64_t *out);
bool mpl_json_is_true(const struct mpl_json_value *value);
/** What was written of \p json until now, none of whose members is open. */
enum mpl_status mpl_json_read_back(struct mpl_json *json, struct mpl_json_value **out,
                                   struct mpl_err *err);
/** A number that any change of \p object changes, but for its layout and the member \p without. False: no
    memory. */
bool mpl_json_hash(const struct mpl_json_value *object, const char *without, uint64_t *out);

/* ---- columns of numbers ------------------------------------------------------------------ */

/** Appends a number to a text (a buffer of char) as letters; small ones take one. False: no memory. */
bool mpl_digits_put(struct mpl_buf *text, uint64_t number);
bool mpl_digits_put_signed(struct mpl_buf *text, int64_t number);
/** Takes a number from the front of \p *text; false at its end, and where there is none. */
bool mpl_digits_take(const char **text, uint64_t *number);
bool mpl_digits_take_signed(const char **text, int64_t *number);

#endif
