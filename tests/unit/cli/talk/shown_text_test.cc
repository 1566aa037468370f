#include "cli/talk/shown_text.h"

#include <gtest/gtest.h>

namespace toolway::cli::talk {
namespace {

TEST(ShownText, LeavesOutControlCharactersWhereverItIsCut) {
  const std::string text =
      "a\x1b[2Jb\r\n\tc\x07\xc2\x9b"
      "d\xc3\xa9\xc2\xa9\x7f";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    ShownText shown;
    const auto first = shown.next(std::string_view(text).substr(0, at));
    EXPECT_EQ(first + shown.next(std::string_view(text).substr(at)), "a[2Jb\n\tcd\xc3\xa9\xc2\xa9")
        << at;
  }
}

}  // namespace
}  // namespace toolway::cli::talk
