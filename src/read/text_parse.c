/*
 * Tokens to items. Whatever can be said of one item alone is checked here, with its place; what
 * concerns several lines (ranks, communicators, requests) is checked when the model is built.
 */
#include "config.h"

#include "read/text_parse_priv.h"

#include <string.h>

enum { MOST_ERRORS = 20, TIME_ROOM = 40 };
/* Of communicators and hosts together: a range of ranks is short, but what it stands for is not. */
enum { MOST_LISTED = 1 << 20 };

static bool is_full(const struct mpl_parser *p)
{
    return p->text->is_out_of_memory ||
           mpl_lint_errors(p->lint) >= p->errors_before + MOST_ERRORS;
}

static bool take_mark(struct mpl_parser *p, char mark, const char *what)
{
    if (!mpl_parser_is_mark(p, mark)) {
        return mpl_parser_expected(p, what);
    }
    (void) mpl_text_lexer_next(&p->lexer);
    return true;
}

static bool take_range(struct mpl_parser *p, struct mpl_text_item *item)
{
    if (!mpl_parser_take_time(p, false, &item->begin_ns)) {
        return false;
    }
    if (p->lexer.token.kind != MPL_TOKEN_RANGE) {
        return mpl_parser_expected(p, "'..' and the end of the item");
    }
    (void) mpl_text_lexer_next(&p->lexer);
    item->end_place = mpl_parser_place(p);
    return mpl_parser_take_time(p, false, &item->end_ns);
}

/* ---- items ---------------------------------------------------------------------------------------- */

static struct mpl_text_location *location_at(struct mpl_parser *p, uint32_t location)
{
    return mpl_buf_get(&p->text->locations, location);
}

static struct mpl_text_item *item_at(struct mpl_parser *p, uint32_t item)
{
    return mpl_buf_get(&p->text->items, item);
}

/** In the unit of the file, without needless zeros: "12", "0.5". */
static void print_time(char out[TIME_ROOM], int64_t ns, int64_t unit_ns)
{
    int n = snprintf(out, TIME_ROOM, "%lld", (long long) (ns / unit_ns));

    if (ns % unit_ns != 0) {
        out[n++] = '.';
    }
    for (int64_t rest = ns % unit_ns; rest != 0 && n + 1 < TIME_ROOM; n++) {
        unit_ns /= 10;
        out[n] = (char) ('0' + rest / unit_ns);
        rest %= unit_ns;
    }
    out[n] = '\0';
}

/** Time does not run backwards, and what is in a region ends with it. */
static bool check_times(struct mpl_parser *p, const struct mpl_text_item *item)
{
    const struct mpl_text_location *location = location_at(p, item->location);
    char limit[TIME_ROOM];

    if (location->unfinished != NULL) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, item->place,
                     "nothing can follow the unfinished %s", location->unfinished);
        return false;
    }
    if (item->end_ns < item->begin_ns) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, item->end_place, "%s ends before it begins",
                     item->verb->word);
        return false;
    }
    if (item->begin_ns < location->last_ns) {
        print_time(limit, location->last_ns, p->unit_ns);
        mpl_lint_add(p->lint, MPL_LINT_ERROR, item->place,
                     "%s begins before %s, when the rank is free again", item->verb->word,
                     limit);
        return false;
    }
    if (location->open != MPL_NONE && item->end_ns > item_at(p, location->open)->end_ns) {
        print_time(limit, item_at(p, location->open)->end_ns, p->unit_ns);
        mpl_lint_add(p->lint, MPL_LINT_ERROR, item->end_place,
                     "%s ends after %s, the end of region %s", item->verb->word, limit,
                     item_at(p, location->open)->name.text);
        return false;
    }
    return true;
}

static void keep_item(struct mpl_parser *p, const struct mpl_text_item *item)
{
    struct mpl_text_location *location = location_at(p, item->location);
    const uint32_t number = (uint32_t) p->text->items.n;
    struct mpl_text_item *copy = mpl_buf_add(&p->text->items);

    if (copy == NULL) {
        p->text->is_out_of_memory = true;
        return;
    }
    *copy = *item;
    if (item->shape == MPL_TEXT_REGION) {
        copy->outer = location->open;
        location->open = number;
        location->last_ns = item->begin_ns;
    } else {
        location->last_ns = item->end_ns;
        location->unfinished =
            item->is_unfinished ? item->verb->word : location->unfinished;
    }
}

/** Ends the innermost region of the location. */
static void close_region(struct mpl_parser *p, uint32_t l)
{
    struct mpl_text_location *location = location_at(p, l);
    struct mpl_text_item item = *item_at(p, location->open);

    item.shape = MPL_TEXT_CLOSE;
    location->open = item.outer;
    keep_item(p, &item);
}

static bool take_close(struct mpl_parser *p)
{
    if (location_at(p, p->location)->open == MPL_NONE) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, mpl_parser_place(p),
                     "no region is open here");
        return false;
    }
    (void) mpl_text_lexer_next(&p->lexer);
    close_region(p, p->location);
    return true;
}

static bool take_item(struct mpl_parser *p)
{
    struct mpl_text_item item = { .place = mpl_parser_place(p),
                                  .location = p->location,
                                  .outer = MPL_NONE,
                                  .to = { .rank = MPL_TEXT_NO_RANK },
                                  .from = { .rank = MPL_TEXT_NO_RANK },
                                  .root = { .rank = MPL_TEXT_NO_RANK } };

    if (mpl_parser_is_mark(p, '}')) {
        return take_close(p);
    }
    if (p->lexer.token.kind != MPL_TOKEN_WORD) {
        return mpl_parser_expected(p, "an item (compute, send, recv, barrier, ...)");
    }
    item.verb = mpl_text_verb_find(p->lexer.token.at, p->lexer.token.n);
    if (item.verb == NULL) {
        mpl_parser_unknown_word(p);
        return false;
    }
    item.shape = item.verb->shape;
    (void) mpl_text_lexer_next(&p->lexer);
    if (item.shape == MPL_TEXT_REGION &&
        !mpl_parser_take_name(p, "the name of the region", &item.name)) {
        return false;
    }
    if (!take_range(p, &item) || !mpl_parser_take_options(p, &item) ||
        !check_times(p, &item)) {
        return false;
    }
    if (item.is_unfinished && item.shape == MPL_TEXT_REGION) {
        item.shape = MPL_TEXT_PLAIN; /* Nothing is known to be in it. */
    }
    keep_item(p, &item);
    if (item.shape == MPL_TEXT_REGION) {
        if (mpl_parser_is_mark(p, '{')) {
            (void) mpl_text_lexer_next(&p->lexer);
        } else if (!p->text->is_out_of_memory) {
            close_region(p, p->location);
        }
    }
    return true;
}

/* ---- statements -------------------------------------------------------------------------------------- */

/** The number that \p n digits make; UINT32_MAX when they are too many or none. */
static uint32_t number_of(const char *at, size_t n)
{
    uint32_t value = 0;

    if (n == 0 || n > 5) {
        return UINT32_MAX;
    }
    for (size_t i = 0; i < n; i++) {
        if (at[i] < '0' || at[i] > '9') {
            return UINT32_MAX;
        }
        value = value * 10 + (uint32_t) (at[i] - '0');
    }
    return value;
}

/** "3" or "3.2". */
static bool take_location(struct mpl_parser *p, uint32_t *rank, uint32_t *thread)
{
    const struct mpl_text_token t = p->lexer.token;
    const char *dot = t.n > 0 ? memchr(t.at, '.', t.n) : NULL;
    const size_t n = dot != NULL ? (size_t) (dot - t.at) : t.n;

    *rank = number_of(t.at, n);
    *thread = dot != NULL ? number_of(dot + 1, t.n - n - 1) : 0;
    if (t.kind != MPL_TOKEN_NUMBER || *rank == UINT32_MAX || *thread == UINT32_MAX) {
        return mpl_parser_expected(
            p, "a rank below 100000 (\"3\", or \"3.2\" for its thread 2)");
    }
    (void) mpl_text_lexer_next(&p->lexer);
    return true;
}

static uint32_t find_location(struct mpl_parser *p, uint32_t rank, uint32_t thread,
                              struct mpl_place place)
{
    const uint64_t key = (uint64_t) rank << 32 | thread;
    const uint32_t known = mpl_map_find(p->text->location_of, key);
    const uint32_t number = (uint32_t) p->text->locations.n;

    if (known != MPL_NONE) {
        return known;
    }
    const struct mpl_text_location location = {
        .rank = rank, .thread = thread, .place = place, .open = MPL_NONE
    };

    if (!mpl_buf_put(&p->text->locations, &location) ||
        !mpl_map_put(p->text->location_of, key, number)) {
        p->text->is_out_of_memory = true;
        return MPL_NONE;
    }
    return number;
}

static bool take_rank_line(struct mpl_parser *p)
{
    const struct mpl_place place = mpl_parser_place(p);
    uint32_t rank;
    uint32_t thread;

    if (!take_location(p, &rank, &thread) || !take_mark(p, ':', "':' after the rank")) {
        return false;
    }
    p->location = find_location(p, rank, thread, place);
    return p->location != MPL_NONE;
}

static bool take_unit(struct mpl_parser *p)
{
    const struct mpl_text_token *t = &p->lexer.token;
    const int64_t unit_ns = mpl_text_unit_ns(t->at, t->n);

    if (t->kind != MPL_TOKEN_WORD || unit_ns == 0) {
        return mpl_parser_expected(p, "a unit (s, ms, us or ns)");
    }
    if (p->text->items.n > 0) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, mpl_parser_place(p),
                     "the unit must stand before all items");
        return false;
    }
    p->unit_ns = unit_ns;
    (void) mpl_text_lexer_next(&p->lexer);
    return true;
}

static bool keep(struct mpl_parser *p, struct mpl_buf *buf, const void *item)
{
    const bool is_kept = mpl_buf_put(buf, item);

    p->text->is_out_of_memory |= !is_kept;
    return is_kept;
}

/** "3", or "0..7" for all of them; in the text's ranks. */
static bool take_member(struct mpl_parser *p, size_t *n)
{
    struct mpl_text_rank rank;

    if (!mpl_parser_take_rank(p, false, &rank)) {
        return false;
    }
    struct mpl_text_rank last = rank;
    if (p->lexer.token.kind == MPL_TOKEN_RANGE) {
        (void) mpl_text_lexer_next(&p->lexer);
        if (!mpl_parser_take_rank(p, false, &last)) {
            return false;
        }
    }
    if (last.rank < rank.rank) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, last.place, "the ranks %lld to %lld are none",
                     (long long) rank.rank, (long long) last.rank);
        return false;
    }
    if (p->text->ranks.n + (size_t) (last.rank - rank.rank) >= MOST_LISTED) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, rank.place,
                     "communicators and hosts name more than %d ranks", MOST_LISTED);
        return false;
    }
    for (; rank.rank <= last.rank; rank.rank++) {
        if (!keep(p, &p->text->ranks, &rank)) {
            return false;
        }
        (*n)++;
    }
    return true;
}

static bool take_members(struct mpl_parser *p, size_t *n)
{
    while (p->lexer.token.kind == MPL_TOKEN_NUMBER && !p->lexer.token.is_first) {
        if (!take_member(p, n)) {
            return false;
        }
    }
    return *n > 0 || mpl_parser_expected(p, "the ranks of its members");
}

static bool take_comm(struct mpl_parser *p)
{
    struct mpl_text_comm comm = { .first_rank = p->text->ranks.n };
    struct mpl_text_word name;

    if (!mpl_parser_take_name(p, "the name of a communicator", &name) ||
        !take_mark(p, ':', "':' and the ranks of its members") ||
        !take_members(p, &comm.n_ranks)) {
        return false;
    }
    if (mpl_parser_is_mark(p, '/')) {
        (void) mpl_text_lexer_next(&p->lexer);
        if (!take_members(p, &comm.n_remote)) {
            return false;
        }
    }
    comm.name = name.text;
    comm.place = name.place;
    return keep(p, &p->text->comms, &comm);
}

static bool take_host(struct mpl_parser *p)
{
    struct mpl_text_host host = { .first_rank = p->text->ranks.n };
    struct mpl_text_word name;

    if (!mpl_parser_take_name(p, "the name of a host", &name) ||
        !take_mark(p, ':', "':' and the ranks that run on it") ||
        !take_members(p, &host.n_ranks)) {
        return false;
    }
    host.name = name.text;
    return keep(p, &p->text->hosts, &host);
}

static bool take_clock(struct mpl_parser *p)
{
    struct mpl_text_clock clock = { .offset_ns = 0 };

    if (!mpl_parser_take_rank(p, false, &clock.rank)) {
        return false;
    }
    const bool is_negative = mpl_parser_is_mark(p, '-');
    if (is_negative || mpl_parser_is_mark(p, '+')) {
        (void) mpl_text_lexer_next(&p->lexer);
    }
    if (!mpl_parser_take_time(p, true, &clock.offset_ns)) {
        return false;
    }
    clock.offset_ns = is_negative ? -clock.offset_ns : clock.offset_ns;
    return keep(p, &p->text->clocks, &clock);
}

/** A statement begins its line; anything else goes on with the items of the rank before. */
static bool take_statement(struct mpl_parser *p)
{
    static const struct {
        const char *word;
        bool (*take)(struct mpl_parser *p);
    } statements[] = { { "rank", take_rank_line },
                       { "unit", take_unit },
                       { "comm", take_comm },
                       { "host", take_host },
                       { "clock", take_clock } };

    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (p->lexer.token.is_first &&
            mpl_text_token_is(&p->lexer.token, statements[i].word)) {
            (void) mpl_text_lexer_next(&p->lexer);
            return statements[i].take(p);
        }
    }
    if (p->location == MPL_NONE) {
        return mpl_parser_expected(p, "'rank', 'comm', 'host', 'clock' or 'unit'");
    }
    return take_item(p);
}

/** After an error: to the next item or line, so that one mistake makes one message. */
static void skip_to_next(struct mpl_parser *p, const char *from)
{
    struct mpl_lexer *x = &p->lexer;

    if (x->token.kind != MPL_TOKEN_END && x->token.at == from && !mpl_text_lexer_next(x)) {
        return;
    }
    while (x->token.kind != MPL_TOKEN_END && !x->token.is_first &&
           (x->token.kind != MPL_TOKEN_WORD ||
            mpl_text_verb_find(x->token.at, x->token.n) == NULL)) {
        (void) mpl_text_lexer_next(x);
    }
}

void mpl_text_parse(struct mpl_text *text, const char *file, const char *bytes, size_t n)
{
    struct mpl_parser p = { .text = text,
                            .lint = text->lint,
                            .errors_before = mpl_lint_errors(text->lint),
                            .location = MPL_NONE };

    mpl_lexer_start(&p.lexer, file, bytes, n, text->lint);
    p.unit_ns = p.lexer.unit != NULL ? mpl_text_unit_ns(p.lexer.unit, strlen(p.lexer.unit))
                                     : mpl_text_unit_ns("us", 2);
    while (p.lexer.token.kind != MPL_TOKEN_END && !is_full(&p)) {
        const char *from = p.lexer.token.at;

        if (!take_statement(&p)) {
            skip_to_next(&p, from);
        }
    }
    if (mpl_lint_errors(text->lint) == p.errors_before) {
        for (uint32_t l = 0; l < p.text->locations.n && !is_full(&p); l++) {
            const uint32_t open = location_at(&p, l)->open;

            if (open != MPL_NONE) {
                mpl_lint_add(p.lint, MPL_LINT_ERROR, item_at(&p, open)->place,
                             "region %s has no closing '}'", item_at(&p, open)->name.text);
            }
        }
    }
}

void mpl_text_start(struct mpl_text *text, struct mpl_arena *arena, struct mpl_lint *lint)
{
    *text = (struct mpl_text){ .arena = arena,
                               .lint = lint,
                               .items = mpl_buf_make(sizeof(struct mpl_text_item)),
                               .labels = mpl_buf_make(sizeof(struct mpl_text_word)),
                               .location_of = mpl_map_create(),
                               .locations = mpl_buf_make(sizeof(struct mpl_text_location)),
                               .comms = mpl_buf_make(sizeof(struct mpl_text_comm)),
                               .hosts = mpl_buf_make(sizeof(struct mpl_text_host)),
                               .ranks = mpl_buf_make(sizeof(struct mpl_text_rank)),
                               .clocks = mpl_buf_make(sizeof(struct mpl_text_clock)) };
    text->is_out_of_memory = text->location_of == NULL;
}

void mpl_text_free(struct mpl_text *text)
{
    mpl_map_destroy(text->location_of);
    mpl_buf_free(&text->items);
    mpl_buf_free(&text->labels);
    mpl_buf_free(&text->locations);
    mpl_buf_free(&text->comms);
    mpl_buf_free(&text->hosts);
    mpl_buf_free(&text->ranks);
    mpl_buf_free(&text->clocks);
}
