#include "config.h"

#include "read/baseline_priv.h"

#include <inttypes.h>

bool mpl_baseline_sum(const struct mpl_json_value *root, char *sum)
{
    uint64_t hash;

    if (!mpl_json_hash(root, MPL_BASELINE_SUM, &hash)) {
        return false;
    }
    (void) snprintf(sum, MPL_BASELINE_SUM_ROOM, "%016" PRIx64, hash);
    return true;
}

struct mpl_coder mpl_coder_write(void)
{
    return (struct mpl_coder){ .is_writing = true, .text = mpl_buf_make(1) };
}

struct mpl_coder mpl_coder_read(const char *text)
{
    return (struct mpl_coder){ .is_bad = text == NULL, .at = text };
}

void mpl_code(struct mpl_coder *c, uint64_t *x, uint64_t most)
{
    if (c->is_bad) {
        *x = 0;
    } else if (c->is_writing) {
        c->is_bad = !mpl_digits_put(&c->text, *x);
    } else if (!mpl_digits_take(&c->at, x) || *x > most) {
        c->is_bad = true;
        *x = 0;
    }
}

void mpl_code_signed(struct mpl_coder *c, int64_t *x)
{
    if (c->is_bad) {
        *x = 0;
    } else if (c->is_writing) {
        c->is_bad = !mpl_digits_put_signed(&c->text, *x);
    } else if (!mpl_digits_take_signed(&c->at, x)) {
        c->is_bad = true;
        *x = 0;
    }
}

/* An index below \p n, or MPL_NONE: of none 0, so that it takes one letter. */
static void code_index(struct mpl_coder *c, uint32_t *x, uint32_t n)
{
    uint64_t number = *x == MPL_NONE ? 0 : (uint64_t) *x + 1;

    mpl_code(c, &number, n);
    *x = number == 0 ? MPL_NONE : (uint32_t) (number - 1);
}

static void code_bool(struct mpl_coder *c, bool *x)
{
    uint64_t number = *x;

    mpl_code(c, &number, 1);
    *x = number == 1;
}

bool mpl_coder_is_done(const struct mpl_coder *c)
{
    return !c->is_bad && *c->at == '\0';
}

/* Any number of 32 bits. */
static void code_word(struct mpl_coder *c, uint32_t *x)
{
    uint64_t number = *x;

    mpl_code(c, &number, UINT32_MAX);
    *x = (uint32_t) number;
}

/* ---- tables of a location --------------------------------------------------------------------- */

void mpl_code_envelope(const struct mpl_model *model, struct mpl_envelope *e,
                       struct mpl_coder *c)
{
    code_index(c, &e->comm, model->n_comms);
    code_index(c, &e->peer, model->n_processes);
    code_word(c, &e->peer_rank);
    code_word(c, &e->tag);
    code_bool(c, &e->is_send);
    code_bool(c, &e->is_null);
    code_bool(c, &e->is_garbage);
    code_bool(c, &e->comm_unsure);
    c->is_bad |= (e->is_null || e->is_garbage) && e->peer != MPL_NONE;
}

void mpl_code_thread_record(struct mpl_thread_record *x, uint32_t *event,
                            struct mpl_coder *c)
{
    uint64_t more = x->event - *event;
    uint64_t act = x->act;

    mpl_code(c, &more, UINT32_MAX - *event);
    mpl_code(c, &act, MPL_ACT_WAIT);
    code_word(c, &x->object);
    code_word(c, &x->number);
    x->event = *event + (uint32_t) more;
    x->act = (enum mpl_thread_act) act;
    *event = x->event;
}

/* ---- records -------------------------------------------------------------------------------------- */

/* An index, by its distance from the next new one; 0: none. */
static void code_new(struct mpl_coder *c, uint32_t *ref, uint32_t *next, uint32_t n)
{
    bool is_none = *ref == MPL_NONE;
    int64_t distance = is_none ? 0 : (int64_t) *ref - *next;

    code_bool(c, &is_none);
    if (is_none) {
        *ref = MPL_NONE;
        return;
    }
    mpl_code_signed(c, &distance);
    if (distance < -(int64_t) *next || distance >= (int64_t) n - *next) {
        c->is_bad = true;
        distance = 0;
    }
    *ref = (uint32_t) (*next + distance);
    *next = *ref >= *next ? *ref + 1 : *next;
}

/* Reading: a message or collective has one record of a kind. */
static void code_place(struct mpl_coder *c, uint32_t *place, uint32_t i, bool *is_own)
{
    *is_own = *place == i;
    code_bool(c, is_own);
    c->is_bad |= *is_own && !c->is_writing && *place != MPL_NONE;
    *place = *is_own ? i : *place;
}

static void code_message(struct mpl_record_coder *r, uint32_t i, struct mpl_coder *c)
{
    const uint8_t kind = r->kind[i];
    const bool is_post = kind == MPL_EV_ISEND_DONE || kind == MPL_EV_IRECV_POST;
    bool is_own;

    code_new(c, &r->ref[i], &r->next_message, r->location->n_messages);
    if (c->is_bad || r->ref[i] == MPL_NONE) {
        c->is_bad |= kind != MPL_EV_ISEND_DONE;
        return;
    }
    struct mpl_message *m = &r->messages[r->ref[i]];
    code_place(c, is_post ? &m->post : &m->event, i, &is_own);
    /* What sends or receives a message is the only such record of it. */
    c->is_bad |= !is_own && !is_post && !c->is_writing;
    if (is_own && !is_post) {
        uint64_t bytes = m->bytes;

        code_index(c, &m->envelope, r->location->n_envelopes);
        mpl_code(c, &bytes, UINT64_MAX);
        m->bytes = bytes;
        c->is_bad |=
            m->envelope == MPL_NONE || r->location->envelopes[m->envelope].is_send !=
                                           (kind == MPL_EV_SEND || kind == MPL_EV_ISEND);
    }
}

static void code_collective(struct mpl_record_coder *r, uint32_t i, struct mpl_coder *c)
{
    const bool is_end = r->kind[i] == MPL_EV_COLL_END;
    bool is_own;

    code_new(c, &r->ref[i], &r->next_collective, r->location->n_collectives);
    if (c->is_bad || r->ref[i] == MPL_NONE) {
        c->is_bad |= is_end;
        return;
    }
    struct mpl_collective *part = &r->collectives[r->ref[i]];
    code_place(c, is_end ? &part->end : &part->begin, i, &is_own);
    if (!is_own || (is_end && part->begin != MPL_NONE)) {
        return;
    }
    uint64_t op = part->op;
    mpl_code(c, &op, MPL_COLL_OPS - 1);
    part->op = (enum mpl_coll_op) op;
    code_bool(c, &part->is_immediate);
    code_index(c, &part->comm, r->model->n_comms);
    code_index(c, &part->root, r->model->n_processes);
    mpl_code(c, &part->sent_bytes, UINT64_MAX);
    mpl_code(c, &part->received_bytes, UINT64_MAX);
}

void mpl_code_record(struct mpl_record_coder *r, uint32_t i, struct mpl_coder *c)
{
    uint64_t kind = r->kind[i];

    mpl_code(c, &kind, MPL_EV_KINDS - 1);
    r->kind[i] = (uint8_t) kind;
    switch (kind) {
    case MPL_EV_ENTER:
    case MPL_EV_LEAVE:
        code_index(c, &r->ref[i], r->model->n_regions);
        c->is_bad |= r->ref[i] == MPL_NONE;
        break;
    case MPL_EV_SEND:
    case MPL_EV_ISEND:
    case MPL_EV_ISEND_DONE:
    case MPL_EV_RECV:
    case MPL_EV_IRECV_POST:
    case MPL_EV_IRECV:
        code_message(r, i, c);
        break;
    case MPL_EV_COLL_BEGIN:
    case MPL_EV_COLL_END:
        code_collective(r, i, c);
        break;
    default:
        code_word(c, &r->ref[i]);
    }
}
