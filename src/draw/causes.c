/* Each cause: what, where, what to do, what that brings, a picture of it, and what it rests on. */
#include "config.h"

#include "draw/draw_priv.h"

static void say_part(const struct sheet *s, const char *label, const char *text)
{
    if (text != NULL && *text != '\0') {
        mpl_markup_print(s->out, "<dt>%s</dt><dd>%s</dd>\n", label, text);
    }
}

static void say_head(const struct sheet *s, const struct mpl_diagnosed *f,
                     const struct mpl_cause_words *words)
{
    const char *certainty = mpl_certainty_name(f->certainty);

    mpl_markup_print(s->out,
                     "<article class=\"cause\" id=\"%s\" data-name=\"%s\" data-lost=\"%s\" "
                     "data-gain=\"%s\" data-severity=\"%s\">\n"
                     "<h3><a href=\"#%s\">%s</a> %s <span class=\"%s\">%s</span></h3>\n",
                     f->id, f->finding->name, mpl_draw_number(s, f->lost_s),
                     mpl_draw_number(s, f->gain_s), mpl_draw_number(s, f->severity), f->id,
                     f->id, f->finding->name, certainty, certainty);
    mpl_markup_put(s->out, "<dl>\n");
    say_part(s, "what", f->finding->text);
    say_part(s, "cost", words->cost);
    say_part(s, "where", words->where);
    say_part(s, "do", f->finding->remedy);
    say_part(s, "gain", f->finding->remedy != NULL ? words->gain : NULL);
    say_part(s, "doubt", f->certainty_reason);
    mpl_markup_put(s->out, "</dl>\n");
}

static void draw_why(const struct sheet *s, const struct mpl_why *node)
{
    mpl_markup_put(s->out, "<ul>");
    for (; node != NULL; node = node->next) {
        mpl_markup_print(s->out, "<li>%s%s",
                         node->kind == MPL_WHY_MET      ? "✓ "
                         : node->kind == MPL_WHY_FAILED ? "✗ "
                                                        : "",
                         node->text);
        if (node->says != NULL && node->says[0] != '\0') {
            mpl_markup_print(s->out, " <small>%s</small>", node->says);
        }
        if (node->first != NULL) {
            draw_why(s, node->first);
        }
        mpl_markup_put(s->out, "</li>\n");
    }
    mpl_markup_put(s->out, "</ul>\n");
}

static enum mpl_status say_why(const struct sheet *s, const struct mpl_diagnosed *f,
                               struct mpl_err *err)
{
    const struct mpl_why *why = NULL;
    const enum mpl_status st = mpl_analysis_why(s->analysis, f->id, s->arena, &why, err);

    if (st == MPL_OK && why->first != NULL) {
        mpl_markup_put(s->out, "<details class=\"why\"><summary>Why: what this rests on"
                               "</summary>\n");
        draw_why(s, why->first);
        mpl_markup_put(s->out, "</details>\n");
    }
    return st;
}

static enum mpl_status draw_cause(const struct sheet *s, const struct mpl_diagnosed *f,
                                  struct mpl_err *err)
{
    const struct mpl_frame *frame = &s->frames[f - s->d->findings];
    struct mpl_cause_words words;
    enum mpl_status st = MPL_OK;

    mpl_report_cause_words(s->d, f, s->arena, &words);
    say_head(s, f, &words);
    if (frame->run != NULL) {
        st = mpl_draw_scene(s, frame, f, err);
    } else {
        mpl_markup_put(s->out, "<p class=\"note\">No picture: nobody waits in a call that "
                               "belongs to this cause.</p>\n");
    }
    st = st == MPL_OK ? say_why(s, f, err) : st;
    st = st == MPL_OK ? mpl_draw_views(s, f, err) : st;
    mpl_markup_put(s->out, "</article>\n");
    return st;
}

enum mpl_status mpl_draw_causes(struct sheet *s, struct mpl_err *err)
{
    const struct mpl_diagnosed *f;
    enum mpl_status st = MPL_OK;
    size_t n = 0;

    s->frames = MPL_NEW_ARRAY(s->arena, s->d->n_findings, struct mpl_frame);
    if (s->frames == NULL) {
        return mpl_nomem(err);
    }
    s->n_frames = s->d->n_findings;
    for (; st == MPL_OK && (f = mpl_report_cause(s->d, n)) != NULL; n++) {
        st = mpl_draw_frame(s, f, &s->frames[f - s->d->findings], err);
    }
    if (n > 0) {
        mpl_markup_put(s->out, "<section id=\"causes\"><h2>Causes</h2>\n");
    }
    for (size_t i = 0; st == MPL_OK && i < n; i++) {
        st = draw_cause(s, mpl_report_cause(s->d, i), err);
    }
    mpl_markup_put(s->out, n > 0 ? "</section>\n" : "");
    return st;
}
