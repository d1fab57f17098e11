// rows_3.cpp -- the loops of the third eighth of ufuncs.def.
#include "host/loops/rows.h"

CUARRAY_ROWS_PART(2)
