// bit_folds.cpp -- the loops of reductions: operations on bits, and greatest common divisors.
#include "host/loops/reduction_table.h"

CUARRAY_FOLD_KIND(Bits)
