#include "tests/chaos/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "tests/chaos/approver.h"
#include "tests/chaos/call_choice.h"
#include "tests/chaos/control.h"
#include "tests/chaos/users.h"

namespace toolway::chaos {
namespace {

constexpr std::size_t kRemembered = 256;

}  // namespace

void Gossip::tell(Rumour rumour) {
  const std::lock_guard lock(mutex_);
  if (recent_.size() < kRemembered) return recent_.push_back(std::move(rumour));
  recent_[next_++ % kRemembered] = std::move(rumour);
}

std::optional<Gossip::Rumour> Gossip::hear(Randomness& random) const {
  const std::lock_guard lock(mutex_);
  if (recent_.empty()) return std::nullopt;
  return random.pick(recent_);
}

Agent::Agent(AgentParts parts, unsigned number, std::uint64_t seed)
    : parts_(parts),
      user_(agents_user(parts.options, number)),
      random_(seed),
      door_(parts.entrance, random_),
      number_(number) {}

std::optional<Watched> Agent::watched() const {
  const std::lock_guard lock(mutex_);
  if (opened_.empty() || resting_) return std::nullopt;
  return opened_.back();
}

std::vector<Watched> Agent::sessions() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

void Agent::run(const std::atomic<bool>& stop) {
  stop_ = &stop;
  const double every = parts_.options.agents / parts_.options.rate;
  auto next = std::chrono::steady_clock::now();
  while (!stop) {
    if (session_.empty() && !open_session()) {
      pause(0.3);
      continue;
    }
    act();
    // A rate, not a pause: an agent that was held up catches up, but never by more than a second.
    next = std::max(next + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                               std::chrono::duration<double>(random_.until_next(every))),
                    std::chrono::steady_clock::now() - std::chrono::seconds(1));
    pause(std::chrono::duration<double>(next - std::chrono::steady_clock::now()).count());
  }
}

void Agent::act() {
  const auto& options = parts_.options;
  make_call();
  if (options.with("cancel") && random_.chance(0.04)) cancel_one();
  if (random_.chance(0.05)) look_at_one();
  if (random_.chance(0.01)) pry();
  if (options.with("mailbox") && random_.chance(0.05)) read_mail();
  if (options.session_idle != 0 && options.with("expire") && random_.chance(0.003)) rest();
  if (options.with("close") && random_.chance(0.01)) {
    close_session();
    if (random_.chance(0.5)) read_mail();
    if (random_.chance(0.6))
      restore_session();
    else
      session_.clear();
  } else if (calls_in_session_ >= calls_per_session_) {
    session_.clear();
  }
}

bool Agent::open_session() {
  const auto name = fmt::format("{}.a{}.s{}", user_, number_, sessions_opened_);
  const OrderedJson body{{"session_id", name}, {"namespaces", {"bench", "chaos"}}};
  const auto answer = ask("POST", "/v1/sessions", to_text(body));
  judge("open session", answer, {200, 201});
  if (answer.status != 200 && answer.status != 201) return false;
  ++sessions_opened_;
  session_ = name;
  calls_in_session_ = 0;
  calls_per_session_ = random_.between(100, 600);
  mail_cursor_ = "0";
  recent_.clear();
  const std::lock_guard lock(mutex_);
  opened_.push_back({user_, session_});
  return true;
}

Fate Agent::post(Post& record, const std::string& body) {
  cli::client::HttpClient::Headers headers;
  if (!record.key.empty()) headers["Idempotency-Key"] = record.key;
  if (record.key.empty() && random_.chance(0.03)) headers["Prefer"] = "wait=2";
  record.at_us = now_us();
  const auto answer = ask("POST", "/v1/sessions/" + record.session + "/calls", body, headers);
  record.gateway = answer.gateway;
  record.take(answer.status, answer.code, answer.json);
  if (record.tool != kBarredTool || answer.status != 403) judge("call", answer, {200, 202, 409});
  parts_.history.add(record);
  if (record.fate == Fate::kAccepted) {
    if (recent_.size() >= kRemembered) recent_.erase(recent_.begin());
    recent_.push_back(record.call_id);
    parts_.gossip.tell({user_, record.session, record.call_id});
  }
  return record.fate;
}

void Agent::make_call() {
  ++calls_in_session_;
  const bool keyed = parts_.options.with("keys") && random_.chance(0.3);
  const auto token = fmt::format("tok.{}.{}-{}.", user_, number_, tokens_++);
  const auto choice = choose_call(random_, token);
  OrderedJson body{{"tool", choice.tool}, {"arguments", choice.arguments}};
  if (!choice.limits.is_null()) body["limits"] = choice.limits;
  Post record{.user = user_,
              .session = session_,
              .tool = choice.tool,
              .token = token,
              .key = keyed ? fmt::format("key-{}", token) : std::string()};
  const auto text = to_text(body);
  auto fate = post(record, text);
  // The same key settles what is unknown, and does no harm where nothing is. Without one, only a
  // refusal may be tried again, as another call.
  for (int again = 0; again < 6 && !*stop_; ++again) {
    if (keyed ? fate == Fate::kAccepted && !random_.chance(0.3) : fate != Fate::kRefused) break;
    if (record.code == "session_closed" || record.status == 404) break;
    if (record.code == "permission_denied" || record.code == "tool_disabled") break;
    if (fate != Fate::kAccepted) pause(0.1 * (1 << again));
    if (!keyed) break;
    fate = post(record, text);
  }
  if (fate == Fate::kAccepted && (choice.tool == "chaos.guarded" || record.held))
    decide(door_, parts_.history, random_, record.call_id);
  if (record.code == "session_closed") restore_session();
}

void Agent::rest() {
  const auto set = [this](bool resting) {
    const std::lock_guard lock(mutex_);
    resting_ = resting;
  };
  parts_.history.note("rest", session_);
  set(true);
  // Its calls run on for a while, and until then it is not idle.
  pause(3.0 * parts_.options.session_idle);
  set(false);
  const auto answer = ask("GET", "/v1/sessions/" + session_);
  judge("show session", answer, {200});
  parts_.history.note("rested", fmt::format("{} {}", session_, text_at(answer.json, "state")));
  if (text_at(answer.json, "state") == "closed") restore_session();
}

void Agent::cancel_one() {
  if (recent_.empty()) return;
  // Mostly one of the last few, which may still be waiting or running.
  const auto back = random_.between(
      1, std::min<std::size_t>(recent_.size(), random_.chance(0.8) ? 3 : kRemembered));
  const auto& call = recent_[recent_.size() - back];
  const auto answer = ask("POST", "/v1/calls/" + call + "/cancel", "{}");
  judge("cancel", answer, {200, 202, 409});
  parts_.history.note("cancel", fmt::format("{} {} {}", call, answer.status, answer.code));
  if (answer.status != 202) return;
  // `cancelled` is a promise: it has ended so.
  const auto state = text_at(answer.json, "state");
  parts_.history.add(
      Look{.user = user_,
           .owner = user_,
           .call_id = call,
           .gateway = answer.gateway,
           .at_us = now_us(),
           .status = 200,
           .outcome = state == "cancelled" ? state : text_at(answer.json, "outcome")});
}

void Agent::look_at_one() {
  if (recent_.empty()) return;
  const auto call = random_.pick(recent_);
  const auto answer = ask("GET", "/v1/calls/" + call);
  judge("show call", answer, {200});
  parts_.history.add(look_of(user_, user_, call, answer));
}

void Agent::pry() {
  const auto rumour = parts_.gossip.hear(random_);
  if (!rumour || rumour->owner == user_) return;
  const bool session = random_.chance(0.5);
  const auto target = session ? "/v1/sessions/" + rumour->session : "/v1/calls/" + rumour->call_id;
  const auto answer = ask("GET", target);
  judge("read another's", answer, {404});
  parts_.history.add(look_of(user_, rumour->owner, rumour->call_id, answer));
}

void Agent::close_session() {
  static const std::vector<std::string> ways{"wait", "detach", "cancel"};
  OrderedJson body{{"pending", random_.pick(ways)}};
  if (body["pending"] == "wait") body["timeout_ms"] = random_.between(1, 3000);
  const auto answer = ask("POST", "/v1/sessions/" + session_ + "/close", to_text(body));
  judge("close", answer, {200});
  parts_.history.note("close", fmt::format("{} {} {}", session_, answer.status, answer.code));
}

void Agent::restore_session() {
  for (int attempt = 0; attempt < 20 && !*stop_; ++attempt) {
    const auto answer = ask("POST", "/v1/sessions/" + session_ + "/restore", "{}");
    judge("restore", answer, {200, 409});
    if (answer.status == 200) return;
    pause(0.3);
  }
  session_.clear();
}

void Agent::read_mail() {
  if (session_.empty()) return;
  const auto answer = ask("GET", fmt::format("/v1/sessions/{}/completions?after={}&limit=50",
                                             session_, percent_encoded(mail_cursor_)));
  judge("read completions", answer, {200});
  if (answer.status != 200 || !answer.json.contains("completions")) return;
  MailPage page{.user = user_,
                .session = session_,
                .gateway = answer.gateway,
                .at_us = now_us(),
                .after = mail_cursor_,
                .next = text_at(answer.json, "next")};
  for (const auto& completion : answer.json["completions"])
    page.calls.push_back(text_at(completion, "call_id"));
  page.owners = owners_in(answer.body);
  // Without an acknowledgement the next reader begins at the same place.
  if (!page.calls.empty() && random_.chance(0.7)) {
    const auto ack = ask("POST", "/v1/sessions/" + session_ + "/completions:ack",
                         to_text(OrderedJson{{"cursor", page.next}}));
    judge("acknowledge completions", ack, {200, 204});
    page.acked = ack.status == 200 || ack.status == 204;
    if (page.acked) mail_cursor_ = page.next;
  }
  parts_.history.add(std::move(page));
}

}  // namespace toolway::chaos
