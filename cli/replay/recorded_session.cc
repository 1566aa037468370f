#include "cli/replay/recorded_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/client/call_lists.h"
#include "cli/client/pages.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::replay {

using client::cell;

std::string why_not(const OrderedJson& call, Target target) {
  if (cell(call, "state") != "completed") return "it has not ended yet";
  if (call.contains("hidden_arguments"))
    return "its arguments hold secrets, which a gateway does not show";
  const auto outcome = cell(call, "outcome");
  if (outcome == "cancelled") return "it was cancelled";
  if (outcome == "unknown" || outcome == "lost")
    return fmt::format("it ended as {}, which a tool cannot repeat", outcome);
  if (target == Target::kMocks && outcome != "succeeded" && outcome != "failed")
    return fmt::format("it ended as {}, without an answer of its tool", outcome);
  return {};
}

Ending ending_of(const OrderedJson& call) {
  const auto state = cell(call, "state");
  const auto error = call.value("error", OrderedJson());
  const auto ran = call.value("ran_ms", OrderedJson());
  return {.call_id = cell(call, "call_id"),
          .outcome = state == "completed" ? cell(call, "outcome") : state,
          .error_code = error.is_object() ? cell(error, "code") : "",
          .result = Json(call.value("result", OrderedJson())),
          .ran_ms = ran.is_number() ? ran.get<double>() : 0};
}

ReadEnding read_ending(const client::ClientContext& context, const OrderedJson& call) {
  ReadEnding read{.ending = ending_of(call)};
  if (!call.value("result_ref", OrderedJson()).is_object()) return read;
  const auto asked = client::ask(context, "GET",
                                 "/v1/calls/" + percent_encoded(cell(call, "call_id")) + "/result");
  read.status = asked.status;
  if (asked.answer) read.ending.result = Json(asked.answer->json());
  return read;
}

namespace {

/// The session itself: what it may call.
int read_tools(const client::ClientContext& context, const std::string& path,
               RecordedSession& session) {
  const auto shown = client::ask(context, "GET", path);
  if (!shown.answer) return shown.status;
  for (const auto& ns : shown.answer->json().value("namespaces", OrderedJson::array()))
    session.namespaces.push_back(ns.get<std::string>());
  const auto tools = client::ask(context, "GET", path + "/tools");
  if (!tools.answer) return tools.status;
  session.tools = tools.answer->json().value("tools", OrderedJson::array());
  return terminal::kExitOk;
}

}  // namespace

ReadSession read_session(const client::ClientContext& context, const std::string& name,
                         unsigned limit, Target target) {
  ReadSession read;
  read.status = read_tools(context, "/v1/sessions/" + percent_encoded(name), read.session);
  if (read.status != terminal::kExitOk) return read;
  client::CallListOptions which;
  which.session = name;
  auto pages = client::read_pages(context, client::calls_target(which), limit, "calls");
  read.status = pages.status;
  if (read.status != terminal::kExitOk) return read;
  auto calls = pages.list.value("calls", OrderedJson::array());
  std::reverse(calls.begin(), calls.end());
  for (const auto& call : calls) {
    const auto tool = cell(call, "namespace") + "." + cell(call, "tool");
    if (auto why = why_not(call, target); !why.empty()) {
      read.session.skipped.push_back({cell(call, "call_id"), tool, std::move(why)});
      continue;
    }
    auto ending = read_ending(context, call);
    read.status = ending.status;
    if (read.status != terminal::kExitOk) return read;
    read.session.calls.push_back(
        {tool, call.value("arguments", OrderedJson::object()), std::move(ending.ending)});
  }
  return read;
}

}  // namespace toolway::cli::replay
