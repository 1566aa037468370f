#include "cli/mock/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/nearest_names.h"
#include "cli/client/reporting.h"
#include "cli/process/reader_options.h"
#include "cli/specs/spec_texts.h"
#include "cli/terminal/exit_code.h"
#include "tools/builtin/builtin.h"
#include "tools/executors/mock/mocks.h"

namespace toolway::cli::mock {
namespace {

/// What can be said against the answers once the tools are known.
void check_against(const std::vector<tools::model::Spec>& specs, SpecsGiven given,
                   const tools::executors::mock::MockFiles& files,
                   std::vector<toolway::Mistake>& mistakes) {
  std::vector<std::string> names;
  for (const auto& spec : specs) names.push_back(spec.qualified_name());
  for (const auto& source : files.sources) {
    for (const auto& spec : specs) {
      auto found = source->check(spec);
      mistakes.insert(mistakes.end(), found.begin(), found.end());
    }
    if (given == SpecsGiven::kSome) continue;
    if (std::any_of(names.begin(), names.end(),
                    [&](const auto& name) { return source->covers(name); }))
      continue;
    for (const auto& tool : source->tools()) {
      const auto near = nearest_names(tool, names, 1);
      mistakes.push_back(
          {source->origin(),
           fmt::format(
               "these specs have no tool {}{}", tool,
               near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near.front())),
           source->line()});
    }
  }
}

struct Checked {
  std::vector<toolway::Mistake> mistakes;
  std::size_t mocks = 0;
};

Checked check_all(const MockCheckOptions& options) {
  auto files = tools::executors::mock::read_mock_files(
      options.files, 1,
      std::make_shared<tools::executors::mock::KnownSecrets>(
          std::make_shared<const tools::model::Secrets>()));
  Checked checked{.mistakes = std::move(files.mistakes), .mocks = files.sources.size()};
  std::vector<tools::model::Spec> specs;
  if (auto natives = tools::builtin::builtin_registry({.root = "."})) {
    for (const auto& tool : (*natives)->list()) specs.push_back(tool->spec());
  }
  if (!options.specs.empty()) {
    for (const auto& file :
         specs::read_spec_texts(options.specs,
                                process::python_options(options.python, options.python_path))
             .files) {
      for (const auto& read : file.specs) specs.push_back(*read.spec);
    }
  }
  check_against(specs, !options.specs.empty() ? options.given : SpecsGiven::kSome, files,
                checked.mistakes);
  return checked;
}

}  // namespace

std::vector<toolway::Mistake> mock_mistakes(const MockCheckOptions& options) {
  return check_all(options).mistakes;
}

int check_mocks(const MockCheckOptions& options) {
  const auto [mistakes, mocks] = check_all(options);
  if (options.view.json()) {
    OrderedJson listed = OrderedJson::array();
    for (const auto& mistake : mistakes)
      listed.push_back(
          {{"origin", mistake.place}, {"line", mistake.line}, {"what", mistake.message}});
    client::print_json({{"mocks", mocks}, {"mistakes", listed}});
    return mistakes.empty() ? terminal::kExitOk : terminal::kExitUsage;
  }
  for (const auto& mistake : mistakes) fmt::print(stderr, "{}\n", mistake.text());
  if (mistakes.empty())
    fmt::print("{} {}\n", mocks, mocks == 1 ? "mock" : "mocks");
  else
    fmt::print(stderr, "error: {} {}\n", mistakes.size(),
               mistakes.size() == 1 ? "mistake" : "mistakes");
  return mistakes.empty() ? terminal::kExitOk : terminal::kExitUsage;
}

}  // namespace toolway::cli::mock
