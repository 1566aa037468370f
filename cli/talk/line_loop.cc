#include "cli/talk/line_loop.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "base/text.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::talk {

int each_line(const terminal::View& view, const LineHandlers& handlers) {
  const bool prompts = isatty(STDIN_FILENO) != 0;
  int status = terminal::kExitOk;
  for (std::string line;;) {
    if (prompts) fmt::print(stderr, "{}", view.error_style(terminal::Colour::kBold, "> "));
    if (!std::getline(std::cin, line)) break;
    const auto text = trimmed(line, " \t\r");
    if (text.empty()) continue;
    if (text == "/quit") break;
    status = text.front() == '/' ? handlers.command(text) : handlers.say(std::string(text));
  }
  if (prompts) fmt::print(stderr, "\n");
  return status;
}

}  // namespace toolway::cli::talk
