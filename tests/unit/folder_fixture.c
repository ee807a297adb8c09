#include "config.h"

#include "folder_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "read_fixture.h"

enum { LENGTH_MAX = 4096 };

char folder[LENGTH_MAX];

void create_folder(void)
{
    const char *tmp = getenv("TMPDIR");

    create_arena();
    (void) snprintf(folder, sizeof folder, "%s/marple-XXXXXX", tmp != NULL ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

void remove_folder(void)
{
    fixture_remove_tree(folder);
    destroy_arena();
}

const char *in_folder(const char *name)
{
    const char *path = mpl_arena_printf(arena, "%s/%s", folder, name);

    ck_assert_ptr_nonnull(path);
    return path;
}

const char *put_file(const char *name, const char *text)
{
    const char *path = in_folder(name);

    for (const char *slash = name; (slash = strchr(slash, '/')) != NULL; slash++) {
        (void) mkdir(in_folder(mpl_arena_printf(arena, "%.*s", (int) (slash - name), name)),
                     0700);
    }
    fixture_store(path, (const unsigned char *) text, strlen(text));
    return path;
}
