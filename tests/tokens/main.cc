// Plays random conversations; window_test.mjs counts their requests.
#include <fmt/format.h>

#include <iostream>
#include <string_view>

#include "tests/tokens/conversation.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: toolway-tokens FIRST COUNT\n"
                 "plays the conversations FIRST, FIRST+1 …; window_test.mjs starts it\n";
    return 2;
  }
  const auto first = std::stoull(argv[1]);
  const auto count = std::stoull(argv[2]);
  for (auto seed = first; seed < first + count; ++seed) {
    const auto ends = toolway::tokens::play(toolway::tokens::Plan(seed));
    std::cout << fmt::format(R"({{"history":{},"turns":{},"too_long":{}}})", seed, ends.turns,
                             ends.too_long)
              << std::endl;
  }
  return 0;
}
