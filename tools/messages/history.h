#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "tools/messages/message.h"

/// A conversation that every provider accepts. Pure.
namespace toolway::tools::messages {

/// What is known of a call whose result was never stored.
enum class Interruption {
  kNeverStarted,
  kStopped,  ///< it was told to stop
  kUnknown,  ///< it may have run, or not
  kCutOff,   ///< its message was cut off by the limit of tokens, so it was not run
};
/// What a model reads in place of its result.
CallResult interrupted_result(const std::string& call_id, Interruption what);
/// The results of a message's calls: those that are `known`, and for the others what happened.
Message interrupted_results(const Message& open, Interruption what,
                            std::span<const CallResult> known = {});

/// The messages of one conversation. Each assistant message with calls is directly followed by
/// exactly its results: one for each call, in the model's order. Not thread-safe.
class History {
 public:
  const std::vector<Message>& messages() const { return messages_; }
  /// What takes the place of the first `covered` messages where a summary is wanted; null: there is
  /// none. The messages stay.
  const Message* summary() const { return summary_ ? &*summary_ : nullptr; }
  std::size_t covered() const { return covered_; }
  /// What was appended last: a message, or the summary.
  const Message& newest() const { return summary_is_newest_ ? *summary_ : messages_.back(); }
  /// The last message, when it has calls whose results are missing; null: there is none such.
  const Message* open() const;

  /// Adds one message, brought into order:
  /// - of the assistant, empty texts go, and ids of calls that are missing, were used before, or
  ///   are not `[A-Za-z0-9_-]{1,40}` become ours, here and in `native`;
  /// - of results, those of other calls go, a second one of the same call goes, and a call without
  ///   one gets `kUnknown`;
  /// - a summary takes the place of the one before it, and never parts calls from their results.
  /// Errors: kInvalidRequest (calls without results before it, or results without calls).
  Result<void> append(Message message);

  /// Puts `older`, which come right before all that is there, in front of it. Errors: as `append`;
  /// then nothing is changed.
  Result<void> prepend(std::vector<Message> older);

  /// Ends an interrupted conversation: gives every open call a result. `known`: results that there
  /// are after all. True: there was something to repair.
  bool repair(Interruption what, std::span<const CallResult> known = {});

 private:
  void order_ids(Message& message);
  void order_results(Message& message) const;
  std::string fresh_id(std::size_t index);

  void take_summary(Message summary);

  std::vector<Message> messages_;
  std::optional<Message> summary_;
  std::size_t covered_ = 0;
  std::size_t before_summary_ = 0;  // messages that were there when it came
  bool summary_is_newest_ = false;
  std::unordered_set<std::string> ids_;
};

/// Whether every API takes it as the id of a call.
bool valid_call_id(std::string_view id);

}  // namespace toolway::tools::messages
