#include "config.h"

#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beside the file that it is to become, since a file can only be renamed within a file system. */
static int make_beside(const char *path, char *name, size_t room)
{
    if (snprintf(name, room, "%s.XXXXXX", path) >= (int) room) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return mpl_file_make_temporary(name);
}

/* Without a name, so that nothing is left of it however the process ends. */
static FILE *open_nameless(const char *path)
{
    const unsigned held = mpl_ends_hold();
    char name[PATH_MAX];
    const int fd = make_beside(path, name, sizeof name);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "w+");
    const int reason = errno;

    if (fd >= 0) {
        (void) unlink(name);
    }
    if (fd >= 0 && stream == NULL) {
        (void) close(fd);
    }
    mpl_ends_let_go(held);
    errno = reason;
    return stream;
}

enum mpl_status mpl_output_open(const char *path, FILE *otherwise, struct mpl_output *out,
                                struct mpl_err *err)
{
    *out = (struct mpl_output){ .stream = otherwise };
    if (path == NULL) {
        return MPL_OK;
    }
    out->path = path;
    /* A device or pipe cannot be replaced by a file; it is written to as it is. */
    struct stat st;
    out->is_special = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    out->stream = out->is_special ? fopen(path, "w") : open_nameless(path);
    return out->stream != NULL
               ? MPL_OK
               : mpl_fail(err, MPL_E_IO, "cannot %s \"%s\": %s",
                          out->is_special ? "open" : "create", path, strerror(errno));
}

static bool copy(int from, int to)
{
    char piece[1 << 16];
    ssize_t n = 0;

    while ((n = read(from, piece, sizeof piece)) > 0) {
        if (!mpl_file_put(to, piece, (size_t) n)) {
            return false;
        }
    }
    return n == 0;
}

/* What is written becomes the file; false with errno if it cannot. */
static bool give_name(const struct mpl_output *out)
{
    const int from = fileno(out->stream);
    const unsigned held = mpl_ends_hold();
    char name[PATH_MAX];
    const int to =
        lseek(from, 0, SEEK_SET) == 0 ? make_beside(out->path, name, sizeof name) : -1;
    bool is_good = to >= 0 && copy(from, to);
    int reason = errno;

    if (to >= 0 && close(to) != 0 && is_good) {
        is_good = false;
        reason = errno;
    }
    if (is_good && !mpl_ends_are_asked_for() && rename(name, out->path) != 0) {
        is_good = false;
        reason = errno;
    }
    if (to >= 0) {
        (void) unlink(name); /* Not there any more if all went well. */
    }
    mpl_ends_let_go(held);
    errno = reason;
    return is_good;
}

enum mpl_status mpl_output_close(struct mpl_output *out, enum mpl_status status,
                                 struct mpl_err *err)
{
    if (out->path == NULL) {
        return status; /* the hub flushes standard output */
    }
    bool is_good = fflush(out->stream) == 0 && ferror(out->stream) == 0;

    if (is_good && status >= 0 && !out->is_special) {
        is_good = give_name(out);
    }
    const int reason = errno;

    is_good = fclose(out->stream) == 0 && is_good;
    return status < 0 || is_good ? status
                                 : mpl_fail(err, MPL_E_IO, "cannot write \"%s\": %s",
                                            out->path, strerror(reason));
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
