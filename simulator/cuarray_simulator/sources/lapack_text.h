// lapack_text.h -- textbook algorithms of LAPACK's routines in complex double, as kernels of simulated libraries.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cudasim {

// cudaDataType
enum { kRealFloat = 0, kRealDouble = 1, kComplexFloat = 4, kComplexDouble = 5 };

inline size_t item_of(int type) { return type == kRealFloat ? 4 : type == kComplexDouble ? 16 : 8; }

inline bool is_known(int type) {
    return type == kRealFloat || type == kRealDouble || type == kComplexFloat || type == kComplexDouble;
}

inline int real_of(int type) { return type % 4; }

inline bool is_whole(const void* address, size_t bytes) {
    return address && reinterpret_cast<uintptr_t>(address) % bytes == 0;
}

/// The numbers that a kernel keeps in its workspace.
inline size_t room(int64_t complex_numbers) { return size_t(std::max<int64_t>(complex_numbers, 1)) * 16; }

/// The parameters of the kernels for one matrix. Matrices are stored by columns, `ld` elements apart.
struct Routine {
    void* a;
    int64_t ld, m, n, k;
    void* numbers;  ///< tau, or real values
    int64_t* pivots;
    int* short_pivots;  ///< where there are no others
    void* b;
    int64_t ldb;
    void* vt;
    int64_t ldvt;
    double* work;
    int* info;
    const char* seal;  ///< a copy of the host's workspace; null without one
    int type, option, vectors;
};

/// Those of the kernels for a stack of matrices, at addresses in memory or at equal distances, one after the other.
struct Stack {
    Routine one;
    void *addresses, *numbers, *rights;
    int64_t batch, a_bytes, numbers_bytes, b_bytes, vt_bytes;
    int ignored;
};

inline constexpr const char* kLapackText = R"(
struct Routine {
    void* a;
    long long ld, m, n, k;
    void* numbers;
    long long* pivots;
    int* short_pivots;
    void* b;
    long long ldb;
    void* vt;
    long long ldvt;
    double* work;
    int* info;
    const char* seal;
    int type, option, vectors;
};
struct Z { double re, im; };
inline __device__ Z z(double re, double im = 0) { return {re, im}; }
inline __device__ Z operator+(Z x, Z y) { return {x.re + y.re, x.im + y.im}; }
inline __device__ Z operator-(Z x, Z y) { return {x.re - y.re, x.im - y.im}; }
inline __device__ Z operator*(Z x, Z y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
inline __device__ Z operator*(double x, Z y) { return {x * y.re, x * y.im}; }
inline __device__ Z conj(Z x) { return {x.re, -x.im}; }
inline __device__ double square(Z x) { return x.re * x.re + x.im * x.im; }
inline __device__ Z operator/(Z x, Z y) { return 1 / square(y) * (x * conj(y)); }
inline __device__ Z get(const void* from, long long k, int type) {
    if (type == 0) return z(((const float*)from)[k]);
    if (type == 1) return z(((const double*)from)[k]);
    if (type == 4) return z(((const float*)from)[2 * k], ((const float*)from)[2 * k + 1]);
    return z(((const double*)from)[2 * k], ((const double*)from)[2 * k + 1]);
}
inline __device__ void put(void* to, long long k, Z x, int type) {
    if (type == 0) ((float*)to)[k] = (float)x.re;
    else if (type == 1) ((double*)to)[k] = x.re;
    else if (type == 4) ((float*)to)[2 * k] = (float)x.re, ((float*)to)[2 * k + 1] = (float)x.im;
    else ((double*)to)[2 * k] = x.re, ((double*)to)[2 * k + 1] = x.im;
}
inline __device__ void put_real(void* to, long long k, double x, int type) {
    if (type % 4 == 0) ((float*)to)[k] = (float)x;
    else ((double*)to)[k] = x;
}
inline __device__ bool here() { return blockIdx.x == 0 && threadIdx.x == 0; }
// The matrix in the workspace, m by n.
inline __device__ Z* loaded(const Routine& p) {
    Z* w = (Z*)p.work;
    for (long long j = 0; j < p.n; ++j)
        for (long long i = 0; i < p.m; ++i) w[i + j * p.m] = get(p.a, i + j * p.ld, p.type);
    if (p.seal)
        for (int k = 0; k < 256; ++k)
            if (p.seal[k] != 0x5a) w[0] = z(1e300);  // the host's workspace has ended
    return w;
}
inline __device__ void stored(const Routine& p, const Z* w) {
    for (long long j = 0; j < p.n; ++j)
        for (long long i = 0; i < p.m; ++i) put(p.a, i + j * p.ld, w[i + j * p.m], p.type);
}
inline __device__ double norm(const Z* x, long long count) {
    double sum = 0;
    for (long long k = 0; k < count; ++k) sum += square(x[k]);
    return sqrt(sum);
}
inline __device__ Z dot(const Z* x, const Z* y, long long count) {
    Z sum = z(0);
    for (long long k = 0; k < count; ++k) sum = sum + conj(x[k]) * y[k];
    return sum;
}
// Divides by a power of two, so that squares neither overflow nor vanish, and returns it.
inline __device__ double scaled(Z* w, long long count) {
    double largest = 0, scale = 1;
    for (long long k = 0; k < count; ++k) largest = fmax(largest, fmax(fabs(w[k].re), fabs(w[k].im)));
    if (!(largest > 0) || largest - largest != 0) return 1;
    while (largest / scale > 1e30) scale *= 1.2676506002282294e30;
    while (largest / scale < 1e-30) scale /= 1.2676506002282294e30;
    for (long long k = 0; k < count; ++k) w[k] = z(w[k].re / scale, w[k].im / scale);
    return scale;
}
// The lower triangle, or the upper one, which is its conjugate; the other one is spoilt, as LAPACK may.
inline __device__ void potrf_of(const Routine& p) {
    long long n = p.n, ld = p.work ? n : p.ld;
    void* w = p.work ? loaded(p) : p.a;  // in place without a workspace
    int type = p.work ? 5 : p.type;
    bool upper = p.option == 1;
    *p.info = 0;
    for (long long j = 0; j < n; ++j)
        for (long long i = j; i < n; ++i) {
            Z sum = upper ? conj(get(w, j + i * ld, type)) : get(w, i + j * ld, type);
            for (long long k = 0; k < j; ++k) {
                Z x = upper ? conj(get(w, k + i * ld, type)) : get(w, i + k * ld, type);
                Z y = upper ? conj(get(w, k + j * ld, type)) : get(w, j + k * ld, type);
                sum = sum - x * conj(y);
            }
            if (i == j && !(sum.re > 0)) { *p.info = (int)(j + 1); return; }
            Z x = i == j ? z(sqrt(sum.re)) : 1 / get(w, j + j * ld, type).re * sum;
            put(w, upper ? j + i * ld : i + j * ld, upper ? conj(x) : x, type);
        }
    for (long long j = 0; j < n; ++j)
        for (long long i = 0; i < n; ++i)
            if (upper ? i > j : i < j) put(w, i + j * ld, z(-7e5, 3), type);
    if (p.work) stored(p, (Z*)w);
}
inline __device__ void getrf_of(const Routine& p) {
    Z* w = loaded(p);
    long long n = p.n;
    *p.info = 0;
    for (long long j = 0; j < n; ++j) {
        long long best = j;
        for (long long i = j + 1; i < n; ++i)
            if (square(w[i + j * n]) > square(w[best + j * n])) best = i;
        if (p.pivots) p.pivots[j] = best + 1;
        else p.short_pivots[j] = (int)(best + 1);
        for (long long k = 0; k < n; ++k) {
            Z x = w[j + k * n];
            w[j + k * n] = w[best + k * n], w[best + k * n] = x;
        }
        if (square(w[j + j * n]) == 0) {
            if (*p.info == 0) *p.info = (int)(j + 1);
            continue;
        }
        for (long long i = j + 1; i < n; ++i) {
            Z x = w[i + j * n] = w[i + j * n] / w[j + j * n];
            for (long long k = j + 1; k < n; ++k) w[i + k * n] = w[i + k * n] - x * w[j + k * n];
        }
    }
    stored(p, w);
}
inline __device__ void getrs_of(const Routine& p) {
    *p.info = 0;
    for (long long c = 0; c < p.k; ++c) {
        char* b = (char*)p.b + c * p.ldb * (p.type == 0 ? 4 : p.type == 5 ? 16 : 8);
        for (long long i = 0; i < p.n; ++i) {
            long long other = (p.pivots ? p.pivots[i] : p.short_pivots[i]) - 1;
            Z x = get(b, i, p.type), y = get(b, other, p.type);
            put(b, i, y, p.type), put(b, other, x, p.type);
        }
        for (long long i = 0; i < p.n; ++i) {
            Z sum = get(b, i, p.type);
            for (long long k = 0; k < i; ++k) sum = sum - get(p.a, i + k * p.ld, p.type) * get(b, k, p.type);
            put(b, i, sum, p.type);
        }
        for (long long i = p.n; i-- > 0;) {
            Z sum = get(b, i, p.type);
            for (long long k = i + 1; k < p.n; ++k) sum = sum - get(p.a, i + k * p.ld, p.type) * get(b, k, p.type);
            put(b, i, sum / get(p.a, i + i * p.ld, p.type), p.type);
        }
    }
}
// Reflectors I - tau v v^H with v[0] = 1, as LAPACK's.
inline __device__ void geqrf_of(const Routine& p) {
    Z* w = loaded(p);
    long long m = p.m;
    double scale = scaled(w, m * p.n);
    *p.info = 0;
    for (long long j = 0; j < p.n && j < m; ++j) {
        Z* v = w + j + j * m;
        Z alpha = v[0];
        double length = norm(v, m - j);
        if (norm(v + 1, m - j - 1) == 0 && alpha.im == 0) {
            put(p.numbers, j, z(0), p.type);
            continue;
        }
        double beta = alpha.re > 0 ? -length : length;
        Z tau = z((beta - alpha.re) / beta, -alpha.im / beta);
        put(p.numbers, j, tau, p.type);
        for (long long i = 1; i < m - j; ++i) v[i] = v[i] / (alpha - z(beta));
        v[0] = z(1);
        for (long long k = j + 1; k < p.n; ++k) {
            Z* x = w + j + k * m;
            Z part = conj(tau) * dot(v, x, m - j);
            for (long long i = 0; i < m - j; ++i) x[i] = x[i] - part * v[i];
        }
        v[0] = z(beta);
    }
    // R has the matrix's scale; the reflectors below it have none.
    for (long long j = 0; j < p.n; ++j)
        for (long long i = 0; i <= j && i < m; ++i) w[i + j * m] = scale * w[i + j * m];
    stored(p, w);
}
inline __device__ void orgqr_of(const Routine& p) {
    Z *v = loaded(p), *q = v + p.m * p.n;
    long long m = p.m;
    *p.info = 0;
    for (long long c = 0; c < p.n; ++c) {
        Z* x = q + c * m;
        for (long long i = 0; i < m; ++i) x[i] = z(i == c);
        for (long long j = p.k; j-- > 0;) {
            Z sum = x[j];
            for (long long i = j + 1; i < m; ++i) sum = sum + conj(v[i + j * m]) * x[i];
            sum = get(p.numbers, j, p.type) * sum;
            x[j] = x[j] - sum;
            for (long long i = j + 1; i < m; ++i) x[i] = x[i] - v[i + j * m] * sum;
        }
    }
    stored(p, q);
}
// Without convergence cuSOLVER's numbers are NaN.
inline __device__ void give_no_numbers(const Routine& p, bool are_real) {
    double nan = 0.0 / 0.0;
    for (long long j = 0; j < p.n; ++j)
        if (are_real)
            put_real(p.numbers, j, nan, p.type);
        else
            put(p.numbers, j, z(nan, nan), p.type < 4 ? p.type + 4 : p.type);
}
// Turns two columns of `count` elements: x, y = c x - conj(s) y, s x + c y.
inline __device__ void turn(Z* x, Z* y, double c, Z s, long long count) {
    for (long long k = 0; k < count; ++k) {
        Z a = x[k], b = y[k];
        x[k] = c * a - conj(s) * b, y[k] = s * a + c * b;
    }
}
// One-sided Jacobi: turns pairs of the n columns of w, and of v, until those of w are orthogonal, but for columns that are
// rounding errors of others. False if they are not.
inline __device__ bool orthogonal(Z* w, long long m, long long n, Z* v, long long nv) {
    double all = 0;
    for (long long k = 0; k < m * n; ++k) all += square(w[k]);
    for (int sweep = 0; sweep < 60; ++sweep) {
        bool done = true;
        for (long long p = 0; p < n; ++p)
            for (long long q = p + 1; q < n; ++q) {
                double a = square(z(norm(w + p * m, m))), b = square(z(norm(w + q * m, m)));
                Z g = dot(w + p * m, w + q * m, m);
                double size = sqrt(square(g));
                if (size != size) return false;
                if (size <= 1e-15 * sqrt(a) * sqrt(b) || size <= 1e-31 * all || size < 1e-290) continue;
                done = false;
                double zeta = (b - a) / (2 * size);
                double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                double c = 1 / sqrt(1 + t * t);
                Z s = (c * t / size) * g;
                turn(w + p * m, w + q * m, c, s, m);
                turn(v + p * nv, v + q * nv, c, s, nv);
            }
        if (done) return true;
    }
    return false;
}
inline __device__ void exchange(Z* x, Z* y, long long count) {
    for (long long k = 0; k < count; ++k) {
        Z t = x[k];
        x[k] = y[k], y[k] = t;
    }
}
// Makes columns from `known` on, orthogonal to those before, from unit vectors.
inline __device__ void complete(Z* u, long long m, long long known, long long count) {
    long long next = 0;
    for (long long c = known; c < count; ++c)
        for (;; ++next) {
            Z* x = u + c * m;
            for (long long i = 0; i < m; ++i) x[i] = z(i == next % m);
            for (int twice = 0; twice < 2; ++twice)
                for (long long j = 0; j < c; ++j) {
                    Z part = dot(u + j * m, x, m);
                    for (long long i = 0; i < m; ++i) x[i] = x[i] - part * u[i + j * m];
                }
            double length = norm(x, m);
            if (length < 0.1 / sqrt((double)m) && next < 4 * m) continue;
            for (long long i = 0; i < m; ++i) x[i] = 1 / length * x[i];
            ++next;
            break;
        }
}
inline __device__ void gesvd_of(const Routine& p) {
    Z *w = loaded(p), *v = w + p.m * p.n, *u = v + p.n * p.n;
    long long m = p.m, n = p.n;
    double scale = scaled(w, m * n);
    for (long long k = 0; k < n * n; ++k) v[k] = z(k / n == k % n);
    *p.info = orthogonal(w, m, n, v, n) ? 0 : 1;
    if (*p.info) return give_no_numbers(p, true);
    for (long long j = 0; j < n; ++j)
        for (long long k = j + 1; k < n; ++k)
            if (norm(w + k * m, m) > norm(w + j * m, m)) {
                exchange(w + j * m, w + k * m, m);
                exchange(v + j * n, v + k * n, n);
            }
    double largest = norm(w, m);
    long long rank = 0;
    for (long long j = 0; j < n; ++j) {
        double value = norm(w + j * m, m);
        put_real(p.numbers, j, scale * value, p.type);
        if (value > 1e-14 * largest) ++rank;
    }
    for (long long j = 0; j < n; ++j)
        for (long long i = 0; i < m; ++i) put(p.a, i + j * p.ld, z(-5e5), p.type);
    if (p.vectors == 0) return;
    long long columns = p.vectors == 2 ? m : n;
    for (long long j = 0; j < rank; ++j) {
        double value = norm(w + j * m, m);
        for (long long i = 0; i < m; ++i) u[i + j * m] = 1 / value * w[i + j * m];
    }
    complete(u, m, rank, columns);
    for (long long j = 0; j < columns; ++j)
        for (long long i = 0; i < m; ++i) put(p.b, i + j * p.ldb, u[i + j * m], p.type);
    for (long long j = 0; j < n; ++j)
        for (long long i = 0; i < n; ++i) put(p.vt, i + j * p.ldvt, p.option ? v[i + j * n] : conj(v[j + i * n]), p.type);
}
// Two-sided Jacobi over one triangle, of which the whole is made.
inline __device__ void syevd_of(const Routine& p) {
    Z *w = loaded(p), *v = w + p.n * p.n;
    long long n = p.n;
    double scale = scaled(w, n * n);
    for (long long j = 0; j < n; ++j)
        for (long long i = 0; i <= j; ++i) {
            Z x = p.option == 1 ? w[i + j * n] : conj(w[j + i * n]);
            if (i == j) x.im = 0;
            w[i + j * n] = x, w[j + i * n] = conj(x);
        }
    for (long long k = 0; k < n * n; ++k) v[k] = z(k / n == k % n);
    *p.info = 1;
    for (int sweep = 0; sweep < 60 && *p.info; ++sweep) {
        double off = 0, all = 0;
        for (long long k = 0; k < n * n; ++k) all += square(w[k]), off += k / n == k % n ? 0 : square(w[k]);
        if (off <= 1e-26 * all) *p.info = 0;  // and one sweep more
        for (long long j = 0; j < n; ++j)
            for (long long k = j + 1; k < n; ++k) {
                Z g = w[j + k * n];
                double size = sqrt(square(g));
                if (!(size > 1e-300)) continue;
                double zeta = (w[k + k * n].re - w[j + j * n].re) / (2 * size);
                double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                double c = 1 / sqrt(1 + t * t);
                Z s = (c * t / size) * g;
                turn(w + j * n, w + k * n, c, s, n);
                for (long long i = 0; i < n; ++i) {
                    Z x = w[j + i * n], y = w[k + i * n];
                    w[j + i * n] = c * x - s * y, w[k + i * n] = conj(s) * x + c * y;
                }
                turn(v + j * n, v + k * n, c, s, n);
            }
    }
    if (*p.info) return give_no_numbers(p, true);
    for (long long j = 0; j < n; ++j)
        for (long long k = j + 1; k < n; ++k)
            if (w[k + k * n].re < w[j + j * n].re) {
                Z t = w[k + k * n];
                w[k + k * n] = w[j + j * n], w[j + j * n] = t;
                exchange(v + j * n, v + k * n, n);
            }
    for (long long j = 0; j < n; ++j) put_real(p.numbers, j, scale * w[j + j * n].re, p.type);
    if (p.vectors == 0)
        for (long long k = 0; k < n * n; ++k) v[k] = z(-3e5);
    stored(p, v);
}
// H = I - f v conj(v) maps x of `count` elements to a multiple of the first unit vector. Makes v of x; returns f.
inline __device__ double reflector(Z* x, long long count) {
    double largest = 0;  // small numbers have no squares
    for (long long k = 0; k < count; ++k) largest = fmax(largest, fmax(fabs(x[k].re), fabs(x[k].im)));
    if (!(largest > 0)) return 0;
    for (long long k = 0; k < count; ++k) x[k] = z(x[k].re / largest, x[k].im / largest);
    double length = norm(x, count), first = sqrt(square(x[0]));
    Z phase = first > 1e-100 ? 1 / first * x[0] : z(1);
    x[0] = x[0] + length * phase;
    return 2 / square(z(norm(x, count)));
}
// H a, for `columns` columns of a, and a H, for its `rows` rows.
inline __device__ void reflect_rows(Z* a, long long ld, long long columns, const Z* v, double f, long long count) {
    for (long long j = 0; j < columns; ++j) {
        Z part = f * dot(v, a + j * ld, count);
        for (long long i = 0; i < count; ++i) a[i + j * ld] = a[i + j * ld] - part * v[i];
    }
}
inline __device__ void reflect_columns(Z* a, long long ld, long long rows, const Z* v, double f, long long count) {
    for (long long i = 0; i < rows; ++i) {
        Z part = z(0);
        for (long long j = 0; j < count; ++j) part = part + a[i + j * ld] * v[j];
        part = f * part;
        for (long long j = 0; j < count; ++j) a[i + j * ld] = a[i + j * ld] - part * conj(v[j]);
    }
}
inline __device__ Z root(Z x) {
    if (x.im == 0) return x.re >= 0 ? z(sqrt(x.re)) : z(0, sqrt(-x.re));
    double t = sqrt((sqrt(square(x)) + fabs(x.re)) / 2);
    return x.re >= 0 ? z(t, x.im / (2 * t)) : z(fabs(x.im) / (2 * t), x.im < 0 ? -t : t);
}
// Makes w, n by n, triangular but for blocks of two rows, and q with a = q w conj(q): QR steps with two shifts. What
// is real stays real. False if they do not converge.
inline __device__ bool schur(Z* w, Z* q, Z* v, long long n) {
    for (long long k = 0; k < n * n; ++k) q[k] = z(k / n == k % n);
    for (long long c = 0; c + 2 < n; ++c) {
        long long count = n - c - 1;
        for (long long i = 0; i < count; ++i) v[i] = w[c + 1 + i + c * n];
        double f = reflector(v, count);
        reflect_rows(w + c + 1 + c * n, n, n - c, v, f, count);
        reflect_columns(w + (c + 1) * n, n, n, v, f, count);
        reflect_columns(q + (c + 1) * n, n, n, v, f, count);
        for (long long i = c + 2; i < n; ++i) w[i + c * n] = z(0);
    }
    int steps = 0;
    for (long long last = n - 1; last >= 0;) {
        long long l = last;
        for (; l > 0; --l) {
            double size = sqrt(square(w[l + l * n])) + sqrt(square(w[l - 1 + (l - 1) * n]));
            if (size == 0) size = norm(w, n * n);
            if (sqrt(square(w[l + (l - 1) * n])) <= 2e-16 * size) break;
        }
        if (l > 0) w[l + (l - 1) * n] = z(0);
        if (l >= last - 1) {
            last = l - 1;
            steps = 0;
            continue;
        }
        if (++steps > 60) return false;
        Z a = w[last - 1 + (last - 1) * n], b = w[last - 1 + last * n], c = w[last + (last - 1) * n], d = w[last + last * n];
        Z sum = a + d, product = a * d - b * c;
        if (steps % 10 == 0) {  // other shifts
            double size = sqrt(square(c)) + sqrt(square(w[last - 1 + (last - 2) * n]));
            sum = z(1.5 * size), product = z(size * size);
        }
        Z h00 = w[l + l * n], h10 = w[l + 1 + l * n], h11 = w[l + 1 + (l + 1) * n];
        v[0] = h00 * (h00 - sum) + product + w[l + (l + 1) * n] * h10;
        v[1] = h10 * (h00 + h11 - sum);
        v[2] = h10 * w[l + 2 + (l + 1) * n];
        for (long long k = l; k < last; ++k) {
            long long count = k + 2 <= last ? 3 : 2, first = k > l ? k - 1 : k;
            if (k > l)
                for (long long i = 0; i < count; ++i) v[i] = w[k + i + (k - 1) * n];
            double f = reflector(v, count);
            reflect_rows(w + k + first * n, n, n - first, v, f, count);
            reflect_columns(w + k * n, n, (k + 3 < last ? k + 3 : last) + 1, v, f, count);
            reflect_columns(q + k * n, n, n, v, f, count);
            if (k > l)
                for (long long i = 1; i < count; ++i) w[k + i + (k - 1) * n] = z(0);
        }
    }
    return true;
}
// An eigenvector x of the result of schur, of the block of `count` rows that begins at row `top`.
inline __device__ void back_substitute(const Z* w, long long n, Z value, long long top, long long count, Z* x) {
    double all = norm(w, n * n), least = all > 0 ? 1e-16 * all : 1;
    for (long long i = 0; i < n; ++i) x[i] = z(0);
    x[top] = z(1);
    if (count == 2) {  // of the two rows, the one that says more
        Z a = value - w[top + top * n], b = w[top + (top + 1) * n];
        Z c = w[top + 1 + top * n], d = value - w[top + 1 + (top + 1) * n];
        bool is_first = square(a) + square(b) > square(c) + square(d);
        x[top] = is_first ? b : d, x[top + 1] = is_first ? a : c;
    }
    for (long long i = top; i-- > 0;) {
        bool is_pair = i > 0 && square(w[i + (i - 1) * n]) > 0;
        long long high = is_pair ? i - 1 : i;
        Z rest[2] = {z(0), z(0)};
        for (long long r = high; r <= i; ++r)
            for (long long j = i + 1; j < n; ++j) rest[r - high] = rest[r - high] - w[r + j * n] * x[j];
        if (is_pair) {
            Z a = w[high + high * n] - value, b = w[high + i * n], c = w[i + high * n], d = w[i + i * n] - value;
            if (square(c) > square(a)) exchange(&a, &c, 1), exchange(&b, &d, 1), exchange(rest, rest + 1, 1);
            Z below = c / a, pivot = d - below * b;
            x[i] = (rest[1] - below * rest[0]) / (sqrt(square(pivot)) < least ? z(least) : pivot);
            x[high] = (rest[0] - b * x[i]) / a;
            --i;
        } else {
            Z a = w[i + i * n] - value;
            x[i] = rest[0] / (sqrt(square(a)) < least ? z(least) : a);
        }
        double size = norm(x, n);
        if (size > 1e100)
            for (long long j = 0; j < n; ++j) x[j] = 1 / size * x[j];
    }
}
// The unit vector v = q x, whose largest element is real.
inline __device__ void vector_of(const Z* q, const Z* x, long long n, Z* v) {
    long long largest = 0;
    for (long long i = 0; i < n; ++i) {
        v[i] = z(0);
        for (long long j = 0; j < n; ++j) v[i] = v[i] + q[i + j * n] * x[j];
        if (square(v[i]) > square(v[largest])) largest = i;
    }
    double size = sqrt(square(v[largest]));
    Z phase = v[largest].im == 0 ? z(1) : 1 / size * conj(v[largest]);
    double length = norm(v, n);
    for (long long i = 0; i < n; ++i) v[i] = 1 / length * (phase * v[i]);
    if (phase.im != 0) v[largest].im = 0;
}
inline __device__ void geev_of(const Routine& p) {
    long long n = p.n;
    Z *w = loaded(p), *q = w + n * n, *x = q + n * n, *v = x + n;
    double scale = scaled(w, n * n);
    *p.info = schur(w, q, v, n) ? 0 : 1;
    if (*p.info) return give_no_numbers(p, false);
    bool is_real = p.type < 4;
    for (long long top = 0, count; top < n; top += count) {
        count = top + 1 < n && square(w[top + 1 + top * n]) > 0 ? 2 : 1;
        Z values[2] = {w[top + top * n], z(0)};
        if (count == 2) {
            Z a = values[0], b = w[top + (top + 1) * n], c = w[top + 1 + top * n], d = w[top + 1 + (top + 1) * n];
            Z half = 0.5 * (a - d), middle = 0.5 * (a + d), s = root(half * half + b * c);
            values[0] = middle + s, values[1] = middle - s;
        }
        for (long long k = 0; k < count; ++k) {
            put(p.numbers, top + k, scale * values[k], is_real ? p.type + 4 : p.type);
            if (p.vectors == 0 || (is_real && values[k].im < 0)) continue;
            back_substitute(w, n, values[k], top, count, x);
            vector_of(q, x, n, v);
            for (long long i = 0; i < n; ++i) {
                put(p.vt, i + (top + k) * p.ldvt, v[i], p.type);
                if (is_real && values[k].im > 0) put(p.vt, i + (top + k + 1) * p.ldvt, z(v[i].im), p.type);
            }
        }
    }
    for (long long j = 0; j < n; ++j)
        for (long long i = 0; i < n; ++i) put(p.a, i + j * p.ld, z(-5e5), p.type);
}
// A stack of matrices at addresses in memory, or at equal distances; routines that cannot fail have no info.
struct Stack {
    Routine one;
    void** addresses;
    void** numbers;
    void** rights;
    long long batch, a_bytes, numbers_bytes, b_bytes, vt_bytes;
    int ignored;
};
inline __device__ Routine part(Stack& s, long long k) {
    Routine p = s.one;
    p.a = s.addresses ? s.addresses[k] : (char*)p.a + k * s.a_bytes;
    p.numbers = s.numbers ? s.numbers[k] : (char*)p.numbers + k * s.numbers_bytes;
    p.b = s.rights ? s.rights[k] : (char*)p.b + k * s.b_bytes;
    p.vt = (char*)p.vt + k * s.vt_bytes;
    p.short_pivots += k * p.n;
    p.info = p.info ? p.info + k : &s.ignored;
    return p;
}
// Written out: the simulator finds kernels by their text, before macros.
extern "C" __global__ void potrf(Routine p) { if (here()) potrf_of(p); }
extern "C" __global__ void getrf(Routine p) { if (here()) getrf_of(p); }
extern "C" __global__ void getrs(Routine p) { if (here()) getrs_of(p); }
extern "C" __global__ void geqrf(Routine p) { if (here()) geqrf_of(p); }
extern "C" __global__ void orgqr(Routine p) { if (here()) orgqr_of(p); }
extern "C" __global__ void gesvd(Routine p) { if (here()) gesvd_of(p); }
extern "C" __global__ void syevd(Routine p) { if (here()) syevd_of(p); }
extern "C" __global__ void geev(Routine p) { if (here()) geev_of(p); }
extern "C" __global__ void potrf_stack(Stack s) {
    if (here())
        for (long long k = 0; k < s.batch; ++k) potrf_of(part(s, k));
}
extern "C" __global__ void getrf_stack(Stack s) {
    if (here())
        for (long long k = 0; k < s.batch; ++k) getrf_of(part(s, k));
}
extern "C" __global__ void getrs_stack(Stack s) {
    if (here())
        for (long long k = 0; k < s.batch; ++k) getrs_of(part(s, k));
}
extern "C" __global__ void geqrf_stack(Stack s) {
    if (here())
        for (long long k = 0; k < s.batch; ++k) geqrf_of(part(s, k));
}
extern "C" __global__ void gesvd_stack(Stack s) {
    if (here())
        for (long long k = 0; k < s.batch; ++k) gesvd_of(part(s, k));
}
extern "C" __global__ void syevd_stack(Stack s) {
    if (here())
        for (long long k = 0; k < s.batch; ++k) syevd_of(part(s, k));
}
)";

}  // namespace cudasim
