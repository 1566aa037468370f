#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "base/utf8.h"
#include "tools/builtin/file_walk.h"
#include "tools/builtin/filesystem_tools.h"
#include "tools/builtin/glob.h"
#include "tools/builtin/line_matcher.h"
#include "tools/builtin/lines.h"
#include "tools/model/readable.h"
#include "tools/native/native.h"

namespace toolway::tools::builtin {

BOOST_DESCRIBE_ENUM(Syntax, literal, regex)

namespace {

constexpr std::size_t kShownOfLine = 240;     ///< bytes around a match
constexpr std::size_t kMaxText = 256 * 1024;  ///< of all matches: results stay below their cap
constexpr std::size_t kMatchesPerReport = 20;

/// The part of a line that shows the match.
std::string excerpt(std::string_view line, std::size_t at) {
  const std::size_t begin =
      line.size() <= kShownOfLine || at < kShownOfLine / 4 ? 0 : at - kShownOfLine / 4;
  std::string_view part = line.substr(begin, kShownOfLine);
  while (begin > 0 && !part.empty() && continues_character(part.front())) part.remove_prefix(1);
  if (part.data() + part.size() != line.data() + line.size()) part = without_cut_character(part);
  return model::readable(std::string(part));
}

class FindInFiles {
 public:
  static constexpr native::ToolInfo info{
      .name = "find_in_files",
      .ns = "filesystem",
      .description =
          "Searches text files for lines with a literal text or a regular expression. "
          "Reports each file and its matches as it goes.",
      .topic = "Find in files",
      .category = "filesystem",
      .read_only = true,
      .idempotent = true,
      .limits = {.run = std::chrono::minutes(10), .total = std::chrono::minutes(60)}};
  struct Args {
    std::string pattern;
    std::string path = ".";
    std::string glob = "*";
    Syntax syntax = Syntax::literal;
    bool ignore_case = false;
    std::int64_t max_matches = 200;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "pattern",
          .description = "What to look for.",
          .min_length = 1,
          .max_length = 1000},
         {.name = "path",
          .description = "Directory or file to search, relative to the root.",
          .has_default = true},
         {.name = "glob",
          .description = "Only files that match, e.g. \"*.cc\" or \"src/**/*.h\".",
          .has_default = true,
          .max_length = 200},
         {.name = "syntax", .description = "What the pattern is.", .has_default = true},
         {.name = "ignore_case", .has_default = true},
         {.name = "max_matches",
          .description = "Stop after this many.",
          .has_default = true,
          .minimum = 1,
          .maximum = 1000}});
  };
  struct Match {
    std::string file;
    std::int64_t line = 0;
    std::int64_t column = 0;
    std::string text;
  };
  struct Output {
    std::vector<Match> matches;
    std::int64_t files_searched = 0;
    std::int64_t files_skipped = 0;
    bool truncated = false;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "files_skipped", .description = "Binary, or not readable."},
         {.name = "truncated", .description = "There may be more matches than these."}});
  };

  explicit FindInFiles(Root root) : root_(std::move(root)) {}

  model::ToolResult<Output> run(const Args& args, model::ToolContext& context,
                                model::Progress& progress) const;

 private:
  Result<void> search(const std::string& path, const Args& args, const LineMatcher& matcher,
                      const std::stop_token& cancelled, Output& output, std::size_t& text) const;

  Root root_;
};
BOOST_DESCRIBE_STRUCT(FindInFiles::Args, (),
                      (pattern, path, glob, syntax, ignore_case, max_matches))
BOOST_DESCRIBE_STRUCT(FindInFiles::Match, (), (file, line, column, text))
BOOST_DESCRIBE_STRUCT(FindInFiles::Output, (), (matches, files_searched, files_skipped, truncated))

Result<void> FindInFiles::search(const std::string& path, const Args& args,
                                 const LineMatcher& matcher, const std::stop_token& cancelled,
                                 Output& output, std::size_t& text) const {
  const auto file = root_->open_file(path);
  if (!file) {
    ++output.files_skipped;
    return {};
  }
  Result<void> outcome;
  const auto end = for_each_line(*file, cancelled, [&](std::int64_t number, std::string_view line) {
    const auto found = matcher.find(line);
    if (!found) {
      outcome = fail(found.error());
      return false;
    }
    if (!*found) return true;
    output.matches.push_back({model::readable(path), number, static_cast<std::int64_t>(**found) + 1,
                              excerpt(line, **found)});
    text += path.size() + output.matches.back().text.size();
    output.truncated =
        static_cast<std::int64_t>(output.matches.size()) >= args.max_matches || text >= kMaxText;
    return !output.truncated;
  });
  const bool readable_text = end && *end != LinesEnd::kBinary;
  ++(readable_text ? output.files_searched : output.files_skipped);
  return outcome;
}

model::ToolResult<FindInFiles::Output> FindInFiles::run(const Args& args,
                                                        model::ToolContext& context,
                                                        model::Progress& progress) const {
  const auto cancelled = context.cancellation();
  ASSIGN_OR_RETURN(const auto matcher,
                   LineMatcher::make(args.pattern, args.syntax,
                                     args.ignore_case ? Case::kIgnored : Case::kSensitive));
  ASSIGN_OR_RETURN(
      const auto files,
      files_below(
          *root_, args.path, [&](const std::string& path) { return glob_matches(args.glob, path); },
          cancelled));

  Output output;
  std::size_t text = 0;
  double done = 0;
  for (const auto& path : files.paths) {
    const std::size_t before = output.matches.size();
    RETURN_IF_ERROR(search(path, args, matcher, cancelled, output, text));
    if (cancelled.stop_requested()) break;
    Json found = Json::array();
    for (std::size_t i = before; i < std::min(output.matches.size(), before + kMatchesPerReport);
         ++i) {
      found.push_back({{"line", output.matches[i].line}, {"text", output.matches[i].text}});
    }
    progress.report({.progress = ++done,
                     .total = static_cast<double>(files.paths.size()),
                     .message = fmt::format("{} matches in {:.0f} of {} files",
                                            output.matches.size(), done, files.paths.size()),
                     .step = "searching",
                     .data = {{"file", model::readable(path)}, {"matches", std::move(found)}}});
    if (output.truncated) break;
  }
  if (cancelled.stop_requested()) {
    model::ToolError error(
        "cancelled", fmt::format("stopped after {:.0f} of {} files", done, files.paths.size()));
    error.details = {{"matches", native::write(output.matches)}};
    return tl::unexpected(std::move(error));
  }
  output.truncated = output.truncated || !files.complete;
  return output;
}

}  // namespace

std::shared_ptr<const model::Tool> make_find_in_files(Root root) {
  return native::make_native_tool<FindInFiles>(std::move(root));
}

}  // namespace toolway::tools::builtin
