/*
 * Takes:        a command line.
 * Makes:        the call that it asks for, output that is whole or not there, an exit status.
 * Leaves alone: what a trace means (analysis) and how an answer looks (report).
 */
#ifndef MPL_CLI_CLI_H
#define MPL_CLI_CLI_H

#include "clock/clock.h"

/** An interface: scripts depend on these. */
enum mpl_exit {
    MPL_EXIT_OK = 0,
    MPL_EXIT_FOUND = 1, /**< Ran, and a finding reaches --fail-on. */
    MPL_EXIT_USAGE = 2,
    MPL_EXIT_INPUT = 3, /**< The input cannot be analysed, or the output not be written. */
    MPL_EXIT_BUG = 4
};

/* ---- commands --------------------------------------------------------------------- */

struct mpl_option {
    char letter;          /**< 0: there is only the long form. */
    const char *name;     /**< Without dashes; NULL ends a table. */
    const char *argument; /**< What the value is called in the usage; NULL: takes none. */
    const char *says;     /**< One clause for the usage. */
};

struct mpl_args;

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
    int next;                 /**< Index of the word to look at. */
    const char *cluster; /**< Rest of a word of short options: "v" of "-hv"; NULL: none. */
    bool only_operands;  /**< After "--". */
};

/**
 * The next option or operand. Options and operands may be mixed; values stand in the same word
 * (--top=3, -t3) or in the next one. For an operand \p *option is NULL and \p *value the word.
 *
 * Errors: MPL_END behind the last word; MPL_E_USAGE for unknown options, with a suggestion, and
 *         for values that are missing or too many.
 */
enum mpl_status mpl_args_next(struct mpl_args *args, const struct mpl_option **option,
                              const char **value, struct mpl_err *err);
/** MPL_E_USAGE: "unexpected "x"" for an operand that the command does not take. */
enum mpl_status mpl_args_unexpected(const struct mpl_args *args, const char *word,
                                    struct mpl_err *err);
/** A whole number from \p low to \p high given as \p value of \p option. */
enum mpl_status mpl_args_integer(const struct mpl_option *option, const char *value,
                                 long low, long high, long *out, struct mpl_err *err);
/** A time with a unit, 5us; without one it is in seconds. At most an hour. */
enum mpl_status mpl_args_seconds(const struct mpl_option *option, const char *value,
                                 double *out, struct mpl_err *err);
/** A share 0-1, also written as a percentage: 0.05, 5%. */
enum mpl_status mpl_args_share(const struct mpl_option *option, const char *value,
                               double *out, struct mpl_err *err);
/** One of \p n words; \p *out is its index. Suggests the nearest word. */
enum mpl_status mpl_args_choice(const struct mpl_option *option, const char *value,
                                const char *const *words, size_t n, size_t *out,
                                struct mpl_err *err);

/** Rows of a table of options, for every command that prints an answer. */
#define MPL_FORMAT_OPTION \
    { \
        0, "format", "text|json", "what to print; text is the default" \
    }
#define MPL_OUTPUT_OPTION \
    { \
        'o', "output", "FILE", "write to FILE, completely or not at all" \
    }
/** --format of every command; markdown and html of some. */
enum mpl_format { MPL_FORMAT_TEXT, MPL_FORMAT_JSON, MPL_FORMAT_MARKDOWN, MPL_FORMAT_HTML };
enum mpl_status mpl_args_format(const struct mpl_option *option, const char *value,
                                enum mpl_format *out, struct mpl_err *err);

/** Rows for every command that can write a page; what they take; and whether a size goes with the format. */
#define MPL_PAGE_FORMAT_OPTION \
    { \
        0, "format", "text|json|html", \
            "what to print; text is the default, html is a page with pictures" \
    }
#define MPL_PAGE_SIZE_OPTION \
    { \
        0, "size", "MB", "html: leave out calls rather than exceed it; 8" \
    }
enum mpl_status mpl_args_page_format(const struct mpl_option *option, const char *value,
                                     enum mpl_format *out, struct mpl_err *err);
enum mpl_status mpl_args_page_size(enum mpl_format format, long size, struct mpl_err *err);

/**
 * Rows of a table of options, for every command that reads traces and corrects their clocks. Positional, so they
 * stand behind the command's own.
 */
#define MPL_READING_OPTIONS \
    { 0, "clock", "auto|offsets|messages|none|eventspace", \
      "where the common time line comes from; auto is the default" }, \
        { 0, "no-repair", NULL, \
          "leave messages that arrive before they were sent as they are" }, \
        { 0, "gamma", "G", "speed of a clock that falls back after a repair; 0.999" }, \
        { 0, "delta", "TIME", "least distance of two moved events of a location; 1ns" }, \
        { 0, "mu", "TIME", "what a message takes at least; otherwise from the trace" }, \
        { 0, "amortization", "N", \
          "a jump is built up over a stretch N times as long; 50" }, \
        { 0, "max-shift", "TIME", \
          "repeat with smaller G while an event moves farther; from the trace" }, \
        { 0, "max-passes", "N", "but at most so often; 8" }, \
    { \
        0, "threads", "N", "use N threads; as many as processors that may be used" \
    }
/** Takes one of MPL_READING_OPTIONS; MPL_END: it is none of them. */
enum mpl_status mpl_args_reading(const struct mpl_option *option, const char *value,
                                 struct mpl_clock_options *out, struct mpl_err *err);

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
    const char **given; /**< --knowledge, in order. */
    size_t n_given;
    bool is_stock_only; /**< --no-user-knowledge */
};

/**
 * Rows of a table of options, for every command that loads knowledge. Positional, so they stand
 * behind the command's own.
 */
#define MPL_KNOWLEDGE_OPTIONS \
    { 0, "knowledge", "DIR", "add the patterns and rules of DIR" }, \
    { \
        0, "no-user-knowledge", NULL, "leave out the user's own folder and MARPLE_PATH" \
    }
/** Takes one of MPL_KNOWLEDGE_OPTIONS; false: it is none of them. asked->given must have room. */
bool mpl_args_knowledge(const struct mpl_option *option, const char *value,
                        struct mpl_knowledge_asked *asked);

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
/** Nothing but what comes with marple. */
bool mpl_directories_are_stock(const struct mpl_directories *directories);
/** The origin of a file that was loaded from one of them. */
const char *mpl_directories_origin(const struct mpl_directories *directories,
                                   const char *file);

#endif
