/*
 * The recogniser against an oracle that knows nothing of automata: it asks for every stretch of
 * events, leftmost first and longest first, whether the expression stands for it, by trying all
 * splits and all interleavings.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "recognize/matcher_priv.h"

#include "../lib/arena.h"
#include "../lib/draw.h"
#include "../lib/suite.h"

enum { N_MEMBERS = 4, N_EVENTS_MAX = 9, N_NODES_MAX = 24, TEXT_MAX = 600 };

static const char *const members[N_MEMBERS] = { "a", "b", "c", "d" };
static struct mpl_lint *lint;

static void create_lint(void)
{
    create_arena();
    lint = mpl_lint_create(arena);
    ck_assert_ptr_nonnull(lint);
}

/* ---- random expressions ------------------------------------------------------------ */

struct tree {
    char sign; /* 'm' member, ',' sequence, '|', '&', '+', '*', '?' */
    int member;
    int a, b;
};

static struct tree trees[N_NODES_MAX];
static int n_trees;

static int grow(int budget)
{
    const int at = n_trees++;
    struct tree tree = { 'm', (int) draw(N_MEMBERS), -1, -1 };

    if (budget > 1) {
        tree.sign = ",,,|&+*?"[draw(8)];
        if (strchr(",|&", tree.sign) != NULL) {
            const int left = 1 + (int) draw((uint32_t) budget - 1);

            tree.a = grow(left);
            tree.b = grow(budget - left);
        } else {
            tree.a = grow(budget - 1);
        }
    }
    trees[at] = tree;
    return at;
}

static int binding(char sign)
{
    return sign == '|' ? 0 : sign == '&' ? 1 : sign == ',' ? 2 : sign == 'm' ? 4 : 3;
}

/* With as few parentheses as the stated precedences allow. */
static void print_tree(char *text, int at, int outer)
{
    const struct tree *tree = &trees[at];
    const int own = binding(tree->sign);

    strcat(text, own < outer ? "(" : "");
    if (tree->sign == 'm') {
        strcat(text, members[tree->member]);
    } else if (own == 3) {
        print_tree(text, tree->a, 3);
        strncat(text, &tree->sign, 1);
    } else {
        print_tree(text, tree->a, own);
        strcat(text, tree->sign == ',' ? " " : tree->sign == '|' ? " | " : " & ");
        print_tree(text, tree->b, own);
    }
    strcat(text, own < outer ? ")" : "");
}

/* ---- the oracle ---------------------------------------------------------------------- */

static bool stands_for(int at, const uint64_t *events, int n);

static bool splits(int a, int b, const uint64_t *events, int n, int least)
{
    for (int k = least; k <= n; k++) {
        if (stands_for(a, events, k) && stands_for(b, events + k, n - k)) {
            return true;
        }
    }
    return false;
}

static bool interleaves(const struct tree *tree, const uint64_t *events, int n)
{
    for (uint32_t set = 0; set < 1U << n; set++) {
        uint64_t left[N_EVENTS_MAX];
        uint64_t right[N_EVENTS_MAX];
        int n_left = 0;
        int n_right = 0;

        for (int i = 0; i < n; i++) {
            if ((set >> i & 1) != 0) {
                left[n_left++] = events[i];
            } else {
                right[n_right++] = events[i];
            }
        }
        if (stands_for(tree->a, left, n_left) && stands_for(tree->b, right, n_right)) {
            return true;
        }
    }
    return false;
}

static bool stands_for(int at, const uint64_t *events, int n)
{
    const struct tree *tree = &trees[at];

    switch (tree->sign) {
    case 'm':
        return n == 1 && (events[0] >> tree->member & 1) != 0;
    case ',':
        return splits(tree->a, tree->b, events, n, 0);
    case '|':
        return stands_for(tree->a, events, n) || stands_for(tree->b, events, n);
    case '&':
        return interleaves(tree, events, n);
    case '?':
        return n == 0 || stands_for(tree->a, events, n);
    case '+':
        /* Behind a first repetition of at least one event the rest is a repetition again. */
        return stands_for(tree->a, events, n) ||
               (n > 1 && splits(tree->a, at, events, n, 1));
    default:
        return n == 0 || stands_for(tree->a, events, n) ||
               splits(tree->a, at, events, n, 1);
    }
}

/* ---- comparison ------------------------------------------------------------------------ */

struct found {
    uint32_t first[N_EVENTS_MAX];
    uint32_t last[N_EVENTS_MAX];
    int n;
    uint64_t masks[N_EVENTS_MAX];
    int root; /* below 0: captures are not examined */
    struct kept {
        struct mpl_capture captures[N_EVENTS_MAX];
        size_t n;
    } kept[MPL_MATCH_KEPT];
};

/* The members that the events were read as must be a reading of the expression. */
static void check_reading(const struct found *found, const struct mpl_event_match *match)
{
    const struct mpl_capture *captures = match->captures;
    const uint64_t *masks = found->masks + match->first;
    uint64_t read[N_EVENTS_MAX];

    for (size_t i = 0; i < match->n; i++) {
        if (i > 0) {
            ck_assert_uint_gt(captures[i].position, captures[i - 1].position);
        }
        read[i] = UINT64_C(1) << captures[i].member;
        ck_assert_uint_ne(read[i] & masks[captures[i].position], 0);
        for (uint32_t p = i == 0 ? captures[0].position : captures[i - 1].position + 1;
             p < captures[i].position; p++) {
            ck_assert_uint_eq(masks[p], 0);
        }
    }
    ck_assert(stands_for(found->root, read, (int) match->n));
}

/* A repeat has the captures of the match that was kept last under its number. */
static void check_repeat(struct found *found, const struct mpl_event_match *match)
{
    struct kept *kept = match->kept == MPL_NONE ? NULL : &found->kept[match->kept];

    ck_assert(kept != NULL || !match->is_repeat);
    if (match->is_repeat) {
        ck_assert_uint_eq(match->n, kept->n);
        ck_assert_mem_eq(match->captures, kept->captures,
                         match->n * sizeof *match->captures);
    } else if (kept != NULL) {
        kept->n = match->n;
        memcpy(kept->captures, match->captures, match->n * sizeof *match->captures);
    }
}

static enum mpl_status collect(void *context, const struct mpl_event_match *match,
                               struct mpl_err *err)
{
    struct found *found = context;

    (void) err;
    ck_assert_uint_gt(match->n, 0);
    ck_assert_int_lt(found->n, N_EVENTS_MAX);
    if (found->root >= 0) {
        check_reading(found, match);
    }
    check_repeat(found, match);
    found->first[found->n] = match->first + match->captures[0].position;
    found->last[found->n++] = match->first + match->captures[match->n - 1].position;
    return MPL_OK;
}

/* The longest stretch from \p first on; events of no interest are left out. 0: none. */
static int longest_from(int root, const struct found *found, int n, int first,
                        bool is_strict)
{
    for (int end = n; end > first; end--) {
        uint64_t events[N_EVENTS_MAX];
        int n_events = 0;

        if (found->masks[end - 1] == 0) {
            continue;
        }
        for (int i = first; i < end; i++) {
            if (found->masks[i] != 0 || is_strict) {
                events[n_events++] = found->masks[i];
            }
        }
        if (stands_for(root, events, n_events)) {
            return end;
        }
    }
    return 0;
}

static void expect(int root, const struct found *found, int n, bool is_strict,
                   struct found *expected)
{
    expected->n = 0;
    for (int i = 0; i < n;) {
        const int end =
            found->masks[i] == 0 ? 0 : longest_from(root, found, n, i, is_strict);

        if (end == 0) {
            i++;
            continue;
        }
        expected->first[expected->n] = (uint32_t) i;
        expected->last[expected->n++] = (uint32_t) end - 1;
        i = end;
    }
}

static const struct mpl_automaton *compile(const char *text)
{
    const struct mpl_expression_text source = { text,      { "expression", 1, 1 },
                                                true,      members,
                                                N_MEMBERS, 0 };
    const struct mpl_automaton *automaton = NULL;
    struct mpl_expression expression = { 0 };
    struct mpl_err err = { 0 };
    enum mpl_status st = mpl_expression_parse(&source, lint, &expression, &err);

    if (st == MPL_OK) {
        st = mpl_automaton_create(&expression, arena, &automaton, &err);
    }
    mpl_expression_free(&expression);
    if (st != MPL_OK && st != MPL_E_LIMIT) {
        ck_abort_msg("\"%s\": %s", text, err.cause[0].text);
    }
    return automaton;
}

static void run(struct mpl_event_matcher *matcher, const struct mpl_automaton *automaton,
                struct found *found, int n, bool is_strict)
{
    uint16_t letters[N_EVENTS_MAX];
    const struct mpl_letters sequence = { .letters = letters,
                                          .n_letters = (uint32_t) n,
                                          .n = (uint32_t) n,
                                          .masks = found->masks,
                                          .is_strict = is_strict };
    struct mpl_err err = { 0 };

    /* Equal sets are one letter, so that matches have the letters of others. */
    for (int i = 0; i < n; i++) {
        letters[i] = 0;
        while (found->masks[letters[i]] != found->masks[i]) {
            letters[i]++;
        }
    }
    ck_assert_int_eq(mpl_matcher_run(matcher, automaton, &sequence, MPL_EXTEND_MAX, collect,
                                     found, &err),
                     MPL_OK);
}

START_TEST(matches_are_those_of_exhaustive_search)
{
    draw_from(_i);
    printf("seed %d\n", _i);
    for (int round = 0; round < 60; round++) {
        char text[TEXT_MAX] = "";
        struct mpl_event_matcher *matcher = mpl_matcher_open(arena);

        n_trees = 0;

        const int root = grow(1 + (int) draw(9));

        print_tree(text, root, 0);

        const struct mpl_automaton *automaton = compile(text);

        ck_assert_ptr_nonnull(automaton);
        for (int stream = 0; stream < 6; stream++) {
            const int n = (int) draw(N_EVENTS_MAX + 1);
            const bool is_strict = draw(4) == 0;
            struct found found = { .root = root };
            struct found expected = { 0 };

            for (int i = 0; i < n; i++) {
                found.masks[i] =
                    draw(3) == 0 ? draw(1 << N_MEMBERS) : 1U << draw(N_MEMBERS);
            }
            run(matcher, automaton, &found, n, is_strict);
            expect(root, &found, n, is_strict, &expected);
            ck_assert_msg(found.n == expected.n, "\"%s\": %d matches, not %d", text,
                          found.n, expected.n);
            for (int i = 0; i < found.n; i++) {
                ck_assert_msg(found.first[i] == expected.first[i] &&
                                  found.last[i] == expected.last[i],
                              "\"%s\": match %d is %u to %u, not %u to %u", text, i,
                              found.first[i], found.last[i], expected.first[i],
                              expected.last[i]);
            }
        }
        mpl_matcher_close(matcher);
    }
}
END_TEST

/* ---- cost --------------------------------------------------------------------------------- */

static enum mpl_status count(void *context, const struct mpl_event_match *match,
                             struct mpl_err *err)
{
    (void) match;
    (void) err;
    ++*(uint32_t *) context;
    return MPL_OK;
}

/* Steps over \p n events, the letters of \p cycle again and again. */
static uint64_t steps_over(const char *text, const char *cycle, uint32_t n,
                           uint32_t *n_matches)
{
    static const uint64_t masks[N_MEMBERS] = { 1, 2, 4, 8 };
    const struct mpl_automaton *automaton = compile(text);
    struct mpl_event_matcher *matcher = mpl_matcher_open(arena);
    uint16_t *letters = MPL_NEW_ARRAY(arena, n, uint16_t);
    const struct mpl_letters sequence = {
        .letters = letters, .n_letters = N_MEMBERS, .n = n, .masks = masks
    };
    struct mpl_err err = { 0 };

    ck_assert_ptr_nonnull(automaton);
    ck_assert_ptr_nonnull(letters);
    for (uint32_t i = 0; i < n; i++) {
        letters[i] = (uint16_t) (cycle[i % strlen(cycle)] - 'a');
    }
    *n_matches = 0;
    ck_assert_int_eq(
        mpl_matcher_run(matcher, automaton, &sequence, 64, count, n_matches, &err), MPL_OK);

    const uint64_t n_steps = mpl_matcher_steps(matcher);

    mpl_matcher_close(matcher);
    return n_steps;
}

START_TEST(steps_grow_linearly_with_the_events)
{
    static const struct {
        const char *expression;
        const char *cycle;
        uint64_t
            most_per_event; /* transitions looked at; 64 is how long matches are extended */
    } cases[] = {
        { "a b+ c", "abbc", 5 },
        { "a b* c", "ab", 6 },         /* every a an attempt that the next one ends */
        { "a b* c", "b", 2 },          /* never begins */
        { "a (a | b)* c", "ab", 6 },   /* every a an attempt that none ends */
        { "a | a a* c", "a", 4 * 66 }, /* every match looks extensible to the end */
        { "(a | b)* a (a | b) (a | b) c", "ab", 20 },
        { "a? a? a? a? a a a a", "a", 30 },
        { "(a+)+ b", "a", 8 }, /* exponential for a backtracking search */
        { "a* & b* & c", "aab", 20 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t n_matches;
        const uint64_t small =
            steps_over(cases[i].expression, cases[i].cycle, 10000, &n_matches);
        const uint64_t large =
            steps_over(cases[i].expression, cases[i].cycle, 100000, &n_matches);

        ck_assert_msg(large <= 100000 * cases[i].most_per_event, "\"%s\": %lu steps",
                      cases[i].expression, (unsigned long) large);
        ck_assert_msg(large <= 11 * small + 1000, "\"%s\": %lu, then %lu steps",
                      cases[i].expression, (unsigned long) small, (unsigned long) large);
    }
}
END_TEST

START_TEST(complete_match_is_given_up_for_extension_after_the_stated_events)
{
    const struct mpl_automaton *automaton = compile("a | a b* c");
    struct mpl_event_matcher *matcher = mpl_matcher_open(arena);
    static const uint64_t masks[N_MEMBERS] = { 1, 2, 4, 8 };
    uint16_t letters[12] = { 0, 1, 1, 1, 1, 2, 0, 1, 1, 1, 1, 2 };
    const struct mpl_letters sequence = {
        .letters = letters, .n_letters = N_MEMBERS, .n = 12, .masks = masks
    };
    struct found found = { .root = -1 };
    struct mpl_err err = { 0 };

    mpl_matcher_run(matcher, automaton, &sequence, 4, collect, &found, &err);
    ck_assert_int_eq(found.n, 2);
    ck_assert_uint_eq(found.last[0], 0);
    found.n = 0;
    mpl_matcher_run(matcher, automaton, &sequence, 5, collect, &found, &err);
    ck_assert_int_eq(found.n, 2);
    ck_assert_uint_eq(found.last[0], 5);
    ck_assert_uint_eq(found.last[1], 11);
    mpl_matcher_close(matcher);
}
END_TEST

START_TEST(long_attempts_do_not_keep_what_nobody_needs)
{
    /* Every a is an attempt that the next a ends: 300,000 nodes in all, few at a time. */
    uint32_t n_matches;

    steps_over("a b* c", "abbbbbbb", 300000, &n_matches);
    ck_assert_uint_eq(n_matches, 0);
    /* One match over everything, through the removal of nodes. */
    steps_over("(a | b c)+", "abc", 300000, &n_matches);
    ck_assert_uint_eq(n_matches, 1);
}
END_TEST

/* ---- preferences ----------------------------------------------------------------------------- */

static char reading[N_EVENTS_MAX + 1];

static enum mpl_status spell(void *context, const struct mpl_event_match *match,
                             struct mpl_err *err)
{
    (void) context;
    (void) err;
    for (size_t i = 0; i < match->n; i++) {
        reading[i] = members[match->captures[i].member][0];
    }
    reading[match->n] = '\0';
    return MPL_OK;
}

START_TEST(ambiguous_events_are_read_as_the_expression_prefers)
{
    static const struct {
        const char *expression;
        int n; /* events, each of which may be any member */
        const char *reading;
    } cases[] = {
        { "a | b", 1, "a" },     { "b | a", 1, "b" },  { "a* b?", 3, "aaa" },
        { "a+ b+", 4, "aaab" },  { "a? b", 1, "b" },   { "a? b", 2, "ab" },
        { "a b? c+", 3, "abc" }, { "b & a", 2, "ba" }, { "(a | b c)+", 3, "aaa" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mpl_automaton *automaton = compile(cases[i].expression);
        struct mpl_event_matcher *matcher = mpl_matcher_open(arena);
        static const uint64_t any = 15;
        static const uint16_t letters[N_EVENTS_MAX];
        const struct mpl_letters sequence = {
            .letters = letters, .n_letters = 1, .n = (uint32_t) cases[i].n, .masks = &any
        };
        struct mpl_err err = { 0 };

        mpl_matcher_run(matcher, automaton, &sequence, MPL_EXTEND_MAX, spell, NULL, &err);
        ck_assert_str_eq(reading, cases[i].reading);
        mpl_matcher_close(matcher);
    }
}
END_TEST

/* ---- faults ---------------------------------------------------------------------------------- */

static const char *fault_of(const char *text, unsigned *column)
{
    const struct mpl_expression_text source = { text,    { "f", 3, 10 }, true,
                                                members, N_MEMBERS,      0 };
    struct mpl_expression expression = { 0 };
    struct mpl_err err = { 0 };
    const size_t n = mpl_lint_count(lint);
    const enum mpl_status st = mpl_expression_parse(&source, lint, &expression, &err);

    mpl_expression_free(&expression);
    ck_assert_int_eq(st, MPL_E_SYNTAX);
    ck_assert_uint_eq(mpl_lint_count(lint), n + 1);
    *column = mpl_lint_get(lint, n)->place.column;
    return mpl_lint_get(lint, n)->text;
}

START_TEST(faults_in_expressions_are_told_with_their_column)
{
    static const struct {
        const char *expression;
        unsigned column;
        const char *text;
    } cases[] = {
        { "", 10, "expression: ends where a member is expected" },
        { "a b)", 13, "expression: ')' without '('" },
        { "(a b", 10, "expression: this parenthesis is not closed" },
        { "a | | b", 14, "expression: a member (a name) or '(' is expected here" },
        { "a , b", 12, "expression: a name, an operator or the end is expected here" },
        { "a ()", 13, "expression: ')' where a member is expected" },
        { "a work+", 12, "expression: 'work' is not among the members" },
        { "+", 10, "expression: a member (a name) or '(' is expected here" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned column;

        ck_assert_str_eq(fault_of(cases[i].expression, &column), cases[i].text);
        ck_assert_uint_eq(column, cases[i].column);
    }
}
END_TEST

START_TEST(expressions_beyond_the_limits_are_refused)
{
    char deep[400] = "";
    char *wide = MPL_NEW_ARRAY(arena, 3000, char);
    unsigned column;

    memset(deep, '(', 100);
    ck_assert_str_eq(fault_of(deep, &column),
                     "expression: parentheses nested more than 64 deep");
    for (int i = 0; i < 1001; i++) {
        strcat(wide, "a ");
    }
    ck_assert_str_eq(fault_of(wide, &column), "expression: more than 1,000 names");
    /* Each of the ten may be the next: 1,024 sets of those that are still to come. */
    ck_assert_ptr_null(compile("a b a & a c a & b c b & c d c & d d d & d a d"));
    ck_assert_ptr_nonnull(compile("a & b & c & d & a & b"));
}
END_TEST

START_TEST(nested_repetitions_are_built_without_repeating_the_work)
{
    /* Without lists that are kept this takes minutes: each level derives all levels below. */
    char text[TEXT_MAX * 4] = "";

    for (int i = 0; i < 60; i++) {
        strcat(text, "(");
    }
    strcat(text, "a?");
    for (int i = 0; i < 60; i++) {
        sprintf(text + strlen(text), " %s? | %s?)+", members[i % 4], members[(i + 1) % 4]);
    }

    const struct mpl_automaton *automaton = compile(text);

    ck_assert_ptr_nonnull(automaton);
    ck_assert_uint_eq(automaton->n_states, 62);
}
END_TEST

START_TEST(occurrences_of_members_are_counted)
{
    static const struct {
        const char *expression;
        struct mpl_occurrence a;
    } cases[] = {
        { "b", { false, false, true, false } },
        { "a", { true, false, false, false } },
        { "a+", { true, true, false, false } },
        { "a*", { true, true, true, false } },
        { "a?", { true, false, true, false } },
        { "a | b", { true, false, true, false } },
        { "a b a", { true, true, false, false } },
        { "a | b a", { true, false, false, false } },
        { "b & a c", { true, false, false, true } },
        { "a (b & c)", { true, false, false, false } },
        { "((b a)? c)+", { true, true, true, false } },
        { "((((((a+ b)+ c)+ d)+ b)+ c)+ d)+", { true, true, false, false } },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mpl_expression_text source = {
            cases[i].expression, { "f", 1, 1 }, true, members, N_MEMBERS, 0
        };
        struct mpl_occurrence occurrences[N_MEMBERS];
        struct mpl_expression expression = { 0 };
        struct mpl_err err = { 0 };

        ck_assert_int_eq(mpl_expression_parse(&source, lint, &expression, &err), MPL_OK);
        ck_assert_int_eq(
            mpl_expression_occurrences(&expression, occurrences, N_MEMBERS, &err), MPL_OK);
        ck_assert_msg(memcmp(&occurrences[0], &cases[i].a, sizeof cases[i].a) == 0,
                      "\"%s\"", cases[i].expression);
        mpl_expression_free(&expression);
    }
}
END_TEST

START_TEST(matching_without_memory_fails_and_leaks_nothing)
{
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    for (; fails_without_memory(n, st); n++) {
        const struct mpl_expression_text source = { "(a b+ | c & d)+", { "f", 1, 1 }, true,
                                                    members,           N_MEMBERS,     0 };
        static const uint64_t masks[N_MEMBERS] = { 1, 2, 4, 8 };
        static const uint16_t letters[8] = { 0, 1, 1, 2, 3, 0, 1, 0 };
        const struct mpl_letters sequence = {
            .letters = letters, .n_letters = N_MEMBERS, .n = 8, .masks = masks
        };
        const struct mpl_automaton *automaton = NULL;
        struct mpl_expression expression = { 0 };
        struct mpl_err err = { 0 };
        uint32_t n_matches = 0;

        mpl_alloc_fail_after(n);

        struct mpl_event_matcher *matcher = mpl_matcher_open(arena);

        st = matcher == NULL ? MPL_E_NOMEM
                             : mpl_expression_parse(&source, lint, &expression, &err);
        if (st == MPL_OK) {
            st = mpl_automaton_create(&expression, arena, &automaton, &err);
        }
        if (st == MPL_OK) {
            st = mpl_matcher_run(matcher, automaton, &sequence, 8, count, &n_matches, &err);
        }
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            ck_assert_uint_eq(n_matches, 1);
        }
        mpl_expression_free(&expression);
        mpl_matcher_close(matcher);
    }
    ck_assert_int_gt(failures_without_memory(), 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recognize_matcher");
    TCase *tcase = add_case(suite, "all", create_lint, destroy_arena);

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, matches_are_those_of_exhaustive_search, 0, 40);
    tcase_add_test(tcase, steps_grow_linearly_with_the_events);
    tcase_add_test(tcase, complete_match_is_given_up_for_extension_after_the_stated_events);
    tcase_add_test(tcase, long_attempts_do_not_keep_what_nobody_needs);
    tcase_add_test(tcase, ambiguous_events_are_read_as_the_expression_prefers);
    tcase_add_test(tcase, faults_in_expressions_are_told_with_their_column);
    tcase_add_test(tcase, expressions_beyond_the_limits_are_refused);
    tcase_add_test(tcase, nested_repetitions_are_built_without_repeating_the_work);
    tcase_add_test(tcase, occurrences_of_members_are_counted);
    tcase_add_test(tcase, matching_without_memory_fails_and_leaks_nothing);
    return run_suite(suite);
}
