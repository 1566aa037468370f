#include "tests/chaos/door.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace toolway::chaos {
namespace {

constexpr std::chrono::seconds kAvoided{10};

}  // namespace

std::string Door::some_gateway() {
  const auto& gateway = random_.pick(entrance_.gateways);
  const bool avoid =
      gateway == slow_ && std::chrono::steady_clock::now() < slow_until_ && random_.chance(0.9);
  return avoid ? random_.pick(entrance_.gateways) : gateway;
}

void Door::failed(const std::string& gateway) {
  slow_ = gateway;
  slow_until_ = std::chrono::steady_clock::now() + kAvoided;
}

Door::Answer Door::ask(const std::string& user, const char* method, const std::string& target,
                       const std::string& body, const cli::client::HttpClient::Headers& headers) {
  const auto gateway = some_gateway();
  return answer_of(gateway, entrance_.client(gateway, user, kPatience), method, target, body,
                   headers);
}

Door::Answer Door::ask_with(const std::string& key, const char* method, const std::string& target,
                            const std::string& body) {
  const auto gateway = some_gateway();
  cli::client::ClientOptions options{.url = gateway, .timeout = kPatience};
  options.reach.token = key;
  return answer_of(gateway, cli::client::HttpClient::create(std::move(options)), method, target,
                   body, {});
}

Door::Answer Door::answer_of(const std::string& gateway, const Client& client, const char* method,
                             const std::string& target, const std::string& body,
                             const cli::client::HttpClient::Headers& headers) {
  Answer answer{.gateway = gateway};
  if (!client) return answer;
  auto got = (*client)->request(method, target, body, headers);
  if (!got) {
    answer.code = got.error().message;
    failed(answer.gateway);
    return answer;
  }
  answer.status = got->status;
  answer.body = std::move(got->body);
  if (auto json = parse_ordered_json(answer.body, 1000)) answer.json = std::move(*json);
  if (!got->ok()) answer.code = text_at(answer.json, "code");
  return answer;
}

Look look_of(const std::string& user, const std::string& owner, const std::string& call_id,
             const Door::Answer& answer) {
  return {.user = user,
          .owner = owner,
          .call_id = call_id,
          .gateway = answer.gateway,
          .at_us = now_us(),
          .status = answer.status,
          .outcome = text_at(answer.json, "outcome"),
          .owners = owners_in(answer.body)};
}

void pause_for(double seconds, const std::atomic<bool>* stop) {
  using Seconds = std::chrono::duration<double>;
  const auto until = std::chrono::steady_clock::now() + Seconds(seconds);
  while ((stop == nullptr || !*stop) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(Seconds(std::min(seconds, 0.05)));
}

void Door::judge(History& history, const char* what, const Answer& answer,
                 std::initializer_list<int> fine) {
  // No gateway there, or a refusal for now: that is what a storm is.
  if (answer.status == 0 || answer.status == 503 || answer.status == 429) return;
  if (std::find(fine.begin(), fine.end(), answer.status) == fine.end())
    history.odd(fmt::format("{}: {} {}", what, answer.status, answer.code));
}

}  // namespace toolway::chaos
