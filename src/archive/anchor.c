#include "config.h"

#include "archive/archive_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What OTF2 itself allows (OTF2_CHUNK_SIZE_MIN and _MAX). */
static const uint64_t chunk_least = 256 * 1024;
static const uint64_t chunk_most = 16 * 1024 * 1024;

enum { ANCHOR_LIMIT = 1 << 20, PROPERTY_LIMIT = 10000 };

/* ---- finding ----------------------------------------------------------------------- */

/** What a directory holds, as far as it helps to say why it is no archive. */
struct census {
    struct mpl_arena *arena;
    const char *path;
    unsigned n_anchors;
    const char *anchor;              /**< The alphabetically first. */
    const char *anchors;             /**< Their names, for the message. */
    struct mpl_archives_below below; /**< Looked for if it holds no anchor itself. */
    bool is_out_of_memory;
};

static void add_anchor(struct census *census, const char *name)
{
    const char *copy = mpl_arena_strdup(census->arena, name);
    const char *list =
        census->n_anchors == 0
            ? mpl_arena_printf(census->arena, "\"%s\"", name)
            : mpl_arena_printf(census->arena, "%s, \"%s\"", census->anchors, name);

    if (copy == NULL || list == NULL) {
        census->is_out_of_memory = true;
        return;
    }
    if (census->n_anchors == 0 || strcmp(copy, census->anchor) < 0) {
        census->anchor = copy;
    }
    /* The message is bounded anyway; three names show what is meant. */
    if (census->n_anchors < 3) {
        census->anchors = list;
    }
    census->n_anchors++;
}

static enum mpl_status take_census(struct census *census, struct mpl_err *err)
{
    DIR *dir = opendir(census->path);
    const struct dirent *entry;

    if (dir == NULL) {
        return mpl_fail(err, MPL_E_IO, "\"%s\": %s", census->path, strerror(errno));
    }
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        if (mpl_ends_with(entry->d_name, ".otf2")) {
            add_anchor(census, entry->d_name);
        }
    }
    (void) closedir(dir);
    return census->is_out_of_memory ? mpl_nomem(err) : MPL_OK;
}

/* "no file *.otf2, but 2 archives below it: "runs/a.otf2", "runs/b.otf2"; name one of them". NULL without
 * memory. */
static const char *name_archives(const struct census *census)
{
    const struct mpl_archives_below *below = &census->below;
    const bool are_all = below->n <= MPL_ARCHIVES_NAMED && !below->is_cut;
    const char *text =
        mpl_arena_printf(census->arena, "no file *.otf2, but %s%u archive%s below it%s ",
                         below->is_cut ? "at least " : "", below->n,
                         below->n == 1 ? "" : "s", are_all ? ":" : ", such as");

    for (unsigned i = 0; i < MPL_ARCHIVES_NAMED && below->paths[i] != NULL && text != NULL;
         i++) {
        text = mpl_arena_printf(census->arena, "%s%s\"%s\"", text, i == 0 ? "" : ", ",
                                below->paths[i]);
    }
    return text == NULL ? NULL
                        : mpl_arena_printf(census->arena, "%s; name one of them", text);
}

static const char *why_no_anchor(const struct census *census)
{
    if (census->below.n > 0) {
        const char *names = name_archives(census);

        return names == NULL ? "no file *.otf2" : names;
    }
    if (census->below.has_events) {
        return "event files but no anchor (*.otf2), without which nobody knows what "
               "they mean: the program ended without MPI_Finalize, or was killed in it; "
               "\"marple run --timeout TIME\" stops a program so that it leaves a whole "
               "trace";
    }
    if (census->below.has_local_definitions) {
        return "only local definition files: the tracer was killed before it wrote events "
               "and its anchor (*.otf2); EZTrace writes them if EZTRACE_SIGNAL_HANDLER=1 "
               "is "
               "set and mpirun is ended by SIGTERM, as \"marple run --timeout TIME\" does";
    }
    return "no file *.otf2";
}

static enum mpl_status find_in_directory(const char *path, struct mpl_arena *arena,
                                         const char **anchor, struct mpl_err *err)
{
    struct census census = { .arena = arena, .path = path };
    enum mpl_status st = take_census(&census, err);

    if (st == MPL_OK && census.n_anchors == 0) {
        st = mpl_archives_below(path, arena, &census.below, err);
    }
    if (st != MPL_OK) {
        return st;
    }
    if (census.n_anchors == 0 && census.below.n == 1 && !census.below.is_cut) {
        *anchor = census.below.paths[0];
        return MPL_OK;
    }
    if (census.n_anchors == 0) {
        return mpl_fail(err, MPL_E_IO, "the directory \"%s\" holds %s", path,
                        why_no_anchor(&census));
    }
    if (census.n_anchors > 1) {
        return mpl_fail(err, MPL_E_USAGE,
                        "the directory \"%s\" holds %u archives (%s%s); name one of them",
                        path, census.n_anchors, census.anchors,
                        census.n_anchors > 3 ? ", ..." : "");
    }
    *anchor = mpl_arena_printf(arena, "%s%s%s", path, mpl_ends_with(path, "/") ? "" : "/",
                               census.anchor);
    return *anchor == NULL ? mpl_nomem(err) : MPL_OK;
}

enum mpl_status mpl_anchor_find(const char *path, struct mpl_arena *arena,
                                const char **anchor, struct mpl_err *err)
{
    struct stat info;

    if (stat(path, &info) != 0) {
        return mpl_fail(err, MPL_E_IO, "\"%s\": %s", path, strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return find_in_directory(path, arena, anchor, err);
    }
    if (!S_ISREG(info.st_mode)) {
        return mpl_fail(err, MPL_E_IO, "\"%s\" is neither a file nor a directory", path);
    }
    if (mpl_ends_with(path, ".evt") || mpl_ends_with(path, ".def")) {
        return mpl_fail(err, MPL_E_USAGE,
                        "\"%s\" is a part of an archive; name its anchor (*.otf2)", path);
    }
    if (!mpl_ends_with(path, ".otf2")) {
        return MPL_END;
    }
    *anchor = mpl_arena_strdup(arena, path);
    return *anchor == NULL ? mpl_nomem(err) : MPL_OK;
}

/* ---- checking ---------------------------------------------------------------------- */

static void keep_property(struct mpl_anchor *anchor, struct mpl_arena *arena,
                          const char *name, const char *value)
{
    if (strcmp(name, "MARPLE::THINNED") == 0) {
        anchor->thinned = mpl_arena_strdup(arena, value);
    } else if (strcmp(name, "MARPLE::COMMON_CLOCK") == 0) {
        anchor->has_common_clock = strcmp(value, "true") == 0;
    } else if (strcmp(name, "MARPLE::TRACER") == 0) {
        anchor->tracer = strcmp(value, "text") == 0      ? MPL_TRACER_TEXT
                         : strcmp(value, "eztrace") == 0 ? MPL_TRACER_EZTRACE
                         : strcmp(value, "scorep") == 0  ? MPL_TRACER_SCOREP
                         : strcmp(value, "marple") == 0  ? MPL_TRACER_MARPLE
                                                         : MPL_TRACER_UNKNOWN;
    }
}

/* Mark and byte order, then magic, version, chunk sizes, substrate, compression, counts, texts. */
static enum mpl_status parse(struct mpl_bytes file, struct mpl_arena *arena,
                             struct mpl_anchor *out, struct mpl_err *err)
{
    struct mpl_cursor c = { .at = file.data + 7, .end = file.data + file.n };

    if (file.n < 64 || file.data[0] != 0x03 || memcmp(file.data + 2, "OTF2", 5) != 0 ||
        (file.data[1] != 0x42 && file.data[1] != 0x23)) {
        return mpl_fail(err, MPL_E_SYNTAX, "\"%s\" is no OTF2 anchor%s", out->path,
                        file.n == 0 ? ": it is empty" : "");
    }
    c.is_big_endian = file.data[1] == 0x23;
    for (int i = 0; i < 5; i++) { /* file format and library version */
        (void) mpl_cursor_u8(&c);
    }
    out->event_chunk_bytes = mpl_cursor_u64_fixed(&c);
    out->def_chunk_bytes = mpl_cursor_u64_fixed(&c);
    const uint8_t substrate = mpl_cursor_u8(&c);
    if (substrate != 1 || mpl_cursor_u8(&c) != 1) {
        return mpl_fail(
            err, MPL_E_UNSUPPORTED,
            "\"%s\": only uncompressed archives with one file per location are read",
            out->path);
    }
    if (out->event_chunk_bytes < chunk_least || out->event_chunk_bytes > chunk_most ||
        out->def_chunk_bytes < chunk_least || out->def_chunk_bytes > chunk_most) {
        return mpl_fail(err, MPL_E_SYNTAX, "\"%s\": impossible chunk sizes", out->path);
    }
    (void) mpl_cursor_u64_fixed(&c); /* number of locations */
    (void) mpl_cursor_u64_fixed(&c); /* number of global definitions */
    (void) mpl_cursor_text(&c);      /* machine */
    out->creator = mpl_arena_strdup(arena, mpl_cursor_text(&c));
    (void) mpl_cursor_text(&c); /* description */
    const uint32_t n_properties = mpl_cursor_u32_fixed(&c);
    for (uint32_t i = 0; i < n_properties && i < PROPERTY_LIMIT && !c.is_bad; i++) {
        const char *name = mpl_cursor_text(&c);

        keep_property(out, arena, name, mpl_cursor_text(&c));
    }
    (void) mpl_cursor_u64_fixed(&c); /* trace identifier */
    if (!c.is_bad && c.end - c.at > MPL_OVERVIEW_COUNTS) {
        out->overviews_at = (size_t) (c.at - file.data);
        out->n_overviews = mpl_cursor_u32_fixed(&c);
        out->n_overviews += mpl_cursor_u32_fixed(&c);
    }
    if (c.is_bad || n_properties > PROPERTY_LIMIT) {
        return mpl_fail(err, MPL_E_SYNTAX, "\"%s\" ends inside its fields", out->path);
    }
    return out->creator == NULL ? mpl_nomem(err) : MPL_OK;
}

enum mpl_status mpl_anchor_read(const char *path, struct mpl_arena *arena,
                                struct mpl_anchor *out, struct mpl_err *err)
{
    struct mpl_room room = { 0 };
    struct mpl_bytes file;

    *out = (struct mpl_anchor){ .path = path };
    out->stem = mpl_arena_strndup(arena, path, strlen(path) - strlen(".otf2"));
    if (out->stem == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = mpl_bytes_load(path, &room, &file, err);
    if (st == MPL_END) {
        st = mpl_fail(err, MPL_E_IO, "\"%s\" does not exist", path);
    }
    if (st == MPL_OK && file.n > ANCHOR_LIMIT) {
        st = mpl_fail(err, MPL_E_SYNTAX, "\"%s\" is too long for an anchor", path);
    }
    st = st == MPL_OK ? parse(file, arena, out, err) : st;
    mpl_room_free(&room);
    return st;
}
