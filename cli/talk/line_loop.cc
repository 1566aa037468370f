#include "cli/talk/line_loop.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "base/text.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::talk {
namespace {

constexpr std::string_view kCommands =
    "/new             begin a new conversation; the old one is kept\n"
    "/export FORMAT   print this one: toolway, openai, openai-responses or anthropic\n"
    "/import FILE [FORMAT]\n"
    "                 begin a new one that has the messages of a file, as /export prints them\n"
    "/calls           the calls of this session, newest first\n"
    "/help            this\n"
    "/quit            end (or Ctrl-D)\n"
    "Ctrl-C stops the turn; at the prompt it ends the program.\n";

}  // namespace

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
    if (std::ferror(stdout) != 0) break;  // nothing reads the replies any more
  }
  if (prompts) fmt::print(stderr, "\n");
  return status;
}

int help_with(std::string_view line) {
  const bool help = line == "/help";
  fmt::print(stderr, "{}{}", help ? "" : "There is no such command. There are:\n", kCommands);
  return help ? terminal::kExitOk : terminal::kExitUsage;
}

}  // namespace toolway::cli::talk
