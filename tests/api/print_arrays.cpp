// print_arrays.cpp -- prints arrays as text: on the standard input, for each a line with dtype and shape, and its
// bytes.
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
#include "cuarray/cuarray.h"

using namespace cuarray;

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        Dims shape;
        for (int64_t extent; words >> extent;) shape.push_back(extent);
        const DType dtype = find_dtype(name);
        std::vector<char> bytes(size_t(count(shape) * item_size(dtype)));
        std::cin.read(bytes.data(), int64_t(bytes.size()));
        std::cout << from_host(bytes.data(), {count(shape)}, {item_size(dtype)}, dtype, Device{}).reshape(shape)
                  << '\0';
    }
}
