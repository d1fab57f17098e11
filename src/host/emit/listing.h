// listing.h -- instructions as text in Intel's syntax, as objdump writes it; sizes of memory operands are left out.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cuarray::host::emit {

struct Form;
struct Instruction;
struct Vector;
struct VectorSource;
enum class General : uint8_t;

/// "0x20"
std::string number_text(uint64_t number);
std::string name_text(General x, bool is_wide = true);
/// The mnemonic; comparisons have the predicate in it.
std::string name_text(const Instruction& i, const Form& form, uint8_t predicate = 0);
/// A register as the result or a whole source; `is_half`: of half the form's length.
std::string operand_text(const Vector& x, const Form& form, bool is_half = false);
/// The mask of a destination.
std::string mask_text(const Form& form);
/// The last source, or the target of a store.
std::string operand_text(const Instruction& i, const VectorSource& rm, const Form& form);
std::string address_text(const VectorSource& memory);

/// The instructions of a program, and its constants. '@' in a text stands for a number that is known at the end.
class Listing {
 public:
    enum class Late : uint8_t { None, Immediate, Displacement, Target };
    struct Line {
        int64_t position;
        std::string text;
        Late late = Late::None;
        int64_t place = 0;  ///< of the number's 4 bytes
    };

    void add(Line line) { lines_.push_back(std::move(line)); }
    /// Fills in the numbers. The pool begins at a position of the code.
    void finish(const std::vector<uint8_t>& code, int64_t pool);
    const std::vector<Line>& lines() const { return lines_; }
    /// A line for each instruction, with its position, as jumps name it.
    std::string text() const;

 private:
    std::vector<Line> lines_;
};

}  // namespace cuarray::host::emit
