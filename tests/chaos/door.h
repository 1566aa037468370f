#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "cli/client/http_client.h"
#include "tests/chaos/entrance.h"
#include "tests/chaos/history.h"
#include "tests/chaos/randomness.h"

namespace toolway::chaos {

/// The gateways, as one client uses them: each request at a random one. One thread.
class Door {
 public:
  struct Answer {
    int status = 0;  ///< 0: none came
    OrderedJson json;
    std::string body;
    std::string code;
    std::string gateway;
  };

  Door(const Entrance& entrance, Randomness& random) : entrance_(entrance), random_(random) {}
  Answer ask(const std::string& user, const char* method, const std::string& target,
             const std::string& body = {}, const cli::client::HttpClient::Headers& headers = {});
  /// With this API key.
  Answer ask_with(const std::string& key, const char* method, const std::string& target,
                  const std::string& body);
  /// At random, but rather not one that has just failed to answer.
  std::string some_gateway();
  void failed(const std::string& gateway);
  /// Counts an answer that no request of ours should get.
  static void judge(History& history, const char* what, const Answer& answer,
                    std::initializer_list<int> fine);

 private:
  using Client = Result<std::unique_ptr<cli::client::HttpClient>>;
  Answer answer_of(const std::string& gateway, const Client& client, const char* method,
                   const std::string& target, const std::string& body,
                   const cli::client::HttpClient::Headers& headers);

  const Entrance& entrance_;
  Randomness& random_;
  std::string slow_;  ///< the last gateway that did not answer
  std::chrono::steady_clock::time_point slow_until_{};
};

/// What an answer says of a call.
Look look_of(const std::string& user, const std::string& owner, const std::string& call_id,
             const Door::Answer& answer);

/// Lets time pass, until a stop is asked for; null: none is.
void pause_for(double seconds, const std::atomic<bool>* stop);

/// A gateway may be stopped for long: then we try another one.
inline constexpr std::chrono::seconds kPatience{6};

}  // namespace toolway::chaos
