// text.cpp -- arrays as NumPy prints them.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>
#include "cuarray/api/values.h"
#include "cuarray/ops/joining.h"

namespace cuarray {
namespace {

constexpr int64_t kThreshold = 1000, kEdge = 3;  // larger arrays are shown by so many items of each end
constexpr size_t kLineWidth = 75;
constexpr int kPrecision = 8;

/// A real number in parts: sign and integral digits, digits behind the point, and a decimal exponent with its sign.
struct Parts {
    std::string whole, fraction, exponent;
};

void strip_zeros(std::string& digits) {
    while (!digits.empty() && digits.back() == '0') digits.pop_back();
}

Parts split(const std::string& text) {
    const size_t e = std::min(text.find('e'), text.size()), point = std::min(text.find('.'), e);
    Parts parts{text.substr(0, point), point < e ? text.substr(point + 1, e - point - 1) : "",
                e < text.size() ? text.substr(e + 1) : ""};
    strip_zeros(parts.fraction);
    return parts;
}

std::string with_precision(double value, char kind, int precision = kPrecision) {
    char text[400];
    const int length = std::snprintf(text, sizeof text, kind == 'e' ? "%.*e" : "%.*f", precision, value);
    return {text, size_t(length)};
}

/// How the real numbers of one array are written: all in the same way, so that their points stand below each other.
class RealText {
 public:
    /// `dtype` is that of the elements, of which the fewest digits are shown that tell them from their neighbours.
    RealText(const std::vector<double>& values, DType dtype, bool shows_plus) : dtype_(dtype), shows_plus_(shows_plus) {
        double largest = 0, smallest = INFINITY;
        for (const double value : values) {
            if (!std::isfinite(value) || value == 0) continue;
            largest = std::max(largest, std::fabs(value));
            smallest = std::min(smallest, std::fabs(value));
        }
        const int digits = std::min(kPrecision, int((info(dtype).bits - 1) * std::log10(2)));
        is_scientific_ = largest > 0 && (largest >= std::pow(10, digits) || smallest < rounded(1e-4) ||
                                         rounded(largest / smallest) > 1000);
        bool has_finite = false;
        size_t longest_other = 0;
        for (const double value : values) {
            if (!std::isfinite(value)) {
                longest_other = std::max(longest_other, text_of_other(value).size());
                continue;
            }
            has_finite = true;
            const Parts parts = parts_of(value);
            whole_ = std::max(whole_, parts.whole.size());
            fraction_ = std::max(fraction_, parts.fraction.size());
            exponent_ = std::max(exponent_, parts.exponent.size());
        }
        const size_t right = width() - whole_;
        if (longest_other > width()) whole_ = longest_other - (has_finite ? right : 0);
        if (!has_finite) whole_ = longest_other;
        has_point_ = has_finite;
    }

    std::string operator()(double value) const {
        if (!std::isfinite(value)) return padded(text_of_other(value), width());
        Parts parts = parts_of(value);
        if (is_scientific_ && parts.fraction.size() < fraction_) {  // filled with digits of the value, not with zeros
            parts = split(with_precision(value, 'e', int(fraction_)));
            parts.whole = signed_text(parts.whole);
        }
        std::string text = padded(parts.whole, whole_) + "." + parts.fraction;
        text.resize(whole_ + 1 + fraction_, is_scientific_ ? '0' : ' ');
        if (!is_scientific_) return text;
        const std::string digits = parts.exponent.substr(1);
        return text + "e" + parts.exponent[0] + std::string(exponent_ - 1 - digits.size(), '0') + digits;
    }

 private:
    size_t width() const { return whole_ + (has_point_ ? 1 + fraction_ + (is_scientific_ ? 1 + exponent_ : 0) : 0); }
    static std::string padded(const std::string& text, size_t width) {
        return std::string(width - std::min(width, text.size()), ' ') + text;
    }
    std::string signed_text(std::string text) const { return shows_plus_ && text[0] != '-' ? "+" + text : text; }
    std::string text_of_other(double value) const {
        return std::isnan(value) ? "nan" : signed_text(value < 0 ? "-inf" : "inf");
    }

    /// As an element of the array.
    double rounded(double value) const {
        const Scalar element = convert(Scalar::of(DType::float64, value), dtype_);
        double back;
        std::memcpy(&back, convert(element, DType::float64).bytes, sizeof back);
        return back;
    }

    /// The shortest digits that give the element back, in scientific notation.
    std::string shortest(double value) const {
        char text[64];
        if (dtype_ == DType::float64)
            return {text, std::to_chars(text, text + 64, value, std::chars_format::scientific).ptr};
        if (dtype_ == DType::float32)
            return {text, std::to_chars(text, text + 64, float(value), std::chars_format::scientific).ptr};
        for (int digits = 0;; ++digits) {
            std::snprintf(text, sizeof text, "%.*e", digits, value);
            if (digits == 17 || rounded(std::strtod(text, nullptr)) == value) return text;
        }
    }

    Parts parts_of(double value) const {
        Parts parts = split(shortest(value));
        if (is_scientific_) {
            if (parts.fraction.size() > kPrecision) parts = split(with_precision(value, 'e'));
        } else {
            const int exponent = std::stoi(parts.exponent);
            std::string digits = parts.whole.substr(parts.whole[0] == '-') + parts.fraction;
            if (int(digits.size()) - 1 - exponent > kPrecision) {
                parts = split(with_precision(value, 'f'));
            } else {
                if (exponent < 0) digits.insert(0, size_t(-exponent), '0');
                const size_t whole = size_t(std::max(exponent, 0)) + 1;
                if (digits.size() < whole) digits.resize(whole, '0');
                parts = {(std::signbit(value) ? "-" : "") + digits.substr(0, whole), digits.substr(whole), ""};
                strip_zeros(parts.fraction);
            }
        }
        parts.whole = signed_text(parts.whole);
        return parts;
    }

    DType dtype_;
    bool shows_plus_, is_scientific_ = false, has_point_ = true;
    size_t whole_ = 0, fraction_ = 0, exponent_ = 0;
};

void align_right(std::vector<std::string>& texts) {
    size_t width = 0;
    for (const std::string& text : texts) width = std::max(width, text.size());
    for (std::string& text : texts) text.insert(0, width - text.size(), ' ');
}

/// The elements as texts of one width.
std::vector<std::string> texts_of(const Array& shown) {
    std::vector<std::string> texts;
    const DType dtype = shown.dtype();
    switch (info(dtype).kind) {
        case Kind::Bool:
            for (const bool value : shown.to_vector<bool>())
                texts.push_back(!value ? "False" : shown.ndim() == 0 ? "True" : " True");
            break;
        case Kind::Signed:
            for (const int64_t value : shown.to_vector<int64_t>()) texts.push_back(std::to_string(value));
            align_right(texts);
            break;
        case Kind::Unsigned:
            for (const uint64_t value : shown.to_vector<uint64_t>()) texts.push_back(std::to_string(value));
            align_right(texts);
            break;
        case Kind::Floating: {
            const std::vector<double> values = shown.to_vector<double>();
            const RealText text(values, dtype, false);
            for (const double value : values) texts.push_back(text(value));
            break;
        }
        case Kind::Complex: {
            std::vector<double> real, imag;
            for (const std::complex<double> value : shown.to_vector<std::complex<double>>()) {
                real.push_back(value.real());
                imag.push_back(value.imag());
            }
            const RealText real_text(real, real_part(dtype), false), imag_text(imag, real_part(dtype), true);
            for (size_t i = 0; i < real.size(); ++i) {
                std::string text = imag_text(imag[i]);
                text.insert(text.find_last_not_of(' ') + 1, "j");
                texts.push_back(real_text(real[i]) + text);
            }
        }
    }
    return texts;
}

/// The first and last items along an axis, on the host.
Array ends_of(const Array& array, int axis) {
    const int64_t extent = array.shape()[axis], stride = array.strides()[axis];
    if (extent <= 2 * kEdge) return array;
    Layout part = array.layout();
    part.shape[axis] = kEdge;
    const std::vector<ArrayOrNumber> ends{array.view(part), array.view(part, (extent - kEdge) * stride)};
    return concat(ends, axis);
}

/// Writes the nested lists of an array whose elements are texts in C order.
class ListText {
 public:
    ListText(const Dims& shape, bool is_summary, const std::vector<std::string>& texts)
        : shape_(shape), is_summary_(is_summary), texts_(texts) {}

    std::string operator()(int axis, const std::string& indent, size_t width) {
        if (axis == shape_.size()) return texts_[next_++];
        const bool is_last = axis == shape_.size() - 1, is_cut = is_summary_ && shape_[axis] > 2 * kEdge;
        const int64_t shown = is_cut ? 2 * kEdge : shape_[axis];
        std::string text, line = indent;
        const auto add = [&](const std::string& word, bool is_end) {
            if (is_last) {
                if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
                    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
                    line = indent;
                }
                line += word + (is_end ? "" : ", ");
            } else {
                text += indent + word + (is_end ? "" : "," + std::string(size_t(shape_.size() - 1 - axis), '\n'));
            }
        };
        for (int64_t i = 0; i < shown; ++i) {
            if (is_cut && i == kEdge) add("...", false);
            add((*this)(axis + 1, indent + " ", width - 1), i == shown - 1);
        }
        if (is_last) text += line;
        return "[" + text.substr(std::min(indent.size(), text.size())) + "]";
    }

 private:
    const Dims& shape_;
    const bool is_summary_;
    const std::vector<std::string>& texts_;
    size_t next_ = 0;
};

bool is_default(DType dtype) {
    return dtype == DType::bool_ || dtype == DType::int64 || dtype == DType::float64 || dtype == DType::complex128;
}

}  // namespace

std::string to_string(const Array& array) {
    const std::string start = "array(";
    const bool is_summary = array.size() > kThreshold;
    Array shown = array;
    if (is_summary)
        for (int axis = 0; axis < array.ndim(); ++axis) shown = ends_of(shown, axis);
    std::string text = start;
    if (array.is_empty())
        text += "[]";
    else
        text +=
            ListText(array.shape(), is_summary, texts_of(shown))(0, std::string(start.size() + 1, ' '), kLineWidth - 1);
    std::string extras;
    if ((array.is_empty() && array.ndim() > 1) || is_summary) extras = "shape=" + to_string(array.shape());
    if (!is_default(array.dtype()) || array.is_empty())
        extras += (extras.empty() ? "dtype=" : ", dtype=") + std::string(info(array.dtype()).name);
    if (extras.empty()) return text + ")";
    const size_t last_line = text.size() + 1 - (text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
    const bool fits = last_line + extras.size() + 2 <= kLineWidth;
    return text + "," + (fits ? " " : "\n" + std::string(start.size(), ' ')) + extras + ")";
}

std::ostream& operator<<(std::ostream& stream, const Array& array) { return stream << to_string(array); }
std::ostream& operator<<(std::ostream& stream, DType dtype) {
    return stream << (dtype == DType::none ? "none" : info(dtype).name);
}
std::ostream& operator<<(std::ostream& stream, const Device& device) { return stream << to_string(device); }
std::ostream& operator<<(std::ostream& stream, const Dims& shape) { return stream << to_string(shape); }

}  // namespace cuarray
