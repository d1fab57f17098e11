// old_glibc.h -- the C library's functions by their oldest names, so that a library built here loads on glibc 2.28.
//
// glibc 2.29 and later gave these functions versions that do not set errno, which nobody reads here.
#pragma once

#if defined(__x86_64__) && defined(__linux__)
#define CUARRAY_OLDEST(name) __asm__(".symver " #name "," #name "@GLIBC_2.2.5")
CUARRAY_OLDEST(exp);
CUARRAY_OLDEST(exp2);
CUARRAY_OLDEST(log);
CUARRAY_OLDEST(log2);
CUARRAY_OLDEST(pow);
CUARRAY_OLDEST(hypot);
CUARRAY_OLDEST(hypotf);
CUARRAY_OLDEST(fmod);
CUARRAY_OLDEST(fmodf);
CUARRAY_OLDEST(exp10);
CUARRAY_OLDEST(exp10f);
#undef CUARRAY_OLDEST
#endif
