#include "config.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A device or pipe cannot be replaced by a file; it is written to as it is. */
static bool is_special(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static enum mpl_status open_temporary(struct mpl_output *out, struct mpl_err *err)
{
    const int fd = mpl_file_make_temporary(out->temporary);

    if (fd < 0) {
        return mpl_fail(err, MPL_E_IO, "cannot create \"%s\": %s", out->path,
                        strerror(errno));
    }
    out->stream = fdopen(fd, "w");
    if (out->stream == NULL) {
        (void) close(fd);
        (void) unlink(out->temporary);
        return mpl_nomem(err);
    }
    return MPL_OK;
}

enum mpl_status mpl_output_open(const char *path, FILE *otherwise, struct mpl_arena *arena,
                                struct mpl_output *out, struct mpl_err *err)
{
    *out = (struct mpl_output){ .stream = otherwise };
    if (path == NULL) {
        return MPL_OK;
    }
    out->path = path;
    if (is_special(path)) {
        out->stream = fopen(path, "w");
        return out->stream != NULL ? MPL_OK
                                   : mpl_fail(err, MPL_E_IO, "cannot open \"%s\": %s", path,
                                              strerror(errno));
    }
    /* In the same directory, since a file can only be renamed within a file system. */
    out->temporary = mpl_arena_printf(arena, "%s.XXXXXX", path);
    return out->temporary != NULL ? open_temporary(out, err) : mpl_nomem(err);
}

enum mpl_status mpl_output_close(struct mpl_output *out, enum mpl_status status,
                                 struct mpl_err *err)
{
    if (out->path == NULL) {
        return status; /* the hub flushes standard output */
    }
    bool is_good = ferror(out->stream) == 0;
    is_good = fclose(out->stream) == 0 && is_good;
    if (out->temporary != NULL && status >= 0 && is_good) {
        is_good = rename(out->temporary, out->path) == 0;
    }
    const int reason = errno;
    if (out->temporary != NULL && (status < 0 || !is_good)) {
        (void) unlink(out->temporary);
    }
    if (status >= 0 && !is_good) {
        return mpl_fail(err, MPL_E_IO, "cannot write \"%s\": %s", out->path,
                        strerror(reason));
    }
    return status;
}

int mpl_output_width(FILE *out)
{
    struct winsize size = { 0 };
    const int fd = fileno(out);

    if (fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return 80;
    }
    return size.ws_col < 100 ? size.ws_col : 100;
}
