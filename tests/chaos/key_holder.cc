#include "tests/chaos/key_holder.h"

#include <fmt/format.h>

#include <thread>

#include "tests/chaos/users.h"

namespace toolway::chaos {

KeyHolder::KeyHolder(AgentParts parts, const KeyBook& book, unsigned number, std::uint64_t seed)
    : parts_(parts),
      book_(book),
      user_(key_holders_user(number)),
      session_(user_ + ".s0"),
      random_(seed),
      door_(parts.entrance, random_) {}

std::vector<Watched> KeyHolder::sessions() const {
  if (!opened_) return {};
  return {{user_, session_}};
}

std::optional<Watched> KeyHolder::watched() const {
  if (!opened_) return std::nullopt;
  return Watched{user_, session_};
}

bool KeyHolder::open_session() {
  const OrderedJson body{{"session_id", session_}, {"namespaces", {"bench", "chaos"}}};
  const auto answer = door_.ask(user_, "POST", "/v1/sessions", to_text(body));
  Door::judge(parts_.history, "open session", answer, {200, 201});
  return answer.status == 200 || answer.status == 201;
}

void KeyHolder::run(const std::atomic<bool>& stop) {
  while (!stop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random_.between(20, 250)));
    if (!opened_ && !(opened_ = open_session())) continue;
    if (const auto key = book_.some_of(user_, random_)) use(*key);
  }
}

void KeyHolder::use(const KeyLife& key) {
  if (random_.chance(0.7)) return call(key);
  ask(key, "GET", "/v1/sessions/" + session_, {});
}

Door::Answer KeyHolder::ask(const KeyLife& key, const char* method, const std::string& target,
                            const std::string& body) {
  const auto at = now_us();
  auto answer = door_.ask_with(key.secret, method, target, body);
  Door::judge(parts_.history, "with an operator's key", answer, {200, 202, 401, 403, 409});
  parts_.history.add(KeyUse{.key_id = key.id,
                            .gateway = answer.gateway,
                            .at_us = at,
                            .done_us = now_us(),
                            .status = answer.status});
  return answer;
}

void KeyHolder::call(const KeyLife& key) {
  static const std::vector<std::string> kTools{"bench.echo", "chaos.effect_again", kBarredTool};
  const auto& tool = random_.pick(kTools);
  Post post{.user = user_,
            .session = session_,
            .tool = tool,
            .token = fmt::format("tok.{}.k-{}.", user_, tokens_++),
            .at_us = now_us()};
  const OrderedJson body{{"tool", tool},
                         {"arguments", {{tool == "bench.echo" ? "payload" : "token", post.token}}}};
  const auto answer = ask(key, "POST", "/v1/sessions/" + session_ + "/calls", to_text(body));
  post.take(answer.status, answer.code, answer.json);
  post.gateway = answer.gateway;
  parts_.history.add(std::move(post));
}

}  // namespace toolway::chaos
