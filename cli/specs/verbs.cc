#include "cli/specs/verbs.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "cli/client/reporting.h"
#include "cli/process/reader_options.h"
#include "cli/specs/spec_texts.h"
#include "cli/switches/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"
#include "gateway/operators/spec_json.h"
#include "persistence/specs/spec_put.h"

namespace toolway::cli::specs {
persistence::specs::SpecAuthor spec_author(const SpecsOptions& options) {
  return {.who = options.by.empty() ? switches::os_user() : options.by, .note = options.note};
}

int report_spec_mistakes(const terminal::View& view,
                         const std::vector<toolway::Mistake>& mistakes) {
  if (view.json()) {
    OrderedJson errors = OrderedJson::array();
    for (const auto& mistake : mistakes)
      errors.push_back({{"path", fmt::format("{}:{}", mistake.place, mistake.line)},
                        {"message", mistake.message}});
    return terminal::report_problem_document(
        {ErrorCode::kInvalidSpec,
         fmt::format("{} mistake{}", mistakes.size(), mistakes.size() == 1 ? "" : "s")},
        errors);
  }
  for (const auto& mistake : mistakes) fmt::print(stderr, "{}\n", mistake.text());
  fmt::print(stderr, "error: {} {}\n", mistakes.size(),
             mistakes.size() == 1 ? "mistake" : "mistakes");
  return terminal::kExitUsage;
}

namespace {

/// `2 specs, 1 prompt`
std::string in_words(const SpecFileRead& file) {
  if (!file.overlay.empty())
    return fmt::format("{} {} for environment {}", file.patches,
                       file.patches == 1 ? "patch" : "patches", file.overlay);
  std::vector<std::string> parts;
  const auto say = [&parts](std::size_t count, const char* what) {
    parts.push_back(fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"));
  };
  const bool other = file.prompts + file.resources > 0;
  if (!file.specs.empty() || !other) say(file.specs.size(), "spec");
  if (file.prompts > 0) say(file.prompts, "prompt");
  if (file.resources > 0) say(file.resources, "resource");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

int check_specs(const SpecsOptions& options) {
  auto texts = read_spec_texts(
      options.files, process::python_options(options.python, options.python_path), options.env);
  for (auto& mistake : lonely_candidates(texts)) texts.mistakes.push_back(std::move(mistake));
  if (options.view.json()) {
    OrderedJson files = OrderedJson::array();
    OrderedJson mistakes = OrderedJson::array();
    for (const auto& file : texts.files) {
      files.push_back({{"file", file.file},
                       {"specs", file.specs.size()},
                       {"prompts", file.prompts},
                       {"resources", file.resources}});
      if (!file.overlay.empty())
        files.back().update({{"overlay", file.overlay}, {"patches", file.patches}});
    }
    for (const auto& mistake : texts.mistakes) {
      mistakes.push_back(
          {{"origin", mistake.place}, {"line", mistake.line}, {"what", mistake.message}});
    }
    client::print_json({{"files", files}, {"mistakes", mistakes}});
    return texts.mistakes.empty() ? terminal::kExitOk : terminal::kExitUsage;
  }
  if (!texts.mistakes.empty()) return report_spec_mistakes(options.view, texts.mistakes);
  for (const auto& file : texts.files) fmt::print("{}: {}\n", file.file, in_words(file));
  if (texts.files.empty()) fmt::print("no spec files\n");
  return terminal::kExitOk;
}

namespace {

void print_outcomes(const SpecsOptions& options,
                    const std::vector<persistence::specs::PutSpec>& specs,
                    const std::vector<persistence::specs::PutOutcome>& outcomes) {
  std::array<std::size_t, 3> counts{};
  OrderedJson rows = OrderedJson::array();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto outcome = outcomes[i];
    ++counts[static_cast<std::size_t>(outcome)];
    const auto name = specs[i].spec.qualified_name();
    const auto share = specs[i].rollout > 0
                           ? fmt::format(", candidate for {} % of sessions", specs[i].rollout)
                           : "";
    rows.push_back(
        {{"tool", name},
         {"outcome", name_of(outcome)},
         {"digest", tools::model::digest(specs[i].spec)},
         {"rollout", specs[i].rollout > 0 ? OrderedJson(specs[i].rollout) : OrderedJson()}});
    if (!options.view.json() && outcome != persistence::specs::PutOutcome::kUnchanged) {
      fmt::print("{:<9} {}{}\n", name_of(outcome), name, share);
    }
  }
  if (options.view.json()) client::print_json({{"specs", rows}});
  if (!options.view.json()) {
    fmt::print("{} added, {} changed, {} unchanged\n", counts[0], counts[1], counts[2]);
  }
}

}  // namespace

int put_specs(const SpecsOptions& options) {
  const auto texts = read_spec_texts(
      options.files, process::python_options(options.python, options.python_path), options.env);
  if (!texts.mistakes.empty()) return report_spec_mistakes(options.view, texts.mistakes);
  std::vector<tools::loaders::OfferedSpec> all;
  for (const auto& file : texts.files) all.insert(all.end(), file.specs.begin(), file.specs.end());
  const auto put = persistence::specs::specs_to_put(all, options.rollout);
  if (!put.mistakes.empty()) return report_spec_mistakes(options.view, put.mistakes);
  const auto& specs = put.specs;
  const auto opened = open_specs(options);
  if (!opened) return terminal::report_error(options.view, opened.error());
  const auto outcomes = opened->store->put(specs, spec_author(options));
  if (!outcomes) return terminal::report_error(options.view, outcomes.error());
  print_outcomes(options, specs, *outcomes);
  std::vector<std::string> names;
  for (const auto& one : specs) names.push_back(one.spec.qualified_name());
  return await_taken_up(options, *opened, names);
}

int list_specs(const SpecsOptions& options) {
  const auto opened = open_specs(options);
  if (!opened) return terminal::report_error(options.view, opened.error());
  const auto specs = opened->store->list();
  if (!specs) return terminal::report_error(options.view, specs.error());
  if (options.view.json()) {
    OrderedJson rows = OrderedJson::array();
    for (const auto& spec : *specs) rows.push_back(gateway::operators::spec_row(spec));
    client::print_json({{"specs", rows}});
    return terminal::kExitOk;
  }
  terminal::Table shown{.columns = {{.heading = "TOOL", .least = 20},
                                    {.heading = "KIND", .rank = 3},
                                    {.heading = "VERSION", .least = 8},
                                    {.heading = "DIGEST", .least = 14, .rank = 4},
                                    {.heading = "ROLLOUT", .rank = 1},
                                    {.heading = "PUT", .rank = 2}},
                        .nothing = "no specs in the database"};
  for (const auto& spec : *specs) {
    // The start of a digest tells versions apart.
    shown.rows.push_back(
        {.cells = {spec.qualified_name(), spec.kind + (spec.enabled ? "" : " (not enabled)"),
                   spec.version, spec.digest.substr(0, 19),
                   spec.rollout > 0 ? fmt::format("{} %", spec.rollout) : "",
                   terminal::moment_text(spec.created_at, options.view)}});
  }
  fmt::print("{}", terminal::render(std::move(shown), options.view));
  return terminal::kExitOk;
}

int remove_specs(const SpecsOptions& options) {
  const auto opened = open_specs(options);
  if (!opened) return terminal::report_error(options.view, opened.error());
  const auto which = options.candidate ? persistence::specs::SpecStore::Which::kCandidate
                                       : persistence::specs::SpecStore::Which::kAll;
  if (auto removed = opened->store->remove(options.names, which, spec_author(options)); !removed)
    return terminal::report_error(options.view, removed.error());
  if (options.view.json()) {
    client::print_json({{"removed", options.names}});
    return terminal::kExitOk;
  }
  for (const auto& name : options.names)
    fmt::print("removed   {}{}\n", name, options.candidate ? ", its candidate" : "");
  return terminal::kExitOk;
}

}  // namespace toolway::cli::specs
