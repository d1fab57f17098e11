// judge.h -- checks a text with the real NVRTC, in a separate process.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace cudasim {

/// The real NVRTC that CUDASIM_REAL_NVRTC names; empty if the simulator runs without one.
std::string real_nvrtc();

/// One query. The judge runs concurrently with the host compiler, and stays alive for the next query.
class Question {
 public:
    /// The folder has kernel.cu, options and names; `program` is the path of real-nvrtc, or empty: no
    /// query.
    Question(const std::filesystem::path& program, const std::filesystem::path& folder);
    ~Question();
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

    /// Waits for the answer: the log of a rejection, or nothing. `log` is that of an accepted text.
    std::string refusal(std::string& log);

 private:
    std::filesystem::path folder_;
    bool asked_ = false;
    struct Judge* judge_ = nullptr;
};

}  // namespace cudasim
