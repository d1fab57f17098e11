// truth_values.cpp -- the loops of reductions: predicates and counts.
#include "host/loops/reduction_table.h"

CUARRAY_FOLD_KIND(Truth)
