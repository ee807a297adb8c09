/* The page: from the verdict, on which most readers stop, to everything that it rests on. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "draw/draw_priv.h"

enum { SHA256_BYTES = 32 };

static void draw_hash(const struct sheet *s, const struct mpl_asset *asset)
{
    unsigned char bytes[SHA256_BYTES] = { 0 };

    for (size_t i = 0; i < 2 * SHA256_BYTES; i++) {
        const char c = asset->sha256[i];

        bytes[i / 2] =
            (unsigned char) (bytes[i / 2] << 4 | (c <= '9' ? c - '0' : c - 'a' + 10));
    }
    mpl_markup_put(s->out, "'sha256-");
    mpl_markup_base64(s->out, bytes, sizeof bytes);
    mpl_markup_put(s->out, "'");
}

void mpl_draw_head(const struct sheet *s, const char *title, bool has_script)
{
    mpl_markup_put(s->out,
                   "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    /* A browser runs only what has these hashes, and asks nobody for anything. */
    mpl_markup_put(s->out,
                   "<meta http-equiv=\"Content-Security-Policy\" content=\""
                   "default-src 'none'; base-uri 'none'; form-action 'none'; style-src ");
    draw_hash(s, &mpl_asset_css);
    if (has_script) {
        mpl_markup_put(s->out, "; script-src ");
        draw_hash(s, &mpl_asset_js);
    }
    mpl_markup_put(s->out, "\">\n");
    mpl_markup_print(
        s->out,
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"%s\">\n<title>%s</title>\n<style>",
        PACKAGE_STRING, title);
    mpl_markup_put(s->out, mpl_asset_css.text);
    mpl_markup_put(s->out, "</style></head>\n<body>\n");
}

static void draw_verdict(const struct sheet *s)
{
    const struct mpl_diagnosis *d = s->d;
    struct mpl_verdict_words words;

    mpl_report_words(d, s->options->plan, s->arena, &words);
    mpl_page_header(
        s, mpl_verdict_name(d->verdict), mpl_verdict_name(d->verdict),
        /* "PROBLEM, sure: " without what leads to a text behind it. */
        mpl_draw_words(s, "%.*s", (int) strcspn(words.verdict, ":"), words.verdict),
        d->leading != NULL ? d->leading->headline : d->claim);
    mpl_markup_print(s->out, "<p>%s</p>\n<p class=\"title\">%s</p>\n", words.more,
                     words.title);
    if (words.unexplained != NULL) {
        mpl_markup_print(s->out, "<p class=\"title\">Unexplained: %s</p>\n",
                         words.unexplained);
    }
    if (words.next != NULL) {
        mpl_markup_print(s->out, "<p class=\"title\">Measure next: %s</p>\n", words.next);
    }
    mpl_markup_put(s->out, "</header>\n");
}

static void draw_efficiencies(const struct sheet *s)
{
    struct mpl_efficiency all[MPL_EFFICIENCIES];

    mpl_report_efficiencies(s->d, s->d->speaker, all);
    mpl_markup_put(s->out, "<dl class=\"efficiencies\" aria-label=\"Efficiencies\">\n");
    for (size_t i = 0; i < MPL_EFFICIENCIES; i++) {
        const double value = all[i].value;
        const char *width =
            mpl_draw_short(s, isnan(value) ? 0 : fmin(fmax(value, 0), 1) * 100);

        mpl_markup_print(
            s->out,
            "<div data-metric=\"%s\" data-value=\"%s\"><dt>%s</dt><dd>%s<svg "
            "width=\"100%%\" "
            "height=\"6\" aria-hidden=\"true\"><rect class=\"h0\" width=\"100%%\" "
            "height=\"6\"/><rect class=\"l-compute\" width=\"%s%%\" "
            "height=\"6\"/></svg></dd>"
            "</div>\n",
            all[i].metric, mpl_draw_number(s, value), all[i].word,
            isnan(value) ? "unknown" : mpl_draw_words(s, "%lld %%", llround(value * 100)),
            width);
    }
    mpl_markup_put(s->out, "</dl>\n");
}

static enum mpl_status draw_pictures(struct sheet *s, struct mpl_err *err)
{
    const struct mpl_diagnosis *d = s->d;
    const struct mpl_run *run = d->speaker < d->n_runs ? &d->runs[d->speaker] : NULL;

    if (d->verdict == MPL_VERDICT_UNUSABLE || run == NULL || run->events == NULL) {
        mpl_markup_put(s->out, "<p class=\"note\">Nothing can be drawn of this.</p>\n");
        return MPL_OK;
    }
    draw_efficiencies(s);
    enum mpl_status st = mpl_draw_causes(s, err);

    s->path = d->path != NULL ? d->path->path : NULL;
    s->steps = d->steps != NULL && d->steps->n > 0 ? d->steps : NULL;
    st = st == MPL_OK ? mpl_draw_run(s, run, "The run", err) : st;
    st = st == MPL_OK ? mpl_draw_heat(s, run, err) : st;
    st = st == MPL_OK ? mpl_draw_waits(s, run, err) : st;
    return st == MPL_OK ? mpl_draw_delays(s, run, err) : st;
}

static enum mpl_status draw(struct sheet *s, const void *unused, struct mpl_err *err)
{
    (void) unused;
    if (s->d == NULL) {
        mpl_draw_case_only(s);
        return MPL_OK;
    }
    draw_verdict(s);
    mpl_markup_put(s->out, "<main>\n");
    const enum mpl_status st = draw_pictures(s, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_draw_tables(s);
    mpl_markup_put(s->out, "</main>\n");
    return MPL_OK;
}

enum mpl_status mpl_page_write(struct sheet *s, const char *title, const char *path,
                               enum mpl_status (*fill)(struct sheet *s, const void *what,
                                                       struct mpl_err *err),
                               const void *what, struct mpl_err *err)
{
    s->arena = mpl_arena_create();
    s->key = "";
    mpl_draw_head(s, mpl_draw_words(s, "%s: %s", title, path), true);
    mpl_draw_textures(s);
    enum mpl_status st = fill(s, what, err);

    /* A page that lacks a text is none. */
    st = st == MPL_OK && mpl_arena_is_short(s->arena) ? mpl_nomem(err) : st;
    if (st == MPL_OK) {
        mpl_markup_put(s->out, "<script>");
        mpl_markup_put(s->out, mpl_asset_js.text);
        mpl_markup_put(s->out, "</script>\n</body></html>\n");
        st = mpl_file_flush(s->out, err);
    }
    mpl_arena_destroy(s->arena);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write the page");
}

enum mpl_status mpl_draw_page(struct mpl_analysis *analysis,
                              const struct mpl_draw_options *options, FILE *out,
                              struct mpl_err *err)
{
    const struct mpl_diagnosis *d =
        analysis != NULL ? mpl_analysis_diagnosis(analysis) : NULL;
    struct sheet s = { .out = out, .analysis = analysis, .d = d, .options = options };
    const char *path = options->ran != NULL         ? mpl_case_directory(options->ran->c)
                       : d != NULL && d->n_runs > 0 ? d->runs[0].path
                                                    : "";

    return mpl_page_write(&s,
                          d != NULL ? mpl_verdict_words(d->verdict) : "Nothing measured",
                          path, draw, NULL, err);
}
