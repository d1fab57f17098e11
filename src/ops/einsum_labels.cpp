// einsum_labels.cpp -- reads the subscripts of einsum.
#include "ops/einsum_labels.h"
#include <algorithm>
#include <string>
#include <string_view>

namespace cuarray {
namespace {

/// The label of the last axis of an ellipsis; those before it have lower ones, which are no codes of letters.
constexpr int64_t kLastOfDots = 191;

template <class... Parts>
[[noreturn]] void refuse_subscripts(const Parts&... parts) {
    raise(ErrorKind::Value, "einsum: ", parts...);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The letters before and after the ellipsis of a group, if it has one.
struct SubscriptGroup {
    explicit SubscriptGroup(std::string_view text) : text(text), before(text) {
        const size_t at = text.find("...");
        if (at == text.npos) return;
        has_dots = true;
        before = text.substr(0, at);
        after = text.substr(at + 3);
    }
    int letters() const { return int(before.size() + after.size()); }

    std::string_view text, before, after;
    bool has_dots = false;
};

Dims labels_of(const SubscriptGroup& group, int dots) {
    Dims labels;
    for (const char letter : group.before) labels.push_back(letter);
    for (int64_t k = dots - 1; k >= 0; --k) labels.push_back(kLastOfDots - k);
    for (const char letter : group.after) labels.push_back(letter);
    return labels;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// The letters that appear once, in alphabetical order, after all axes of an ellipsis.
Dims labels_seen_once(std::string_view inputs, int dots) {
    Dims labels = labels_of(SubscriptGroup(""), dots);
    int counts[128] = {};
    for (const char letter : inputs)
        if (is_letter(letter)) ++counts[int(letter)];
    for (int letter = 'A'; letter <= 'z'; ++letter)
        if (counts[letter] == 1) labels.push_back(letter);
    return labels;
}

Dims labels_of_result(std::string_view text, std::string_view inputs, std::string_view output, int dots) {
    const SubscriptGroup group(output);
    if (dots > 0 && !group.has_dots) refuse_subscripts("the result of ", quoted(text), " lacks '...'");
    for (const std::string_view part : {group.before, group.after})
        for (const char letter : part) {
            if (!is_letter(letter) || inputs.find(letter) == inputs.npos)
                refuse_subscripts("the result's subscript '", letter, "' is that of no array");
            if (std::ranges::count(output, letter) > 1)
                refuse_subscripts("the result's subscript '", letter, "' appears twice");
        }
    return labels_of(group, group.has_dots ? dots : 0);
}

}  // namespace

EinsumLabels::EinsumLabels(const EinsumOperands& operands) {
    const std::string_view text = operands.subscripts;
    const ArrayList& arrays = operands.arrays;
    const size_t arrow = text.find("->");
    const std::string_view inputs = text.substr(0, arrow);
    std::vector<SubscriptGroup> groups;
    for (size_t begin = 0, comma = 0; comma != inputs.npos; begin = comma + 1) {
        comma = inputs.find(',', begin);
        groups.emplace_back(inputs.substr(begin, comma == inputs.npos ? comma : comma - begin));
    }
    if (groups.size() != arrays.size())
        refuse_subscripts(groups.size(), " groups of subscripts in ", quoted(text), " for ", arrays.size(), " arrays");
    int dots = 0;
    for (size_t k = 0; k < groups.size(); ++k) {
        const SubscriptGroup& group = groups[k];
        const int spare = arrays[k]->ndim() - group.letters();
        if (!std::ranges::all_of(group.before, is_letter) || !std::ranges::all_of(group.after, is_letter))
            refuse_subscripts("subscripts are letters, '...', ',' and '->', not ", quoted(group.text));
        if (spare < 0 || (spare > 0 && !group.has_dots))
            refuse_subscripts(quoted(group.text), " names ", group.letters(), " axes of an array that has ",
                              arrays[k]->ndim());
        dots = std::max(dots, spare);
        of_arrays.push_back(labels_of(group, spare));
    }
    of_result = arrow == text.npos ? labels_seen_once(inputs, dots)
                                   : labels_of_result(text, inputs, text.substr(arrow + 2), dots);
}

}  // namespace cuarray
