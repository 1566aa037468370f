#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/client/http_client.h"
#include "tests/chaos/history.h"
#include "tests/chaos/options.h"
#include "tests/chaos/randomness.h"

namespace toolway::chaos {

/// A user's session, for the agent that uses it and the follower that watches it.
struct Watched {
  std::string user;
  std::string session;
};

/// The calls that agents made lately, for those who try to read what is not theirs. Thread-safe.
class Gossip {
 public:
  struct Rumour {
    std::string owner;
    std::string session;
    std::string call_id;
  };
  void tell(Rumour rumour);
  std::optional<Rumour> hear(Randomness& random) const;

 private:
  mutable std::mutex mutex_;
  std::vector<Rumour> recent_;
  std::size_t next_ = 0;
};

struct AgentParts {
  const Options& options;
  const std::vector<std::string>& gateways;
  History& history;
  Gossip& gossip;
};

/// Makes calls in sessions of one user until it is told to stop, over random gateways. One thread;
/// `watched` from any.
class Agent {
 public:
  Agent(AgentParts parts, unsigned number, std::uint64_t seed);
  void run(const std::atomic<bool>& stop);
  /// The session that it uses now; nothing while no one should touch it.
  std::optional<Watched> watched() const;
  /// All sessions that it ever opened.
  std::vector<Watched> sessions() const;

 private:
  struct Answer {
    int status = 0;  ///< 0: none came
    OrderedJson json;
    std::string body;
    std::string code;
    std::string gateway;
  };
  Answer ask(const char* method, const std::string& target, const std::string& body = {},
             const cli::client::HttpClient::Headers& headers = {}) {
    return ask_as(user_, method, target, body, headers);
  }
  Answer ask_as(const std::string& user, const char* method, const std::string& target,
                const std::string& body, const cli::client::HttpClient::Headers& headers = {});
  /// At random, but rather not one that has just failed to answer.
  std::string some_gateway();
  void act();
  bool open_session();
  void make_call();
  Fate post(Post& post, const std::string& body);
  void cancel_one();
  /// Someone decides about a call that waits for approval; of some, not before the storm has ended.
  void decide(const std::string& call);
  void look_at_one();
  void pry();
  void close_session();
  void restore_session();
  void read_mail();
  /// Leaves its session alone until it expires, and comes back.
  void rest();
  void pause(double seconds) const;
  /// Counts an answer that no request of ours should get.
  void judge(const char* what, const Answer& answer, std::initializer_list<int> fine);

  AgentParts parts_;
  const std::string user_;
  Randomness random_;
  unsigned number_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t sessions_opened_ = 0;
  std::uint64_t calls_in_session_ = 0;
  std::uint64_t calls_per_session_ = 0;
  std::string session_;
  std::string mail_cursor_ = "0";
  std::vector<std::string> recent_;  ///< calls of the session
  std::string slow_;                 ///< the last gateway that did not answer
  std::chrono::steady_clock::time_point slow_until_{};
  const std::atomic<bool>* stop_ = nullptr;
  mutable std::mutex mutex_;  // over opened_ and resting_
  std::vector<Watched> opened_;
  bool resting_ = false;
};

}  // namespace toolway::chaos
