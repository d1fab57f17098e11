// judge.cpp -- starts judge processes, communicates with them over pipes, and keeps idle ones.
#include "judge.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>

extern char** environ;

namespace cudasim {

/// A running real-nvrtc: reads a folder's path, answers with a line.
struct Judge {
    pid_t owner = getpid();
    FILE* in = nullptr;
    FILE* out = nullptr;

    ~Judge() {
        if (in) fclose(in);
        if (out) fclose(out);
    }
};

namespace {

std::mutex mutex;

std::vector<Judge*>& idle() {
    static auto* judges = new std::vector<Judge*>;
    return *judges;
}

Judge* start(const std::filesystem::path& program) {
    int question[2], answer[2];
    // Closed in other programs that are started: a judge ends at the end of its input.
    if (pipe2(question, O_CLOEXEC) != 0 || pipe2(answer, O_CLOEXEC) != 0) return nullptr;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, question[0], 0);
    posix_spawn_file_actions_adddup2(&actions, answer[1], 1);
    std::string path = program, library = real_nvrtc();
    char* argv[] = {path.data(), library.data(), nullptr};
    pid_t process;
    bool started = posix_spawn(&process, path.c_str(), &actions, nullptr, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(question[0]);
    close(answer[1]);
    auto* judge = new Judge;
    judge->in = fdopen(question[1], "w");
    judge->out = fdopen(answer[0], "r");
    if (started) return judge;
    delete judge;
    return nullptr;
}

/// An idle judge of this process (a forked child has its own), or a new one.
Judge* take(const std::filesystem::path& program) {
    std::lock_guard<std::mutex> lock(mutex);
    while (!idle().empty()) {
        Judge* judge = idle().back();
        idle().pop_back();
        if (judge->owner == getpid()) return judge;
    }
    return start(program);
}

}  // namespace

std::string real_nvrtc() {
    const char* path = std::getenv("CUDASIM_REAL_NVRTC");
    return path && *path && std::string(path) != "0" ? path : "";
}

Question::Question(const std::filesystem::path& program, const std::filesystem::path& folder) : folder_(folder) {
    asked_ = !program.empty();
    if (!asked_) return;
    judge_ = take(program);
    if (!judge_) return;
    std::fprintf(judge_->in, "%s\n", folder.c_str());
    std::fflush(judge_->in);
}

Question::~Question() { delete judge_; }

std::string Question::refusal(std::string& log) {
    if (!asked_) return "";
    char line[16];
    if (!judge_ || !std::fgets(line, sizeof line, judge_->out)) return "cudasim: real-nvrtc does not answer\n";
    std::lock_guard<std::mutex> lock(mutex);
    idle().push_back(judge_);
    judge_ = nullptr;
    std::ifstream in(folder_ / "verdict", std::ios::binary);
    std::string said{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (std::string(line) != "accepted\n") return said;
    log = said;
    return "";
}

}  // namespace cudasim
