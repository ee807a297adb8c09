/* --symbols: what of a call makes it another one. */
#include "config.h"

#include "cli/diff_show_priv.h"

#include <string.h>

/* Parts in the order of their bits, and none of them. */
enum { NONE = MPL_SYMBOL_PARTS, WORDS };

static enum mpl_status take_word(const struct mpl_args *args,
                                 struct mpl_symbols_asked *asked, struct mpl_err *err)
{
    const char *words[WORDS] = { [NONE] = "none" };
    size_t choice = 0;

    for (int i = 0; i < MPL_SYMBOL_PARTS; i++) {
        words[i] = mpl_symbol_part_name(i);
    }

    const enum mpl_status st = mpl_args_choice(args, words, WORDS, &choice, err);

    if (st == MPL_OK) {
        asked->parts |= choice == NONE ? 0 : 1U << choice;
        asked->has_none = asked->has_none || choice == NONE;
        asked->is_asked = true;
    }
    return st;
}

enum mpl_status mpl_take_symbols(struct mpl_args *args, void *target, struct mpl_err *err)
{
    struct mpl_symbols_asked *asked = (struct mpl_symbols_asked *) target;
    struct mpl_args one = *args;
    char *rest = mpl_arena_strdup(args->arena, args->value);
    enum mpl_status st = rest != NULL ? MPL_OK : mpl_nomem(err);

    while (st == MPL_OK && (one.value = strsep(&rest, ",")) != NULL) {
        st = take_word(&one, asked, err);
    }
    if (st != MPL_OK) {
        return st;
    }
    if (asked->has_none && asked->parts != 0) {
        return mpl_fail(err, MPL_E_USAGE,
                        "--symbols none means functions alone, so nothing else goes with "
                        "it");
    }
    if ((asked->parts & MPL_SYMBOL_PEER) != 0 &&
        (asked->parts & MPL_SYMBOL_RELATIVE) != 0) {
        return mpl_fail(err, MPL_E_USAGE,
                        "--symbols takes either peer, a rank, or relative-peer, a distance "
                        "from the own rank");
    }
    return MPL_OK;
}
