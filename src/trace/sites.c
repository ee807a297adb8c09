/*
 * Where in the program a call stands: its return address, or where a layer of MPI called it for the program, as the
 * Fortran interface does, the nearest one behind that. A place has a number, so that a record needs no more room for
 * it; what function and line it is, is found when the run is over, and the objects that were mapped then are written
 * down for that.
 */
#include "config.h"

#include "trace/record_priv.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

enum {
    FIRST_SLOTS = 1024,
    MOST_OBJECTS = 1024,
    MOST_LAYERS = 16,
    MOST_BUILD_ID = 64,
    NOT_ALONE = -1 /* The address does not tell the place: the stack does. */
};

/* A place, by its addresses, nearest first. */
struct site {
    uintptr_t addresses[MPL_MOST_FRAMES];
    uint32_t number; /* 0: the slot is empty. */
};

struct object {
    uintptr_t begin;
    uintptr_t end;
    bool is_layer; /* None of the program: MPI, what stands between, and libc. */
};

static struct {
    struct site *slots;
    size_t mask;
    uint32_t n;
    struct object *objects;
    size_t n_objects;
    unsigned long long n_loaded; /* By the linker, ever. */
    const void *layers[MOST_LAYERS];
    size_t n_layers;
    unsigned depth; /* Frames of the program; 0: places are not recorded. */
} table;

/* ---- objects --------------------------------------------------------------------------------- */

static void add_layer(void *symbol)
{
    Dl_info info;

    if (symbol != NULL && dladdr(symbol, &info) != 0 && table.n_layers < MOST_LAYERS) {
        table.layers[table.n_layers++] = info.dli_fbase;
    }
}

/* Objects that define what programs call: this library, MPI and its interfaces for Fortran; and that which calls
 * main(). */
static void find_layers(void)
{
    static const char *const names[] = { "PMPI_Send", "mpi_send_", "pmpi_send_",
                                         "mpi_send_f08_", "abort" };

    add_layer((void *) (uintptr_t) mpl_sites_open);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        add_layer(dlsym(RTLD_DEFAULT, names[i]));
        add_layer(dlsym(RTLD_NEXT, names[i]));
    }
}

static bool is_layer(const void *base, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    for (size_t i = 0; i < table.n_layers; i++) {
        if (table.layers[i] == base) {
            return true;
        }
    }
    return strncmp(name, "libmpi", strlen("libmpi")) == 0;
}

/* Of an object's notes; the number of its bytes, 0: it has none. */
static size_t find_build_id(const struct dl_phdr_info *info, uint8_t *id)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const char *at = (const char *) (info->dlpi_addr + part->p_vaddr);
        const char *end = at + part->p_memsz;

        while (part->p_type == PT_NOTE && end - at > (ptrdiff_t) sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *) at;
            const char *name = at + sizeof *note;
            const char *text = name + ((note->n_namesz + 3U) & ~3U);

            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof "GNU" &&
                memcmp(name, "GNU", sizeof "GNU") == 0 && note->n_descsz <= MOST_BUILD_ID) {
                memcpy(id, text, note->n_descsz);
                return note->n_descsz;
            }
            at = text + ((note->n_descsz + 3U) & ~3U);
        }
    }
    return 0;
}

static void put_object(struct mpl_track *track, const struct object *object,
                       const struct dl_phdr_info *info, const char *path)
{
    uint8_t id[MOST_BUILD_ID] = { 0 };
    const size_t n_id = find_build_id(info, id);
    const size_t most =
        (MPL_SPOOL_MOST_WORDS - MPL_SPOOL_OBJECT_WORDS) * sizeof(uint64_t) - n_id - 1;
    const size_t n_path = strnlen(path, most);
    const unsigned words = MPL_SPOOL_OBJECT_WORDS + (unsigned) ((n_id + n_path) / 8) + 1;
    uint64_t *record = mpl_record(track, mpl_now(), words);

    if (record == NULL) {
        return;
    }
    record[2] = info->dlpi_addr;
    record[3] = object->begin;
    record[4] = object->end;
    record[words - 1] = 0;
    memcpy(record + MPL_SPOOL_OBJECT_WORDS, id, n_id);
    memcpy((char *) (record + MPL_SPOOL_OBJECT_WORDS) + n_id, path, n_path);
    mpl_commit(record, MPL_SPOOL_WORD(MPL_SPOOL_OBJECT, words, n_id, object->is_layer));
}

static const struct object *find_object(uintptr_t address)
{
    for (size_t i = 0; i < table.n_objects; i++) {
        if (address >= table.objects[i].begin && address < table.objects[i].end) {
            return &table.objects[i];
        }
    }
    return NULL;
}

static int on_object(struct dl_phdr_info *info, size_t size, void *user)
{
    struct object object = { UINTPTR_MAX, 0, false };
    const bool is_program = info->dlpi_name == NULL || info->dlpi_name[0] == '\0';
    char own[4096] = "";
    const char *path = is_program ? own : info->dlpi_name;

    (void) size;
    table.n_loaded = info->dlpi_adds;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_LOAD) {
            object.begin = begin < object.begin ? begin : object.begin;
            object.end =
                begin + part->p_memsz > object.end ? begin + part->p_memsz : object.end;
        }
    }
    if (object.begin >= object.end || table.n_objects == MOST_OBJECTS ||
        find_object(object.begin) != NULL) {
        return 0;
    }
    if (is_program && readlink("/proc/self/exe", own, sizeof own - 1) < 0) {
        own[0] = '\0';
    }
    object.is_layer = !is_program && is_layer((const void *) object.begin, path);
    table.objects[table.n_objects++] = object;
    put_object(user, &object, info, path);
    return 0;
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *user)
{
    (void) size;
    *(unsigned long long *) user = info->dlpi_adds;
    return 1;
}

static bool is_of_layer(struct mpl_track *track, uintptr_t address)
{
    /* The program may have loaded more since. The lock is held. */
    const struct object *object = find_object(address);
    unsigned long long n_loaded = 0;

    if (object == NULL) {
        (void) dl_iterate_phdr(count_loaded, &n_loaded);
        if (n_loaded != table.n_loaded) {
            (void) dl_iterate_phdr(on_object, track);
            object = find_object(address);
        }
    }

    return object != NULL && object->is_layer;
}

/* ---- places ----------------------------------------------------------------------------------- */

void mpl_sites_open(struct mpl_track *track)
{
    const char *asked = getenv("MARPLE_TRACE_CALL_STACK");
    const unsigned long depth = asked != NULL ? strtoul(asked, NULL, 10) : 1;

    table.slots = mpl_pages(FIRST_SLOTS * sizeof *table.slots);
    table.objects = mpl_pages(MOST_OBJECTS * sizeof *table.objects);
    if (table.slots == NULL || table.objects == NULL || depth == 0) {
        return;
    }
    table.mask = FIRST_SLOTS - 1;
    find_layers();
    (void) dl_iterate_phdr(on_object, track);
    table.depth = depth < MPL_MOST_FRAMES ? (unsigned) depth : MPL_MOST_FRAMES;
}

static struct site *slot_of(const uintptr_t *addresses)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < MPL_MOST_FRAMES; i++) {
        hash = (hash ^ addresses[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    struct site *slot = &table.slots[hash & table.mask];
    while (slot->number != 0 &&
           memcmp(slot->addresses, addresses, sizeof slot->addresses) != 0) {
        slot = slot == &table.slots[table.mask] ? table.slots : slot + 1;
    }
    return slot;
}

/* The smaller table stays, as its pages are few. */
static bool grow(void)
{
    const struct site *old = table.slots;
    const size_t n = table.mask + 1;
    struct site *slots = mpl_pages(2 * n * sizeof *slots);

    if (slots == NULL) {
        return false;
    }
    table.slots = slots;
    table.mask = 2 * n - 1;
    for (size_t i = 0; i < n; i++) {
        if (old[i].number != 0) {
            *slot_of(old[i].addresses) = old[i];
        }
    }
    return true;
}

/* The number of a place, a new one where it was not seen before; 0: no memory. The lock is held. */
static uint32_t number_of(struct mpl_track *track, const uintptr_t *addresses)
{
    struct site *slot = slot_of(addresses);

    if (slot->number == 0) {
        if (2 * (size_t) table.n > table.mask) {
            if (!grow()) {
                return 0;
            }
            slot = slot_of(addresses);
        }
        memcpy(slot->addresses, addresses, sizeof slot->addresses);
        slot->number = ++table.n;
        unsigned n = 0;

        while (n < MPL_MOST_FRAMES && slot->addresses[n] != 0) {
            n++;
        }
        uint64_t *record = mpl_record(track, mpl_now(), 2 + n);
        if (record != NULL) {
            memcpy(record + 2, slot->addresses, n * sizeof *slot->addresses);
            mpl_commit(record, MPL_SPOOL_WORD(MPL_SPOOL_SITE, 2 + n, 0, slot->number));
        }
    }
    return slot->number;
}

/* ---- the stack ---------------------------------------------------------------------------------- */

struct frames {
    struct mpl_track *track;
    uintptr_t addresses[MPL_MOST_FRAMES];
    unsigned n;
};

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *user)
{
    struct frames *frames = user;
    const uintptr_t address = _Unwind_GetIP(context);

    if (address == 0) {
        return _URC_END_OF_STACK;
    }
    if (!is_of_layer(frames->track, address)) {
        frames->addresses[frames->n++] = address;
    }
    return frames->n == table.depth ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static uint32_t walk(struct mpl_track *track, uintptr_t address)
{
    struct frames frames = { .track = track };

    mpl_lock();
    (void) _Unwind_Backtrace(on_frame, &frames);
    if (frames.n == 0) {
        frames.addresses[0] = address;
    }
    const uint32_t number = number_of(track, frames.addresses);
    mpl_unlock();
    return number;
}

/* An address that this thread meets for the first time, or that another one has driven out. */
static int64_t look_up(struct mpl_track *track, uintptr_t address)
{
    const uintptr_t addresses[MPL_MOST_FRAMES] = { address };
    int64_t number = NOT_ALONE;

    mpl_lock();
    if (table.depth == 1 && !is_of_layer(track, address)) {
        number = number_of(track, addresses);
    }
    mpl_unlock();
    return number;
}

uint32_t mpl_site(struct mpl_track *track, const void *address)
{
    const uintptr_t key = (uintptr_t) address;
    struct mpl_site_seen *seen = &track->sites[(key ^ key >> 8) % MPL_FEW];

    if (table.depth == 0) {
        return 0;
    }
    if (seen->address != key) {
        seen->number = look_up(track, key);
        seen->address = key;
    }
    return seen->number != NOT_ALONE ? (uint32_t) seen->number : walk(track, key);
}
