#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/chaos/agent.h"
#include "tests/chaos/plan.h"
#include "tests/chaos/talk_history.h"

namespace toolway::chaos {

/// Talks to the model in sessions of one user until it is told to stop, over random gateways. One
/// thread; `watched` from any.
class Talker {
 public:
  Talker(AgentParts parts, unsigned number, std::uint64_t seed);
  void run(const std::atomic<bool>& stop);
  /// The session that it uses now; nothing: none yet.
  std::optional<Watched> watched() const;
  std::vector<Watched> sessions() const;
  /// Once `run` has returned: sends each of its sessions one more message, which needs no call, and
  /// waits for its end.
  void say_last();
  /// Once `run` has returned.
  const std::vector<Talk>& talks() const { return talks_; }

 private:
  using Answer = Door::Answer;
  struct Sent {
    Fate fate = Fate::kUnknown;
    std::string call_id;
    std::string code;
  };

  Answer ask(const char* method, const std::string& target, const std::string& body = {},
             const cli::client::HttpClient::Headers& headers = {}) {
    return door_.ask(user_, method, target, body, headers);
  }
  std::string path(const char* rest) const { return "/v1/sessions/" + session_ + rest; }
  std::string next_token();
  void act();
  bool open_session();
  void say();
  Sent send(const std::string& token, const OrderedJson& body);
  Post post(Post record, const std::string& target, const OrderedJson& body);
  OrderedJson options();
  /// Whether it succeeded.
  bool wait_for_end(const std::string& call, double seconds);
  /// Follows the events of a call until it has ended, the stream breaks off, or for some seconds.
  void follow(const std::string& call);
  std::string outcome_of(const std::string& call);
  /// What an answer says of a call.
  void add_look(const std::string& call, const Answer& answer);
  void stop_turn();
  void begin_conversation();
  void call_elsewhere();
  void read_messages();
  void pry();
  void restore_session();
  void pause(double seconds) const { pause_for(seconds, stop_); }
  bool stopped() const { return stop_ != nullptr && *stop_; }
  bool say_last(Talk& talk);

  AgentParts parts_;
  const std::string user_;
  Randomness random_;
  Door door_;
  const unsigned number_;
  std::uint64_t tokens_ = 0;
  std::uint64_t turns_left_ = 0;  ///< before it opens another session
  bool wakes_ = false;            ///< completions begin turns of the conversation
  bool begun_ = false;            ///< it knows that the conversation is there
  std::string session_;
  const std::atomic<bool>* stop_ = nullptr;
  mutable std::mutex mutex_;  // over opened_
  std::vector<Watched> opened_;
  std::vector<Talk> talks_;  ///< of the same sessions
};

}  // namespace toolway::chaos
