// rows_5.cpp -- the loops of the fifth eighth of ufuncs.def.
#include "host/loops/rows.h"

CUARRAY_ROWS_PART(4)
