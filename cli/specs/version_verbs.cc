// `toolway specs history|diff|rollback|promote`.
#include <fmt/format.h>

#include "base/try.h"
#include "cli/client/reporting.h"
#include "cli/specs/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"
#include "tools/builtin/builtin.h"
#include "tools/model/kinds.h"
#include "tools/model/registry.h"
#include "tools/specs/reader.h"
#include "tools/specs/spec_diff.h"

namespace toolway::cli::specs {
namespace {

/// `put, candidate 10 %`
std::string in_words(const persistence::specs::SpecChange& change) {
  if (!change.candidate) return change.what + (change.enabled ? "" : ", not enabled");
  return change.document.empty() ? change.what + ", candidate gone"
                                 : fmt::format("{}, candidate {} %", change.what, change.rollout);
}

/// Whether this build could offer a version put long ago.
Result<void> readable(const std::string& document) {
  ASSIGN_OR_RETURN(auto spec, tools::specs::spec_of_document(document));
  if (spec.kind == tools::model::Kind::kNative) {
    ASSIGN_OR_RETURN(auto builtin, tools::builtin::builtin_registry({.root = "/", .specs = {}}));
    if (builtin->find(spec.ns, spec.name)) return {};
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("it has no native tool '{}'", spec.qualified_name()));
  }
  if (const auto wrong = tools::model::check_implementation(spec); !wrong.empty()) {
    return fail(ErrorCode::kInvalidSpec, wrong.front().message);
  }
  RETURN_IF_ERROR(tools::model::register_tool(tools::model::declared_tool(std::move(spec))));
  return {};
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

Result<OrderedJson> document_of(const std::vector<persistence::specs::SpecChange>& changes,
                                std::int64_t number, const std::string& name) {
  for (const auto& change : changes) {
    if (change.number != number) continue;
    if (!change.document.empty()) return parse_ordered_json(change.document);
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("version {} of '{}' is a removal, and has no fields", number, name));
  }
  return fail(ErrorCode::kInvalidSpec, fmt::format("'{}' has no version {}: there are 1 to {}",
                                                   name, number, changes.size()));
}

int show_diff(const SpecsOptions& options,
              const std::vector<persistence::specs::SpecChange>& changes) {
  const auto from = document_of(changes, options.numbers.at(0), options.name);
  if (!from) return terminal::report_error(options.view, from.error());
  const auto to = document_of(changes, options.numbers.at(1), options.name);
  if (!to) return terminal::report_error(options.view, to.error());
  const auto differences = tools::specs::spec_diff(*from, *to);
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
  auto history = open_spec_history(options);
  if (!history) return terminal::report_error(options.view, history.error());
  const auto changes = history->of(options.name);
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
  auto history = open_spec_history(options);
  if (!history) return terminal::report_error(options.view, history.error());
  const auto to = options.to.empty() ? std::nullopt : std::optional(options.to);
  const auto chosen = history->roll_back(options.name, to, readable, spec_author(options));
  if (!chosen) return terminal::report_error(options.view, chosen.error());
  if (options.view.json()) {
    client::print_json({{"name", options.name},
                        {"version", chosen->version},
                        {"digest", chosen->digest},
                        {"back_to", chosen->number}});
    return terminal::kExitOk;
  }
  fmt::print("rolled back {} to number {} (version {}, {})\n", options.name, chosen->number,
             chosen->version, chosen->digest.substr(0, 19));
  return terminal::kExitOk;
}

int promote_spec(const SpecsOptions& options) {
  auto history = open_spec_history(options);
  if (!history) return terminal::report_error(options.view, history.error());
  const auto digest = history->promote(options.name, spec_author(options));
  if (!digest) return terminal::report_error(options.view, digest.error());
  if (options.view.json()) {
    client::print_json({{"name", options.name}, {"digest", *digest}});
    return terminal::kExitOk;
  }
  fmt::print("promoted  {}: every session gets {}\n", options.name, digest->substr(0, 19));
  return terminal::kExitOk;
}

}  // namespace toolway::cli::specs
