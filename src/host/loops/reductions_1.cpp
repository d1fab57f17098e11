// reductions_1.cpp -- the loops of the even rows of reductions.def.
#include "host/loops/reductions.h"

CUARRAY_REDUCTIONS_PART(0)
