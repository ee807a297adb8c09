/* What is wrong with a YAML text, in our words, and where. */
#include "config.h"

#include "base/yaml_priv.h"

#include <string.h>

const char mpl_yaml_tab[] = "found a tab character that violates indentation";

/* Where libyaml's own words or places would puzzle the author of a pattern. */
static const struct mpl_yaml_advice advices[] = {
    { mpl_yaml_tab, "a tab cannot indent; use blanks", false },
    { "found character that cannot start any token",
      "a text cannot begin with this character; quote the text", false },
    { "mapping values are not allowed in this context",
      "a ':' cannot stand here; quote a text that contains ': ', or correct the "
      "indentation",
      false },
    { "could not find expected ':'",
      "there is no ':' after this key; a line of a map is 'key: value'", true },
    { "found unexpected end of stream", "the quote that begins here is never closed",
      true },
    { "found unexpected document indicator", "the quote that begins here is never closed",
      true },
    { "did not find expected alphabetic or numeric character",
      "a text cannot begin with '*' or '&'; quote the text", true },
    { "did not find expected node content", "a value is missing here", false },
    { "did not find expected key",
      "this line fits no open map; is its indentation that of the keys above it?", false },
};

const struct mpl_yaml_advice *mpl_yaml_advice(const char *problem)
{
    for (size_t i = 0; i < sizeof advices / sizeof advices[0]; i++) {
        if (strcmp(problem, advices[i].problem) == 0) {
            return &advices[i];
        }
    }
    return NULL;
}

bool mpl_yaml_is_first_on_line(const char *text, size_t bytes, const yaml_mark_t *mark)
{
    size_t i = 0;

    for (size_t line = 0; line < mark->line && i < bytes; i++) {
        line += text[i] == '\n' ? 1 : 0;
    }
    for (size_t column = 0; column < mark->column; column++) {
        if (i + column >= bytes || text[i + column] != ' ') {
            return false;
        }
    }
    return true;
}

size_t mpl_yaml_bad_byte(const char *text, size_t bytes)
{
    size_t i = 0;
    size_t length = mpl_utf8_length(text, bytes);

    while (length > 0) {
        i += length;
        length = mpl_utf8_length(text + i, bytes - i);
    }
    return i;
}

size_t mpl_yaml_offset(const char *text, size_t bytes, const yaml_mark_t *mark)
{
    size_t i = 0;

    for (size_t line = 0; line < mark->line && i < bytes; i++) {
        line += text[i] == '\n' ? 1 : 0;
    }
    for (size_t column = 0; column < mark->column && i < bytes; column++) {
        const size_t step = mpl_utf8_length(text + i, bytes - i);

        i += step == 0 ? 1 : step;
    }
    return i;
}
