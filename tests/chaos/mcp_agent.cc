#include "tests/chaos/mcp_agent.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/chaos/approver.h"
#include "tests/chaos/call_choice.h"
#include "tests/chaos/users.h"

namespace toolway::chaos {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxOpen = 16;
constexpr int kIdsOfAnAgent = 1'000'000;

}  // namespace

McpAgent::McpAgent(AgentParts parts, unsigned number, std::uint64_t seed)
    : parts_(parts),
      user_(agents_user(parts.options, number)),
      random_(seed),
      door_(parts.entrance, random_),
      wire_(parts.entrance, user_),
      second_wire_(parts.entrance, user_),
      number_(number),
      requests_(static_cast<int>(number) * kIdsOfAnAgent) {}

std::optional<Watched> McpAgent::watched() const {
  const std::lock_guard lock(mutex_);
  if (opened_.empty()) return std::nullopt;
  return opened_.back();
}

std::vector<Watched> McpAgent::sessions() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

void McpAgent::run(const std::atomic<bool>& stop) {
  stop_ = &stop;
  const double every = parts_.options.mcp_agents / parts_.options.mcp_rate;
  auto next = Steady::now();
  while (!stop) {
    if (session_.empty() && !open_session()) {
      pause(0.3);
      continue;
    }
    act();
    // As other agents keep their rate.
    next = std::max(next + std::chrono::duration_cast<Steady::duration>(
                               std::chrono::duration<double>(random_.until_next(every))),
                    Steady::now() - std::chrono::seconds(1));
    pause(std::chrono::duration<double>(next - Steady::now()).count());
  }
}

void McpAgent::act() {
  begin();
  for (auto looks = random_.between(0, 2); looks > 0; --looks)
    if (!open_.empty() && !session_.empty() && !*stop_) tend();
  if (Steady::now() >= next_sweep_) answer_old_questions();
  if (open_.size() > kMaxOpen) open_.erase(open_.begin());
  // What is open ends without it.
  if (calls_in_session_ >= calls_per_session_) session_.clear();
}

bool McpAgent::open_session() {
  const auto name = fmt::format("{}.m{}.s{}", user_, number_, sessions_opened_);
  const OrderedJson body{{"session_id", name}, {"namespaces", {"bench", "chaos"}}};
  const auto answer = door_.ask(user_, "POST", "/v1/sessions", to_text(body));
  Door::judge(parts_.history, "open session", answer, {200, 201});
  if (answer.status != 200 && answer.status != 201) return false;
  ++sessions_opened_;
  session_ = name;
  mcp_sessions_.clear();
  open_.clear();
  calls_in_session_ = 0;
  calls_per_session_ = random_.between(100, 400);
  const std::lock_guard lock(mutex_);
  opened_.push_back({user_, session_});
  return true;
}

std::string McpAgent::session_of(Era era) {
  if (!has_handshake(era)) return {};
  auto& known = mcp_sessions_[era];
  if (!known.empty()) return known;
  const auto params = initialize_params(era);
  const auto gateway = door_.some_gateway();
  auto reply = wire_.send({.gateway = gateway,
                           .target = "/mcp/" + session_,
                           .body = request_body(era, ++requests_, "initialize", params),
                           .headers = headers_of(era, "", {}, "")},
                          [](const OrderedJson&, const std::string&) { return true; });
  if (reply.status == 0) door_.failed(gateway);
  if (reply.status == 200) known = reply.mcp_session;
  return known;
}

McpCall McpAgent::new_call() {
  ++calls_in_session_;
  const auto token = fmt::format("tok.{}.m{}-{}.", user_, number_, tokens_++);
  auto choice = choose_mcp_call(random_, token);
  McpCall call{.era = kEras[random_.between(0, kEras.size() - 1)],
               .tool = choice.tool,
               .token = token,
               .key = random_.chance(0.4) ? fmt::format("key-{}", token) : std::string(),
               .arguments = std::move(choice.arguments)};
  call.as_task = call.era == Era::k2025_11_25 && random_.chance(0.4);
  call.wishes.tasks = !has_handshake(call.era) && random_.chance(0.5);
  call.wishes.logs = random_.chance(0.5);
  return call;
}

void McpAgent::begin() {
  auto call = new_call();
  const bool rest = random_.chance(0.15);
  auto fate = Fate::kUnknown;
  // As of other agents: the same key settles what is unknown, and does no harm where nothing is.
  for (int again = 0; again < 6 && !*stop_; ++again) {
    if (again > 0 && !rest && random_.chance(0.2))
      call.era = kEras[random_.between(0, kEras.size() - 1)];
    fate = rest ? begin_over_rest(call) : begin_over_mcp(call);
    if (call.key.empty() || session_.empty()) break;
    if (fate == Fate::kAccepted && !random_.chance(0.25)) break;
    if (fate != Fate::kAccepted) pause(0.1 * (1 << again));
  }
  if (fate != Fate::kAccepted || session_.empty()) return;
  if (!call.call_id.empty() && call.tool == "chaos.guarded")
    decide(door_, parts_.history, random_, call.call_id);
  if (!call.ended) open_.push_back(std::move(call));
}

Fate McpAgent::begin_over_rest(McpCall& call) {
  Post record{.user = user_,
              .session = session_,
              .tool = call.tool,
              .token = call.token,
              .key = call.key,
              .at_us = now_us()};
  HeaderMap headers;
  if (!call.key.empty()) headers["Idempotency-Key"] = call.key;
  const auto answer =
      door_.ask(user_, "POST", "/v1/sessions/" + session_ + "/calls",
                to_text(OrderedJson{{"tool", call.tool}, {"arguments", call.arguments}}), headers);
  Door::judge(parts_.history, "call", answer, {200, 202, 409});
  record.gateway = answer.gateway;
  record.status = answer.status;
  record.code = answer.code;
  record.call_id = call.call_id = text_at(answer.json, "call_id");
  record.fate = fate_of_post(answer.status, answer.code);
  if (record.code == "session_closed" || answer.status == 404) session_.clear();
  const auto fate = record.fate;
  parts_.history.add(std::move(record));
  return fate;
}

Fate McpAgent::begin_over_mcp(McpCall& call) {
  if (has_handshake(call.era) && session_of(call.era).empty()) return Fate::kRefused;
  OrderedJson params{{"name", call.tool}, {"arguments", call.arguments}};
  if (call.as_task && call.era == Era::k2025_11_25) params["task"] = OrderedJson::object();
  call.wishes.progress_token =
      random_.chance(0.5) ? fmt::format("p{}-{}", number_, requests_ + 1) : std::string();
  call.stream = {};
  call.state.clear();
  call.asks.clear();
  auto exchange = this->exchange(call, call.era, "tools/call", params, call.wishes);
  Post record{.user = user_,
              .session = session_,
              .tool = call.tool,
              .token = call.token,
              .key = call.key,
              .gateway = exchange.stretch.gateway,
              .face = revision_of(call.era),
              .at_us = exchange.stretch.at_us,
              .status = exchange.reply.status};
  record.fate = fate_of(exchange, record.code);
  learn(call, exchange);
  if (record.fate == Fate::kAccepted) record.call_id = call.call_id;
  if (record.fate == Fate::kAccepted && !record.call_id.empty())
    parts_.gossip.tell({user_, session_, record.call_id});
  if (record.code == "session_closed" || record.code == "unknown_session") session_.clear();
  const auto fate = record.fate;
  parts_.history.add(std::move(record));
  return fate;
}

Fate McpAgent::fate_of(const Exchange& exchange, std::string& code) const {
  const auto* last = exchange.last();
  if (last == nullptr) {
    // Messages of a call, or the id of its stream: it was taken.
    if (!exchange.stretch.messages.empty() || !exchange.reply.last_id.empty())
      return Fate::kAccepted;
    if (exchange.reply.status == 0 || exchange.reply.status == 200) return Fate::kUnknown;
    code = text_at(exchange.reply.json, "code");
    return fate_of_post(exchange.reply.status, code);
  }
  if (last->error != 0) {
    code = fmt::format("rpc {}", last->error);
    return Fate::kRefused;
  }
  if (!last->call_id.empty() || !last->asks.empty()) return Fate::kAccepted;
  code = last->code;
  return fate_of_post(409, code);
}

}  // namespace toolway::chaos
