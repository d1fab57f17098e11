// tokens.cpp -- a minimal C++ tokeniser for kernel text.
#include "codegen/tokens.h"

#include <algorithm>
#include <array>

namespace cuarray {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Whether each character may be part of a word.
constexpr auto kInWord = [] {
    std::array<bool, 256> in{};
    for (int c = 0; c < 256; ++c)
        in[size_t(c)] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    return in;
}();
bool is_word_character(char c) { return kInWord[static_cast<unsigned char>(c)]; }

size_t end_of_word(std::string_view text, size_t i) {
    while (i < text.size() && kInWord[static_cast<unsigned char>(text[i])]) ++i;
    return i;
}

bool is_macro_name(std::string_view word) {
    return word.size() > 1 && std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool opens_type(std::string_view word) {
    return word == "struct" || word == "class" || word == "union" || word == "enum" || word == "using";
}

/// A position in the tokens of one declaration.
class Cursor {
 public:
    explicit Cursor(const std::vector<Token>& tokens) : tokens_(tokens) {}
    bool done() const { return at_ >= tokens_.size(); }
    std::string_view text(size_t ahead = 0) const {
        return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : "";
    }
    bool at_word() const { return !done() && tokens_[at_].is_word(); }
    void advance() { ++at_; }

    /// Skips the bracketed group whose opening mark is at the cursor; ignores marks within parentheses.
    void skip_group(char open, char close) {
        int depth = 0, inner = 0;
        for (; !done(); advance()) {
            const char c = text()[0];
            if (open != '(' && (c == '(' || c == ')')) inner += c == '(' ? 1 : -1;
            if (inner) continue;
            if (c == open) ++depth;
            if (c == close && --depth == 0) break;
        }
        advance();
    }
    /// Collects the words of the group whose opening mark is at the cursor.
    void take_words(char open, char close, std::vector<std::string_view>& words) {
        int depth = 0;
        for (; !done(); advance()) {
            if (text()[0] == open)
                ++depth;
            else if (text()[0] == close && --depth == 0)
                break;
            else if (at_word())
                words.push_back(text());
        }
        advance();
    }
    void skip_to(char mark) {
        while (!done() && text()[0] != mark) {
            if (text()[0] == '{')
                skip_group('{', '}');
            else
                advance();
        }
    }

 private:
    const std::vector<Token>& tokens_;
    size_t at_ = 0;
};

/// `struct alignas(16) Name`, `enum class Name { A, B }`, `using Name =`.
void take_type(Cursor& cursor, std::vector<std::string_view>& names) {
    const bool is_enum = cursor.text() == "enum";
    cursor.advance();
    while (cursor.text() == "class" || cursor.text() == "alignas") {
        cursor.advance();
        if (cursor.text() == "(") cursor.skip_group('(', ')');
    }
    if (cursor.at_word()) names.push_back(cursor.text());
    while (!cursor.done() && cursor.text() != "{" && cursor.text() != ";") cursor.advance();
    if (cursor.text() != "{") return;
    if (is_enum)
        cursor.take_words('{', '}', names);
    else
        cursor.skip_group('{', '}');
}

/// A word at namespace level: a function or a variable if `(`, `=`, `[` or `;` follows, perhaps after
/// template arguments; a macro call defines the words in its parentheses.
void take_word(Cursor& cursor, std::vector<std::string_view>& names) {
    const std::string_view word = cursor.text();
    cursor.advance();
    if (cursor.text() == "<") cursor.skip_group('<', '>');
    const std::string_view next = cursor.text();
    if (next == "(" && is_macro_name(word)) return cursor.take_words('(', ')', names);
    if (next == "(" || next == "=" || next == "[" || next == ";") names.push_back(word);
    if (next == "(") cursor.skip_group('(', ')');
    if (next == "=") cursor.skip_to(';');
}

}  // namespace

std::vector<Token> tokenise(std::string_view text) {
    std::vector<Token> tokens;
    tokens.reserve(text.size() / 4);
    for (size_t i = 0; i < text.size();) {
        const char c = text[i];
        const size_t start = i++;
        if (c == '/' && i < text.size() && text[i] == '/') {
            i = std::min(text.find('\n', i), text.size());
        } else if (c == '"' || c == '\'') {
            while (i < text.size() && text[i] != c) i += text[i] == '\\' ? 2 : 1;
            ++i;
        } else if (is_digit(c)) {
            while (i < text.size() && (is_word_character(text[i]) || text[i] == '.')) ++i;
        } else if (is_word_character(c) || c == '#') {
            i = end_of_word(text, i);
            tokens.push_back({text.substr(start, i - start)});
        } else if (!is_space(c) && c != '\\') {
            tokens.push_back({text.substr(start, 1)});
        }
    }
    return tokens;
}

std::vector<std::string_view> defined_names(const std::vector<Token>& tokens) {
    std::vector<std::string_view> names;
    Cursor cursor(tokens);
    while (!cursor.done()) {
        const std::string_view word = cursor.text();
        if (word == "template") {
            cursor.advance();
            if (cursor.text() == "<") cursor.skip_group('<', '>');
        } else if (word == "#define") {
            cursor.advance();
            names.push_back(cursor.text());
            cursor.advance();
        } else if (opens_type(word)) {
            take_type(cursor, names);
        } else if (word == "{") {
            cursor.skip_group('{', '}');
        } else if (cursor.at_word()) {
            take_word(cursor, names);
        } else {
            cursor.advance();
        }
    }
    return names;
}

bool defines_operators(const std::vector<Token>& tokens) {
    int depth = 0;
    for (const Token& token : tokens) {
        depth += token.text == "{" ? 1 : token.text == "}" ? -1 : 0;
        if (depth == 0 && token.text == "operator") return true;
    }
    return false;
}

std::vector<Mention> mentions(const std::vector<Token>& tokens) {
    std::vector<Mention> found;
    const auto at = [&](size_t i, size_t back) { return i >= back ? tokens[i - back].text : std::string_view(" "); };
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens[i].is_word()) continue;
        const size_t before = at(i, 1) == "template" ? 2 : 1;
        const std::string_view mark = at(i, before);
        if (mark == "." || (mark == ">" && at(i, before + 1) == "-")) continue;
        if (mark != ":" || at(i, before + 1) != ":") {
            found.push_back({{}, tokens[i].text});
        } else if (i > before + 1 && tokens[i - before - 2].is_word()) {
            found.push_back({tokens[i - before - 2].text, tokens[i].text});
        }
    }
    return found;
}

std::string_view without_comment(std::string_view line) {
    bool quoted = false;
    for (size_t i = 0; i + 1 < line.size(); ++i) {
        if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
        if (!quoted && line[i] == '/' && line[i + 1] == '/') line = line.substr(0, i);
    }
    return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace cuarray
