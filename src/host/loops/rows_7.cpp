// rows_7.cpp -- the loops of the seventh eighth of ufuncs.def.
#include "host/loops/rows.h"

CUARRAY_ROWS_PART(6)
