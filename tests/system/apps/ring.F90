! Messages around a ring and operations of all, through the interface of Fortran that RING_USES names:
! 1 mpif.h, 2 the module mpi, 3 mpi_f08.
program ring
#if RING_USES == 3
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: half
#else
#if RING_USES == 2
  use mpi
#endif
  implicit none
#if RING_USES == 1
  include 'mpif.h'
#endif
  integer :: requests(2), half
#endif
  integer :: ierror, rank, size, left, right, i
  integer :: mine(10), got(10), total(10)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  mine = rank
  do i = 1, 5
    call MPI_Irecv(got, 10, MPI_INTEGER, left, 7, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(mine, 10, MPI_INTEGER, right, 7, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    if (got(1) /= left) error stop 'ring: wrong number'
    call MPI_Sendrecv(mine, 10, MPI_INTEGER, right, 8, got, 10, MPI_INTEGER, MPI_ANY_SOURCE, 8, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end do
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half, ierror)
  call MPI_Allreduce(mine, total, 10, MPI_INTEGER, MPI_SUM, half, ierror)
  call MPI_Bcast(mine, 10, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Comm_free(half, ierror)
  call MPI_Finalize(ierror)
  if (rank == 0) print '(a)', 'ring: done'
end program ring
