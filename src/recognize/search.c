/*
 * One pass over a location of a role: its spans become letters once, and every event type that
 * runs there is searched in them. A match that meets the event's constraints is an instance. One
 * that does not is remembered only while nothing explains its messages and collectives: the order to stop, read
 * as a task without result, is no failure of the pattern if it is an instance of something else.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <string.h>

/*
 * On each location, the first matches are tested together before anything is known that others may repeat: so they are
 * few. Each next time there are twice as many.
 */
enum { FIRST_TOGETHER = 16 };

/* Matches that failed, as words: event, constraint, location, number of ends, these. */
enum { FAILED_EVENT, FAILED_CONSTRAINT, FAILED_LOCATION, FAILED_ENDS, FAILED_HEAD };

/* A kind of calls with several ends of which a member wants all messages. */
struct whole {
    uint32_t kind; /* MPL_NONE: none yet */
    uint32_t member;
};

enum { WHOLES = 64 };

struct mpl_search {
    struct mpl_recognition *r;
    struct mpl_arena *arena; /* scratch */
    uint32_t *events;        /* room for the events of one level */
    struct mpl_event_matcher *matcher;
    struct mpl_letter_stream *stream;
    struct mpl_instance_view **views; /* per event, NULL until needed */
    struct mpl_repeats **repeats;     /* likewise */
    uint32_t n_most;                  /* matches that can be tested together, */
    uint32_t n_together;              /* and that are, of the event at hand */
    struct mpl_buf
        shaped; /* struct mpl_shaped: instances of the event at hand on the location, */
    size_t n_tested;      /* so many, and then matches that may become some */
    struct mpl_buf words; /* uint32_t: their shapes, */
    uint32_t n_shapes;    /* so many, and then those of these matches */
    struct mpl_buf lists; /* uint32_t: lists of the shapes, likewise */
    size_t n_lists;
    uint32_t kept[MPL_MATCH_KEPT]; /* shapes that a match may repeat, or MPL_NONE */
    struct mpl_buf failed;         /* uint32_t: on this location, see above */
    struct mpl_buf pending;        /* uint32_t: of all locations, not explained so far */
    struct mpl_buf
        *marks; /* struct mpl_mark: what it explains elsewhere; NULL: it says so at once */
    uint32_t event;
    uint32_t location;
    const uint32_t *talking_words; /* of matches whose talking members these are, or NULL */
    uint32_t talking[MPL_MEMBERS_MAX];
    uint32_t n_talking;
    const struct mpl_kinds *kinds; /* of the location */
    struct whole wholes[WHOLES];   /* of the event there: calls of few kinds come again */
    size_t ends_at;                /* of the failed match at hand, in failed */
};

/* ---- ends of communication ----------------------------------------------------------------------- */

static bool is_explained(const struct mpl_recognition *r, uint32_t location, uint32_t end)
{
    return (r->explained[location][end / 64] >> end % 64 & 1) != 0;
}

static bool counts(const struct mpl_recognition *r, uint32_t location, uint32_t end)
{
    if (!r->is_part) {
        return true;
    }

    const uint32_t n = r->model->locations[location].n_messages;

    return end < n ? mpl_events_has_message(r->events, location, end)
                   : mpl_events_has_collective(r->events, location, end - n);
}

/* Ends of locations that play no role do not count. */
static bool explain(void *context, uint32_t location, uint32_t end)
{
    struct mpl_search *s = context;
    struct mpl_recognition *r = s->r;

    if (r->explained[location] == NULL || !counts(r, location, end)) {
        return true;
    }
    if (s->marks != NULL && location != s->location) {
        return mpl_buf_put(s->marks, &(struct mpl_mark){ location, end });
    }
    mpl_end_set_explained(r, location, end);
    return true;
}

/* The only end of a span on the location at hand, MPL_NONE without one, MPL_MANY_ENDS. */
static uint32_t end_of(const struct mpl_instance_view *view, uint32_t span)
{
    return span % 2 == 0 ? MPL_NONE : view->near->ends[span / 2];
}

/* The same of a member; of one that is repeated as if it were many. */
static uint32_t single_end(const struct mpl_instance_view *view, uint32_t member)
{
    const uint32_t word = view->instances->word_of[member];
    const uint32_t n = mpl_row_count(&view->row, word);

    if (n == 0) {
        return MPL_NONE;
    }
    return n > 1 ? MPL_MANY_ENDS : end_of(view, mpl_row_item(&view->row, word, 0));
}

/* Which members of a match communicate and are there; mostly the same as in the match before. */
static void find_talking(struct mpl_search *s, const struct mpl_instance_view *view)
{
    s->n_talking = 0;
    s->talking_words = view->row.words;
    for (uint32_t i = 0; i < view->n_talking_members; i++) {
        const uint32_t member = view->talking[i];

        if (mpl_row_count(&view->row, view->instances->word_of[member]) > 0) {
            s->talking[s->n_talking++] = member;
        }
    }
}

/*
 * The messages of a call with several ends that a member wants. Whether it wants all depends on the kind of the call alone, unless
 * not all that is recorded counts. False: the visitor wants no more.
 */
static bool visit_messages(struct mpl_search *s, const struct mpl_span_filter *filter,
                           uint32_t member, uint32_t call, mpl_end_visit *visit)
{
    const struct mpl_recognition *r = s->r;
    const uint32_t kind = s->kinds->of_call[call];
    struct whole *whole = &s->wholes[(kind ^ member << 3) % WHOLES];
    const bool is_whole = !r->is_part && whole->kind == kind && whole->member == member;
    const struct mpl_messages messages = mpl_events_messages(r->events, s->location, call);
    uint32_t n_wanted = 0;

    for (uint32_t i = 0; i < messages.n; i++) {
        const uint32_t message = mpl_messages_get(&messages, i);

        if (!is_whole && !mpl_filter_wants_message(r, filter, s->location, message)) {
            continue;
        }
        if (!visit(s, s->location, message)) {
            return false;
        }
        n_wanted++;
    }
    if (n_wanted == messages.n) {
        *whole = (struct whole){ kind, member };
    }
    return true;
}

/* The ends of a call with several. */
static bool visit_many(struct mpl_search *s, const struct mpl_instance_view *view,
                       uint32_t member, uint32_t span, mpl_end_visit *visit)
{
    const struct mpl_span_filter *filter = &view->definition->members[member].filter;

    return mpl_filter_has_collectives(filter)
               ? mpl_view_span_ends(view, member, s->location, span, visit, s)
               : visit_messages(s, filter, member, span / 2, visit);
}

/* Calls \p visit for each end of the match's members, which are spans of the location at hand. */
static bool visit_members(struct mpl_search *s, const struct mpl_instance_view *view,
                          mpl_end_visit *visit)
{
    const struct mpl_row *row = &view->row;

    if (row->words != s->talking_words) {
        find_talking(s, view);
    }
    for (uint32_t i = 0; i < s->n_talking; i++) {
        const uint32_t member = s->talking[i];
        const uint32_t *word = &row->words[view->instances->word_of[member]];
        const uint32_t *items = mpl_word_items(word, row->lists);
        const uint32_t n = mpl_word_count(*word, row->lists);

        for (uint32_t k = 0; k < n; k++) {
            const uint32_t span = row->base + items[k];
            const uint32_t end = end_of(view, span);

            if (end == MPL_MANY_ENDS ? !visit_many(s, view, member, span, visit)
                                     : end != MPL_NONE && !visit(s, row->location, end)) {
                return false;
            }
        }
    }
    return true;
}

/* The other end of a member's only message, without looking for its span. False: not so simple. */
static bool explain_match(struct mpl_search *s, const struct mpl_instance_view *view,
                          uint32_t name)
{
    const struct mpl_recognition *r = s->r;
    const struct mpl_event_definition *event = view->definition;
    const struct mpl_associated *link = &event->associated[name - event->n_members];

    if (link->link != MPL_LINK_MATCH || link->base >= event->n_members) {
        return false;
    }

    const uint32_t message = single_end(view, link->base);

    if (message == MPL_MANY_ENDS) {
        return false;
    }
    /* A collective has no other end. */
    if (message < r->model->locations[view->row.location].n_messages) {
        const struct mpl_end other =
            mpl_match_partner(mpl_events_match(r->events), view->row.location, message);

        return other.message == MPL_NONE || explain(s, other.location, other.message);
    }
    return true;
}

static enum mpl_status explain_instance(struct mpl_search *s,
                                        struct mpl_instance_view *view, struct mpl_err *err)
{
    bool is_enough = visit_members(s, view, explain);

    /* What is merely before or behind is context. */
    for (uint32_t i = view->n_talking_members; i < view->n_talking; i++) {
        if (!explain_match(s, view, view->talking[i])) {
            is_enough = mpl_view_ends(view, view->talking[i], explain, s) && is_enough;
        }
    }
    return view->has_no_memory || !is_enough ? mpl_nomem(err) : MPL_OK;
}

/* ---- matches that fail --------------------------------------------------------------------- */

static bool remember_end(void *context, uint32_t location, uint32_t end)
{
    struct mpl_search *s = context;
    const size_t at = s->failed.n;

    (void) location;
    if (!mpl_buf_grow_to(&s->failed, at + 1)) {
        return false;
    }
    ((uint32_t *) s->failed.data)[at] = end;
    ((uint32_t *) s->failed.data)[s->ends_at]++;
    return true;
}

/* A match without communication has nothing that could explain it. */
static bool has_excuse(const struct mpl_recognition *r, const uint32_t *failed)
{
    for (uint32_t i = 0; i < failed[FAILED_ENDS]; i++) {
        if (!is_explained(r, failed[FAILED_LOCATION], failed[FAILED_HEAD + i])) {
            return false;
        }
    }
    return failed[FAILED_ENDS] > 0;
}

/* Most failed matches are explained by what was found before on their location: these need not be remembered. */
static enum mpl_status remember_failed(struct mpl_search *s, struct mpl_instance_view *view,
                                       uint32_t constraint, struct mpl_err *err)
{
    const size_t start = s->failed.n;
    uint32_t *head;

    s->ends_at = start + FAILED_ENDS;
    if (!mpl_buf_grow_to(&s->failed, start + FAILED_HEAD)) {
        return mpl_nomem(err);
    }
    head = (uint32_t *) s->failed.data + start;
    head[FAILED_EVENT] = s->event;
    head[FAILED_CONSTRAINT] = constraint;
    head[FAILED_LOCATION] = s->location;
    head[FAILED_ENDS] = 0;
    if (!visit_members(s, view, remember_end)) {
        return mpl_nomem(err);
    }
    if (has_excuse(s->r, (const uint32_t *) s->failed.data + start)) {
        s->failed.n = start;
    }
    return MPL_OK;
}

static bool keep_pending(struct mpl_search *s, const uint32_t *failed)
{
    const size_t at = s->pending.n;
    const size_t n = FAILED_HEAD + failed[FAILED_ENDS];

    if (!mpl_buf_grow_to(&s->pending, at + n)) {
        return false;
    }
    memcpy((uint32_t *) s->pending.data + at, failed, n * sizeof *failed);
    return true;
}

/* What was found behind them may explain them, too. */
static enum mpl_status sift_failed(struct mpl_search *s, struct mpl_err *err)
{
    const uint32_t *words = s->failed.data;

    for (size_t i = 0; i < s->failed.n; i += FAILED_HEAD + words[i + FAILED_ENDS]) {
        if (!has_excuse(s->r, words + i) && !keep_pending(s, words + i)) {
            return mpl_nomem(err);
        }
    }
    s->failed.n = 0;
    return MPL_OK;
}

/* ---- one match ------------------------------------------------------------------------------- */

/* Adds a list of \p n items to be filled in: its place, MPL_NONE without memory. */
static uint32_t open_list(struct mpl_search *s, uint32_t n)
{
    const size_t at = s->lists.n;

    if (at + n + 1 >= MPL_NONE - MPL_WORD_LIST || !mpl_buf_grow_to(&s->lists, at + n + 1)) {
        return MPL_NONE;
    }
    ((uint32_t *) s->lists.data)[at] = n;
    return (uint32_t) at;
}

/* Replaces the words of members that were captured more than once by places of lists. */
static bool add_lists(struct mpl_search *s, const struct mpl_event_match *match,
                      uint32_t base, uint32_t *words)
{
    const struct mpl_event_definition *event = &s->r->pattern->events[s->event];
    const struct mpl_instances *instances = &s->r->instances[s->event];
    uint32_t count[MPL_MEMBERS_MAX] = { 0 };

    for (size_t i = 0; i < match->n; i++) {
        count[match->captures[i].member]++;
    }
    for (uint32_t m = 0; m < event->n_members; m++) {
        if (count[m] < 2) {
            continue;
        }

        uint32_t at = open_list(s, count[m]);
        uint32_t *lists = s->lists.data;

        if (at == MPL_NONE) {
            return false;
        }
        words[instances->word_of[m]] = MPL_WORD_LIST | at;
        for (size_t i = 0; i < match->n; i++) {
            if (match->captures[i].member == m) {
                lists[++at] =
                    mpl_stream_at(s->stream, match->first + match->captures[i].position) -
                    base;
            }
        }
    }
    return true;
}

static size_t words_of_shape(const struct mpl_search *s)
{
    return mpl_shape_words(&s->r->instances[s->event]);
}

static uint32_t count_shapes(const struct mpl_search *s)
{
    return (uint32_t) (s->words.n / words_of_shape(s));
}

/* The captures as a shape; see struct mpl_segment. */
static bool add_shape(struct mpl_search *s, const struct mpl_event_match *match,
                      uint32_t base)
{
    const struct mpl_instances *instances = &s->r->instances[s->event];
    const size_t start = s->words.n;
    struct mpl_range items = { MPL_NONE, 0 };
    bool has_lists = false;
    uint32_t *words;

    if (!mpl_buf_grow_to(&s->words, start + words_of_shape(s))) {
        return false;
    }
    words = (uint32_t *) s->words.data + start;
    for (uint32_t i = 0; i < instances->stride; i++) {
        words[i] = MPL_NONE;
    }
    for (size_t i = 0; i < match->n; i++) {
        uint32_t *word = &words[instances->word_of[match->captures[i].member]];
        const uint32_t item =
            mpl_stream_at(s->stream, match->first + match->captures[i].position) - base;

        has_lists = has_lists || *word != MPL_NONE;
        *word = item;
        items.first = item < items.first ? item : items.first;
        items.end = item > items.end ? item : items.end;
    }
    words[instances->stride] = items.first;
    words[instances->stride + 1] = items.end;
    return !has_lists || add_lists(s, match, base, words);
}

/* Adds a match to those that are there. Where instances stand among spans, a match that repeats another one is no shift of
 * it: numbers of instances do not grow with those of spans. */
static bool add_match(struct mpl_search *s, const struct mpl_event_match *match)
{
    const bool is_plain = !mpl_stream_has_items(s->stream);
    const bool is_kept = is_plain && match->kept != MPL_NONE;
    const uint32_t base = is_plain ? match->first : 0;
    const size_t at = s->shaped.n;
    uint32_t shape;

    if (is_kept && match->is_repeat) {
        shape = s->kept[match->kept];
    } else {
        shape = count_shapes(s);
        if (!add_shape(s, match, base)) {
            return false;
        }
        if (is_kept) {
            s->kept[match->kept] = shape;
        }
    }
    if (!mpl_buf_grow_to(&s->shaped, at + 1)) {
        return false;
    }
    ((struct mpl_shaped *) s->shaped.data)[at] = (struct mpl_shaped){ base, shape };
    return true;
}

/* ---- matches, many at a time ------------------------------------------------------------- */

/* Says which constraint fails first of \p rows: MPL_NONE where none does. */
static void test_rows(struct mpl_instance_view *view, const uint64_t *rows,
                      uint32_t *failing)
{
    mpl_row_set left;

    memcpy(left, rows, sizeof left);
    for (uint32_t c = 0; c < view->definition->n_constraints; c++) {
        struct mpl_rows list;
        mpl_row_set gone;

        memcpy(gone, left, sizeof gone);
        mpl_view_test(view, c, left);
        for (uint32_t w = 0; w < MPL_FORMULA_ROW_WORDS; w++) {
            gone[w] &= ~left[w];
        }
        mpl_rows_list(gone, &list);
        for (uint32_t k = 0; k < list.n; k++) {
            failing[list.at[k]] = c;
        }
    }
}

/* Leaves in \p rows the instances, and says which constraint of the others fails first: MPL_NONE where they are no match. */
static void find_fitting(struct mpl_instance_view *view, struct mpl_repeats *repeats,
                         uint64_t *rows, uint32_t *failing)
{
    mpl_row_set left;

    memset(failing, 0xFF, MPL_FORMULA_ROWS * sizeof *failing); /* MPL_NONE everywhere */
    mpl_rows_first(view->n, rows);
    mpl_view_test_beside(view, rows);
    memcpy(left, rows, sizeof left);
    mpl_repeats_answer(repeats, left, failing);
    test_rows(view, left, failing);
    mpl_repeats_learn(repeats, left, failing);
    for (uint32_t i = 0; i < view->n; i++) {
        if (failing[i] != MPL_NONE) {
            mpl_row_leave_out(rows, i);
        }
    }
}

/* Moves a shape and its lists to place \p to, over those that nobody needs. */
static void move_shape(struct mpl_search *s, uint32_t from, uint32_t to)
{
    const size_t n_words = words_of_shape(s);
    uint32_t *words = (uint32_t *) s->words.data + to * n_words;
    uint32_t *lists = s->lists.data;

    memmove(words, (const uint32_t *) s->words.data + from * n_words,
            n_words * sizeof *words);
    for (uint32_t i = 0; i < s->r->instances[s->event].stride; i++) {
        if (words[i] == MPL_NONE || (words[i] & MPL_WORD_LIST) == 0) {
            continue;
        }

        const uint32_t at = words[i] & ~MPL_WORD_LIST;
        const uint32_t n = lists[at] + 1;

        memmove(lists + s->n_lists, lists + at, n * sizeof *lists);
        words[i] = MPL_WORD_LIST | (uint32_t) s->n_lists;
        s->n_lists += n;
    }
}

/* Of the shapes of the matches at hand, keeps those of instances, from \p first on, and those that a match may repeat. */
static void sort_shapes(struct mpl_search *s, size_t first)
{
    const uint32_t before = s->n_shapes;
    const uint32_t n = count_shapes(s) - before;
    struct mpl_shaped *shaped = s->shaped.data;
    uint32_t *users[MPL_FORMULA_ROWS + MPL_MATCH_KEPT];
    uint32_t n_users = 0;
    uint32_t moved[MPL_FORMULA_ROWS] = { 0 }; /* 1 and where to; 0: nobody needs it */

    if (n == 0) {
        return;
    }
    for (size_t i = first; i < s->n_tested; i++) {
        users[n_users] = &shaped[i].shape;
        n_users += shaped[i].shape >= before;
    }
    for (uint32_t k = 0; k < MPL_MATCH_KEPT; k++) {
        users[n_users] = &s->kept[k];
        n_users += s->kept[k] != MPL_NONE && s->kept[k] >= before;
    }
    for (uint32_t u = 0; u < n_users; u++) {
        moved[*users[u] - before] = 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (moved[i] != 0) {
            move_shape(s, before + i, s->n_shapes);
            moved[i] = 1 + s->n_shapes++;
        }
    }
    for (uint32_t u = 0; u < n_users; u++) {
        *users[u] = moved[*users[u] - before] - 1;
    }
    s->words.n = s->n_shapes * words_of_shape(s);
    s->lists.n = s->n_lists;
}

/* What is no instance makes room for what comes. */
static enum mpl_status sort_rows(struct mpl_search *s, struct mpl_instance_view *view,
                                 const uint64_t *rows, const uint32_t *failing,
                                 struct mpl_err *err)
{
    const size_t first = s->n_tested;
    struct mpl_shaped *shaped = s->shaped.data;
    enum mpl_status st = MPL_OK;

    s->talking_words = NULL; /* What was there may have made room for others. */
    for (uint32_t i = 0; i < view->n && st == MPL_OK; i++) {
        mpl_view_go(view, i);
        if (mpl_row_is_in(rows, i)) {
            s->r->n_fitting++;
            st = explain_instance(s, view, err);
            shaped[s->n_tested++] = shaped[first + i];
        } else if (failing[i] != MPL_NONE) {
            st = remember_failed(s, view, failing[i], err);
        }
    }
    s->shaped.n = s->n_tested;
    sort_shapes(s, first);
    return st;
}

static enum mpl_status test_matches(struct mpl_search *s, struct mpl_err *err)
{
    struct mpl_instance_view *view = s->views[s->event];
    uint32_t failing[MPL_FORMULA_ROWS];
    mpl_row_set rows;

    if (s->shaped.n == s->n_tested) {
        return MPL_OK;
    }
    if (view == NULL) {
        view = s->views[s->event] = mpl_view_open(s->r, s->event, s->n_most, s->arena);
        s->repeats[s->event] = view == NULL ? NULL : mpl_repeats_open(view);
    }
    if (s->repeats[s->event] == NULL) {
        return mpl_nomem(err);
    }
    /* Makes rows of those that are not tested yet. */
    const struct mpl_segment found = { .location = s->location,
                                       .shaped = s->shaped.data,
                                       .words = s->words.data,
                                       .lists = s->lists.data };
    const uint32_t n = (uint32_t) (s->shaped.n - s->n_tested);

    for (uint32_t i = 0; i < n; i++) {
        view->rows[i] =
            mpl_segment_row(view->instances, &found, (uint32_t) s->n_tested + i);
        view->rows[i].number = MPL_NONE;
    }
    mpl_view_begin(view, n, mpl_stream_near(s->stream));
    find_fitting(view, s->repeats[s->event], rows, failing);
    return view->has_no_memory ? mpl_nomem(err) : sort_rows(s, view, rows, failing, err);
}

static enum mpl_status take_match(void *context, const struct mpl_event_match *match,
                                  struct mpl_err *err)
{
    struct mpl_search *s = context;

    if (!add_match(s, match)) {
        return mpl_nomem(err);
    }
    if (s->shaped.n - s->n_tested < s->n_together) {
        return MPL_OK;
    }
    s->n_together = 2 * s->n_together < s->n_most ? 2 * s->n_together : s->n_most;
    return test_matches(s, err);
}

/* ---- one location ------------------------------------------------------------------------------ */

/* Moves what was found into the recognition. */
static enum mpl_status keep_instances(struct mpl_search *s, struct mpl_err *err)
{
    struct mpl_recognition *r = s->r;
    struct mpl_segment *segment = mpl_instances_find(&r->instances[s->event], s->location);

    segment->n = (uint32_t) s->shaped.n;
    segment->shaped = mpl_buf_take(&s->shaped, r->arena);
    segment->words = mpl_buf_take(&s->words, r->arena);
    segment->lists = mpl_buf_take(&s->lists, r->arena);
    return segment->shaped != NULL && segment->words != NULL && segment->lists != NULL
               ? MPL_OK
               : mpl_nomem(err);
}

static enum mpl_status search_event(struct mpl_search *s, uint32_t i, uint32_t event,
                                    struct mpl_err *err)
{
    struct mpl_letters letters;
    enum mpl_status st = mpl_stream_letters(s->stream, i, &letters, err);

    s->event = event;
    if (s->repeats[event] != NULL) {
        mpl_repeats_forget(s->repeats[event]);
    }
    s->n_together = s->n_most < FIRST_TOGETHER ? s->n_most : FIRST_TOGETHER;
    s->shaped.n = s->n_tested = 0;
    s->words.n = s->n_shapes = 0;
    s->lists.n = s->n_lists = 0;
    memset(s->kept, 0xFF, sizeof s->kept);     /* MPL_NONE everywhere, */
    memset(s->wholes, 0xFF, sizeof s->wholes); /* likewise */
    if (st == MPL_OK) {
        st = mpl_matcher_run(s->matcher, s->r->pattern->events[event].automaton, &letters,
                             MPL_EXTEND_MAX, take_match, s, err);
    }
    st = st == MPL_OK ? test_matches(s, err) : st;
    return st == MPL_OK ? keep_instances(s, err) : st;
}

enum mpl_status mpl_search_location(struct mpl_search *s, uint32_t location, uint32_t level,
                                    struct mpl_err *err)
{
    const struct mpl_pattern *pattern = s->r->pattern;
    uint32_t n = 0;
    enum mpl_status st;

    for (uint32_t e = 0; e < pattern->n_events; e++) {
        const uint32_t role = pattern->events[e].role;

        if (pattern->events[e].level == level &&
            (s->r->roles_of_location[location] >> role & 1) != 0) {
            s->events[n++] = e;
        }
    }
    if (n == 0) {
        return MPL_OK;
    }
    s->location = location;
    s->kinds = mpl_kinds_get(s->r->topology, location);
    st = mpl_stream_read(s->stream, location, s->events, n, err);
    for (uint32_t i = 0; i < n && st == MPL_OK; i++) {
        st = search_event(s, i, s->events[i], err);
    }
    return st == MPL_OK ? sift_failed(s, err) : st;
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* No location has more matches than spans, or not many more; small runs should not need memory for large ones. */
static uint32_t count_most(const struct mpl_recognition *r)
{
    uint32_t n = 1;

    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        const struct mpl_range range = r->ranges[l];

        if (r->roles_of_location[l] != 0 && range.end > range.first + n) {
            n = range.end - range.first;
        }
    }
    return n < MPL_FORMULA_ROWS ? n : MPL_FORMULA_ROWS;
}

struct mpl_search *mpl_search_open(struct mpl_recognition *r, struct mpl_buf *marks,
                                   struct mpl_arena *arena)
{
    struct mpl_search *s = MPL_NEW(arena, struct mpl_search);

    if (s == NULL) {
        return NULL;
    }
    s->r = r;
    s->arena = arena;
    s->marks = marks;
    s->n_most = count_most(r);
    s->events = MPL_NEW_ARRAY(arena, r->pattern->n_events, uint32_t);
    s->views = MPL_NEW_ARRAY(arena, r->pattern->n_events, struct mpl_instance_view *);
    s->repeats = MPL_NEW_ARRAY(arena, r->pattern->n_events, struct mpl_repeats *);
    s->matcher = mpl_matcher_open(arena);
    s->stream = mpl_stream_open(r, arena);
    s->shaped = mpl_buf_make(sizeof(struct mpl_shaped));
    s->words = mpl_buf_make(sizeof(uint32_t));
    s->lists = mpl_buf_make(sizeof(uint32_t));
    s->failed = mpl_buf_make(sizeof(uint32_t));
    s->pending = mpl_buf_make(sizeof(uint32_t));
    if (s->events == NULL || s->views == NULL || s->repeats == NULL || s->matcher == NULL ||
        s->stream == NULL) {
        mpl_search_close(s);
        return NULL;
    }
    return s;
}

void mpl_search_close(struct mpl_search *s)
{
    if (s == NULL) {
        return;
    }
    for (uint32_t e = 0; s->views != NULL && e < s->r->pattern->n_events; e++) {
        mpl_view_close(s->views[e]);
    }
    for (uint32_t e = 0; s->repeats != NULL && e < s->r->pattern->n_events; e++) {
        mpl_repeats_close(s->repeats[e]);
    }
    mpl_matcher_close(s->matcher);
    mpl_stream_close(s->stream);
    mpl_buf_free(&s->shaped);
    mpl_buf_free(&s->words);
    mpl_buf_free(&s->lists);
    mpl_buf_free(&s->failed);
    mpl_buf_free(&s->pending);
}

void mpl_search_count_failed(const struct mpl_search *s, struct mpl_recognition *r)
{
    const uint32_t *words = s->pending.data;

    for (size_t i = 0; i < s->pending.n; i += FAILED_HEAD + words[i + FAILED_ENDS]) {
        if (!has_excuse(r, words + i)) {
            r->n_failed[words[i + FAILED_EVENT]][words[i + FAILED_CONSTRAINT]]++;
            r->n_failing++;
        }
    }
}
