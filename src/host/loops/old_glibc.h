// old_glibc.h -- binds C library functions to their oldest symbol versions: a library built here loads on glibc 2.28.
//
// glibc 2.29 and later have new versions of these functions that do not set errno, which cuarray does not read.
#pragma once

#if defined(__x86_64__) && defined(__linux__)
#define CUARRAY_OLDEST(name) __asm__(".symver " #name "," #name "@GLIBC_2.2.5")
CUARRAY_OLDEST(exp);
CUARRAY_OLDEST(exp2);
CUARRAY_OLDEST(log);
CUARRAY_OLDEST(log2);
CUARRAY_OLDEST(pow);
CUARRAY_OLDEST(fmod);
CUARRAY_OLDEST(fmodf);
CUARRAY_OLDEST(exp10);
CUARRAY_OLDEST(exp10f);
#undef CUARRAY_OLDEST
#endif
