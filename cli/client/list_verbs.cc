#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/client/filter_hints.h"
#include "cli/client/find_call.h"
#include "cli/client/pages.h"
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

/// A field for a person: lists by their entries, tools by their number, counts in words.
std::string field_text(const ClientContext& context, const std::string& name,
                       const OrderedJson& value) {
  if (name == "tools" && value.is_array()) return fmt::format("{}", value.size());
  if (name.ends_with("_at") && value.is_string())
    return terminal::moment_text(value.get<std::string>(), context.view);
  if (value.is_array() &&
      std::all_of(value.begin(), value.end(), [](const auto& entry) { return entry.is_string(); }))
    return fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), ", "));
  if (name != "counts" || !value.is_object())
    return value.is_string() ? value.get<std::string>() : to_text(value);
  std::string text;
  for (const auto& [what, count] : value.items())
    if (count.is_number())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_text(count), what);
  return text;
}

int show_object(const ClientContext& context, const OrderedJson& object) {
  if (context.view.json()) {
    print_json(object);
    return terminal::kExitOk;
  }
  terminal::Table table{.columns = {{.heading = "FIELD"}, {.heading = "VALUE", .least = 20}}};
  for (const auto& [name, value] : object.items()) {
    if (context.view.output == terminal::Output::kName) {
      fmt::print("{}\n", cell(object, object.contains("call_id") ? "call_id" : "session_id"));
      return terminal::kExitOk;
    }
    if ((name == "tools" || !value.empty()) && name != "warnings")
      table.rows.push_back({.cells = {name, field_text(context, name, value)}});
  }
  fmt::print("{}", terminal::render(std::move(table), context.view));
  say_behind(context, object.value("counts", OrderedJson()));
  return terminal::kExitOk;
}

std::string tools_target(const std::string& session) {
  return session.empty() ? "/v1/tools" : "/v1/sessions/" + percent_encoded(session) + "/tools";
}

void print_tool(const ClientContext& context, const OrderedJson& tool) {
  const auto whole = cell(tool, "namespace") + "." + cell(tool, "name");
  if (context.view.output == terminal::Output::kName) {
    fmt::print("{}\n", whole);
    return;
  }
  fmt::print("{}  {}\n\n{}\n\n", context.view.style(terminal::Colour::kBold, whole),
             cell(tool, "kind"), cell(tool, "description"));
  const auto schema = tool.value("input_schema", OrderedJson::object());
  const auto required = schema.value("required", std::vector<std::string>());
  terminal::Table table{.columns = {{.heading = "ARGUMENT"},
                                    {.heading = "TYPE"},
                                    {.heading = "REQUIRED"},
                                    {.heading = "DESCRIPTION", .least = 12}},
                        .nothing = "it takes no arguments"};
  const auto properties = schema.value("properties", OrderedJson::object());
  for (const auto& [name, property] : properties.items()) {
    const bool needed = std::find(required.begin(), required.end(), name) != required.end();
    table.rows.push_back({.cells = {name, cell(property, "type"), needed ? "yes" : "",
                                    cell(property, "description")}});
  }
  fmt::print("{}", terminal::render(std::move(table), context.view));
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

/// A session with its tools, and what it should be warned of.
int show_opened(const ClientContext& context, const GatewayAnswer& asked) {
  if (!asked.answer) return asked.status;
  const auto opened = asked.answer->json();
  const int status = show_object(context, opened);
  say_warnings(context, opened);
  return status;
}

}  // namespace

int list_tools(const ClientContext& context, const std::string& session, const std::string& ns) {
  const auto asked = ask(context, "GET", tools_target(session));
  if (!asked.answer) return asked.status;
  auto body = asked.answer->json();
  if (!ns.empty()) {
    std::vector<std::string> known;
    for (const auto& tool : body.value("tools", OrderedJson::array()))
      known.push_back(cell(tool, "namespace"));
    const int refused =
        refuse_unknown_name(context, fmt::format("no tool is in namespace '{}'", ns), ns, known);
    if (refused != terminal::kExitOk) return refused;
  }
  // What people see is what is there for them; a program gets the answer as it is.
  const auto left_out = [&](const OrderedJson& tool) {
    if (!ns.empty()) return cell(tool, "namespace") != ns;
    return session.empty() && !context.view.json() && is_for_benchmarks(tool);
  };
  if (body.contains("tools")) {
    auto& tools = body["tools"];
    tools.erase(std::remove_if(tools.begin(), tools.end(), left_out), tools.end());
  }
  return show_body(
      context, body, "tools",
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

int show_tool(const ClientContext& context, const std::string& name, const std::string& session) {
  const auto asked = ask(context, "GET", tools_target(session));
  if (!asked.answer) return asked.status;
  const auto body = asked.answer->json();
  for (const auto& tool : body.value("tools", OrderedJson::array())) {
    const auto whole = cell(tool, "namespace") + "." + cell(tool, "name");
    if (name == whole || name == cell(tool, "name")) {
      context.view.json() ? print_json(tool) : print_tool(context, tool);
      return terminal::kExitOk;
    }
  }
  const Error error{ErrorCode::kUnknownTool, fmt::format("tool '{}' was not found", name)};
  if (context.view.json()) return terminal::report_error(context.view, error);
  terminal::print_failure(context.view,
                          {.code = error.code,
                           .what = error.message,
                           .suggestions = near_tools(name, body),
                           .next = terminal::next_step(error.code, {.session = session})});
  return terminal::exit_code(error.code);
}

int open_session(const ClientContext& context, const OpenOptions& options) {
  OrderedJson body = OrderedJson::object();
  if (!options.session.empty()) body["session_id"] = options.session;
  if (!options.namespaces.empty()) body["namespaces"] = options.namespaces;
  if (!options.metadata.empty()) {
    auto metadata = parse_ordered_json(options.metadata);
    if (!metadata)
      return terminal::report_error(
          context.view, {metadata.error().code, "--metadata: " + metadata.error().message});
    body["metadata"] = std::move(*metadata);
  }
  return show_opened(context, ask(context, "POST", "/v1/sessions", to_text(body)));
}

int add_namespaces(const ClientContext& context, const OpenOptions& options) {
  const OrderedJson body = {{"namespaces", options.namespaces}};
  return show_opened(
      context,
      ask(context, "POST", "/v1/sessions/" + percent_encoded(options.session) + "/namespaces",
          to_text(body)));
}

int show_session(const ClientContext& context, const std::string& session) {
  const auto asked = ask(context, "GET", "/v1/sessions/" + percent_encoded(session));
  return asked.answer ? show_object(context, asked.answer->json()) : asked.status;
}

int list_sessions(const ClientContext& context, unsigned limit) {
  const auto found = read_pages(context, "/v1/sessions?", limit, "sessions");
  if (found.status != terminal::kExitOk) return found.status;
  const int shown = show_body(
      context, found.list, "sessions",
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
  say_more(context, found.list, "sessions");
  return shown;
}

}  // namespace toolway::cli::client
