// check.h -- checks for C++ tests: a failed check prints its location and ends the program with status 1.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition)) {                                                    \
            std::fprintf(stderr, "%s:%d: %s", __FILE__, __LINE__, #condition); \
            std::fprintf(stderr, "  " __VA_ARGS__);                            \
            std::fprintf(stderr, "\n");                                        \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

/// Whether the statement raises cuarray::Error of that kind.
#define RAISES(kind_, statement)                                                            \
    [&] {                                                                                   \
        try {                                                                               \
            statement;                                                                      \
        } catch (const cuarray::Error& e) { return e.kind() == cuarray::ErrorKind::kind_; } \
        return false;                                                                       \
    }()
