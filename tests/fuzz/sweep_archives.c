/*
 * Damages every byte of every file of archives, one at a time: set to 0xff ("undefined" where a
 * reference stands), to 0x00, and with bit 7 flipped. `marple check` must live through all of them, and
 * the other commands through a sample. Archives above the limit are left out, as every byte of them
 * would say little more about records that stand in small ones, too.
 */
#include "config.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fuzz/cage.h"
#include "cli/cli.h"

enum { FILES_MOST = 256, BYTES_MOST = 15 << 10, DAMAGES = 3, TIMEOUT_S = 30, WORKERS = 2 };

struct file {
    char *name; /**< Below the archive's directory. */
    unsigned char *bytes;
    size_t n;
};

struct archive {
    const char *path;
    struct file files[FILES_MOST];
    size_t n_files;
    size_t n_bytes;
    uint64_t stride; /**< Only every so many damages are tried. */
    const char *command;
    char *scratch; /**< Of all workers. */
    char *copy;    /**< Of this worker. */
    char *out;     /**< Where it writes a corrected copy. */
};

static char *join(const char *a, const char *b)
{
    const size_t n = strlen(a) + strlen(b) + 2;
    char *text = (char *) malloc(n);

    if (text == NULL) {
        exit(EXIT_FAILURE);
    }
    (void) snprintf(text, n, "%s/%s", a, b);
    return text;
}

/* ---- files ------------------------------------------------------------------------------ */

/* nftw() hands nothing to its callback. */
static struct archive *visited;

static int visit(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    struct archive *a = visited;
    const char *name = path + strlen(a->path);
    const char *dot = strrchr(path, '.');
    struct file *file = &a->files[a->n_files];
    FILE *in;

    (void) ftw;
    if (type != FTW_F || dot == NULL || a->n_files == FILES_MOST ||
        (strcmp(dot, ".otf2") != 0 && strcmp(dot, ".def") != 0 &&
         strcmp(dot, ".evt") != 0)) {
        return 0;
    }
    file->n = (size_t) info->st_size;
    file->name = strdup(name + (name[0] == '/'));
    file->bytes = (unsigned char *) malloc(file->n + 1);
    in = fopen(path, "rb");
    if (in == NULL || file->name == NULL || file->bytes == NULL ||
        fread(file->bytes, 1, file->n, in) != file->n) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    (void) fclose(in);
    a->n_files++;
    a->n_bytes += file->n;
    return 0;
}

static void store(const struct archive *a, const struct file *file)
{
    char *path = join(a->copy, file->name);
    FILE *out;

    for (char *at = path + strlen(a->copy) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        (void) mkdir(path, 0700);
        *at = '/';
    }
    out = fopen(path, "wb");
    if (out == NULL || fwrite(file->bytes, 1, file->n, out) != file->n ||
        fclose(out) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    free(path);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void) info;
    (void) type;
    (void) ftw;
    return remove(path);
}

static void remove_tree(const char *path)
{
    (void) nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- damage ------------------------------------------------------------------------------- */

/** The file and byte that damage \p i is about; \p i becomes the byte's place in the file. */
static struct file *find_byte(struct archive *a, uint64_t *i, unsigned *damage)
{
    struct file *file = a->files;

    *i *= a->stride;
    *damage = (unsigned) (*i % DAMAGES);
    for (*i /= DAMAGES; *i >= file->n; file++) {
        *i -= file->n;
    }
    return file;
}

static unsigned char damaged(unsigned char byte, unsigned damage)
{
    return damage == 0 ? 0xff : damage == 1 ? 0 : byte ^ 0x80;
}

static void enter(void *context, unsigned worker)
{
    struct archive *a = (struct archive *) context;
    char name[32];

    cage_be_quiet();
    (void) snprintf(name, sizeof name, "%u", worker);
    a->copy = join(a->scratch, name);
    (void) snprintf(name, sizeof name, "%u.out", worker);
    a->out = join(a->scratch, name);
    (void) mkdir(a->copy, 0700);
    for (size_t f = 0; f < a->n_files; f++) {
        store(a, &a->files[f]);
    }
}

static unsigned run(void *context, uint64_t i)
{
    struct archive *a = (struct archive *) context;
    const char *const words[] = { a->command, a->copy, "-o", a->out, "--force" };
    /* Asks about each message, by timestamps of what is left. */
    const char *const order[] = { a->command, "races", a->copy };
    const bool is_order = strcmp(a->command, "order") == 0;
    const int n_words = is_order ? 3 : strcmp(a->command, "sync") == 0 ? 5 : 2;
    unsigned damage;
    struct file *file = find_byte(a, &i, &damage);
    const unsigned char whole = file->bytes[i];
    unsigned status;

    file->bytes[i] = damaged(whole, damage);
    store(a, file);
    status = (unsigned) mpl_cli_main(n_words, is_order ? order : words, stdout);
    file->bytes[i] = whole;
    store(a, file);
    return status;
}

static void tell(void *context, uint64_t i, const char *what)
{
    static const char *const names[] = { "0xff", "0x00", "bit 7 flipped" };
    struct archive *a = (struct archive *) context;
    unsigned damage;
    const struct file *file = find_byte(a, &i, &damage);

    printf("%s %s: %s, byte %" PRIu64 ", %s: %s\n", a->command, a->path, file->name, i,
           names[damage], what);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void sweep(struct archive *a, const char *command, uint64_t stride,
                  struct cage_tally *tally)
{
    const struct cage cage = { .n = ((uint64_t) a->n_bytes * DAMAGES + stride - 1) / stride,
                               .n_workers = WORKERS,
                               .timeout_s = TIMEOUT_S,
                               .enter = enter,
                               .run = run,
                               .tell = tell,
                               .context = a };

    a->command = command;
    a->stride = stride;
    cage_run(&cage, tally);
}

int main(int argc, char **argv)
{
    static const char *const commands[] = { "check", "sync", "diagnose", "plan", "order" };
    enum { N_COMMANDS = sizeof commands / sizeof *commands };
    static struct archive a;
    struct cage_tally tally[N_COMMANDS] = { 0 };
    const char *tmp = getenv("TMPDIR");
    char *scratch = join(tmp == NULL ? "/tmp" : tmp, "marple-sweep-XXXXXX");
    const uint64_t sample = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    struct stat info;
    size_t n_bytes = 0;
    bool is_clean = true;

    if (sample == 0 || mkdtemp(scratch) == NULL) {
        fprintf(stderr, "usage: sweep_archives SAMPLE DIRECTORY...\n");
        return EXIT_FAILURE;
    }
    for (int i = 2; i < argc; i++) {
        a = (struct archive){ .path = argv[i], .scratch = scratch };
        visited = &a;
        if (stat(argv[i], &info) != 0 || !S_ISDIR(info.st_mode) ||
            nftw(argv[i], visit, 16, FTW_PHYS) != 0 || a.n_bytes > BYTES_MOST) {
            continue;
        }
        n_bytes += a.n_bytes;
        for (size_t c = 0; c < N_COMMANDS; c++) {
            sweep(&a, commands[c], c == 0 ? 1 : sample, &tally[c]);
        }
        remove_tree(scratch);
        (void) mkdir(scratch, 0700);
    }
    remove_tree(scratch);
    printf("%zu bytes, %d damages each; of other commands than check every %" PRIu64 "th\n",
           n_bytes, DAMAGES, sample);
    for (size_t c = 0; c < N_COMMANDS; c++) {
        printf("%s\n", commands[c]);
        cage_print(&tally[c]);
        is_clean &= cage_is_clean(&tally[c]);
    }
    return is_clean && n_bytes > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
