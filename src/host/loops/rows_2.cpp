// rows_2.cpp -- the loops of the second quarter of ufuncs.def.
#include "host/loops/rows.h"

CUARRAY_ROWS_PART(1)
