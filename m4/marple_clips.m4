# MARPLE_CLIPS
# ------------
# Finds CLIPS 6.30, which has neither a .pc file nor a libclips.so link. The shared library
# is preferred: the static one is built without optimisation in Debian and 1.3 MB larger.
# Either needs -lm, which the shared one does not say. --with-clips=DIR names a prefix.
# Sets and substitutes CLIPS_CPPFLAGS, CLIPS_LDFLAGS, CLIPS_LIBS.
AC_DEFUN([MARPLE_CLIPS], [
  AC_ARG_VAR([CLIPS_LIBS], [linker flags for CLIPS, e.g. -l:libclips.so.6])
  AC_ARG_WITH([clips], [AS_HELP_STRING([--with-clips=DIR], [prefix of CLIPS 6.30])],
    [], [with_clips=yes])
  AS_CASE([$with_clips],
    [yes], [CLIPS_CPPFLAGS= CLIPS_LDFLAGS=],
    [no], [AC_MSG_ERROR([the rules are run by CLIPS; marple cannot be built without it])],
    [CLIPS_CPPFLAGS="-isystem $with_clips/include" CLIPS_LDFLAGS="-L$with_clips/lib"])

  marple_save_CPPFLAGS=$CPPFLAGS marple_save_LDFLAGS=$LDFLAGS marple_save_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $CLIPS_CPPFLAGS" LDFLAGS="$LDFLAGS $CLIPS_LDFLAGS"
  AC_MSG_CHECKING([for CLIPS 6.30])
  marple_clips_found=no
  for marple_try in "$CLIPS_LIBS" -l:libclips.so.6 -lclips; do
    AS_IF([test -n "$marple_try" && test "x$marple_clips_found" = xno], [
      LIBS="$marple_try $marple_save_LIBS -lm"
      # EnvAddBeforeRunFunction is there in 6.30 and gone in 6.40.
      AC_LINK_IFELSE(
        [AC_LANG_PROGRAM([[#include <clips/clips.h>]],
          [[void *env = CreateEnvironment();
            EnvAddBeforeRunFunction(env, "x", 0, 0);
            return DestroyEnvironment(env);]])],
        [marple_clips_found=$marple_try])])
  done
  AS_IF([test "x$marple_clips_found" = xno],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([CLIPS 6.30 was not found; install it (Debian: libclips-dev) or say --with-clips=DIR])])
  AC_MSG_RESULT([$marple_clips_found])
  CLIPS_LIBS="$marple_clips_found -lm"
  CPPFLAGS=$marple_save_CPPFLAGS LDFLAGS=$marple_save_LDFLAGS LIBS=$marple_save_LIBS
  AC_SUBST([CLIPS_CPPFLAGS])
  AC_SUBST([CLIPS_LDFLAGS])
  AC_SUBST([CLIPS_LIBS])
])
