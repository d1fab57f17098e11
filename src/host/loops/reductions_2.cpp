// reductions_2.cpp -- the loops of the odd rows of reductions.def.
#include "host/loops/reductions.h"

CUARRAY_REDUCTIONS_PART(1)
