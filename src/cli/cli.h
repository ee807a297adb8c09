/*
 * Takes:        a command line.
 * Makes:        the call that it asks for, output that is whole or not there, an exit status.
 * Leaves alone: what a trace means (analysis) and how an answer looks (report).
 */
#ifndef MPL_CLI_CLI_H
#define MPL_CLI_CLI_H

#include "clock/clock.h"

#include <stddef.h>

/** An interface: scripts depend on these. */
enum mpl_exit {
    MPL_EXIT_OK = 0,
    MPL_EXIT_FOUND = 1, /**< Ran, and a finding reaches --fail-on. */
    MPL_EXIT_USAGE = 2,
    MPL_EXIT_INPUT = 3, /**< The input cannot be analysed, or the output not be written. */
    MPL_EXIT_BUG = 4
};

/* ---- commands --------------------------------------------------------------------- */

struct mpl_args;

/** Takes args->value, the value of args->option or an operand, into \p target. Errors: MPL_E_USAGE. */
typedef enum mpl_status mpl_take(struct mpl_args *args, void *target, struct mpl_err *err);

/** An option, and what becomes of it: \p take is called with the place \p at in the command's own struct. */
struct mpl_option {
    char letter;          /**< 0: there is only the long form. */
    const char *name;     /**< Without dashes; NULL ends a table. */
    const char *argument; /**< What the value is called in the usage; NULL: takes none. */
    const char *says;     /**< One clause for the usage. */
    mpl_take *take;
    size_t at;
    double low;     /**< Least number that mpl_take_number() and the like take, */
    double high;    /**< and largest. */
    unsigned about; /**< What it is about, in the command's own bits; for its checks. */
};

/** A subcommand. The table of options prints the usage and feeds man-page test and completion. */
struct mpl_cmd {
    const char *name;
    const char *operands; /**< As in the usage line: "TRACE..."; "" for none. */
    const char *summary;  /**< One clause, in lower case. */
    const struct mpl_option
        *options; /**< NULL: none. Every command also knows -h, --help. */

    /**
     * Parses \p args and does the work. MPL_OK ends the program with status 0, MPL_END with 1,
     * errors with 2 to 4.
     */
    enum mpl_status (*run)(struct mpl_args *args, FILE *out, struct mpl_err *err);
};

/** In the order of the usage. */
const struct mpl_cmd *const *mpl_commands(size_t *n);
/** NULL if there is none of that name. */
const struct mpl_cmd *mpl_command_find(const char *name);
/** "unknown command "diagnos"; did you mean "diagnose"?", MPL_E_USAGE. */
enum mpl_status mpl_command_fail(const char *name, struct mpl_err *err);
/** Usage line, summary and options of a command. */
void mpl_command_print(const struct mpl_cmd *cmd, FILE *out);
/** The program's usage: its commands. */
void mpl_commands_print(FILE *out);

/**
 * The whole program but for the process: finds the command in \p words (without the program's
 * name), runs it, prints what went wrong on standard error, and returns the exit status.
 */
enum mpl_exit mpl_cli_main(int n, const char *const *words, FILE *out);

/* ---- the command line ---------------------------------------------------------------- */

/** Where the parsing of a command's words stands. */
struct mpl_args {
    const struct mpl_cmd *cmd;
    int n;
    const char *const *words; /**< Behind the command's name. */
    struct mpl_arena *arena;  /**< As long as the command. */
    int next;                 /**< Index of the word to look at. */
    const char *cluster; /**< Rest of a word of short options: "v" of "-hv"; NULL: none. */
    bool only_operands;  /**< After "--". */
    const struct mpl_option *option; /**< At hand; NULL: an operand. */
    const char *value;               /**< Of the option, or the operand. */
    uint64_t given; /**< Options so far: a bit for each row of the table. */
};

/** Some words. */
struct mpl_words {
    const char **items;
    size_t n;
};

/**
 * Takes all options into \p opts as the table says, and operands by \p take into \p target; \p take NULL: there are none.
 * Options and operands may be mixed; values stand in the same word (--top=3, -t3) or in the next one.
 *
 * Errors: MPL_E_USAGE for unknown options, with a suggestion, for values that are missing or too many, and those of
 *         what takes them.
 */
enum mpl_status mpl_args_parse(struct mpl_args *args, void *opts, mpl_take *take,
                               void *target, struct mpl_err *err);
/** The first option of the table that was given and is about one of these things; NULL: none. */
const struct mpl_option *mpl_args_given(const struct mpl_args *args, unsigned about);
/** MPL_E_USAGE: "unexpected "x"" for an operand that the command does not take. */
enum mpl_status mpl_args_unexpected(const struct mpl_args *args, struct mpl_err *err);
/** The value is one of \p n words; \p *out is its index. Suggests the nearest word. */
enum mpl_status mpl_args_choice(const struct mpl_args *args, const char *const *words,
                                size_t n, size_t *out, struct mpl_err *err);
/** The same of the words of the option's argument, "text|json". */
enum mpl_status mpl_args_alternative(const struct mpl_args *args, size_t *out,
                                     struct mpl_err *err);

/* What takes the value of an option, into a target of the type that is named. */
mpl_take mpl_take_flag; /**< bool: becomes true. */
mpl_take mpl_take_word; /**< const char * */
mpl_take
    mpl_take_words; /**< struct mpl_words, which gets room for all words; also operands */
mpl_take mpl_take_once; /**< const char *: an operand; a second one is unexpected. */
mpl_take
    mpl_take_command;     /**< struct mpl_words: operands whose own options are not ours. */
mpl_take mpl_take_number; /**< long, a whole number from low to high */
mpl_take mpl_take_count;  /**< uint32_t, likewise */
mpl_take mpl_take_real;   /**< double from low to high */
mpl_take
    mpl_take_seconds; /**< double: a time with a unit, 5us; without one in seconds. At most an hour. */
mpl_take
    mpl_take_share; /**< double: a share 0-1, also written as a percentage: 0.05, 5%. */
mpl_take mpl_take_format;  /**< enum mpl_format, of those of the argument */
mpl_take mpl_take_tracer;  /**< const char *: NULL for "auto" */
mpl_take mpl_take_clock;   /**< enum mpl_clock_choice */
mpl_take mpl_take_threads; /**< Nothing: sets them for the whole program. */

enum mpl_format { MPL_FORMAT_TEXT, MPL_FORMAT_JSON, MPL_FORMAT_MARKDOWN, MPL_FORMAT_HTML };
/** Whether a size, in MB, goes with the format: 0, or for a page. */
enum mpl_status mpl_check_page_size(enum mpl_format format, long size, struct mpl_err *err);

/** In a row of a table: taken so into that field of the command's struct. */
#define MPL_INTO(function, type, field) .take = function, .at = offsetof(type, field)
#define MPL_WITHIN(least, most)         .low = (least), .high = (most)

/** Rows of tables that several commands have; \p field is that of the command's struct \p type. */
#define MPL_FORMAT_OPTION(type, field) \
    { \
        0, "format", "text|json", "what to print; text is the default", \
            MPL_INTO(mpl_take_format, type, field) \
    }
#define MPL_PAGE_FORMAT_OPTION(type, field) \
    { \
        0, "format", "text|json|html", \
            "what to print; text is the default, html is a page with pictures", \
            MPL_INTO(mpl_take_format, type, field) \
    }
#define MPL_PAGE_SIZE_OPTION(type, field) \
    { \
        0, "size", "MB", "html: leave out calls rather than exceed it; 8", \
            MPL_INTO(mpl_take_number, type, field), MPL_WITHIN(1, 1000) \
    }
/** Of a report: how much of it, whether the status tells, how wide. */
#define MPL_TOP_OPTION(type, field) \
    { \
        0, "top", "N", "show everything with at most N causes", \
            MPL_INTO(mpl_take_number, type, field), MPL_WITHIN(1, 1000000) \
    }
#define MPL_SEVERITY_OPTION(type, field) \
    { \
        0, "fail-on", "SEVERITY", \
            "exit status 1 if a cause costs so much of all time: " \
            "10%, warning, critical", \
            MPL_INTO(mpl_take_severity, type, field) \
    }
#define MPL_WIDTH_OPTION(type, field) \
    { \
        0, "width", "N", "wrap text at N columns", MPL_INTO(mpl_take_number, type, field), \
            MPL_WITHIN(40, 1000) \
    }
#define MPL_OUTPUT_OPTION(type, field) \
    { \
        'o', "output", "FILE", "write to FILE, completely or not at all", \
            MPL_INTO(mpl_take_word, type, field) \
    }
/**
 * For every command that reads traces and corrects their clocks; \p field is a struct mpl_clock_options. With a gamma of 0
 * a clock would stand still behind a jump until its own time has come.
 */
#define MPL_READING_OPTIONS(type, field) \
    { 0, "clock", "auto|offsets|messages|none|eventspace", \
      "where the common time line comes from; auto is the default", \
      MPL_INTO(mpl_take_clock, type, field.choice) }, \
        { 0, "no-repair", NULL, \
          "leave messages that arrive before they were sent as they are", \
          MPL_INTO(mpl_take_flag, type, field.repair.is_off) }, \
        { 0, \
          "gamma", \
          "G", \
          "speed of a clock that falls back after a repair; 0.999", \
          MPL_INTO(mpl_take_real, type, field.repair.gamma), \
          MPL_WITHIN(0.01, 1) }, \
        { 0, "delta", "TIME", "least distance of two moved events of a location; 1ns", \
          MPL_INTO(mpl_take_seconds, type, field.repair.delta_s) }, \
        { 0, "mu", "TIME", "least time of a message; otherwise from the trace", \
          MPL_INTO(mpl_take_seconds, type, field.repair.mu_s) }, \
        { 0, \
          "amortization", \
          "N", \
          "a jump is built up over a stretch N times as long; 50", \
          MPL_INTO(mpl_take_real, type, field.repair.amortization), \
          MPL_WITHIN(1, 1e6) }, \
        { 0, "max-shift", "TIME", \
          "repeat with smaller G while an event moves farther; from the trace", \
          MPL_INTO(mpl_take_seconds, type, field.repair.error_s) }, \
        { 0, \
          "max-passes", \
          "N", \
          "repeat at most N times; 8", \
          MPL_INTO(mpl_take_count, type, field.repair.max_passes), \
          MPL_WITHIN(1, 100) }, \
    { \
        0, "threads", "N", "use N threads; as many as processors that may be used", \
            .take = mpl_take_threads, MPL_WITHIN(1, MPL_PARALLEL_MOST) \
    }

/* ---- output ------------------------------------------------------------------------------ */

/** A file that appears complete or not at all, or a stream that was there before. */
struct mpl_output {
    FILE *stream;
    const char *path; /**< NULL: the stream belongs to somebody else. Borrowed. */
    bool is_special;  /**< A device or pipe, which is written to as it is. */
};

/** Opens \p path, or stands for \p otherwise when \p path is NULL. */
enum mpl_status mpl_output_open(const char *path, FILE *otherwise, struct mpl_output *out,
                                struct mpl_err *err);
/**
 * Ends the output: with \p status >= 0 the file gets its name, else it vanishes, as it does however
 * the process ends before that. Returns
 * \p status, or MPL_E_IO if the file could not be written.
 */
enum mpl_status mpl_output_close(struct mpl_output *out, enum mpl_status status,
                                 struct mpl_err *err);

/** Columns of \p out if it is a terminal, at most 100 (longer lines read badly), else 80. */
int mpl_output_width(FILE *out);

/* ---- progress ------------------------------------------------------------------------------ */

/** One line on a terminal, drawn at most ten times a second and erased at the end. */
struct mpl_progress_line {
    struct mpl_progress
        progress; /**< To be handed to long jobs; its callback may be NULL. */
    FILE *out;
    int64_t drawn_ns; /**< When last drawn; 0: never. */
    bool is_visible;
};

/** Silent unless \p out is a terminal. \p line must stay where it is until the end. */
void mpl_progress_line_open(struct mpl_progress_line *line, FILE *out);
void mpl_progress_line_close(struct mpl_progress_line *line);

/* ---- knowledge ------------------------------------------------------------------------------- */

/**
 * The directory that holds the stock patterns/ and rules/: $MARPLE_DATA, else the one of the
 * program itself (a build tree), else ../share/marple from there (a moved installation), else
 * where marple was configured to be installed.
 *
 * Errors: MPL_E_IO naming the places if none holds rules/vocabulary.clp.
 */
enum mpl_status mpl_knowledge_find(struct mpl_arena *arena, const char **out,
                                   struct mpl_err *err);

/** Which knowledge a command is asked to load. */
struct mpl_knowledge_asked {
    struct mpl_words given; /**< --knowledge, in order. */
    bool is_stock_only;     /**< --no-user-knowledge */
};

/** Rows of a table of options, for every command that loads knowledge; \p field is a struct mpl_knowledge_asked. */
#define MPL_KNOWLEDGE_OPTIONS(type, field) \
    { 0, "knowledge", "DIR", "add the patterns and rules of DIR", \
      MPL_INTO(mpl_take_words, type, field.given) }, \
    { \
        0, "no-user-knowledge", NULL, "leave out the user's own folder and MARPLE_PATH", \
            MPL_INTO(mpl_take_flag, type, field.is_stock_only) \
    }

/** Directories in the order of loading: later ones refine or replace what earlier ones say. */
struct mpl_directories {
    size_t n;
    const char **paths;
    const char **origins; /**< Parallel: "stock", "user", "MARPLE_PATH", "--knowledge". */
};

/**
 * The stock; the user's folder ($XDG_CONFIG_HOME/marple, else ~/.config/marple) if there is one;
 * the entries of MARPLE_PATH, separated by colons; then those given. An entry of MARPLE_PATH that
 * is no directory is left out with a warning on standard error, since it may be meant for another
 * machine.
 *
 * Errors: MPL_E_IO if the stock is not found, or a given one is no directory.
 */
enum mpl_status mpl_directories_find(const struct mpl_knowledge_asked *asked,
                                     struct mpl_arena *arena, struct mpl_directories *out,
                                     struct mpl_err *err);
/** Says on standard error what those given lack, for commands that need patterns and rules. */
void mpl_knowledge_tell(const struct mpl_knowledge_asked *asked, struct mpl_arena *arena);
/** Nothing but what comes with marple, which tests have seen; what MARPLE_DATA names may be anything. */
bool mpl_directories_are_stock(const struct mpl_directories *directories);
/** The origin of a file that was loaded from one of them. */
const char *mpl_directories_origin(const struct mpl_directories *directories,
                                   const char *file);

#endif
