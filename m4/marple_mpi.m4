# MARPLE_MPI
# ----------
# Finds the MPIs that a library to preload can be built for. --without-mpi builds none;
# MPICC_OPENMPI and MPICC_MPICH name their compilers. An MPI is used for what its header says it is, so
# a plain mpicc is good for either.
# Sets and substitutes OPENMPI_CPPFLAGS, OPENMPI_LIBS, MPICH_CPPFLAGS, MPICH_LIBS; the conditionals
# HAVE_OPENMPI and HAVE_MPICH.
AC_DEFUN([MARPLE_MPI], [
  AC_ARG_WITH([mpi],
    [AS_HELP_STRING([--without-mpi], [do not build the tracers for Open MPI and MPICH])],
    [], [with_mpi=auto])
  MARPLE_MPI_FIND([OPENMPI], [Open MPI], [mpicc.openmpi mpicc], [defined OPEN_MPI])
  MARPLE_MPI_FIND([MPICH], [MPICH], [mpicc.mpich mpicc], [defined MPICH_VERSION])
  AS_IF([test "x$with_mpi" = xyes && test "x$have_OPENMPI$have_MPICH" = xnono],
    [AC_MSG_ERROR([--with-mpi: neither mpicc of Open MPI nor of MPICH was found])])
])

# MARPLE_MPI_FIND(VARIABLE, NAME, COMPILERS, CONDITION)
AC_DEFUN([MARPLE_MPI_FIND], [
  AC_ARG_VAR([MPICC_$1], [compiler of $2])
  have_$1=no
  AS_IF([test "x$with_mpi" != xno], [AC_CHECK_PROGS([MPICC_$1], [$3])])
  AS_IF([test -n "$MPICC_$1"], [
    $1_CPPFLAGS= $1_LIBS=
    for marple_word in `$MPICC_$1 -show 2>/dev/null`; do
      AS_CASE([$marple_word],
        [-I* | -D*], [AS_VAR_APPEND([$1_CPPFLAGS], [" $marple_word"])],
        [-L* | -l*], [AS_VAR_APPEND([$1_LIBS], [" $marple_word"])])
    done
    marple_save_CPPFLAGS=$CPPFLAGS marple_save_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $$1_CPPFLAGS" LIBS="$$1_LIBS $LIBS"
    AC_MSG_CHECKING([whether $MPICC_$1 is of $2])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if !($4)
#error another MPI
#endif]], [[return PMPI_Init(0, 0);]])], [have_$1=yes])
    AC_MSG_RESULT([$have_$1])
    CPPFLAGS=$marple_save_CPPFLAGS LIBS=$marple_save_LIBS])
  AC_SUBST([$1_CPPFLAGS])
  AC_SUBST([$1_LIBS])
  AM_CONDITIONAL([HAVE_$1], [test "x$have_$1" = xyes])
])
