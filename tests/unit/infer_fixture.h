/* What the tests of infer share: a rule base from the shipped vocabulary and a text. */
#ifndef MPL_TESTS_UNIT_INFER_FIXTURE_H
#define MPL_TESTS_UNIT_INFER_FIXTURE_H

#include "infer/infer.h"
#include "ruletest/ruletest.h"
#include "whynot/whynot.h"

/** Everything of one test; made and destroyed around each. */
struct lab {
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    const struct mpl_rules *vocabulary;
    const struct mpl_rules *rules; /**< NULL until a text was accepted. */
    struct mpl_infer *infer;       /**< NULL until lab_open. */
    struct mpl_err err;
};

void lab_create(void);
void lab_destroy(void);
struct lab *lab_get(void);

/** Path of a file of the source tree, in the lab's arena. */
char *lab_path(const char *relative);

/** Reads rules from \p text, behind those of \p base, and has CLIPS see them; \p *out is NULL where either finds a fault. */
enum mpl_status lab_parse_on(const struct mpl_rules *base, const char *file,
                             const char *text, size_t bytes, struct mpl_arena *arena,
                             struct mpl_lint *lint, const struct mpl_rules **out,
                             struct mpl_err *err);
/** Likewise those in directories, into the lab. */
enum mpl_status lab_load(const char *const *directories, size_t n);
/** Parses \p text as "t.clp" on top of the vocabulary. */
enum mpl_status lab_parse(const char *text);
/** Parses and opens; fails the test with the first message when the text is not accepted. */
void lab_open(const char *text, const struct mpl_infer_limits *limits);

/** The \p i th message of the lint as "t.clp:3: text"; "" when there are fewer. */
const char *lab_message(size_t i);
/** Fails the test when no message is \p text. */
void lab_expect_message(const char *text);

void lab_give_pattern(const char *name);
void lab_give_metric(const char *name, const char *location, double value);

#endif
