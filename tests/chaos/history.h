#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/chaos/control.h"
#include "tests/chaos/event_seen.h"
#include "tests/chaos/mcp_history.h"
#include "tests/chaos/talk_history.h"

namespace toolway::chaos {

/// Whether a request for a call was taken, as far as its sender can know.
enum class Fate {
  kAccepted,
  kRefused,  ///< an answer said so: it must never run
  kUnknown,  ///< `accept_unknown`, or the connection broke: it may run, once
};

/// One request for a call. Requests with the same idempotency key share their token.
struct Post {
  std::string user;
  std::string session;
  std::string tool;
  std::string token;
  std::string key;
  std::string gateway;
  std::string face = "rest";  ///< or a revision of MCP
  std::int64_t at_us = 0;
  int status = 0;
  std::string code;
  Fate fate = Fate::kUnknown;
  std::string call_id;
  std::int64_t done_us = 0;  ///< when it was answered over REST; 0: otherwise
  bool held = false;         ///< the answer says that it waits for approval

  /// What was answered over REST, just now.
  void take(int answered, const std::string& problem, const OrderedJson& json);
};

/// One connection of a follower: where it asked to continue from, and what came.
struct Stretch {
  std::string user;
  std::string session;
  std::string gateway;
  std::string after;
  std::int64_t at_us = 0;
  std::vector<EventSeen> events;
  std::string end;  ///< why it ended
};

/// A page of a mailbox, as it was read.
struct MailPage {
  std::string user;
  std::string session;
  std::string gateway;
  std::int64_t at_us = 0;
  std::string after;
  std::string next;
  std::vector<std::string> calls;
  bool acked = false;  ///< `next` was acknowledged, and the answer said that it is
  std::string owners;
};

/// What a gateway said of a call at some moment.
struct Look {
  std::string user;
  std::string owner;  ///< whose call it is
  std::string call_id;
  std::string gateway;
  std::int64_t at_us = 0;
  int status = 0;
  std::string outcome;
  std::string owners;
};

struct Recorded {
  std::vector<Post> posts;
  std::vector<Stretch> stretches;
  std::vector<MailPage> pages;
  std::vector<Look> looks;
  std::vector<RpcStretch> rpcs;
  std::vector<Given> answers;
  std::vector<TaskLook> tasks;
  std::vector<KeyUse> key_uses;
  std::vector<MessagePage> message_pages;
};

/// What all clients saw, in memory for the checker and on disk, a JSON line each, for
/// people. Thread-safe.
class History {
 public:
  explicit History(const std::string& file) : out_(file, std::ios::app) {}

  void add(Post post);
  void add(Stretch stretch);
  void add(MailPage page);
  void add(Look look);
  void add(RpcStretch stretch);
  void add(Given answer);
  void add(TaskLook look);
  void add(KeyUse use);
  void add(MessagePage page);
  /// What was done to the stack, or an answer outside the rules.
  void note(const std::string& kind, const std::string& text);
  /// An answer that should not be, counted by route and status.
  void odd(const std::string& what);

  std::uint64_t accepted() const;
  std::map<std::string, std::uint64_t> odd_answers() const;
  /// For the checker, when every client is done.
  const Recorded& recorded() const { return recorded_; }

 private:
  void line(const OrderedJson& value) { out_ << to_text(value) << '\n'; }

  mutable std::mutex mutex_;
  std::ofstream out_;
  Recorded recorded_;
  std::uint64_t accepted_ = 0;
  std::map<std::string, std::uint64_t> odd_;
};

std::int64_t now_us();
const char* fate_name(Fate fate);
/// Of a request for a call, by what was answered; status 0: nothing was.
Fate fate_of_post(int status, const std::string& code);

}  // namespace toolway::chaos
