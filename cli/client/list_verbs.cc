#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"

namespace toolway::cli::client {
namespace {

using Row = std::function<std::vector<std::string>(const OrderedJson&)>;

/// The answer as it is, or a table of one of its arrays.
int show_body(const ClientContext& context, const OrderedJson& body, const char* array,
              const std::vector<std::string>& headings, const Row& row) {
  if (context.output == Output::kJson) {
    print_json(body);
    return terminal::kExitOk;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& entry : body.value(array, OrderedJson::array())) rows.push_back(row(entry));
  fmt::print("{}", terminal::render_table(headings, rows));
  say_behind(context, body);
  return terminal::kExitOk;
}

int show_list(const ClientContext& context, const std::string& target, const char* array,
              const std::vector<std::string>& headings, const Row& row) {
  const auto asked = ask(context, "GET", target);
  return asked.answer ? show_body(context, asked.answer->json(), array, headings, row)
                      : asked.status;
}

/// The first `limit` entries of a list that comes in pages: a page may end before its limit, by its
/// bytes. `target` has a query already.
int show_pages(const ClientContext& context, const std::string& target, unsigned limit,
               const char* array, const std::vector<std::string>& headings, const Row& row) {
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
  return show_body(context, whole, array, headings, row);
}

int show_object(const ClientContext& context, const OrderedJson& object) {
  if (context.output == Output::kJson) {
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
  const auto target = session.empty() ? std::string("/v1/tools")
                                      : "/v1/sessions/" + percent_encoded(session) + "/tools";
  return show_list(context, target, "tools", {"TOOL", "KIND", "STEPS", "STATE", "DESCRIPTION"},
                   [](const OrderedJson& tool) {
                     return std::vector<std::string>{
                         cell(tool, "namespace") + "." + cell(tool, "name"), cell(tool, "kind"),
                         tool.value("multi_step", false) ? "multi" : "single", state_of(tool),
                         terminal::shorten(cell(tool, "description"), 90)};
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
      {"SESSION", "STATE", "NAMESPACES", "CREATED", "COMPLETED", "UNREAD"},
      [](const OrderedJson& session) {
        const auto counts = session.value("counts", OrderedJson());
        return std::vector<std::string>{
            cell(session, "session_id"),
            cell(session, "state"),
            fmt::format("{}",
                        fmt::join(session.value("namespaces", std::vector<std::string>()), ",")),
            cell(session, "created_at"),
            cell(counts, "completed"),
            cell(counts, "unread")};
      });
}

int list_calls(const ClientContext& context, const CallListOptions& options) {
  auto target = fmt::format("/v1/sessions/{}/calls?", percent_encoded(options.session));
  if (!options.state.empty()) target += "state=" + percent_encoded(options.state) + "&";
  return show_pages(
      context, target, options.limit, "calls",
      {"CALL", "TOOL", "STATE", "OUTCOME", "SUBMITTED", "RESULT"}, [](const OrderedJson& call) {
        const auto result = cell(call, "result");
        return std::vector<std::string>{
            cell(call, "call_id"),
            cell(call, "namespace") + "." + cell(call, "tool"),
            cell(call, "state"),
            cell(call, "outcome"),
            cell(call, "submitted_at"),
            terminal::shorten(
                result.empty() ? cell(call.value("error", OrderedJson()), "message") : result, 60)};
      });
}

int show_call(const ClientContext& context, const std::string& call) {
  const auto asked = ask(context, "GET", "/v1/calls/" + percent_encoded(call));
  return asked.answer ? show_object(context, asked.answer->json()) : asked.status;
}

}  // namespace toolway::cli::client
