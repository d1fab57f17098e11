// index_folds.cpp -- the loops of reductions: the positions of the largest and smallest elements.
#include "host/loops/reduction_table.h"

CUARRAY_FOLD_KIND(Index)
