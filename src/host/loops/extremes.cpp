// extremes.cpp -- the loops of reductions: the largest and the smallest elements.
#include "host/loops/reduction_table.h"

CUARRAY_FOLD_KIND(Extreme)
