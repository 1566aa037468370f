#include "cli/terminal/wrapped.h"

#include <sstream>

#include "cli/terminal/table.h"

namespace toolway::cli::terminal {

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string result;
  std::size_t used = 0;
  for (std::string word; words >> word;) {
    const auto length = display_width(word);
    if (used > 0 && used + 1 + length > width) {
      result += "\n" + std::string(indent, ' ');
      used = 0;
    } else if (used > 0) {
      result += ' ';
      ++used;
    }
    result += word;
    used += length;
  }
  return result;
}

}  // namespace toolway::cli::terminal
