#include "tools/builtin/glob.h"

#include <vector>

namespace toolway::tools::builtin {

bool glob_matches(std::string_view pattern, std::string_view text) {
  if (pattern.find('/') == std::string_view::npos) {
    if (const auto slash = text.rfind('/'); slash != std::string_view::npos)
      text.remove_prefix(slash + 1);
  }
  // reached[i]: what was read of the pattern matches the first i characters.
  std::vector<char> reached(text.size() + 1, 0);
  reached[0] = 1;
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    std::vector<char> next(text.size() + 1, 0);
    if (pattern[p] == '*') {
      const bool crosses = p + 1 < pattern.size() && pattern[p + 1] == '*';
      if (crosses) ++p;
      bool on = false;
      for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i > 0 && !crosses && text[i - 1] == '/') on = false;
        on = on || reached[i] != 0;
        next[i] = on ? 1 : 0;
      }
      // `**/` also matches no directory at all.
      if (crosses && p + 1 < pattern.size() && pattern[p + 1] == '/') {
        ++p;
        std::vector<char> after(reached);
        for (std::size_t i = 0; i < text.size(); ++i) {
          if (next[i] != 0 && text[i] == '/') after[i + 1] = 1;
        }
        next.swap(after);
      }
    } else {
      for (std::size_t i = 0; i < text.size(); ++i) {
        const bool same = pattern[p] == '?' ? text[i] != '/' : pattern[p] == text[i];
        if (reached[i] != 0 && same) next[i + 1] = 1;
      }
    }
    reached.swap(next);
  }
  return reached[text.size()] != 0;
}

}  // namespace toolway::tools::builtin
