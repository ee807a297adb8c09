#include "config.h"

#include "hand_trace.h"

struct trace *t;

void set_up(void)
{
    create_arena();
    t = NULL;
}

void tear_down(void)
{
    if (t != NULL) {
        trace_destroy(t);
    }
    destroy_arena();
}

struct address to(uint32_t rank)
{
    return (struct address){ 0, rank, 7 };
}
