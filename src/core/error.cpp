// error.cpp -- the messages of errors.
#include "cuarray/core/error.h"
#include <sstream>

namespace cuarray {

void append(std::string& message, const MessagePart& part) {
    using Kind = MessagePart::Kind;
    std::ostringstream text;
    switch (part.kind_) {
        case Kind::Text: message += part.text_; return;
        case Kind::Letter: message += part.letter_; return;
        case Kind::Whole:
            message += part.is_unsigned_ ? std::to_string(uint64_t(part.whole_)) : std::to_string(part.whole_);
            return;
        case Kind::Real: text << part.real_; break;
        case Kind::Address: text << part.address_; break;
    }
    message += text.str();
}

void raise_message(ErrorKind kind, std::initializer_list<MessagePart> parts) {
    std::string message;
    for (const MessagePart& part : parts) append(message, part);
    throw Error(kind, std::move(message));
}

}  // namespace cuarray
