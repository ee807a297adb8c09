! Programs that communicate as the NAS parallel benchmarks do, each of which checks what it has computed:
!   kernels cg|mg|ft|is|lu|ep STEPS
! cg: products of a matrix that is distributed by rows, halves and sums by messages, as many processes as a power of 2
! mg: halos of grids that become coarser and finer again, in one dimension
! ft: a transposition among all in each step
! is: counts of keys added up, then keys sent to where they belong
! lu: a pipeline along the processes, forth and back
! ep: nothing but computation, and one sum at the end
program kernels
  use mpi
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer :: rank, size, ierror, n_steps
  character(len=8) :: name, number

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call get_command_argument(1, name)
  call get_command_argument(2, number)
  read (number, *) n_steps
  select case (name)
  case ('cg')
    call cg()
  case ('mg')
    call mg()
  case ('ft')
    call ft()
  case ('is')
    call is()
  case ('lu')
    call lu()
  case ('ep')
    call ep()
  case default
    error stop 'kernels: no such kernel'
  end select
  if (rank == 0) print '(2a)', 'kernels: right, ', trim(name)
  call MPI_Finalize(ierror)

contains

  ! Some work whose time does not depend on its data.
  subroutine compute(x, n)
    real(dp), intent(inout) :: x(:)
    integer, intent(in) :: n
    integer :: i

    do i = 1, n
      x = x + 1d-9 * sqrt(abs(x) + 1d0)
    end do
  end subroutine compute

  subroutine check(is_right)
    logical, intent(in) :: is_right

    if (.not. is_right) call MPI_Abort(MPI_COMM_WORLD, 9, ierror)
  end subroutine check

  ! A sum of all by messages with partners that differ in one bit.
  function sum_of_all(mine) result(total)
    real(dp), intent(in) :: mine
    real(dp) :: total, other
    integer :: bit, request

    total = mine
    bit = 1
    do while (bit < size)
      call MPI_Irecv(other, 1, MPI_DOUBLE_PRECISION, ieor(rank, bit), 1, MPI_COMM_WORLD, request, ierror)
      call MPI_Send(total, 1, MPI_DOUBLE_PRECISION, ieor(rank, bit), 1, MPI_COMM_WORLD, ierror)
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
      total = total + other
      bit = 2 * bit
    end do
  end function sum_of_all

  subroutine cg()
    real(dp) :: x(2000), y(2000), dot
    integer :: step, partner, request

    partner = size - 1 - rank
    x = 1
    do step = 1, n_steps
      y = x
      call compute(y, 60)
      call MPI_Irecv(x, 2000, MPI_DOUBLE_PRECISION, partner, 2, MPI_COMM_WORLD, request, ierror)
      call MPI_Send(y, 2000, MPI_DOUBLE_PRECISION, partner, 2, MPI_COMM_WORLD, ierror)
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
      dot = sum_of_all(sum(x) / 2000)
      call check(dot >= size .and. dot < 1.01d0 * size)
    end do
  end subroutine cg

  subroutine exchange(grid, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: grid(0:n + 1)
    integer :: requests(4), left, right

    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
    call MPI_Irecv(grid(0), 1, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Irecv(grid(n + 1), 1, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Isend(grid(1), 1, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Isend(grid(n), 1, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, requests(4), ierror)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
  end subroutine exchange

  subroutine mg()
    real(dp) :: grid(0:4097)
    integer :: step, n

    grid = rank
    do step = 1, n_steps
      n = 4096
      do while (n >= 512)
        call compute(grid(1:n), 10)
        call exchange(grid(0:n + 1), n)
        n = n / 2
      end do
      do while (n < 4096)
        n = 2 * n
        call compute(grid(1:n), 10)
        call exchange(grid(0:n + 1), n)
      end do
    end do
    call check(rank == 0 .or. int(grid(0) + 0.5d0) == rank - 1)
  end subroutine mg

  subroutine ft()
    real(dp) :: mine(100 * size), turned(100 * size)
    integer :: step, i

    do step = 1, n_steps
      mine = [(rank, i = 1, 100 * size)]
      call compute(mine, 100)
      call MPI_Alltoall(mine, 100, MPI_DOUBLE_PRECISION, turned, 100, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, &
                        ierror)
      call check(all(nint(turned(1::100)) == [(i, i = 0, size - 1)]))
    end do
  end subroutine ft

  subroutine is()
    integer :: counts(size), total(size), from(size), to(size), starts(size)
    integer, allocatable :: keys(:), got(:)
    real(dp) :: work(2000)
    integer :: step, i

    starts = [(100 * i, i = 0, size - 1)]
    keys = [(i / 100, i = 0, 100 * size - 1)]
    got = keys
    work = 1
    do step = 1, n_steps
      counts = 100
      call compute(work, 30)
      call MPI_Allreduce(counts, total, size, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
      call MPI_Alltoall(counts, 1, MPI_INTEGER, from, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      to = counts
      call MPI_Alltoallv(keys, to, starts, MPI_INTEGER, got, from, starts, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      call check(all(total == 100 * size) .and. all(got == rank))
    end do
  end subroutine is

  ! One sweep along the processes, a block after the other.
  subroutine sweep(blocks, from, to)
    real(dp), intent(inout) :: blocks(:, :)
    integer, intent(in) :: from, to
    real(dp) :: edge
    integer :: k

    do k = 1, ubound(blocks, 2)
      edge = 0
      call MPI_Recv(edge, 1, MPI_DOUBLE_PRECISION, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      call compute(blocks(:, k), 10)
      edge = edge + 1
      call MPI_Send(edge, 1, MPI_DOUBLE_PRECISION, to, 4, MPI_COMM_WORLD, ierror)
      if (to == MPI_PROC_NULL) call check(nint(edge) == size)
    end do
  end subroutine sweep

  subroutine lu()
    real(dp) :: blocks(500, 8)
    integer :: step, before, behind

    before = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    behind = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
    blocks = 1
    do step = 1, n_steps
      call sweep(blocks, before, behind)
      call sweep(blocks, behind, before)
    end do
  end subroutine lu

  subroutine ep()
    real(dp) :: work(1000), mine, total
    integer :: step

    work = 1
    do step = 1, n_steps
      call compute(work, 100)
    end do
    mine = 1
    call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    call check(nint(total) == size)
  end subroutine ep
end program kernels
