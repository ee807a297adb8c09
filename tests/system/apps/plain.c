/* No MPI program; linked statically nothing can be preloaded into it either. */
#include <stdio.h>

int main(void)
{
    puts("plain: done");
    return 0;
}
