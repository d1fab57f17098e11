// rows_4.cpp -- the loops of the last quarter of ufuncs.def.
#include "host/loops/rows.h"

CUARRAY_ROWS_PART(3)
