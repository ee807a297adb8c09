#include "config.h"

#include "spool/symbols_priv.h"

#include <inttypes.h>
#include <string.h>

struct symbols {
    struct mpl_arena *arena;
    struct mpl_names *paths;
    struct mpl_buf modules; /* By path. */
};

static bool add_unknown(struct symbols *s, const char *path, uint64_t address,
                        struct mpl_buf *found)
{
    const char *name = path[0] == '\0' ? mpl_arena_printf(s->arena, "0x%" PRIx64, address)
                                       : mpl_arena_printf(s->arena, "%s+0x%" PRIx64,
                                                          mpl_file_name(path), address);

    return name != NULL && mpl_buf_put(found, &(struct symbol){ .function = name });
}

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdwfl.h>

enum { MOST_SCOPES = 64 };

struct module {
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: it is not there, or not the one that ran. */
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

static bool is_same(Dwfl_Module *module, const uint8_t *id, size_t n_id)
{
    const unsigned char *bits = NULL;
    GElf_Addr at = 0;
    const int n = dwfl_module_build_id(module, &bits, &at);

    return n_id == 0 || n <= 0 || ((size_t) n == n_id && memcmp(bits, id, n_id) == 0);
}

static struct module open_module(const char *path, const uint8_t *id, size_t n_id)
{
    struct module m = { .dwfl = path[0] != '\0' ? dwfl_begin(&callbacks) : NULL };

    if (m.dwfl == NULL) {
        return m;
    }
    dwfl_report_begin(m.dwfl);
    m.module = dwfl_report_elf(m.dwfl, path, path, -1, 0, true);
    (void) dwfl_report_end(m.dwfl, NULL, NULL);
    if (m.module != NULL && !is_same(m.module, id, n_id)) {
        m.module = NULL;
    }
    return m;
}

static const struct module *module_of(struct symbols *s, const char *path,
                                      const uint8_t *id, size_t n_id)
{
    const size_t before = mpl_names_count(s->paths);
    const uint32_t number = mpl_names_put(s->paths, path);

    if (number == MPL_NONE) {
        return NULL;
    }
    if (number == before) {
        struct module *m = mpl_buf_add(&s->modules);

        if (m == NULL) {
            return NULL;
        }
        *m = open_module(path, id, n_id);
    }
    return mpl_buf_get(&s->modules, number);
}

static void close_modules(struct symbols *s)
{
    for (size_t i = 0; i < s->modules.n; i++) {
        const struct module *m = mpl_buf_get(&s->modules, i);

        if (m->dwfl != NULL) {
            dwfl_end(m->dwfl);
        }
    }
}

/* Compilers that write no table of address ranges leave looking into each unit. */
static Dwarf_Die *unit_of(Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

    if (unit != NULL) {
        return unit;
    }
    while ((unit = dwfl_module_nextcu(module, unit, bias)) != NULL &&
           dwarf_haspc(unit, address - *bias) != 1) {
    }
    return unit;
}

/* Texts of libdw end with it. */
static const char *keep(struct symbols *s, const char *text)
{
    return text != NULL ? mpl_arena_strdup(s->arena, text) : NULL;
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;

    return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0
               ? (uint32_t) value
               : 0;
}

/* The file in which an inlined function is called: a number in the table of its unit. */
static const char *call_file(Dwarf_Die *unit, Dwarf_Die *inlined)
{
    Dwarf_Files *files = NULL;
    size_t n = 0;
    const uint32_t number = number_of(inlined, DW_AT_call_file);

    return dwarf_getsrcfiles(unit, &files, &n) == 0 && number < n
               ? dwarf_filesrc(files, number, NULL, NULL)
               : NULL;
}

/* Functions around an address, the outermost first, that stand one in the other. */
struct scopes {
    uint64_t address;
    Dwarf_Die dies[MOST_SCOPES];
    int n;
};

/* Whether there may be a function with the address below something that does not contain it itself. */
static bool may_hold(int tag, bool is_thorough)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module ||
           (is_thorough && tag == DW_TAG_subprogram);
}

/* Down from \p die. Procedures that Fortran has inside of others are not among the addresses of these: thoroughly means
 * looking into all of them. */
static bool descend(struct scopes *scopes, Dwarf_Die *die, bool is_thorough, int depth)
{
    Dwarf_Die child;

    if (depth == MOST_SCOPES || dwarf_child(die, &child) != 0) {
        return false;
    }
    do {
        const int tag = dwarf_tag(&child);

        if (dwarf_haspc(&child, scopes->address) == 1) {
            if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
                scopes->dies[scopes->n++] = child;
            }
            (void) descend(scopes, &child, false, depth + 1);
            return true;
        }
        if (may_hold(tag, is_thorough) && descend(scopes, &child, is_thorough, depth + 1)) {
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool add_function(struct symbols *s, Dwarf_Die *die, struct symbol at,
                         struct mpl_buf *found)
{
    int first_line = 0;
    Dwarf_Attribute name;

    (void) dwarf_decl_line(die, &first_line);
    at.function = keep(s, dwarf_diename(die));
    at.linkage =
        keep(s, dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &name)));
    at.file = keep(s, dwarf_decl_file(die));
    at.first_line = (uint32_t) first_line;
    return at.function != NULL && mpl_buf_put(found, &at);
}

/* The innermost stands at the address, the others where the one inlined in them is called. */
static bool add_scopes(struct symbols *s, Dwarf_Die *unit, struct scopes *scopes,
                       struct symbol at, struct mpl_buf *found)
{
    for (int i = scopes->n - 1; i >= 0; i--) {
        Dwarf_Die *die = &scopes->dies[i];

        if (dwarf_diename(die) != NULL && !add_function(s, die, at, found)) {
            return false;
        }
        at.source = keep(s, call_file(unit, die));
        at.line = number_of(die, DW_AT_call_line);
    }
    return true;
}

static bool add_known(struct symbols *s, Dwfl_Module *module, uint64_t address,
                      struct mpl_buf *found)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = unit_of(module, address, &bias);
    struct scopes scopes = { .address = address - bias };
    struct symbol at = { 0 };
    int number = 0;

    if (unit == NULL) {
        return true;
    }
    Dwarf_Line *line = dwarf_getsrc_die(unit, address - bias);
    if (line != NULL && dwarf_lineno(line, &number) == 0) {
        at.source = keep(s, dwarf_linesrc(line, NULL, NULL));
        at.line = (uint32_t) number;
    }
    if (!descend(&scopes, unit, false, 0)) {
        (void) descend(&scopes, unit, true, 0);
    }
    return add_scopes(s, unit, &scopes, at, found);
}

static bool add_by_name(struct symbols *s, Dwfl_Module *module, uint64_t address,
                        struct mpl_buf *found)
{
    const char *name = dwfl_module_addrname(module, address);

    if (name == NULL) {
        return true;
    }
    name = keep(s, name);
    return name != NULL && mpl_buf_put(found, &(struct symbol){ .function = name });
}

bool mpl_symbols_find(struct symbols *s, const char *path, const uint8_t *id, size_t n_id,
                      uint64_t address, struct mpl_buf *found)
{
    const struct module *m = module_of(s, path, id, n_id);
    const size_t before = found->n;

    if (m == NULL || (m->module != NULL && !add_known(s, m->module, address, found)) ||
        (m->module != NULL && found->n == before &&
         !add_by_name(s, m->module, address, found))) {
        return false;
    }
    return found->n > before || add_unknown(s, path, address, found);
}

#else

struct module {
    int unused;
};

static void close_modules(struct symbols *s)
{
    (void) s;
}

bool mpl_symbols_find(struct symbols *s, const char *path, const uint8_t *id, size_t n_id,
                      uint64_t address, struct mpl_buf *found)
{
    (void) id;
    (void) n_id;
    return add_unknown(s, path, address, found);
}

#endif

struct symbols *mpl_symbols_open(struct mpl_arena *arena)
{
    struct symbols *s = MPL_NEW(arena, struct symbols);

    if (s == NULL) {
        return NULL;
    }
    s->arena = arena;
    s->paths = mpl_names_create();
    s->modules = mpl_buf_make(sizeof(struct module));
    return s->paths == NULL ? NULL : s;
}

void mpl_symbols_close(struct symbols *s)
{
    if (s != NULL) {
        close_modules(s);
        mpl_buf_free(&s->modules);
        mpl_names_destroy(s->paths);
    }
}
