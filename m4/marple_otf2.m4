# MARPLE_OTF2
# -----------
# Finds OTF2 through otf2-config, which answers one question per call.
# --with-otf2=DIR names a prefix whose bin/ holds otf2-config.
# Sets and substitutes OTF2_CPPFLAGS, OTF2_LDFLAGS, OTF2_LIBS, OTF2_VERSION.
AC_DEFUN([MARPLE_OTF2], [
  AC_ARG_VAR([OTF2_CONFIG], [path of otf2-config])
  AC_ARG_WITH([otf2], [AS_HELP_STRING([--with-otf2=DIR], [prefix of OTF2 (3.0 or later)])],
    [], [with_otf2=yes])
  AS_CASE([$with_otf2],
    [yes], [otf2_path=$PATH],
    [no], [AC_MSG_ERROR([marple reads OTF2 archives; it cannot be built without OTF2])],
    [otf2_path=$with_otf2/bin])
  AC_PATH_PROG([OTF2_CONFIG], [otf2-config], [], [$otf2_path])
  AS_IF([test -z "$OTF2_CONFIG"],
    [AC_MSG_ERROR([otf2-config was not found; install OTF2 (Debian: libotf2-trace-dev) or say --with-otf2=DIR])])

  OTF2_VERSION=`"$OTF2_CONFIG" --version | "$SED" 's/.*version  *//'`
  OTF2_CPPFLAGS=`"$OTF2_CONFIG" --cppflags`
  OTF2_LDFLAGS=`"$OTF2_CONFIG" --ldflags`
  OTF2_LIBS=`"$OTF2_CONFIG" --libs`
  # The compiler's own directories must keep their place in the search order.
  AS_IF([test "x$OTF2_CPPFLAGS" = x-I/usr/include], [OTF2_CPPFLAGS=])

  marple_save_CPPFLAGS=$CPPFLAGS marple_save_LDFLAGS=$LDFLAGS marple_save_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $OTF2_CPPFLAGS" LDFLAGS="$LDFLAGS $OTF2_LDFLAGS" LIBS="$OTF2_LIBS $LIBS"
  AC_MSG_CHECKING([whether OTF2 $OTF2_VERSION can be used])
  # Inter-communicators came with 3.0.
  AC_LINK_IFELSE(
    [AC_LANG_PROGRAM([[#include <otf2/otf2.h>]],
      [[return OTF2_Reader_Open("x") != 0
        && OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(0, 0);]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([OTF2 3.0 or later is needed; config.log tells what failed])])
  CPPFLAGS=$marple_save_CPPFLAGS LDFLAGS=$marple_save_LDFLAGS LIBS=$marple_save_LIBS
  AC_SUBST([OTF2_CPPFLAGS])
  AC_SUBST([OTF2_LDFLAGS])
  AC_SUBST([OTF2_LIBS])
  AC_SUBST([OTF2_VERSION])
])
