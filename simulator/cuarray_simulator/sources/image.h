// image.h -- what modules are loaded from: ELF objects of the simulated NVRTC, alone or in its "PTX", and PTX of other
// compilers.
#pragma once
#include <string>

#include "module.h"

namespace cudasim {

/// An image that can be opened any number of times.
struct Image {
    /// The ELF object, and ptxas' output for its kernels.
    std::string object, resources;
    /// Whether it came as a binary, which runs on its own architecture; PTX runs on all later ones too.
    bool binary = false;
};

/// Reads an image. PTX that the simulated NVRTC did not write is translated; the log says why it cannot be.
CUresult read_image(const void* data, Image& image, std::string& log);

/// Opens an image as a module of a context; null: of none, to read its description.
CUresult open_image(const Image& image, Context* context, std::shared_ptr<Module>& module);

/// Writes a log into the buffers that the options name, and its length into their sizes.
void give_log(const std::string& log, unsigned count, const CUjit_option* keys, void** values);

}  // namespace cudasim
