/* --symbols: what of a call makes it another one. */
#include "config.h"

#include "cli/diff_show_priv.h"

#include <string.h>

/* Parts in the order of their bits, and none of them. */
enum { NONE = MPL_SYMBOL_PARTS, WORDS };

static enum mpl_status take_word(const struct mpl_option *option, const char *word,
                                 struct mpl_symbols_asked *asked, struct mpl_err *err)
{
    const char *words[WORDS] = { [NONE] = "none" };
    size_t choice = 0;

    for (int i = 0; i < MPL_SYMBOL_PARTS; i++) {
        words[i] = mpl_symbol_part_name(i);
    }

    const enum mpl_status st = mpl_args_choice(option, word, words, WORDS, &choice, err);

    if (st == MPL_OK) {
        asked->parts |= choice == NONE ? 0 : 1U << choice;
        asked->has_none = asked->has_none || choice == NONE;
        asked->is_asked = true;
    }
    return st;
}

enum mpl_status mpl_diff_take_symbols(const struct mpl_option *option, const char *value,
                                      struct mpl_arena *arena,
                                      struct mpl_symbols_asked *asked, struct mpl_err *err)
{
    const char *end = value;
    enum mpl_status st = MPL_OK;

    for (const char *word = value; st == MPL_OK; word = end + 1) {
        const char *text;

        end = strchr(word, ',');
        text = mpl_arena_strndup(arena, word,
                                 end == NULL ? strlen(word) : (size_t) (end - word));
        st = text == NULL ? mpl_nomem(err) : take_word(option, text, asked, err);
        if (end == NULL) {
            break;
        }
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
