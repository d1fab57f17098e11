// random.h -- numpy.random.default_rng(seed) in C++: the same numbers, on every device.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include "cuarray/array/array.h"
#include "cuarray/runtime/devices.h"

namespace cuarray {

struct Pcg64State;
struct SequenceNumbers;
enum class SequenceDraw : uint8_t;

/// NumPy's Generator over PCG64: each call gives the numbers that NumPy's method of that name gives next, of this
/// shape, on a device. ValueError for parameters outside their domain. Not for several threads at once.
class CUARRAY_API Generator {
 public:
    explicit Generator(uint64_t seed);
    /// At the same place of the same sequence.
    Generator(const Generator& other);
    Generator& operator=(const Generator& other);
    ~Generator();

    /// Uniform in [0, 1), float64 or float32.
    Array random(const Dims& shape, DType dtype = DType::float64, Device device = current_device());
    Array uniform(double low, double high, const Dims& shape, Device device = current_device());
    /// With mean 0 and variance 1, float64 or float32; with this mean and standard deviation.
    Array standard_normal(const Dims& shape, DType dtype = DType::float64, Device device = current_device());
    Array normal(double loc, double scale, const Dims& shape, Device device = current_device());
    /// With mean 1, float64 or float32; with this mean.
    Array standard_exponential(const Dims& shape, DType dtype = DType::float64, Device device = current_device());
    Array exponential(double scale, const Dims& shape, Device device = current_device());
    /// With this shape of the distribution, `k`, and scale 1, float64 or float32; with this scale.
    Array standard_gamma(double k, const Dims& shape, DType dtype = DType::float64, Device device = current_device());
    Array gamma(double k, double scale, const Dims& shape, Device device = current_device());
    Array chisquare(double df, const Dims& shape, Device device = current_device());
    Array f(double dfnum, double dfden, const Dims& shape, Device device = current_device());
    Array gumbel(double loc, double scale, const Dims& shape, Device device = current_device());
    Array laplace(double loc, double scale, const Dims& shape, Device device = current_device());
    Array logistic(double loc, double scale, const Dims& shape, Device device = current_device());
    Array lognormal(double mean, double sigma, const Dims& shape, Device device = current_device());
    Array pareto(double a, const Dims& shape, Device device = current_device());
    Array power(double a, const Dims& shape, Device device = current_device());
    Array rayleigh(double scale, const Dims& shape, Device device = current_device());
    Array standard_cauchy(const Dims& shape, Device device = current_device());
    Array standard_t(double df, const Dims& shape, Device device = current_device());
    Array triangular(double left, double mode, double right, const Dims& shape, Device device = current_device());
    Array weibull(double a, const Dims& shape, Device device = current_device());
    /// From low to before high, both within the dtype.
    Array integers(int64_t low, int64_t high, const Dims& shape, DType dtype = DType::int64,
                   Device device = current_device());

 private:
    Array draw(const SequenceNumbers& numbers, const Dims& shape, DType dtype, Device device, const char* name);
    Array draw(SequenceDraw row, std::initializer_list<double> parameters, const Dims& shape, DType dtype,
               Device device, const char* name);
    /// Of float64, with a place and a scale.
    Array located(SequenceDraw row, double loc, double scale, const Dims& shape, Device device, const char* name);

    std::unique_ptr<Pcg64State> state_;  ///< never null
};

}  // namespace cuarray
