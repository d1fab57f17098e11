// rows_6.cpp -- the loops of the sixth eighth of ufuncs.def.
#include "host/loops/rows.h"

CUARRAY_ROWS_PART(5)
