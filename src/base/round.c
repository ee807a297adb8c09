#include "config.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_POWERS = 23 };
static const double powers_of_ten[EXACT_POWERS] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,
                                                    1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
                                                    1e18, 1e19, 1e20, 1e21, 1e22 };

static double scale(double number, int exponent)
{
    return exponent < 0 ? number / powers_of_ten[-exponent]
                        : number * powers_of_ten[exponent];
}

static double print_and_read(double number)
{
    char text[40];

    (void) snprintf(text, sizeof text, "%.5e", number);
    return number == 0.0 ? 0.0 : strtod(text, NULL);
}

/*
 * Powers of ten up to 10^22 are exact, so an integer of six digits, times or divided by one of them, is the double
 * nearest to that decimal number (Clinger, 1990), which printing and reading it would make. A number that lies
 * near the middle of two is printed, since the scaled one has an error in its last bits.
 */
double mpl_round_to_six_digits(double number)
{
    const double magnitude = fabs(number);

    if (!(magnitude >= 1e-15 && magnitude < 1e21)) {
        return print_and_read(number);
    }
    int exponent = 5 - (int) floor(log10(magnitude));

    exponent -= scale(magnitude, exponent) >= 1e6;
    const double scaled = scale(magnitude, exponent);

    if (scaled < 1e5 || fabs(scaled - floor(scaled) - 0.5) < 1e-6) {
        return print_and_read(number);
    }
    return copysign(scale(floor(scaled + 0.5), -exponent), number);
}
