#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/chaos/door.h"
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
  const Entrance& entrance;
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
  using Answer = Door::Answer;
  Answer ask(const char* method, const std::string& target, const std::string& body = {},
             const cli::client::HttpClient::Headers& headers = {}) {
    return door_.ask(user_, method, target, body, headers);
  }
  void act();
  bool open_session();
  void make_call();
  Fate post(Post& post, const std::string& body);
  void cancel_one();
  void look_at_one();
  void pry();
  void close_session();
  void restore_session();
  void read_mail();
  /// Leaves its session alone until it expires, and comes back.
  void rest();
  void pause(double seconds) const { pause_for(seconds, stop_); }
  void judge(const char* what, const Answer& answer, std::initializer_list<int> fine) {
    Door::judge(parts_.history, what, answer, fine);
  }

  AgentParts parts_;
  const std::string user_;
  Randomness random_;
  Door door_;
  unsigned number_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t sessions_opened_ = 0;
  std::uint64_t calls_in_session_ = 0;
  std::uint64_t calls_per_session_ = 0;
  std::string session_;
  std::string mail_cursor_ = "0";
  std::vector<std::string> recent_;  ///< calls of the session
  const std::atomic<bool>* stop_ = nullptr;
  mutable std::mutex mutex_;  // over opened_ and resting_
  std::vector<Watched> opened_;
  bool resting_ = false;
};

}  // namespace toolway::chaos
