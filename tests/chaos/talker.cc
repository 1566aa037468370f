#include "tests/chaos/talker.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/chaos/message_page.h"
#include "tests/chaos/users.h"
#include "tools/http/sse_reader.h"

namespace toolway::chaos {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kTries = 10;
constexpr double kTurnPatience = 60;
constexpr int kPageSize = 100;

}  // namespace

Talker::Talker(AgentParts parts, unsigned number, std::uint64_t seed)
    : parts_(parts),
      user_(agents_user(parts.options, number)),
      random_(seed),
      door_(parts.entrance, random_),
      number_(number) {}

std::optional<Watched> Talker::watched() const {
  const std::lock_guard lock(mutex_);
  if (opened_.empty()) return std::nullopt;
  return opened_.back();
}

std::vector<Watched> Talker::sessions() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

void Talker::run(const std::atomic<bool>& stop) {
  stop_ = &stop;
  while (!stop) {
    if (session_.empty() && !open_session()) {
      pause(0.3);
      continue;
    }
    act();
    pause(static_cast<double>(random_.between(0, 300)) / 1000);
  }
}

void Talker::act() {
  if (random_.chance(0.06))
    begin_conversation();
  else if (begun_ && random_.chance(0.08))
    call_elsewhere();
  else
    say();
  if (session_.empty()) return;
  if (random_.chance(0.25)) read_messages();
  if (random_.chance(0.03)) pry();
  if (turns_left_ == 0) session_.clear();
}

bool Talker::open_session() {
  const auto name = fmt::format("{}.t{}.s{}", user_, number_, talks_.size());
  const OrderedJson body{{"session_id", name}, {"namespaces", {"bench", "chaos", "tasks"}}};
  const auto answer = ask("POST", "/v1/sessions", to_text(body));
  Door::judge(parts_.history, "open session", answer, {200, 201});
  if (answer.status != 200 && answer.status != 201) return false;
  session_ = name;
  turns_left_ = random_.between(8, 30);
  wakes_ = random_.chance(0.6);
  begun_ = false;
  talks_.push_back({.user = user_, .session = name, .elsewhere = {}, .last_turn = {}});
  const std::lock_guard lock(mutex_);
  opened_.push_back({user_, name});
  return true;
}

std::string Talker::next_token() {
  return fmt::format("tok.{}.t{}-{}.", user_, number_, tokens_++);
}

/// They hold for the conversation, so each message says all.
OrderedJson Talker::options() {
  static const std::vector<int> kWaits{0, 200, 1500, 20000};
  return {{"on_completion", wakes_ ? "turn" : "wait"},
          {"inline_ms", random_.pick(kWaits)},
          {"max_iterations", random_.chance(0.05) ? 1 : 10}};
}

Post Talker::post(Post record, const std::string& target, const OrderedJson& body) {
  cli::client::HttpClient::Headers headers;
  if (!record.key.empty()) headers["Idempotency-Key"] = record.key;
  // A new conversation is waited for in any case: less long than we wait for a gateway.
  if (record.face == kMessages && (record.key.empty() || random_.chance(0.1)))
    headers["Prefer"] = "wait=2";
  record.at_us = now_us();
  const auto answer = ask("POST", target, to_text(body), headers);
  record.gateway = answer.gateway;
  record.take(answer.status, answer.code, answer.json);
  Door::judge(parts_.history, record.face == kMessages ? "message" : "call", answer,
              {200, 202, 409});
  parts_.history.add(record);
  if (record.status == 200) add_look(record.call_id, answer);
  if (record.fate == Fate::kAccepted) parts_.gossip.tell({user_, record.session, record.call_id});
  return record;
}

Talker::Sent Talker::send(const std::string& token, const OrderedJson& body) {
  Post record{.user = user_,
              .session = session_,
              .tool = kTurnTool,
              .token = token,
              .key = "key-" + token,
              .face = kMessages};
  // The same key settles what is unknown, and does no harm where nothing is.
  for (int again = 0; again < kTries && !(again > 0 && stopped()); ++again) {
    record = post(record, path("/messages"), body);
    if (record.code == "session_closed") restore_session();
    if (session_.empty() || (record.fate == Fate::kAccepted && !random_.chance(0.15))) break;
    if (record.fate != Fate::kAccepted) pause(0.1 * (1 << std::min(again, 4)));
  }
  return {record.fate, record.call_id, record.code};
}

void Talker::say() {
  const auto token = next_token();
  --turns_left_;
  OrderedJson body{{"content", message_of(make_plan(random_, token))}, {"options", options()}};
  if (random_.chance(0.1)) body["on_busy"] = random_.chance(0.7) ? "interrupt" : "refuse";
  const auto sent = send(token, body);
  if (sent.fate != Fate::kAccepted) return;
  const auto dice = random_.between(0, 99);
  if (dice < 15) return;  // the next message comes while this turn runs
  if (dice < 25) {
    pause(static_cast<double>(random_.between(0, 1500)) / 1000);
    return stop_turn();
  }
  begun_ = wait_for_end(sent.call_id, kTurnPatience) || begun_;
  // Long enough that what ends now begins a turn by itself.
  if (wakes_ && random_.chance(0.2)) pause(static_cast<double>(random_.between(3000, 7000)) / 1000);
}

bool Talker::wait_for_end(const std::string& call, double seconds) {
  const auto until = Steady::now() + std::chrono::duration<double>(seconds);
  const bool follows = random_.chance(0.5);
  while (!stopped() && Steady::now() < until) {
    if (follows) follow(call);
    const auto outcome = outcome_of(call);
    if (!outcome.empty()) return outcome == "succeeded";
    pause(static_cast<double>(random_.between(50, 300)) / 1000);
  }
  return false;
}

std::string Talker::outcome_of(const std::string& call) {
  const auto answer = ask("GET", "/v1/calls/" + call);
  Door::judge(parts_.history, "show turn", answer, {200});
  if (answer.status != 200) return {};
  add_look(call, answer);
  return text_at(answer.json, "outcome");
}

void Talker::add_look(const std::string& call, const Answer& answer) {
  parts_.history.add(look_of(user_, user_, call, answer));
}

void Talker::follow(const std::string& call) {
  const auto gateway = door_.some_gateway();
  const auto client = parts_.entrance.client(gateway, user_, kPatience);
  if (!client) return;
  const auto until = Steady::now() + std::chrono::seconds(random_.between(1, 20));
  bool ended = false;
  std::string seen;
  tools::http::SseReader reader([&](const tools::http::SseEvent& event) {
    ended = ended || event.type == "completed";
    seen += event.data;
  });
  const auto answer = (*client)->stream(
      "/v1/calls/" + call + "/events?after=0", {}, kPatience, [] {},
      [&](std::string_view bytes) {
        return reader.feed(bytes) && !ended && !stopped() && Steady::now() < until;
      });
  if (!answer) door_.failed(gateway);
  if (answer && answer->status != 200 && answer->status != 503 && answer->status != 429)
    parts_.history.odd(fmt::format("events of a turn: {}", answer->status));
  parts_.history.add(Look{.user = user_,
                          .owner = user_,
                          .call_id = call,
                          .gateway = gateway,
                          .at_us = now_us(),
                          .status = answer ? answer->status : 0,
                          .owners = owners_in(seen)});
}

void Talker::stop_turn() {
  const auto answer = ask("POST", path("/stop"), "{}");
  Door::judge(parts_.history, "stop", answer, {200, 202, 404, 409});
  parts_.history.note("stop", fmt::format("{} {} {}", session_, answer.status, answer.code));
}

void Talker::begin_conversation() {
  const auto token = next_token();
  const Post record{.user = user_,
                    .session = session_,
                    .tool = kTurnTool,
                    .token = token,
                    .key = {},
                    .face = kMessages};
  const OrderedJson body{{"options", {{"system_prompt", "You are asked by " + token}}}};
  const auto sent = post(record, path("/conversations"), body);
  if (sent.fate == Fate::kRefused) return;
  wakes_ = random_.chance(0.6);
  begun_ = false;
  talks_.back().elsewhere.clear();
  // It may begin at any later time: what is said after it is known nowhere.
  if (sent.fate == Fate::kUnknown) session_.clear();
}

void Talker::call_elsewhere() {
  const auto token = next_token();
  const bool slow = random_.chance(0.4);
  const Post record{.user = user_,
                    .session = session_,
                    .tool = "chaos.effect",
                    .token = token,
                    .key = "key-" + token};
  const OrderedJson body{
      {"tool", record.tool},
      {"arguments", {{"token", token}, {"sleep_ms", slow ? random_.between(300, 3000) : 0}}}};
  for (int again = 0; again < kTries && !stopped(); ++again) {
    const auto sent = post(record, path("/calls"), body);
    if (sent.fate == Fate::kAccepted) {
      talks_.back().elsewhere.insert(sent.call_id);
      return;
    }
    if (sent.code == "session_closed") restore_session();
    if (session_.empty()) return;
    pause(0.2);
  }
}

void Talker::read_messages() {
  const auto after = random_.chance(0.5) ? 0 : random_.between(0, 30);
  const auto answer =
      ask("GET", path("/messages") + fmt::format("?limit={}&after={}", kPageSize, after));
  Door::judge(parts_.history, "read messages", answer, {200});
  if (answer.status != 200) return;
  parts_.history.add(MessagePage{.user = user_,
                                 .session = session_,
                                 .gateway = answer.gateway,
                                 .conversation = text_at(answer.json, "conversation"),
                                 .at_us = now_us(),
                                 .messages = messages_shown(answer.json),
                                 .owners = owners_in(answer.body)});
}

void Talker::pry() {
  const auto rumour = parts_.gossip.hear(random_);
  if (!rumour || rumour->owner == user_) return;
  const auto answer = ask("GET", "/v1/sessions/" + rumour->session + "/messages");
  Door::judge(parts_.history, "read another's messages", answer, {404});
  parts_.history.add(look_of(user_, rumour->owner, rumour->call_id, answer));
}

void Talker::restore_session() {
  for (int attempt = 0; attempt < 20 && !stopped(); ++attempt) {
    const auto answer = ask("POST", path("/restore"), "{}");
    Door::judge(parts_.history, "restore", answer, {200, 409});
    if (answer.status == 200) return;
    pause(0.3);
  }
  session_.clear();
}

void Talker::say_last() {
  stop_ = nullptr;
  for (auto& talk : talks_)
    for (int again = 0; again < kTries; ++again)
      if (say_last(talk)) break;
}

bool Talker::say_last(Talk& talk) {
  session_ = talk.session;
  const auto token = next_token();
  const Plan plan{.token = token, .rounds = {}, .think_ms = 0};
  const auto sent = send(token, {{"content", message_of(plan)}, {"options", options()}});
  if (sent.fate != Fate::kAccepted) return false;
  talk.last_turn = sent.call_id;
  return wait_for_end(sent.call_id, kTurnPatience);
}

}  // namespace toolway::chaos
