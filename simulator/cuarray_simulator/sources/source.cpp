// source.cpp -- finds kernels, device variables and dynamic shared arrays in CUDA text.
#include "source.h"

#include <cctype>
#include <regex>

namespace cudasim {
namespace {

bool word_at(const std::string& text, size_t at, const std::string& word) {
    auto part_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    if (text.compare(at, word.size(), word) != 0) return false;
    bool starts = at == 0 || !part_of_word(text[at - 1]);
    size_t end = at + word.size();
    return starts && (end == text.size() || !part_of_word(text[end]));
}

size_t past_spaces(const std::string& text, size_t at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
    return at;
}

std::string word_from(const std::string& text, size_t at) {
    size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    return text.substr(at, end - at);
}

/// The text between the parentheses that open at `at`; `at` moves after them.
std::string in_parentheses(const std::string& text, size_t& at) {
    size_t begin = at + 1;
    int depth = 0;
    for (; at < text.size(); ++at) {
        if (text[at] == '(') ++depth;
        if (text[at] == ')' && --depth == 0) break;
    }
    std::string inside = text.substr(begin, at - begin);
    if (at < text.size()) ++at;
    return inside;
}

bool in_directive(const std::string& text, size_t at) {
    size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    while (line > 1 && text[line - 2] == '\\') line = text.rfind('\n', line - 2) + 1;
    line = past_spaces(text, line);
    return line <= at && text[line] == '#';
}

/// A name of __global__: the qualifier itself, or a macro that expands to it.
struct Marker {
    std::string name, bounds;
};

std::vector<Marker> markers(const std::string& text) {
    static const std::regex kMacro(R"(#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]*__global__[^\n]*))");
    std::vector<Marker> found{{"__global__", ""}};
    for (std::sregex_iterator it(text.begin(), text.end(), kMacro), end; it != end; ++it) {
        std::string body = (*it)[2];
        size_t bounds = body.find("__launch_bounds__");
        Marker marker{(*it)[1], ""};
        if (bounds != std::string::npos && (bounds = body.find('(', bounds)) != std::string::npos)
            marker.bounds = in_parentheses(body, bounds);
        found.push_back(marker);
    }
    return found;
}

/// Reads `void __launch_bounds__(n) name(` after a marker. The name is empty if other text is
/// there.
FoundKernel declared_after(const std::string& text, size_t at, std::string bounds) {
    for (;;) {
        at = past_spaces(text, at);
        std::string word = word_from(text, at);
        if (word.empty()) return {};
        at = past_spaces(text, at + word.size());
        if (word == "__launch_bounds__" || word == "__attribute__") {
            std::string inside = in_parentheses(text, at);
            if (word == "__launch_bounds__") bounds = inside;
        } else if (word != "void" && word != "static" && word != "inline") {
            return {at < text.size() && text[at] == '(' ? word : "", bounds, ""};
        }
    }
}

bool is_template(const std::string& text, size_t marker) {
    size_t statement = text.find_last_of(";}", marker);
    size_t from = statement == std::string::npos ? 0 : statement;
    size_t found = text.find("template", from);
    return found < marker && word_at(text, found, "template");
}

/// The open namespaces at a position, as a prefix of names.
std::string scope_at(const std::string& text, size_t place) {
    std::vector<std::string> open;  // one per brace; empty for braces of anything else
    std::string announced;
    for (size_t at = 0; at < place; ++at) {
        if (text[at] == '{') {
            open.push_back(announced);
            announced.clear();
        } else if (text[at] == '}' && !open.empty()) {
            open.pop_back();
        } else if (text[at] == ';') {
            announced.clear();
        } else if (word_at(text, at, "namespace")) {
            size_t name = past_spaces(text, at + 9), end = name;
            while (end < text.size() && (word_from(text, end).size() || text[end] == ':')) ++end;
            announced = text.substr(name, end - name) + "::";
            at = end - 1;
        }
    }
    std::string scope;
    for (const std::string& name : open) scope += name;
    return scope;
}

}  // namespace

std::vector<FoundKernel> find_kernels(const std::string& text) {
    std::vector<FoundKernel> kernels;
    for (const Marker& marker : markers(text)) {
        for (size_t at = text.find(marker.name); at != std::string::npos; at = text.find(marker.name, at + 1)) {
            if (!word_at(text, at, marker.name) || in_directive(text, at) || is_template(text, at)) continue;
            FoundKernel kernel = declared_after(text, at + marker.name.size(), marker.bounds);
            if (kernel.name.empty()) continue;
            kernel.scope = scope_at(text, at);
            kernels.push_back(kernel);
        }
    }
    return kernels;
}

std::string for_host_compiler(const std::string& text) {
    static const std::regex kDynamicShared(R"(extern\s+__shared__\s+([\w:\s]+?)\s*\b(\w+)\s*\[\s*\]\s*;)");
    static const std::regex kVariable(R"(\b__device__\b(?=[^(){};]*(;|=|\[[^(){};]*\]\s*(;|=))))");
    std::string changed =
        std::regex_replace(text, kDynamicShared, "$1* const $2 = reinterpret_cast<$1*>(cudasim_here.dynamic_shared);");
    return std::regex_replace(changed, kVariable, "__attribute__((section(\"cudasim_globals\")))");
}

}  // namespace cudasim
