/* What the sheets of one configuration share. */
#ifndef MPL_REPORT_DIFF_SHOW_PRIV_H
#define MPL_REPORT_DIFF_SHOW_PRIV_H

#include "report/report_priv.h"

struct sheet {
    struct page *page;
    const struct mpl_run *run; /* For labels. */
    const struct mpl_filtered *f;
    struct mpl_buf named; /* uint32_t: loops in the order in which they are shown */
};

/** More locations than this are shown by groups of equal ones. */
enum { MPL_SHEET_MOST = 32 };

/** "MPI_Send", "L3"; which number a loop has is decided when it is first named. */
const char *mpl_sheet_name(struct sheet *sheet, uint32_t what);
const char *mpl_sheet_label(const struct sheet *sheet, uint32_t location);
/** Prints calls and loops behind \p label. */
void mpl_sheet_items(struct sheet *s, const char *label, const struct mpl_item *items,
                     uint32_t n);
/** Bodies of all loops that were named. */
void mpl_sheet_loops(struct sheet *sheet);

/** "MPI_Send", "L0", "MPI_Init L0" of a pair, "L0:16" with its number. */
const char *mpl_sheet_attribute(struct sheet *sheet, struct mpl_context_kind kind,
                                const struct mpl_context_attribute *attribute);
bool mpl_attributes_have(const struct mpl_context_attributes *set,
                         const struct mpl_context_attribute *a);
/** Of base and new run. */
enum mpl_status mpl_sheet_contexts(struct sheet *sheet, struct mpl_context_kind kind,
                                   const struct mpl_context *out[2], struct mpl_err *err);
/** Which concept of a lattice shows what. */
struct places {
    uint32_t *of_attribute;
    uint32_t *of_class;
    const char **labels; /* Room for those of all objects. */
};
enum mpl_status mpl_sheet_places(struct sheet *sheet, const struct mpl_lattice *lattice,
                                 struct places *out, struct mpl_err *err);

/** A document of "marple-diff-show/1" about two runs, and what is looked at in it. */
struct mpl_json mpl_report_show_json(const struct mpl_diff *diff, enum mpl_show what);
void mpl_report_put_filter(struct mpl_json *json, const struct mpl_filter_choice *how);

/** Rows and columns of a table: locations, or groups of equal ones if there are many. */
struct axis {
    uint32_t n;
    const uint32_t *firsts; /* Per entry a location. */
    const uint32_t *of;     /* Per entry its class or group. */
    bool is_grouped;
};
enum mpl_status mpl_sheet_axis(struct sheet *sheet, const uint32_t *group_of,
                               uint32_t n_groups, struct axis *out, struct mpl_err *err);
/** A line of labels, and below a table who is meant by them. */
void mpl_sheet_columns(const struct sheet *sheet, const struct axis *axis, int width);
void mpl_sheet_groups(struct sheet *sheet, const struct axis *axis,
                      const uint32_t *group_of);

enum mpl_status mpl_sheet_jsm(struct sheet *sheet, struct mpl_context_kind kind,
                              struct mpl_err *err);
enum mpl_status mpl_sheet_context(struct sheet *sheet, struct mpl_context_kind kind,
                                  struct mpl_err *err);
enum mpl_status mpl_sheet_lattice(struct sheet *sheet, struct mpl_context_kind kind,
                                  struct mpl_err *err);

#endif
