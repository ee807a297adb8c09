/* What the tests of recognition share: patterns, traces and recognitions from text. */
#ifndef TESTS_UNIT_RECOGNIZE_FIXTURE_H
#define TESTS_UNIT_RECOGNIZE_FIXTURE_H

#include <check.h>
#include <math.h>

#include "events_of.h"
#include "recognize/recognize.h"

#define ck_assert_us(value, us) \
    do { \
        const double found_us = 1e6 * (value); \
        ck_assert_msg(fabs(found_us - (us)) < 1e-6, "%s is %.9g us, not %.9g", #value, \
                      found_us, (double) (us)); \
    } while (0)

/** The only pattern of a text; aborts the test with the messages when it has faults. */
const struct mpl_pattern *pattern_of_text(const char *text, struct mpl_arena *arena);
/** Must be found. */
struct mpl_recognition *recognize(const struct mpl_pattern *pattern,
                                  const struct mpl_events *events, struct mpl_arena *arena);
/** All messages of a lint as "line:column: error: text\n…". */
const char *messages_of(const struct mpl_lint *lint, struct mpl_arena *arena);
/** Instances of an event by name. */
size_t count_of(struct mpl_recognition *r, const char *event);
/** Value \p i of "Event.attribute". */
double value_of(struct mpl_recognition *r, const char *name, size_t i);

/** A pattern with the roles boss and hand, and these events. */
const struct mpl_pattern *farm(const char *events, struct mpl_arena *arena);
/** The trace that is drawn in the .c file. */
extern const char drawing[];
/** A task of it: from the request to the end of the work. */
#define TASK \
    "  Task:\n" \
    "    on: hand\n" \
    "    expression: ask gap get work+\n" \
    "    members:\n" \
    "      ask:  {event: send, to: boss}\n" \
    "      gap:  {event: compute}\n" \
    "      get:  {event: recv, from: boss}\n" \
    "      work: {event: compute}\n"

#endif
