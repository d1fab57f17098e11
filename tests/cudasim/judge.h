// judge.h -- the real NVRTC's opinion of a text, from a program that runs beside this one.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace cudasim {

/// The real NVRTC that CUDASIM_REAL_NVRTC names; empty when the simulator does without.
std::string real_nvrtc();

/// One question. The judge works while the host compiler does, and lives on for the next question.
class Question {
 public:
    /// The folder holds kernel.cu, options and names; `program` is the path of real-nvrtc, or empty: do not
    /// ask.
    Question(const std::filesystem::path& program, const std::filesystem::path& folder);
    ~Question();
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

    /// Waits for the answer: the log of a refusal, or nothing. `log` is that of an accepted text.
    std::string refusal(std::string& log);

 private:
    std::filesystem::path folder_;
    bool asked_ = false;
    struct Judge* judge_ = nullptr;
};

}  // namespace cudasim
