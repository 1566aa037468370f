#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "proto/questions.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/progress_queue.h"
#include "tools/model/tool.h"
#include "workers/call/blob_upload.h"
#include "workers/call/call_chain.h"
#include "workers/call/call_spans.h"
#include "workers/call/call_turn.h"
#include "workers/call/may_start.h"
#include "workers/call/step.h"
#include "workers/call/worker_context.h"
#include "workers/log/completion.h"

namespace toolway::workers::call {

/// Runs the tool of one held call, and is what the tool sees of that call. The call owns it. One
/// thread of the executor is in `run`, the tool's threads come in by its context, and the call
/// comes in under its own lock. The runner's lock is the inner one of the two: it is released
/// before the runner tells the call anything.
class CallRunner final : private tools::model::ToolContext {
 public:
  /// What it runs, and where. What is referred to outlives it.
  struct Run {
    const std::shared_ptr<WorkerContext>& context;
    const ToolEntry& entry;
    const v1::CallRequest& request;
    const CallSpans* spans = nullptr;  ///< null: not traced
  };
  using Decision = std::function<void(CallTurn&, Step&)>;
  /// Lets the call's turn decide, under the call's lock, and does what it orders.
  using Decide = std::function<void(const Decision&)>;

  /// The tool's threads call `decide`, until `run` returns.
  CallRunner(const Run& run, Decide decide);

  // For the thread that runs the tool.
  /// The attempt of this number begins. `look`: what the chain has said about the call. `wake`: as
  /// of ProgressQueue, for a multi-step tool.
  void begin_attempt(unsigned number, ChainLook look, std::function<void()> wake);
  /// Runs the tool and stores a large result of it; blocks until then. Returns how the attempt
  /// ended; a tool that throws has failed. Call once, after `begin_attempt`.
  v1::Completed run();
  /// The tool's executor had to end what ran it.
  bool ended_by_signal() const { return forced_; }

  // For every thread.
  /// Asks the tool to stop. What the tool registered for that runs now: hold no lock.
  void request_stop(AfterStop after);
  /// All reports that wait, oldest first.
  std::vector<tools::model::ProgressReport> take_reports();
  /// Takes no more reports, and frees a tool that waits to report.
  void close_reports();
  /// The attempt's number is stored: the chunks of its large result may follow.
  void begin_upload(std::uint32_t attempt);
  void abandon_upload();
  /// Answers to what the tool has asked, and may be waiting for.
  void answered(const std::vector<v1::Question>& questions);
  AttemptClock::Progress progress() const;

  const TraceContext& trace() const override {
    return run_.spans != nullptr ? run_.spans->attempt() : tools::model::ToolContext::trace();
  }

 private:
  void decide(const Decision& decision) TOOLWAY_THREAD_ATTRIBUTE(locks_excluded(mutex_)) {
    decide_(decision);
  }
  bool multi_step() const { return run_.entry.tool()->spec().multi_step; }
  /// Null: the tool's spec says that it reports nothing. Stays once it is there.
  tools::model::ProgressQueue* reports() const;
  void store_large(log::Ending& ending);
  void set_upload(std::shared_ptr<BlobUpload> upload);
  /// The result as the chain of extensions shows it.
  tools::model::ToolResult<std::vector<v1::Question>> encoded(
      std::vector<tools::model::Question> questions) const;
  tools::model::ToolResult<std::vector<Json>> wait_for_answers(const std::vector<std::string>& keys,
                                                               const std::stop_token& give_up);
  tools::model::Execution shown(CallChain& chain, tools::model::Execution result);
  std::vector<tools::model::ContentBlock> masked_content(
      std::vector<tools::model::ContentBlock> blocks) const;

  // tools::model::ToolContext
  const std::string& session_id() const override { return run_.request.session_id(); }
  const std::string& user_id() const override { return run_.request.user_id(); }
  const std::string& call_id() const override { return run_.request.call_id(); }
  unsigned attempt() const override { return attempt_; }
  const tools::model::Limits& limits() const override { return limits_; }
  const std::string& idempotency_key() const override { return run_.request.call_id(); }
  std::stop_token cancellation() const override { return stop_.get_token(); }
  bool runs_again() const override { return runs_again_; }
  const tools::model::OnBehalf* on_behalf() const override {
    return on_behalf_ ? &*on_behalf_ : nullptr;
  }
  std::optional<std::string> secret(std::string_view name) const override;
  void log(tools::model::LogLevel level, std::string message) override;
  void add_content(tools::model::ContentBlock block) override;
  std::vector<std::string> askable() const override { return proto::askable(run_.request); }
  tools::model::ToolResult<std::vector<Json>> ask(std::vector<tools::model::Question> questions,
                                                  const std::stop_token& give_up) override;
  void ended_by_force() override { forced_ = true; }

  const Run run_;
  const Decide decide_;
  const tools::model::Limits limits_;
  const std::optional<tools::model::OnBehalf> on_behalf_;
  unsigned attempt_ = 1;  ///< written before the tool runs
  ChainLook look_;        ///< likewise
  std::stop_source stop_;
  std::atomic<bool> runs_again_{false};
  std::atomic<bool> forced_{false};
  /// Of what the tool says, while `run` lasts; null: it hides nothing.
  std::atomic<const extensions::redaction::Mask*> mask_{nullptr};

  mutable Mutex mutex_;
  std::unique_ptr<tools::model::ProgressQueue> reports_ GUARDED_BY(mutex_);
  std::vector<tools::model::ContentBlock> content_
      GUARDED_BY(mutex_){};                                ///< of the result, besides its JSON
  std::shared_ptr<BlobUpload> upload_ GUARDED_BY(mutex_);  ///< while a large result is stored
  StoppableCondVar answers_came_;
  std::map<std::string, std::string> answers_ GUARDED_BY(mutex_);  ///< JSON, by key
};

}  // namespace toolway::workers::call
