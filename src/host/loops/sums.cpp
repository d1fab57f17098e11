// sums.cpp -- the loops of reductions: sums, products and means.
#include "host/loops/reduction_table.h"

CUARRAY_FOLD_KIND(Sum)
