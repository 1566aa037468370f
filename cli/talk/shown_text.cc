#include "cli/talk/shown_text.h"

namespace toolway::cli::talk {

std::string ShownText::next(std::string_view piece) {
  std::string shown;
  shown.reserve(piece.size() + 1);
  for (const char c : piece) {
    const auto byte = static_cast<unsigned char>(c);
    if (after_c2_) {
      after_c2_ = false;
      if (byte >= 0x80 && byte < 0xA0) continue;  // U+0080 to U+009F
      shown += '\xC2';
    }
    if (byte == 0xC2)
      after_c2_ = true;
    else if ((byte >= 0x20 && byte != 0x7F) || c == '\n' || c == '\t')
      shown += c;
  }
  return shown;
}

}  // namespace toolway::cli::talk
