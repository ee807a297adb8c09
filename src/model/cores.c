/* How many cores the processes of a host may use together, by the masks that the tracer wrote down. */
#include "config.h"

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { CORES_MOST = 4096 };

/* "0-3,8"; what is none of this is left out. */
static void add_cores(const char *mask, bool *has)
{
    while (*mask != '\0') {
        char *end = NULL;
        const unsigned long first = strtoul(mask, &end, 10);
        unsigned long last = first;

        if (end == mask) {
            return;
        }
        if (*end == '-') {
            mask = end + 1;
            last = strtoul(mask, &end, 10);
        }
        for (unsigned long i = first; i <= last && i < CORES_MOST; i++) {
            has[i] = true;
        }
        mask = *end == ',' ? end + 1 : end;
        if (*end != ',') {
            return;
        }
    }
}

/* Of the host of process \p first. */
static uint32_t cores_with(const struct mpl_model *model, uint32_t first)
{
    bool has[CORES_MOST] = { false };
    uint32_t n = 0;

    for (uint32_t p = first; p < model->n_processes; p++) {
        const struct mpl_process *process = &model->processes[p];

        if (!mpl_is_same_text(process->host, model->processes[first].host)) {
            continue;
        }
        if (process->cores == NULL) {
            return 0;
        }
        add_cores(process->cores, has);
    }
    for (unsigned i = 0; i < CORES_MOST; i++) {
        n += has[i];
    }
    return n;
}

uint32_t mpl_model_cores(const struct mpl_model *model)
{
    uint32_t least = 0;

    for (uint32_t p = 0; p < model->n_processes; p++) {
        /* Hosts are mostly filled one after the other, so each is looked at about once. */
        if (p == 0 ||
            !mpl_is_same_text(model->processes[p].host, model->processes[p - 1].host)) {
            const uint32_t n = cores_with(model, p);

            if (n == 0) {
                return 0;
            }
            least = least == 0 || n < least ? n : least;
        }
    }
    return least;
}
