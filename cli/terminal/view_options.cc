#include "cli/terminal/view_options.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace toolway::cli::terminal {
namespace {

constexpr std::size_t kUsualWidth = 80;

Output output_of(const std::string& word) {
  if (word == "wide") return Output::kWide;
  if (word == "json") return Output::kJson;
  if (word == "name") return Output::kName;
  return word == "raw" ? Output::kRaw : Output::kTable;
}

}  // namespace

void add_output_option(CLI::App& verb, ViewOptions& options,
                       const std::vector<std::string>& forms) {
  std::string words;
  for (const auto& form : forms) words += (words.empty() ? "" : ", ") + form;
  verb.add_option("-o,--output", options.output, "form of the output: " + words)
      ->check(CLI::IsMember(forms))
      ->default_str(forms.front());
  verb.add_option("--color", options.color, "colours: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->default_str("auto");
}

void add_table_options(CLI::App& verb, ViewOptions& options) {
  add_output_option(verb, options, {"table", "wide", "json", "name"});
  verb.add_option("--time", options.time,
                  "times as ages or in UTC: relative on a terminal, absolute in a pipe")
      ->check(CLI::IsMember({"relative", "absolute"}));
}

Streams own_streams(const std::string& columns) {
  Streams streams{.terminal = isatty(STDOUT_FILENO) != 0,
                  .error_terminal = isatty(STDERR_FILENO) != 0};
  winsize size{};
  const bool told = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  if (told || (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0))
    streams.width = size.ws_col;
  else if (!parse_number(columns, streams.width) || streams.width == 0)
    streams.width = kUsualWidth;
  return streams;
}

View view_of(const ViewOptions& options, const Streams& streams, bool no_color, WallTime now) {
  const auto coloured = [&](bool terminal) {
    return Style(options.color == "always" || (options.color == "auto" && terminal && !no_color));
  };
  const bool ages = options.time.empty() ? streams.terminal : options.time == "relative";
  return {.output = output_of(options.output),
          .terminal = streams.terminal,
          .width = streams.terminal ? streams.width : 0,
          .style = coloured(streams.terminal),
          .error_style = coloured(streams.error_terminal),
          .error_width = streams.error_terminal ? streams.width : 0,
          .times = ages ? Times::kAge : Times::kAbsolute,
          .now = now};
}

}  // namespace toolway::cli::terminal
