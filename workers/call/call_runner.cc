#include "workers/call/call_runner.h"

#include <exception>
#include <utility>

#include "base/ids.h"
#include "base/json.h"
#include "extensions/chain/judge.h"
#include "extensions/principal_message.h"
#include "tools/schema/secret_places.h"
#include "workers/call/refused.h"

namespace toolway::workers::call {
namespace {

tools::model::Limits limits_of(const v1::Limits& limits) {
  using std::chrono::milliseconds;
  return {.queue = milliseconds(limits.queue_ms()),
          .run = milliseconds(limits.run_ms()),
          .total = milliseconds(limits.total_ms()),
          .heartbeat = milliseconds(limits.heartbeat_ms())};
}

/// For tools whose spec says that they report nothing.
class NoProgress final : public tools::model::Progress {
 public:
  void report(tools::model::ProgressReport) override {}
};

}  // namespace

CallRunner::CallRunner(const Run& run, Decide decide)
    : run_(run), decide_(std::move(decide)), limits_(limits_of(run.request.limits())) {}

void CallRunner::begin_attempt(unsigned number, std::function<void()> wake) {
  attempt_ = number;
  if (!multi_step()) return;
  const MutexLock lock(mutex_);
  reports_ = std::make_unique<tools::model::ProgressQueue>(stop_.get_token(), std::move(wake));
}

v1::Completed CallRunner::run() {
  auto arguments = parse_json(run_.request.arguments());
  if (!arguments)
    return log::ending_of(tl::unexpected(tools::model::ToolError(arguments.error())), {}).completed;
  const tools::model::RegisteredTool& tool = *run_.entry.tool();
  NoProgress silent;
  auto* const queue = reports();
  tools::model::Progress& progress =
      queue != nullptr ? static_cast<tools::model::Progress&>(*queue) : silent;
  try {
    const auto policy = run_.context->policies->in_force();
    if (const auto refusal = refused(policy.get(), *arguments)) return log::refused(*refusal);
    // The value itself is freed before its text is published.
    log::Ending ending = log::ending_of(
        shown(judged(policy.get(), *arguments, tool.run(*arguments, *this, progress))),
        tool.spec().result);
    if (!ending.large.empty()) store_large(ending);
    {
      const MutexLock lock(mutex_);
      log::add_content(ending.completed, std::exchange(content_, {}));
    }
    return std::move(ending.completed);
  } catch (const std::exception& e) {
    return log::threw(e.what());
  } catch (...) {
    return log::threw("the tool threw something that is not a std::exception");
  }
}

std::optional<Error> CallRunner::refused(const extensions::chain::PolicyInForce* policy,
                                         const Json& arguments) const {
  const auto& spec = run_.entry.tool()->spec();
  if (policy == nullptr)
    return call::refused(run_.request, extensions::chain::judge_without_policy(spec));
  // Counting needs the metrics, which may be gone with the worker.
  const threads::GateLock entered(run_.context->gate);
  if (!entered) return Error{ErrorCode::kShuttingDown, "its worker has ended"};
  const auto caller = extensions::principal_of(run_.request);
  return call::refused(
      run_.request,
      extensions::chain::judge(
          {.in_force = *policy, .caller = caller, .spec = spec, .arguments = &arguments},
          run_.context->chain_metrics));
}

tools::model::Execution CallRunner::judged(const extensions::chain::PolicyInForce* policy,
                                           const Json& arguments, tools::model::Execution result) {
  if (policy == nullptr) return result;
  const threads::GateLock entered(run_.context->gate);
  if (!entered) return result;  // no one is told of it any more
  const auto caller = extensions::principal_of(run_.request);
  auto made = extensions::chain::judge_result({.in_force = *policy,
                                               .caller = caller,
                                               .spec = run_.entry.tool()->spec(),
                                               .arguments = &arguments},
                                              *run_.entry.tool(), std::move(result),
                                              run_.context->chain_metrics);
  if (made.changed) {
    const MutexLock lock(mutex_);
    content_.clear();  // it would show what was hidden
  }
  return std::move(made.result);
}

tools::model::Execution CallRunner::shown(tools::model::Execution result) {
  const tools::model::RegisteredTool& tool = *run_.entry.tool();
  if (!tool.secret_result || !result) return result;
  const auto places = tools::schema::secret_places(tool.spec().output_schema, *result);
  if (places.empty()) return result;
  tools::schema::hide(*result, places);
  const MutexLock lock(mutex_);
  content_.clear();  // it would show what was hidden
  return result;
}

tools::model::ProgressQueue* CallRunner::reports() const {
  // A call whose tool this worker cannot run has reported nothing either.
  if (run_.entry.tool() == nullptr || !multi_step()) return nullptr;
  const MutexLock lock(mutex_);
  return reports_.get();
}

std::vector<tools::model::ProgressReport> CallRunner::take_reports() {
  auto* const queue = reports();
  return queue != nullptr ? queue->take() : std::vector<tools::model::ProgressReport>();
}

void CallRunner::close_reports() {
  if (auto* const queue = reports()) queue->close();
}

AttemptClock::Progress CallRunner::progress() const {
  const auto* const queue = reports();
  const MutexLock lock(mutex_);
  return {.reports_wait = queue != nullptr && queue->size() > 0,
          .chunks_stored = upload_ ? std::optional(upload_->stored()) : std::nullopt};
}

void CallRunner::store_large(log::Ending& ending) {
  auto publish = [context = run_.context](bus::Publication publication,
                                          bus::PublishHandler handler) {
    const threads::GateLock entered(context->gate);
    if (entered) context->bus.publish(std::move(publication), std::move(handler));
    return static_cast<bool>(entered);
  };
  const v1::CallRequest& request = run_.request;
  const auto upload = std::make_shared<BlobUpload>(
      BlobOwner{*SessionKey::parse(request.session_key()), *CallId::parse(request.call_id()),
                request.tenant_id()},
      std::move(publish));
  bool wanted = false;
  set_upload(upload);
  decide([&](CallTurn& turn, Step& step) { wanted = turn.upload_begins(step); });
  if (!wanted) return set_upload(nullptr);
  auto stored = upload->run(ending.large);
  set_upload(nullptr);
  if (!stored && stored.error().code == ErrorCode::kCancelled) {
    decide([](CallTurn& turn, Step& step) { turn.upload_cut_off(step); });
  } else {
    log::add_blob(ending, std::move(stored));
  }
}

void CallRunner::set_upload(std::shared_ptr<BlobUpload> upload) {
  const MutexLock lock(mutex_);
  upload_.swap(upload);
}

void CallRunner::begin_upload(std::uint32_t attempt) {
  const MutexLock lock(mutex_);
  if (upload_) upload_->begin(attempt);
}

void CallRunner::abandon_upload() {
  const MutexLock lock(mutex_);
  if (upload_) upload_->abandon();
}

void CallRunner::log(tools::model::LogLevel level, std::string message) {
  // Two references: std::function holds no more without an allocation.
  decide([&](CallTurn& turn, Step& step) { turn.logged(level, std::move(message), step); });
}

void CallRunner::add_content(tools::model::ContentBlock block) {
  const MutexLock lock(mutex_);
  content_.push_back(std::move(block));
}

std::optional<std::string> CallRunner::secret(std::string_view name) const {
  return run_.context->options.secrets->find(name);
}

}  // namespace toolway::workers::call
