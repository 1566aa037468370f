#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bus/bus.h"
#include "proto/toolway/v1/call.pb.h"
#include "tests/simulation/world.h"

namespace toolway::simulation {

/// Holds a schedule to the promises: watches what the server stores and which tools begin.
/// It knows everything, as no process does.
class Checker {
 public:
  explicit Checker(World& world) : world_(world) {}

  enum class Fate { kSubmitted, kAccepted, kRefused, kNotKnown };
  /// What is known of one call.
  struct Call {
    v1::CallRequest request;
    bool idempotent = false;
    unsigned max_attempts = 1;
    std::string key{};  ///< the Idempotency-Key that it was planned under
    Fate fate = Fate::kSubmitted;
    unsigned stored = 0;                         ///< messages on CALLS
    std::map<std::uint64_t, Micros> messages{};  ///< their sequences, and when they were stored
    std::uint32_t seq = 0;
    std::uint32_t attempt = 0;
    std::map<std::uint32_t, std::string> writers;  ///< of each attempt
    std::set<std::uint32_t> started;               ///< attempts whose Started is stored by itself
    unsigned retries = 0;                          ///< RetryAt events
    unsigned parks = 0;                            ///< events that park it
    unsigned runs = 0;
    std::set<std::string> approvers{};  ///< of a held call
    bool approved = false;
    bool denied = false;
    std::set<std::string> asked{};                 ///< keys of questions
    std::map<std::string, std::string> answers{};  ///< by key
    bool cancel_last = false;                      ///< the last event asks to cancel it
    bool completed = false;
    std::uint64_t last_sequence = 0;
    v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
    std::string error{};   ///< the code of one that did not succeed
    std::string result{};  ///< JSON
  };

  /// `key`: its Idempotency-Key, or empty.
  void submitted(const v1::CallRequest& request, const std::string& key);
  void answered(const std::string& call_id, Fate fate);
  void stored(const std::string& stream, const bus::StoredMessage& message);
  /// A tool was answered.
  void told(const std::string& call_id, const std::string& key, const std::string& answer);
  void tool_began(const std::string& call_id, unsigned attempt, const std::string& process);

  /// Every call that is stored has ended.
  bool all_completed() const;
  /// Once enough time has passed without faults.
  void check_end();

  /// Everything that ever was on a stream, in order.
  const std::vector<bus::StoredMessage>& all(const std::string& stream) { return streams_[stream]; }
  const std::map<std::string, Call>& calls() const { return calls_; }

 private:
  void event(const bus::StoredMessage& message);
  void decided(Call& call, const v1::CallEvent& event);
  void asked(Call& call, const v1::CallEvent& event);

  World& world_;
  std::map<std::string, Call> calls_;
  std::map<std::string, std::vector<bus::StoredMessage>> streams_;
};

}  // namespace toolway::simulation
