#include "cli/replay/again.h"

#include "base/text.h"
#include "cli/client/call_wait.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::replay {
namespace {

using client::cell;

/// A call that was refused has no record.
Ending refused(const client::HttpAnswer& answer) {
  return {.outcome = "refused", .error_code = cell(answer.json(), "code")};
}

/// Makes one call and waits for its end. `status`: the gateway could not be asked, which was
/// reported.
ReadEnding make_call(const client::ClientContext& context, client::HttpClient& http,
                     const RecordedCall& call, const std::string& target, const std::string& key,
                     std::chrono::seconds timeout) {
  const auto body = to_text(OrderedJson{{"tool", call.tool}, {"arguments", call.arguments}});
  const client::HttpClient::Headers headers{{"Idempotency-Key", key}};
  const auto accepted = http.request("POST", target, body, headers);
  if (!accepted)
    return {.ending = {}, .status = terminal::report_error(context.view, accepted.error())};
  if (!accepted->ok()) return {.ending = refused(*accepted)};
  const auto call_id = cell(accepted->json(), "call_id");
  // It may wait for days.
  if (cell(accepted->json(), "status") == client::kAwaitingApproval)
    return {.ending = {.call_id = call_id, .outcome = std::string(client::kAwaitingApproval)}};
  const auto waited =
      client::wait_for_completion(http, target, body, headers, call_id, client::WaitPlan(timeout));
  if (!waited)
    return {.ending = {}, .status = terminal::report_error(context.view, waited.error())};
  const auto shown = http.request("GET", "/v1/calls/" + percent_encoded(call_id));
  if (!shown) return {.ending = {}, .status = terminal::report_error(context.view, shown.error())};
  if (!shown->ok()) return {.ending = {}, .status = client::report_problem(context, *shown)};
  return read_ending(context, shown->json());
}

}  // namespace

Replayed make_again(const client::ClientContext& context, const RecordedSession& recorded,
                    const std::string& session, std::chrono::seconds timeout,
                    std::span<const std::string> ignored,
                    const std::function<void(std::span<const Pair>)>& progress) {
  Replayed replayed{.session = session, .pairs = {}};
  const auto opened = client::ask(
      context, "POST", "/v1/sessions",
      to_text(OrderedJson{{"session_id", session}, {"namespaces", recorded.namespaces}}));
  replayed.status = opened.status;
  if (!opened.answer) return replayed;
  auto http = client::HttpClient::create(context.http);
  if (!http) {
    replayed.status = terminal::report_error(context.view, http.error());
    return replayed;
  }
  const auto target = "/v1/sessions/" + percent_encoded(session) + "/calls";
  for (const auto& call : recorded.calls) {
    auto made =
        make_call(context, **http, call, target, session + "-" + call.ending.call_id, timeout);
    replayed.status = made.status;
    if (made.status != terminal::kExitOk) return replayed;
    auto differ = differences(call.ending, made.ending, ignored);
    replayed.pairs.push_back({call.tool, call.ending, std::move(made.ending), std::move(differ)});
    progress(replayed.pairs);
  }
  return replayed;
}

}  // namespace toolway::cli::replay
