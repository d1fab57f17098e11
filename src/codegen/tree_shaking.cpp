// tree_shaking.cpp -- splits the embedded headers into declarations once, and follows a program's names through them.
#include "codegen/tree_shaking.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/embedded.h"
#include "codegen/tokens.h"
#include "cuarray/core/error.h"

namespace cuarray {
namespace {

constexpr std::string_view kProgramSpace = "cuarray::kernel";

struct Declaration {
    std::string text;
    std::string space;  ///< "cuarray::math"; "" outside namespaces
    bool always;        ///< an operator, which is used without its name
    bool complex_only;
    bool is_read = false;         ///< `needs` is known
    std::vector<uint32_t> needs;  ///< the declarations that define the names used here
};

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

std::string_view trim(std::string_view text) {
    const size_t from = text.find_first_not_of(" \n"), to = text.find_last_not_of(" \n");
    return from == text.npos ? std::string_view() : text.substr(from, to - from + 1);
}

/// Calls visit(line) for each line, without its newline.
template <class Visit>
void each_line(std::string_view text, Visit visit) {
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        visit(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::string_view file_text(std::string_view name) {
    for (int i = 0; i < embedded_file_count; ++i)
        if (embedded_files[i].name == name) return embedded_files[i].text;
    raise(ErrorKind::Runtime, "codegen: no embedded file named ", name);
}

/// The declarations of all headers and tables, definitions before uses. The names that a declaration uses are looked up
/// when a program first reaches it: most processes reach few.
class KernelText {
 public:
    KernelText() {
        for (int i = 0; i < embedded_file_count; ++i)
            if (starts_with(embedded_files[i].name, "kernel/")) add_file(embedded_files[i].name);
    }

    void append_reachable(std::string& text, std::string_view program, bool complex_numbers) {
        const std::lock_guard lock(mutex_);
        std::vector<char> wanted(declarations_.size(), 0);
        std::vector<uint32_t> queue = needs_of(program, kProgramSpace);
        for (uint32_t i = 0; i < declarations_.size(); ++i)
            if (declarations_[i].always) queue.push_back(i);
        while (!queue.empty()) {
            const uint32_t i = queue.back();
            queue.pop_back();
            if (wanted[i] || (declarations_[i].complex_only && !complex_numbers)) continue;
            wanted[i] = 1;
            const std::vector<uint32_t>& needs = needs_of(declarations_[i]);
            queue.insert(queue.end(), needs.begin(), needs.end());
        }
        emit(text, wanted);
    }

 private:
    void emit(std::string& text, const std::vector<char>& wanted) const {
        std::string_view space;
        const auto enter = [&](std::string_view next) {
            if (next == space) return;
            if (!space.empty()) text += "}\n";
            if (!next.empty()) text.append("namespace ").append(next).append(" {\n");
            space = next;
        };
        for (size_t i = 0; i < declarations_.size(); ++i) {
            if (!wanted[i]) continue;
            enter(declarations_[i].space);
            text += declarations_[i].text;
        }
        enter({});
    }

    void add_file(std::string_view name) {
        if (std::find(files_.begin(), files_.end(), name) != files_.end()) return;
        files_.emplace_back(name);
        std::string space, code;
        each_line(file_text(name), [&](std::string_view line) {
            if (trim(line).empty()) return add_paragraph(name, std::exchange(code, {}), space);
            line = without_comment(line);
            if (!line.empty()) code.append(line).append("\n");
        });
        add_paragraph(name, code, space);
    }

    /// Classifies one paragraph: a namespace's beginning or end, includes, or a declaration.
    void add_paragraph(std::string_view file, const std::string& code, std::string& space) {
        const std::string_view body = trim(code);
        if (body.empty()) return;
        if (starts_with(body, "namespace ") && body.back() == '{') {
            space = trim(body.substr(10, body.size() - 11));
        } else if (starts_with(body, "}")) {
            space.clear();
        } else if (starts_with(body, "#ifndef __CUDACC__")) {
            // Host-only code.
        } else if (starts_with(body, "#pragma once") || starts_with(body, "#include")) {
            each_line(body, [&](std::string_view line) { follow_include(line, space); });
        } else {
            const std::vector<Token> tokens = tokenise(code);
            define(defined_names(tokens), space);
            const bool is_complex = starts_with(file, "kernel/math_complex");
            declarations_.push_back({code, space, defines_operators(tokens), is_complex});
        }
    }

    void follow_include(std::string_view line, const std::string& space) {
        constexpr std::string_view prefix = "#include \"cuarray/";
        if (!starts_with(line, prefix)) return;
        const std::string_view name = line.substr(prefix.size(), line.find('"', prefix.size()) - prefix.size());
        if (name.ends_with(".def"))
            add_table(name, space);
        else
            add_file(name);
    }

    /// The macros of a table are one declaration; each row is another, which defines the row's name.
    void add_table(std::string_view name, const std::string& space) {
        std::string macros, row;
        int depth = 0;
        bool continues = false;
        each_line(file_text(name), [&](std::string_view line) {
            if (continues || starts_with(line, "#")) {
                if (!starts_with(line, "#undef")) macros.append(line).append("\n");
                continues = line.ends_with("\\");
                return;
            }
            if (depth == 0 && (line.empty() || line[0] < 'A' || line[0] > 'Z')) return;
            if (!macros.empty()) add_paragraph(name, std::exchange(macros, {}), const_cast<std::string&>(space));
            const std::vector<Token> tokens = tokenise(line);
            if (depth == 0 && tokens.size() > 2) define({tokens[2].text}, space);
            for (const Token& token : tokens) depth += token.text == "(" ? 1 : token.text == ")" ? -1 : 0;
            row.append(line).append("\n");
            if (depth == 0) declarations_.push_back({std::exchange(row, {}), space, false, false});
        });
    }

    /// Registers the names defined by the next declaration to be added.
    void define(const std::vector<std::string_view>& names, std::string_view space) {
        for (std::string_view name : names) definitions_[key(space, name)].push_back(uint32_t(declarations_.size()));
    }

    static std::string key(std::string_view space, std::string_view name) {
        return std::string(space).append("::").append(name);
    }

    const std::vector<uint32_t>& needs_of(Declaration& declaration) {
        if (declaration.is_read) return declaration.needs;
        std::vector<uint32_t> needs = needs_of(declaration.text, declaration.space);
        std::sort(needs.begin(), needs.end());
        needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
        declaration.needs = std::move(needs);
        declaration.is_read = true;
        return declaration.needs;
    }

    /// The declarations that define the names used by text inside a namespace.
    std::vector<uint32_t> needs_of(std::string_view text, std::string_view space) const {
        std::vector<uint32_t> needs;
        const auto add = [&](const std::string& name) {
            const auto found = definitions_.find(name);
            if (found != definitions_.end()) needs.insert(needs.end(), found->second.begin(), found->second.end());
        };
        for (const Mention& mention : mentions(tokenise(text))) {
            if (!mention.qualifier.empty()) {
                add(key(key("cuarray", mention.qualifier), mention.name));
                continue;
            }
            add(key({}, mention.name));
            for (std::string_view outer = space; !outer.empty();) {
                add(key(outer, mention.name));
                const size_t cut = outer.rfind("::");
                outer = cut == outer.npos ? std::string_view() : outer.substr(0, cut);
            }
        }
        return needs;
    }

    std::mutex mutex_;  ///< guards `needs` and `is_read`
    std::vector<std::string> files_;
    std::vector<Declaration> declarations_;
    std::unordered_map<std::string, std::vector<uint32_t>> definitions_;  ///< by "cuarray::math::hypot"
};

}  // namespace

void append_reachable(std::string& text, std::string_view program, bool complex_numbers) {
    static auto& library = *new KernelText;
    library.append_reachable(text, program, complex_numbers);
}

}  // namespace cuarray
