/* What calls of marple answer, shared by the public header and the modules. */
#ifndef MARPLE_STATUS_H
#define MARPLE_STATUS_H

#if defined(__GNUC__)
#define MPL_API __attribute__((visibility("default")))
#else
#define MPL_API
#endif

/** Negative is failure, zero done, positive a legitimate other answer. */
enum mpl_status {
    MPL_OK = 0,
    MPL_END = 1,            /**< Nothing more, or nothing found; not an error. */
    MPL_E_IO = -1,          /**< The operating system refused a file. */
    MPL_E_SYNTAX = -2,      /**< A text or archive is not in its format. */
    MPL_E_MEANING = -3,     /**< Well formed, but says something impossible. */
    MPL_E_NOMEM = -4,       /**< Out of memory. */
    MPL_E_LIMIT = -5,       /**< A stated bound (time, depth, size) is exceeded. */
    MPL_E_UNSUPPORTED = -6, /**< Right, but not handled by this program. */
    MPL_E_USAGE = -7,       /**< The user asked for something that does not exist. */
    MPL_E_BUG = -8          /**< Our own mistake. */
};

#endif
