// `toolway specs history|diff|rollback|promote`.
#include <fmt/format.h>

#include "cli/client/reporting.h"
#include "cli/specs/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"
#include "persistence/specs/spec_versions.h"

namespace toolway::cli::specs {
namespace {

/// `put, candidate 10 %`
std::string in_words(const persistence::specs::SpecChange& change) {
  if (!change.candidate) return change.what + (change.enabled ? "" : ", not enabled");
  return change.document.empty() ? change.what + ", candidate gone"
                                 : fmt::format("{}, candidate {} %", change.what, change.rollout);
}

OrderedJson shown(const persistence::specs::SpecChange& change) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? OrderedJson() : OrderedJson(text);
  };
  return {{"number", change.number},
          {"what", change.what},
          {"candidate", change.candidate},
          {"rollout", change.rollout > 0 ? OrderedJson(change.rollout) : OrderedJson()},
          {"version", or_null(change.version)},
          {"digest", or_null(change.digest)},
          {"enabled", change.enabled},
          {"created_at", change.created_at},
          {"by", change.who},
          {"note", change.note}};
}

int show_diff(const SpecsOptions& options,
              const std::vector<persistence::specs::SpecChange>& changes) {
  const auto found = persistence::specs::diff_of(changes, options.name, options.numbers.at(0),
                                                 options.numbers.at(1));
  if (!found) return terminal::report_error(options.view, found.error());
  const auto& differences = *found;
  if (options.view.json()) {
    OrderedJson fields = OrderedJson::array();
    for (const auto& one : differences)
      fields.push_back({{"field", one.pointer}, {"from", one.from}, {"to", one.to}});
    client::print_json({{"name", options.name},
                        {"from", options.numbers[0]},
                        {"to", options.numbers[1]},
                        {"fields", fields}});
    return terminal::kExitOk;
  }
  if (differences.empty()) {
    fmt::print("no field is different\n");
    return terminal::kExitOk;
  }
  terminal::Table table{
      .columns = {{.heading = "FIELD", .least = 16},
                  {.heading = fmt::format("VERSION {}", options.numbers[0]), .least = 16},
                  {.heading = fmt::format("VERSION {}", options.numbers[1]), .least = 16}}};
  const auto cell = [](const OrderedJson& value) {
    return value.is_null() ? std::string() : to_text(value);
  };
  for (const auto& one : differences)
    table.rows.push_back({.cells = {one.pointer, cell(one.from), cell(one.to)}});
  fmt::print("{}", terminal::render(std::move(table), options.view));
  return terminal::kExitOk;
}

}  // namespace

int spec_history(const SpecsOptions& options) {
  const auto opened = open_specs(options);
  if (!opened) return terminal::report_error(options.view, opened.error());
  const auto changes = opened->store->history(options.name);
  if (!changes) return terminal::report_error(options.view, changes.error());
  if (!options.numbers.empty()) return show_diff(options, *changes);
  if (options.view.json()) {
    OrderedJson rows = OrderedJson::array();
    for (const auto& change : *changes) rows.push_back(shown(change));
    client::print_json({{"name", options.name}, {"history", rows}});
    return terminal::kExitOk;
  }
  terminal::Table table{.columns = {{.heading = "NUMBER", .align = terminal::Align::kRight},
                                    {.heading = "VERSION", .least = 8},
                                    {.heading = "DIGEST", .least = 14, .rank = 3},
                                    {.heading = "WHEN"},
                                    {.heading = "BY", .least = 8, .rank = 2},
                                    {.heading = "WHAT", .least = 10},
                                    {.heading = "NOTE", .least = 10, .rank = 1}}};
  for (const auto& change : *changes) {
    table.rows.push_back(
        {.cells = {std::to_string(change.number), change.version, change.digest.substr(0, 19),
                   terminal::moment_text(change.created_at, options.view), change.who,
                   in_words(change), change.note}});
  }
  fmt::print("{}", terminal::render(std::move(table), options.view));
  return terminal::kExitOk;
}

int diff_specs(const SpecsOptions& options) { return spec_history(options); }

int roll_spec_back(const SpecsOptions& options) {
  const auto opened = open_specs(options);
  if (!opened) return terminal::report_error(options.view, opened.error());
  const auto to = options.to.empty() ? std::nullopt : std::optional(options.to);
  const auto chosen = opened->store->roll_back(options.name, to, spec_author(options));
  if (!chosen) return terminal::report_error(options.view, chosen.error());
  if (options.view.json()) {
    client::print_json({{"name", options.name},
                        {"version", chosen->version},
                        {"digest", chosen->digest},
                        {"back_to", chosen->number}});
  } else {
    fmt::print("rolled back {} to number {} (version {}, {})\n", options.name, chosen->number,
               chosen->version, chosen->digest.substr(0, 19));
  }
  return await_taken_up(options, *opened, {options.name});
}

int promote_spec(const SpecsOptions& options) {
  const auto opened = open_specs(options);
  if (!opened) return terminal::report_error(options.view, opened.error());
  const auto digest = opened->store->promote(options.name, spec_author(options));
  if (!digest) return terminal::report_error(options.view, digest.error());
  if (options.view.json()) {
    client::print_json({{"name", options.name}, {"digest", *digest}});
  } else {
    fmt::print("promoted  {}: every session gets {}\n", options.name, digest->substr(0, 19));
  }
  return await_taken_up(options, *opened, {options.name});
}

}  // namespace toolway::cli::specs
