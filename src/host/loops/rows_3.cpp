// rows_3.cpp -- the loops of the third quarter of ufuncs.def.
#include "host/loops/rows.h"

CUARRAY_ROWS_PART(2)
