// device.cpp -- devices as text.
#include "cuarray/core/device.h"
#include <charconv>

namespace cuarray {

std::string to_string(Device device) {
    if (device.kind == Device::Kind::Cpu) return "cpu";
    return "cuda:" + std::to_string(device.index);
}

Device parse_device(std::string_view text) {
    if (text == "cpu") return {};
    if (text == "cuda") return {Device::Kind::Cuda, 0};
    if (text.starts_with("cuda:")) {
        const std::string_view digits = text.substr(5);
        uint8_t index = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
        if (error == std::errc() && end == digits.data() + digits.size()) return {Device::Kind::Cuda, index};
    }
    raise(ErrorKind::Value, "device: '", text, "' is neither 'cpu' nor 'cuda' nor 'cuda:N'");
}

}  // namespace cuarray
