// pairs.cpp -- the loops of reductions: rows that fold to two numbers: ranges and moments.
#include "host/loops/reduction_table.h"

CUARRAY_FOLD_KIND(Pair)
