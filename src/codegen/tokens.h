// tokens.h -- the words of kernel text, which of them a declaration defines, and which it takes from elsewhere.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace cuarray {

/// A word or one punctuation mark. Comments, strings and numbers are left out.
struct Token {
    std::string_view text;
    bool is_word() const {
        const char c = text[0];
        return c == '_' || c == '#' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
};

/// The tokens of kernel text; a preprocessor directive is one token such as "#define".
std::vector<Token> tokenise(std::string_view text);

/// The names that a declaration at namespace level defines: functions, types, variables, enumerators and
/// macros. A few names too many cost only compile time.
std::vector<std::string_view> defined_names(const std::vector<Token>& tokens);

/// Whether a declaration defines operators outside of types.
bool defines_operators(const std::vector<Token>& tokens);

/// A name as it is used: `qualifier` is the namespace or type before `::`, empty where there is none.
struct Mention {
    std::string_view qualifier, name;
};

/// The names that text may take from elsewhere, without members behind `.` and `->` and behind `>::`.
std::vector<Mention> mentions(const std::vector<Token>& tokens);

/// The line without its comment.
std::string_view without_comment(std::string_view line);

}  // namespace cuarray
