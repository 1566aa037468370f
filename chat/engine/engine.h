#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "chat/engine/engine_config.h"
#include "chat/engine/memory.h"
#include "chat/engine/reply.h"
#include "chat/engine/shortened.h"
#include "chat/engine/tool_box.h"
#include "chat/providers/provider.h"
#include "chat/turn/next_step.h"
#include "chat/window/window.h"

namespace toolway::chat::engine {

class Summarizer;

/// A model in a loop with tools, and the conversation that they make. It can always go on: what
/// a stop, a fault or a kill interrupts is repaired before the next message. `send` blocks; `stop`
/// may be called from any thread.
class ToolAwareChatEngine {
 public:
  /// `clock` outlives it. Errors: kInvalidRequest (a limit of 0, a window smaller than a reply).
  static Result<std::unique_ptr<ToolAwareChatEngine>> create(
      std::shared_ptr<Memory> memory, std::shared_ptr<providers::Provider> provider,
      std::shared_ptr<ToolBox> tools, EngineConfig config, const Clock& clock);

  /// One turn: stores the message, asks the model, runs its calls, until it replies. Every message
  /// is stored before anything depends on it. A second `send` at the same time fails.
  Reply send(std::string message, const Events& events = {}, const Stops& stops = {});
  /// Continues a turn that was interrupted, without a new message.
  Reply resume(const Events& events = {}, const Stops& stops = {});
  /// A turn that tells the model which calls have ended since; kReplied with no text when there is
  /// none.
  Reply tell_ended(const Events& events = {}, const Stops& stops = {});
  /// Tells what the last turn has said and called, as if it did so now: its process may have ended
  /// before it was told.
  void tell_again(const Events& events) const;
  /// Whether a turn was interrupted.
  bool interrupted() const;
  /// Ends the turn that runs, if one does. What the model had said by then stays in the history.
  void stop();

  Memory& memory() { return *memory_; }
  const EngineConfig& config() const { return config_; }
  /// Begins an empty conversation.
  Result<void> new_conversation() {
    estimate_.forget_request();
    counts_ = {};
    return memory_->start_new();
  }

 private:
  ToolAwareChatEngine(std::shared_ptr<Memory> memory, std::shared_ptr<providers::Provider> provider,
                      std::shared_ptr<ToolBox> tools, EngineConfig config, const Clock& clock);

  enum class Begin { kMessage, kResume, kEnded };
  Reply turn(Begin begin, std::string message, const Events& events, const Stops& stops);
  Reply run_turn(Begin begin, std::string message, const Events& events,
                 const std::stop_token& stop);
  /// Gives open calls of an earlier process their results. Only the turn that made them starts any.
  Result<void> recover(Begin begin, const Events& events, const std::stop_token& stop);
  /// Nothing: the message is stored.
  std::optional<Reply> ask(const Events& events, const std::stop_token& stop, Reply& so_far);
  /// Tells the model what has become of calls since, each end and each report once. False: none has
  /// ended.
  Result<bool> inject(Inject what, const Events& events);
  std::vector<CallProgress> progress_since(const std::vector<std::string>& pending,
                                           const std::vector<EndedCall>& ended);
  /// Has summarized, where that is wanted, what the request leaves out. Errors: of the memory.
  Result<void> summarize(const Summarizer& summarizer, std::uint64_t tokens,
                         const window::ToolListPtr& tools, const Events& events,
                         const std::stop_token& stop);
  /// Calls that no turn made and that have ended, and which of them no model made.
  struct Elsewhere {
    std::vector<std::string> calls;
    std::vector<EndedCall> ended;
  };
  Elsewhere ended_elsewhere(Inject what);
  /// Tokens that a request may have.
  std::uint64_t room() const { return config_.context_window - config_.options.max_tokens; }
  /// What is kept of a message's results.
  ResultBounds result_bounds() const;
  /// What a request may have.
  struct Room {
    std::uint64_t tokens = 0;
    bool all_as_text = false;  ///< its images and documents are lines of text
  };
  providers::ReplyResult ask_within(const Summarizer& summarizer, Room room,
                                    const window::ToolListPtr& tools, const Events& events,
                                    const std::stop_token& stop, Reply& so_far);
  std::optional<Reply> run(const std::vector<tools::messages::Call>& calls, const Events& events,
                           const std::stop_token& stop);
  Result<void> store(tools::messages::Message message);
  /// What the model had said, or an empty reply: a turn that was stopped does not continue by
  /// itself.
  void mark_stopped();
  std::string key_of_calls() const;
  /// Whether what is open stays so, for another process.
  bool leaves() const { return leave_.stop_requested() && tools_->remembers(); }

  const std::shared_ptr<Memory> memory_;
  const std::shared_ptr<providers::Provider> provider_;
  const std::shared_ptr<ToolBox> tools_;
  const EngineConfig config_;
  const Clock& clock_;
  window::Estimate estimate_;
  window::Counts counts_;
  // Of the turn that runs.
  bool summary_failed_ = false;
  std::string said_;       // of the reply that is not stored yet
  std::stop_token leave_;  // its `leave`
  Mutex mutex_;
  std::optional<std::stop_source> running_ GUARDED_BY(mutex_);
};

}  // namespace toolway::chat::engine
