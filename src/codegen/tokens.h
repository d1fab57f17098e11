// tokens.h -- the tokens of kernel text, the names that a declaration defines, and the names that it uses.
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
/// macros. A superfluous name costs only compile time.
std::vector<std::string_view> defined_names(const std::vector<Token>& tokens);

/// Whether a declaration defines operators outside of types.
bool defines_operators(const std::vector<Token>& tokens);

/// A use of a name: `qualifier` is the namespace or type before `::`, or empty.
struct Mention {
    std::string_view qualifier, name;
};

/// The names used in the text that may be defined elsewhere; omits members after `.`, `->` and `>::`.
std::vector<Mention> mentions(const std::vector<Token>& tokens);

/// The line without its comment.
std::string_view without_comment(std::string_view line);

}  // namespace cuarray
