/*
 * Where libFuzzer is missing: calls what it would call with mutations of files, without a look at what
 * they reach. "fuzz_plain SECONDS SEED FINDINGS FILE..."; inputs that do not end well are stored in
 * the directory FINDINGS.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../fuzz/cage.h"

enum { INPUT_MOST = 1 << 18, FILES_MOST = 512, TIMEOUT_S = 30, WORKERS = 1, ROUND = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct corpus {
    char **paths;
    size_t n;
    uint64_t seed;
    const char *findings;
    uint8_t input[INPUT_MOST];
    uint8_t other[INPUT_MOST];
};

static size_t load(const char *path, uint8_t *bytes)
{
    FILE *in = fopen(path, "rb");
    const size_t n = in == NULL ? 0 : fread(bytes, 1, INPUT_MOST / 2, in);

    if (in != NULL) {
        (void) fclose(in);
    }
    return n;
}

/* Puts a part of another file, or of this one, in the place of another part. */
static size_t splice(struct corpus *c, size_t n, uint64_t *state)
{
    const size_t n_other = load(c->paths[cage_pick(state, c->n)], c->other);
    const size_t from = cage_pick(state, n_other + 1);
    const size_t at = cage_pick(state, n + 1);
    size_t more = cage_pick(state, 64);
    size_t less = cage_pick(state, 64);

    more = more > n_other - from ? n_other - from : more;
    less = less > n - at ? n - at : less;
    if (n + more - less > INPUT_MOST) {
        return n;
    }
    memmove(c->input + at + more, c->input + at + less, n - at - less);
    memcpy(c->input + at, c->other + from, more);
    return n + more - less;
}

static size_t make_input(struct corpus *c, uint64_t i)
{
    uint64_t state = (c->seed + i) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    size_t n = load(c->paths[cage_pick(&state, c->n)], c->input);

    for (size_t k = 1 + cage_pick(&state, 4); k > 0; k--) {
        if (n == 0 || cage_pick(&state, 2) == 0) {
            n = splice(c, n, &state);
            continue;
        }

        uint8_t *byte = &c->input[cage_pick(&state, n)];

        switch (cage_pick(&state, 4)) {
        case 0:
            *byte ^= (uint8_t) (1U << cage_pick(&state, 8));
            break;
        case 1:
            *byte = 0xff;
            break;
        case 2:
            *byte = 0;
            break;
        default:
            *byte = (uint8_t) cage_pick(&state, 256);
        }
    }
    return n;
}

static void enter(void *context, unsigned worker)
{
    (void) context;
    (void) worker;
    cage_be_quiet();
}

static unsigned run(void *context, uint64_t i)
{
    struct corpus *c = (struct corpus *) context;

    return (unsigned) LLVMFuzzerTestOneInput(c->input, make_input(c, i));
}

static void tell(void *context, uint64_t i, const char *what)
{
    struct corpus *c = (struct corpus *) context;
    const size_t n = make_input(c, i);
    char path[4096];
    FILE *out;

    (void) snprintf(path, sizeof path, "%s/plain-%" PRIu64, c->findings, c->seed + i);
    printf("%s: %s\n", path, what);
    out = fopen(path, "wb");
    if (out == NULL || fwrite(c->input, 1, n, out) != n || fclose(out) != 0) {
        perror(path);
    }
}

int main(int argc, char **argv)
{
    static struct corpus c;
    struct cage_tally tally = { 0 };
    const struct cage cage = { .n = ROUND,
                               .n_workers = WORKERS,
                               .timeout_s = TIMEOUT_S,
                               .enter = enter,
                               .run = run,
                               .tell = tell,
                               .context = &c };

    if (argc < 5) {
        fprintf(stderr, "usage: fuzz_plain SECONDS SEED FINDINGS FILE...\n");
        return EXIT_FAILURE;
    }
    c.seed = strtoull(argv[2], NULL, 10);
    c.findings = argv[3];
    c.paths = argv + 4;
    c.n = (size_t) argc - 4;
    for (const time_t end = time(NULL) + strtol(argv[1], NULL, 10); time(NULL) < end;
         c.seed += ROUND) {
        cage_run(&cage, &tally);
    }
    cage_print(&tally);
    return cage_is_clean(&tally) ? EXIT_SUCCESS : EXIT_FAILURE;
}
