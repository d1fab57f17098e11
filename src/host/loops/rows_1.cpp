// rows_1.cpp -- the loops of the first quarter of ufuncs.def.
#include "host/loops/rows.h"

CUARRAY_ROWS_PART(0)
