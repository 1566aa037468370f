#include "cli/specs/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "base/try.h"
#include "cli/client/reporting.h"
#include "cli/process/file_io.h"
#include "cli/process/reader_options.h"
#include "cli/specs/spec_texts.h"
#include "cli/stack/stack.h"
#include "cli/switches/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"

namespace toolway::cli::specs {
namespace {

/// From the file that was named, a running `toolway dev`, or the environment.
Result<std::string> postgres_of(const SpecsOptions& options) {
  std::string file = options.postgres_file;
  if (file.empty() && !options.data.empty()) file = stack::postgres_url_file(options.data);
  if (file.empty() && !options.postgres_url.empty()) return options.postgres_url;
  const bool of_dev = options.postgres_file.empty();
  if (file.empty()) file = stack::postgres_url_file(stack::StackOptions().data);
  std::error_code ignored;
  if (of_dev && !std::filesystem::exists(file, ignored)) {
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format(
            "no Postgres: no `toolway dev` is running on {}; start it, name its directory with --data, set "
            "TOOLWAY_POSTGRES_URL, or give --postgres-url-file",
            options.data.empty() ? stack::StackOptions().data : options.data));
  }
  auto text = process::read_file(file);
  RETURN_IF_ERROR(text);
  while (text->ends_with('\n') || text->ends_with(' ')) text->pop_back();
  return text;
}

const char* word(persistence::specs::PutOutcome outcome) {
  switch (outcome) {
    case persistence::specs::PutOutcome::kAdded: return "added";
    case persistence::specs::PutOutcome::kChanged: return "changed";
    case persistence::specs::PutOutcome::kUnchanged: return "unchanged";
  }
  return "unchanged";
}

}  // namespace

Result<persistence::specs::SpecTable> open_spec_table(const SpecsOptions& options) {
  ASSIGN_OR_RETURN(auto url, postgres_of(options));
  return persistence::specs::SpecTable::open(url);
}

Result<persistence::specs::SpecHistory> open_spec_history(const SpecsOptions& options) {
  ASSIGN_OR_RETURN(auto url, postgres_of(options));
  return persistence::specs::SpecHistory::open(url);
}

persistence::specs::SpecAuthor spec_author(const SpecsOptions& options) {
  return {.who = options.by.empty() ? switches::os_user() : options.by, .note = options.note};
}

int report_spec_mistakes(const std::vector<toolway::Mistake>& mistakes) {
  for (const auto& mistake : mistakes) fmt::print(stderr, "{}\n", mistake.text());
  fmt::print(stderr, "error: {} {}\n", mistakes.size(),
             mistakes.size() == 1 ? "mistake" : "mistakes");
  return terminal::kExitUsage;
}

int check_specs(const SpecsOptions& options) {
  auto texts = read_spec_texts(
      options.files, process::python_options(options.python, options.python_path), options.env);
  for (auto& mistake : lonely_candidates(texts)) texts.mistakes.push_back(std::move(mistake));
  if (options.view.json()) {
    OrderedJson files = OrderedJson::array();
    OrderedJson mistakes = OrderedJson::array();
    for (const auto& file : texts.files) {
      files.push_back({{"file", file.file}, {"specs", file.specs.size()}});
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
  if (!texts.mistakes.empty()) return report_spec_mistakes(texts.mistakes);
  for (const auto& file : texts.files) {
    const bool overlay = !file.overlay.empty();
    const auto count = overlay ? file.patches : file.specs.size();
    fmt::print("{}: {} {}{}{}\n", file.file, count, overlay ? "patch" : "spec",
               count == 1 ? ""
               : overlay  ? "es"
                          : "s",
               overlay ? " for environment " + file.overlay : "");
  }
  if (texts.files.empty()) fmt::print("no spec files\n");
  return terminal::kExitOk;
}

int put_specs(const SpecsOptions& options) {
  const auto texts = read_spec_texts(
      options.files, process::python_options(options.python, options.python_path), options.env);
  if (!texts.mistakes.empty()) return report_spec_mistakes(texts.mistakes);
  std::vector<persistence::specs::PutSpec> specs;
  for (const auto& file : texts.files) {
    for (const auto& read : file.specs) {
      if (options.rollout > 0 && read.rollout > 0) {
        return report_spec_mistakes(
            {{file.file, "it has a `rollout` already: give --rollout or write it, not both",
              read.line}});
      }
      specs.push_back({*read.spec, read.enabled, std::max(options.rollout, read.rollout)});
    }
  }
  auto table = open_spec_table(options);
  if (!table) return terminal::report_error(options.view, table.error());
  const auto outcomes = table->put(specs, spec_author(options));
  if (!outcomes) return terminal::report_error(options.view, outcomes.error());
  std::array<std::size_t, 3> counts{};
  OrderedJson rows = OrderedJson::array();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto outcome = (*outcomes)[i];
    ++counts[static_cast<std::size_t>(outcome)];
    const auto name = specs[i].spec.qualified_name();
    const auto share = specs[i].rollout > 0
                           ? fmt::format(", candidate for {} % of sessions", specs[i].rollout)
                           : "";
    rows.push_back(
        {{"tool", name},
         {"outcome", word(outcome)},
         {"digest", tools::model::digest(specs[i].spec)},
         {"rollout", specs[i].rollout > 0 ? OrderedJson(specs[i].rollout) : OrderedJson()}});
    if (!options.view.json() && outcome != persistence::specs::PutOutcome::kUnchanged) {
      fmt::print("{:<9} {}{}\n", word(outcome), name, share);
    }
  }
  if (options.view.json()) client::print_json({{"specs", rows}});
  if (!options.view.json()) {
    fmt::print("{} added, {} changed, {} unchanged\n", counts[0], counts[1], counts[2]);
  }
  return terminal::kExitOk;
}

int list_specs(const SpecsOptions& options) {
  auto table = open_spec_table(options);
  if (!table) return terminal::report_error(options.view, table.error());
  const auto specs = table->list();
  if (!specs) return terminal::report_error(options.view, specs.error());
  if (options.view.json()) {
    OrderedJson rows = OrderedJson::array();
    for (const auto& spec : *specs) {
      rows.push_back({{"namespace", spec.ns},
                      {"name", spec.name},
                      {"kind", spec.kind},
                      {"version", spec.version},
                      {"digest", spec.digest},
                      {"revision", spec.revision},
                      {"enabled", spec.enabled},
                      {"rollout", spec.rollout > 0 ? OrderedJson(spec.rollout) : OrderedJson()},
                      {"created_at", spec.created_at}});
    }
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
  auto table = open_spec_table(options);
  if (!table) return terminal::report_error(options.view, table.error());
  const auto which = options.candidate ? persistence::specs::SpecTable::Which::kCandidate
                                       : persistence::specs::SpecTable::Which::kAll;
  if (auto removed = table->remove(options.names, which, spec_author(options)); !removed)
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
