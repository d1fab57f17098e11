// rows_8.cpp -- the loops of the last eighth of ufuncs.def.
#include "host/loops/rows.h"

CUARRAY_ROWS_PART(7)
