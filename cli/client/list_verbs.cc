#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/table.h"

namespace toolway::cli::client {
namespace {

using Row = std::function<terminal::Table::Row(const OrderedJson&)>;

/// The answer as it is, or a table of one of its arrays.
int show_body(const ClientContext& context, const OrderedJson& body, const char* array,
              terminal::Table table, const Row& row) {
  if (context.view.json()) {
    print_json(body);
    return terminal::kExitOk;
  }
  for (const auto& entry : body.value(array, OrderedJson::array()))
    table.rows.push_back(row(entry));
  fmt::print("{}", terminal::render(table, context.view));
  say_behind(context, body);
  return terminal::kExitOk;
}

/// The first `limit` entries of a list that comes in pages: a page may end before its limit, by its
/// bytes. `target` has a query already.
int show_pages(const ClientContext& context, const std::string& target, unsigned limit,
               const char* array, terminal::Table table, const Row& row) {
  OrderedJson whole;
  std::string before;
  for (unsigned left = limit; left > 0;) {
    const auto asked = ask(context, "GET",
                           fmt::format("{}limit={}{}", target, left,
                                       before.empty() ? "" : "&before=" + percent_encoded(before)));
    if (!asked.answer) return asked.status;
    auto page = asked.answer->json();
    const auto entries = page.value(array, OrderedJson::array());
    left -= std::min(left, static_cast<unsigned>(entries.size()));
    before = cell(page, "next");
    if (whole.is_null()) {
      whole = std::move(page);
    } else {
      for (const auto& entry : entries) whole[array].push_back(entry);
      whole["next"] = page["next"];
    }
    if (entries.empty() || before.empty()) break;
  }
  return show_body(context, whole, array, std::move(table), row);
}

int show_object(const ClientContext& context, const OrderedJson& object) {
  if (context.view.json()) {
    print_json(object);
    return terminal::kExitOk;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : object.items())
    if (name == "tools" && value.is_array())
      rows.push_back({name, fmt::format("{}", value.size())});
    else if (!value.is_null() && name != "warnings")
      rows.push_back({name, cell(object, name.c_str())});
  fmt::print("{}", terminal::render_table({"FIELD", "VALUE"}, rows));
  say_behind(context, object.value("counts", OrderedJson()));
  return terminal::kExitOk;
}

/// Whether a tool is offered, and which part of the sessions gets another version of it.
std::string state_of(const OrderedJson& tool) {
  if (tool.value("disabled", OrderedJson()).is_object()) return "disabled";
  const auto candidate = tool.value("candidate", OrderedJson());
  if (!candidate.is_object()) return "on";
  const auto version = cell(candidate, "version");
  return fmt::format("on; {} % get {}", cell(candidate, "rollout"),
                     version.empty() ? "its candidate" : "version " + version);
}

}  // namespace

int list_tools(const ClientContext& context, const std::string& session) {
  const auto asked = ask(context, "GET",
                         session.empty() ? std::string("/v1/tools")
                                         : "/v1/sessions/" + percent_encoded(session) + "/tools");
  if (!asked.answer) return asked.status;
  return show_body(
      context, asked.answer->json(), "tools",
      {.columns = {{.heading = "TOOL", .least = 20},
                   {.heading = "KIND", .rank = 3},
                   {.heading = "STEPS", .rank = 4},
                   {.heading = "STATE", .least = 8, .rank = 1},
                   {.heading = "DESCRIPTION", .least = 12, .rank = 2}},
       .nothing = "no tools"},
      [](const OrderedJson& tool) {
        const auto state = state_of(tool);
        return terminal::Table::Row{
            .cells = {
                cell(tool, "namespace") + "." + cell(tool, "name"),
                cell(tool, "kind"),
                tool.value("multi_step", false) ? "multi" : "single",
                {state, state == "disabled" ? std::optional(terminal::Colour::kRed) : std::nullopt},
                cell(tool, "description")}};
      });
}

int open_session(const ClientContext& context, const OpenOptions& options) {
  OrderedJson body = OrderedJson::object();
  if (!options.session.empty()) body["session_id"] = options.session;
  if (!options.namespaces.empty()) body["namespaces"] = options.namespaces;
  if (!options.metadata.empty()) {
    auto metadata = parse_ordered_json(options.metadata);
    if (!metadata) return report_error(metadata.error());
    body["metadata"] = std::move(*metadata);
  }
  const auto asked = ask(context, "POST", "/v1/sessions", to_text(body));
  if (!asked.answer) return asked.status;
  const auto opened = asked.answer->json();
  const int status = show_object(context, opened);
  say_warnings(opened);
  return status;
}

int show_session(const ClientContext& context, const std::string& session) {
  const auto asked = ask(context, "GET", "/v1/sessions/" + percent_encoded(session));
  return asked.answer ? show_object(context, asked.answer->json()) : asked.status;
}

int list_sessions(const ClientContext& context, unsigned limit) {
  return show_pages(
      context, "/v1/sessions?", limit, "sessions",
      {.columns = {{.heading = "SESSION", .least = 20},
                   {.heading = "STATE"},
                   {.heading = "NAMESPACES", .least = 12, .rank = 2},
                   {.heading = "CREATED", .rank = 1},
                   {.heading = "DONE", .rank = 3, .align = terminal::Align::kRight},
                   {.heading = "UNREAD", .align = terminal::Align::kRight}},
       .nothing = "no sessions"},
      [&](const OrderedJson& session) {
        const auto counts = session.value("counts", OrderedJson());
        return terminal::Table::Row{
            .cells = {
                cell(session, "session_id"), cell(session, "state"),
                fmt::format(
                    "{}", fmt::join(session.value("namespaces", std::vector<std::string>()), ",")),
                terminal::moment_text(cell(session, "created_at"), context.view),
                cell(counts, "completed"), cell(counts, "unread")}};
      });
}

}  // namespace toolway::cli::client
