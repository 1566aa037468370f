#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace toolway::chaos {

/// What is promised, one line of the verdict table each.
enum class Property {
  kOneCompletion,    ///< an accepted call has exactly one completion
  kAgreement,        ///< all gateways, all streams and Postgres say the same
  kRefusedNeverRan,  ///< nothing refused has a call, an event or a trace; what is unknown has at
                     ///< most one
  kEventOrder,       ///< ids increase, no event is missing or repeated in what a follower saw
  kExactResume,      ///< a resumed stream continues with the event after the one named
  kChain,            ///< seq has no gap, attempts never fall, nothing follows the completion
  kSteps,            ///< numbered progress of an attempt comes whole and in order
  kOneStart,         ///< a tool that is not idempotent starts at most once
  kPrivacy,          ///< no user read another user's session, call or bytes
  kMailbox,         ///< each completion once per acknowledged cursor, in order, and none is missing
  kIdempotencyKey,  ///< the same key, the same call
  kQueueCaps,       ///< queues stayed within their caps
  kNoCrash,         ///< no process ended by a signal that we did not send
  kApproval,        ///< what needs approval starts after its approval, and is decided once
  kSealed,          ///< each decision and each end has its record, once, and seals cover it
  kRunsAtOnce,      ///< of a tool with a limit on running calls no more run at once
  kFaces,           ///< a call's end reads the same in every face
  kRpcStream,       ///< an MCP stream has what its request asked for, in order, and no more
  kRpcResume,       ///< a resumed MCP stream has no gap and nothing twice
  kTasks,           ///< a task that was shown is found, and its end stays
  kQuestions,       ///< a question is asked once and answered once, and its tool is told that
  kRevocation,      ///< a revoked key opens nothing, 2 s after its revocation was acknowledged
  kNewKey,          ///< a key is taken 2 s after it was made
  kPolicy,          ///< calls begun 2 s after a policy was put are judged by it, or a later one
  kTurns,           ///< a turn's message and reply are in its conversation, once
  kHistory,         ///< histories are valid, and what was shown of them stays
  kTurnCalls,       ///< what a model asks for is called once, and it reads that call's result
  kTold,            ///< the end of a call that outlived its turn is told once
  kTakenOver,       ///< a turn whose process was killed ends
  kLastTurn,        ///< after the storm every conversation answers
  kAnswers,         ///< no request got an answer outside the API
};
inline constexpr std::size_t kProperties = 31;
const char* property_text(Property property);

struct Violation {
  std::string what;
  std::string session;
  std::string call_id;
};

struct Verdict {
  std::uint64_t checked = 0;
  std::uint64_t violated = 0;
  std::vector<Violation> examples;  ///< the first few
};

class Verdicts {
 public:
  void checked(Property property, std::uint64_t count = 1) { of(property).checked += count; }
  void violated(Property property, Violation violation) {
    auto& verdict = of(property);
    if (++verdict.violated <= kExamples) verdict.examples.push_back(std::move(violation));
  }
  /// Counts one check, and the violation when it does not hold.
  void expect(Property property, bool holds, const Violation& violation) {
    checked(property);
    if (!holds) violated(property, violation);
  }
  const Verdict& operator[](Property property) const {
    return verdicts_[static_cast<std::size_t>(property)];
  }
  bool clean() const {
    for (const auto& verdict : verdicts_)
      if (verdict.violated != 0) return false;
    return true;
  }

 private:
  static constexpr std::size_t kExamples = 20;
  Verdict& of(Property property) { return verdicts_[static_cast<std::size_t>(property)]; }
  std::array<Verdict, kProperties> verdicts_;
};

}  // namespace toolway::chaos
