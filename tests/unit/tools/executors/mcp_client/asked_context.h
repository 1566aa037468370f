#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "tests/support/awaiting.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::mcp_client {

/// A call whose client answers as the test says, and whose answers are stored as a worker stores
/// them: each key is asked once, however often its question comes.
class AskedContext final : public model::ToolContext {
 public:
  const std::string& session_id() const override { return name_; }
  const std::string& user_id() const override { return name_; }
  const std::string& call_id() const override { return name_; }
  unsigned attempt() const override { return 1; }
  const model::Limits& limits() const override { return limits_; }
  const std::string& idempotency_key() const override { return name_; }
  std::stop_token cancellation() const override { return stop.get_token(); }
  std::optional<std::string> secret(std::string_view) const override { return std::nullopt; }
  void log(model::LogLevel, std::string) override {}
  std::vector<std::string> askable() const override { return may; }

  model::ToolResult<std::vector<Json>> ask(std::vector<model::Question> questions,
                                           const std::stop_token& give_up) override {
    if (refusal) return tl::unexpected(*refusal);
    std::stop_source either;
    const auto end = [&either] { either.request_stop(); };
    const std::stop_callback of_call(stop.get_token(), end);
    const std::stop_callback of_asker(give_up, end);
    MutexLock lock(mutex_);
    for (const auto& question : questions)
      if (keys_.insert(question.key).second) asked_.push_back(question);
    came_.notify_all();
    std::vector<Json> answers;
    for (const auto& question : questions) {
      const auto known = [&]() REQUIRES(mutex_) { return answers_.contains(question.key); };
      if (answer && !known()) answers_[question.key] = answer(question);
      if (!came_.wait(lock, either.get_token(), known)) {
        ++given_up_;
        came_.notify_all();
        return tl::unexpected(model::ToolError("cancelled", "the call is about to end"));
      }
      answers.push_back(answers_[question.key]);
    }
    return answers;
  }

  /// Once it has been asked this much; less than that: it was not in time.
  std::vector<model::Question> asked(std::size_t count) {
    MutexLock lock(mutex_);
    came_.wait_until(lock, std::stop_token(), std::chrono::steady_clock::now() + test::kPatience,
                     [&]() REQUIRES(mutex_) { return asked_.size() >= count; });
    return asked_;
  }
  bool gives_up(std::size_t count) {
    MutexLock lock(mutex_);
    return came_.wait_until(lock, std::stop_token(),
                            std::chrono::steady_clock::now() + test::kPatience,
                            [&]() REQUIRES(mutex_) { return given_up_ >= count; });
  }
  void give(const std::string& key, Json json) {
    const MutexLock lock(mutex_);
    answers_[key] = std::move(json);
    came_.notify_all();
  }

  // Set before it is used.
  std::vector<std::string> may{"form", "url", "sampling", "roots"};
  std::optional<model::ToolError> refusal;
  std::function<Json(const model::Question&)> answer;  ///< null: `give` answers
  std::stop_source stop;

 private:
  const std::string name_ = "test";
  const model::Limits limits_{};
  Mutex mutex_;
  StoppableCondVar came_;
  std::vector<model::Question> asked_ GUARDED_BY(mutex_);
  std::set<std::string> keys_ GUARDED_BY(mutex_);
  std::map<std::string, Json> answers_ GUARDED_BY(mutex_);
  std::size_t given_up_ GUARDED_BY(mutex_) = 0;
};

}  // namespace toolway::tools::executors::mcp_client
