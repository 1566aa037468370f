#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tests/chaos/mcp_agent.h"

namespace toolway::chaos {
namespace {

using std::chrono::milliseconds;

// Nothing is waited for longer than this. A client of 2026-07-28 that leaves cancels its call.
constexpr milliseconds kMostOfAHandshake{8000};
constexpr milliseconds kMostOfARequest{15000};
constexpr milliseconds kLeastSilence{200};

milliseconds random_ms(Randomness& random, std::uint64_t most) {
  return milliseconds(random.between(0, most));
}

}  // namespace

McpAgent::Steady::time_point McpAgent::let_go_time(const McpCall& call, Era era,
                                                   const std::string& method) {
  const auto now = Steady::now();
  const bool resumes = has_handshake(era);
  // It may wait for approval for long.
  if (call.tool == "chaos.guarded" && resumes) return now + random_ms(random_, 800);
  if (method == "tasks/result") return now + random_ms(random_, 5000);
  if (random_.chance(resumes ? 0.4 : 0.05)) return now + random_ms(random_, 800);
  return now + (resumes ? kMostOfAHandshake : kMostOfARequest);
}

McpWire::Sent McpAgent::opened(McpCall& call, Exchange& exchange, Era era) {
  auto& stretch = exchange.stretch;
  stretch.user = user_;
  stretch.session = session_;
  stretch.gateway = door_.some_gateway();
  stretch.revision = revision_of(era);
  stretch.token = call.token;
  stretch.call_id = call.call_id;
  exchange.let_go_at = let_go_time(call, era, stretch.method);
  return {.gateway = stretch.gateway, .target = "/mcp/" + session_};
}

McpAgent::Exchange McpAgent::exchange(McpCall& call, Era era, const std::string& method,
                                      const OrderedJson& params, const Wishes& wishes) {
  Exchange made;
  const auto session = session_of(era);
  if (has_handshake(era) && session.empty()) return made;
  const int id = ++requests_;
  auto& stretch = made.stretch;
  stretch.method = method;
  auto sent = opened(call, made, era);
  stretch.stream = fmt::format("{}", id);
  stretch.request_id = stretch.stream;
  const bool calls = method == "tools/call";
  if (calls && !wishes.progress_token.empty())
    stretch.progress_token = to_text(OrderedJson(wishes.progress_token));
  stretch.logs = calls && (has_handshake(era) || wishes.logs);
  stretch.goes_on = params.contains("requestState");
  if (has_handshake(era) && (calls || method == "tasks/result"))
    call.stream = {.era = era,
                   .name = stretch.stream,
                   .method = method,
                   .request_id = id,
                   .progress_token = stretch.progress_token,
                   .logs = stretch.logs,
                   .last_id = {}};
  sent.body = request_body(era, id, method, params, wishes);
  sent.headers = headers_of(era, method, params, session);
  if (calls && !call.key.empty() && !stretch.goes_on) sent.headers["Idempotency-Key"] = call.key;
  carry(call, made, std::move(sent));
  return made;
}

void McpAgent::carry(McpCall& call, Exchange& exchange, McpWire::Sent sent) {
  auto& stretch = exchange.stretch;
  const auto left = std::chrono::duration_cast<milliseconds>(exchange.let_go_at - Steady::now());
  sent.silence = std::max(left, kLeastSilence);
  sent.until = exchange.let_go_at;
  stretch.at_us = now_us();
  exchange.reply = wire_.send(sent, [&](const OrderedJson& message, const std::string& sse_id) {
    return take(call, exchange, message, sse_id);
  });
  stretch.done_us = now_us();
  stretch.status = exchange.reply.status;
  stretch.end = exchange.reply.end;
  if (stretch.status == 0) door_.failed(stretch.gateway);
  if (!exchange.reply.last_id.empty()) call.stream.last_id = exchange.reply.last_id;
  judge(exchange);
  if (stretch.call_id.empty()) stretch.call_id = call.call_id;
  parts_.history.add(stretch);
}

bool McpAgent::take(McpCall& call, Exchange& exchange, const OrderedJson& message,
                    const std::string& sse_id) {
  auto seen = read_message(message, sse_id);
  seen.at_us = now_us();
  if (call.call_id.empty()) call.call_id = seen.call_id;
  exchange.stretch.messages.push_back(seen);
  if (seen.kind == RpcMessage::Kind::kAnswer) {
    exchange.answer = message;
    return true;
  }
  if (seen.kind == RpcMessage::Kind::kQuestion) {
    for (const auto& key : seen.asks) ask_me(call, key, message["id"]);
    for (const auto& key : seen.asks)
      if (call.asks[key].answer_at <= Steady::now()) answer(call, key, call.asks[key]);
    // Those who take their time leave, or stay.
    if (!call.asks.empty() && random_.chance(0.5)) return false;
  }
  return Steady::now() < exchange.let_go_at && !*stop_;
}

void McpAgent::learn(McpCall& call, const Exchange& exchange) {
  const auto* last = exchange.last();
  if (last == nullptr) return;
  if (last->reading) call.ended = true;
  if (!last->call_id.empty()) call.call_id = last->call_id;
  if (call.ended) call.asks.clear();
  const auto result = exchange.answer.find("result");
  if (result == exchange.answer.end()) return;
  if (const auto state = text_at(*result, "requestState"); !state.empty()) {
    call.state = state;
    call.asks.clear();
    for (const auto& key : last->asks) ask_me(call, key, {});
  }
}

/// Counts what no request of ours should get.
void McpAgent::judge(const Exchange& exchange) {
  static const std::set<std::string> fine{"request_in_flight", "session_closed"};
  const auto& stretch = exchange.stretch;
  const auto* last = exchange.last();
  if (last != nullptr) {
    if (last->error != 0 && stretch.method != "tasks/cancel")
      parts_.history.odd(fmt::format("{}{} {}: {} {}, {}", stretch.method,
                                     stretch.goes_on ? " again" : "", stretch.revision,
                                     stretch.status, last->error, last->said));
    return;
  }
  const auto status = exchange.reply.status;
  if (status == 0 || status == 200 || status == 202 || status == 204 || status == 429 ||
      status == 503)
    return;
  const auto code = text_at(exchange.reply.json, "code");
  if (!fine.contains(code))
    parts_.history.odd(fmt::format("{} {}: {} {}", stretch.method, stretch.revision, status, code));
}

}  // namespace toolway::chaos
