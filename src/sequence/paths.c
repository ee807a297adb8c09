/* In which functions a call is made: the regions around it, as one name. */
#include "config.h"

#include "sequence/sequence.h"

/* Those that were asked for last: functions are entered time and again. */
enum { MOST_RECENT = 256 };
struct recent {
    uint64_t key;
    uint32_t path; /* 0: nothing stands here yet. */
};

struct mpl_call_paths {
    const struct mpl_model *model;
    struct mpl_symbols *symbols;
    struct mpl_arena *arena;
    struct mpl_map
        *inner; /* Of a path and a region: the path with that region behind it. */
    struct recent recent[MOST_RECENT]; /* Of these, by path and region. */
    struct mpl_buf stack; /* uint32_t: the path with each region that is not left yet. */
    uint32_t location;
    uint32_t next; /* Record of that location. */
};

struct mpl_call_paths *mpl_call_paths_create(const struct mpl_model *model,
                                             struct mpl_symbols *symbols,
                                             struct mpl_arena *arena)
{
    struct mpl_call_paths *paths = MPL_NEW(arena, struct mpl_call_paths);

    if (paths == NULL) {
        return NULL;
    }
    *paths = (struct mpl_call_paths){ .model = model,
                                      .symbols = symbols,
                                      .arena = arena,
                                      .inner = mpl_map_create(),
                                      .stack = mpl_buf_make(sizeof(uint32_t)),
                                      .location = MPL_NONE };
    return paths->inner == NULL ? NULL : paths;
}

void mpl_call_paths_close(struct mpl_call_paths *paths)
{
    if (paths != NULL) {
        mpl_map_destroy(paths->inner);
        mpl_buf_free(&paths->stack);
    }
}

static uint32_t innermost(const struct mpl_call_paths *p)
{
    return p->stack.n == 0 ? 0 : *(const uint32_t *) mpl_buf_get(&p->stack, p->stack.n - 1);
}

/* 0: no memory. */
static uint32_t look_up(struct mpl_call_paths *p, uint32_t outer, uint32_t region,
                        uint64_t key)
{
    const char *name = p->model->regions[region].name;
    uint32_t path = mpl_map_find(p->inner, key);

    if (path != MPL_NONE) {
        return path;
    }
    if (outer != 0) {
        name = mpl_arena_printf(p->arena, "%s/%s",
                                mpl_symbols_name_text(p->symbols, outer - 1), name);
    }
    path = name == NULL ? MPL_NONE : mpl_symbols_name(p->symbols, name);
    return path == MPL_NONE || !mpl_map_put(p->inner, key, path + 1) ? 0 : path + 1;
}

static bool enter(struct mpl_call_paths *p, uint32_t region)
{
    const uint32_t outer = innermost(p);
    const uint64_t key = (uint64_t) outer << 32 | region;
    struct recent *recent = &p->recent[(region + outer * 31) % MOST_RECENT];

    if (recent->path == 0 || recent->key != key) {
        *recent = (struct recent){ key, look_up(p, outer, region, key) };
    }
    return recent->path != 0 && mpl_buf_put(&p->stack, &recent->path);
}

bool mpl_call_paths_at(struct mpl_call_paths *paths, uint32_t location, uint32_t event,
                       uint32_t *path)
{
    const struct mpl_location *l = &paths->model->locations[location];

    if (location != paths->location) {
        paths->location = location;
        paths->next = 0;
        paths->stack.n = 0;
    }
    for (; paths->next < event; paths->next++) {
        const uint8_t kind = mpl_kind_of(l, paths->next);

        if (kind == MPL_EV_ENTER && mpl_ref_of(l, paths->next) != MPL_NONE &&
            !enter(paths, mpl_ref_of(l, paths->next))) {
            return false;
        }
        /* A damaged trace may leave what it has not entered. */
        if (kind == MPL_EV_LEAVE && paths->stack.n > 0) {
            paths->stack.n--;
        }
    }
    *path = innermost(paths);
    return true;
}
