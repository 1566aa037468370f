#include "workers/call/call_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/ids.h"
#include "base/json.h"
#include "base/reserved_names.h"
#include "base/try.h"
#include "base/utf8.h"
#include "workers/call/call_chain.h"

namespace toolway::workers::call {
namespace {

tools::model::Limits limits_of(const v1::Limits& limits) {
  using std::chrono::milliseconds;
  return {.queue = milliseconds(limits.queue_ms()),
          .run = milliseconds(limits.run_ms()),
          .total = milliseconds(limits.total_ms()),
          .heartbeat = milliseconds(limits.heartbeat_ms())};
}

/// Nothing: it is not a turn. Others' tools are never shown what a turn may do.
std::optional<tools::model::OnBehalf> on_behalf_of(const v1::CallRequest& request) {
  if (request.on_behalf().empty() || request.labels().namespace_() != kTurnNamespace)
    return std::nullopt;
  return tools::model::OnBehalf{.token = request.on_behalf(),
                                .tenant_id = request.tenant_id(),
                                .session_key = request.session_key()};
}

std::string said_no(const Json& error) {
  const auto message = error.find("message");
  const bool has_words = message != error.end() && message->is_string();
  return has_words ? message->get<std::string>() : "the question was not answered";
}

tl::unexpected<tools::model::ToolError> refuse(ErrorCode code, std::string why) {
  return tl::unexpected(tools::model::ToolError(std::string(code_name(code)), std::move(why)));
}

/// For tools whose spec says that they report nothing.
class NoProgress final : public tools::model::Progress {
 public:
  void report(tools::model::ProgressReport) override {}
};

/// What the tool says is masked until the end of this.
class Masking {
 public:
  using Slot = std::atomic<const extensions::redaction::Mask*>;
  Masking(Slot& slot, const extensions::redaction::Mask& mask) : slot_(slot) {
    if (!mask.empty()) slot_ = &mask;
  }
  ~Masking() { slot_ = nullptr; }
  Masking(const Masking&) = delete;
  Masking& operator=(const Masking&) = delete;

 private:
  Slot& slot_;
};

/// Hides secrets in what a tool reports, on the tool's thread.
class MaskedProgress final : public tools::model::Progress {
 public:
  MaskedProgress(const extensions::redaction::Mask& mask, tools::model::Progress& to)
      : mask_(mask), to_(to) {}
  void report(tools::model::ProgressReport report) override {
    report.message = mask_.text(std::move(report.message));
    report.step = mask_.text(std::move(report.step));
    report.data = mask_.json(std::move(report.data));
    to_.report(std::move(report));
  }

 private:
  const extensions::redaction::Mask& mask_;
  tools::model::Progress& to_;
};

}  // namespace

CallRunner::CallRunner(const Run& run, Decide decide)
    : run_(run),
      decide_(std::move(decide)),
      limits_(limits_of(run.request.limits())),
      on_behalf_(on_behalf_of(run.request)) {}

void CallRunner::begin_attempt(unsigned number, ChainLook look, std::function<void()> wake) {
  attempt_ = number;
  look_ = std::move(look);
  if (!multi_step()) return;
  const MutexLock lock(mutex_);
  reports_ = std::make_unique<tools::model::ProgressQueue>(stop_.get_token(), std::move(wake));
}

v1::Completed CallRunner::run() {
  auto arguments = parse_json(run_.request.arguments());
  if (!arguments)
    return log::ending_of(tl::unexpected(tools::model::ToolError(arguments.error())), {}).completed;
  const tools::model::RegisteredTool& tool = *run_.entry.tool();
  CallChain chain(run_.context, run_.request, tool, *arguments, look_);
  const Masking masking(mask_, chain.mask());
  NoProgress silent;
  auto* const queue = reports();
  tools::model::Progress& unmasked =
      queue != nullptr ? static_cast<tools::model::Progress&>(*queue) : silent;
  MaskedProgress masked(chain.mask(), unmasked);
  tools::model::Progress& progress =
      mask_.load() != nullptr ? static_cast<tools::model::Progress&>(masked) : unmasked;
  try {
    if (const auto refusal = chain.refusal()) return log::refused(*refusal);
    // The value itself is freed before its text is published.
    log::Ending ending =
        log::ending_of(shown(chain, tool.run(*arguments, *this, progress)), tool.spec().result);
    if (!ending.large.empty()) store_large(ending);
    {
      const MutexLock lock(mutex_);
      log::add_content(ending.completed, masked_content(std::exchange(content_, {})));
    }
    return std::move(ending.completed);
  } catch (const std::exception& e) {
    return log::threw(chain.mask().text(e.what()));
  } catch (...) {
    return log::threw("the tool threw something that is not a std::exception");
  }
}

tools::model::Execution CallRunner::shown(CallChain& chain, tools::model::Execution result) {
  auto made = chain.shown(std::move(result), attempt_, stop_.get_token());
  if (made.changed) {
    const MutexLock lock(mutex_);
    content_.clear();  // it would show what was hidden
  }
  return std::move(made.result);
}

std::vector<tools::model::ContentBlock> CallRunner::masked_content(
    std::vector<tools::model::ContentBlock> blocks) const {
  const auto* mask = mask_.load();
  if (mask == nullptr) return blocks;
  for (auto& block : blocks) {
    for (auto* text : {&block.text, &block.uri, &block.name, &block.mime_type})
      *text = mask->text(std::move(*text));
    if (valid_utf8(block.data)) block.data = mask->text(std::move(block.data));
  }
  return blocks;
}

tools::model::ProgressQueue* CallRunner::reports() const {
  // A call whose tool this worker cannot run has reported nothing either.
  if (run_.entry.tool() == nullptr || !multi_step()) return nullptr;
  const MutexLock lock(mutex_);
  return reports_.get();
}

void CallRunner::request_stop(AfterStop after) {
  // The first reason counts.
  if (after == AfterStop::kRunsAgain && !stop_.stop_requested()) runs_again_ = true;
  stop_.request_stop();
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
  if (const auto* mask = mask_.load()) message = mask->text(std::move(message));
  // Two references: std::function holds no more without an allocation.
  decide([&](CallTurn& turn, Step& step) { turn.logged(level, std::move(message), step); });
}

void CallRunner::add_content(tools::model::ContentBlock block) {
  const MutexLock lock(mutex_);
  content_.push_back(std::move(block));
}

void CallRunner::answered(const std::vector<v1::Question>& questions) {
  if (questions.empty()) return;  // as of most calls, each of which begins with this
  {
    const MutexLock lock(mutex_);
    for (const auto& question : questions)
      if (!question.answer().empty()) answers_.try_emplace(question.key(), question.answer());
  }
  answers_came_.notify_all();
}

tools::model::ToolResult<std::vector<v1::Question>> CallRunner::encoded(
    std::vector<tools::model::Question> questions) const {
  if (questions.empty()) return refuse(ErrorCode::kInvalidRequest, "there is nothing to ask");
  std::vector<v1::Question> made;
  made.reserve(questions.size());
  const auto* mask = mask_.load();
  for (auto& question : questions) {
    if (question.key.empty() || question.key.size() > proto::kMaxQuestionKey ||
        !valid_utf8(question.key))
      return refuse(ErrorCode::kInvalidRequest,
                    fmt::format("the key of a question has 1 to {} bytes", proto::kMaxQuestionKey));
    if (question.key.starts_with(proto::kOwnQuestions))
      return refuse(
          ErrorCode::kInvalidRequest,
          fmt::format("keys that begin with `{}` are Toolway's own", proto::kOwnQuestions));
    if (!question.params.is_object())
      return refuse(ErrorCode::kInvalidRequest, "the params of a question are an object");
    const auto mode = question.params.find("mode");
    const bool is_url = mode != question.params.end() && *mode == "url";
    if (!proto::is_question(question.method))
      return refuse(ErrorCode::kInvalidRequest,
                    fmt::format("`{}` is not a question; these are: {}, {}, {}", question.method,
                                proto::kElicit, proto::kSample, proto::kListRoots));
    if (!proto::may_ask(run_.request, question.method, is_url)) {
      auto refused =
          refuse(ErrorCode::kCannotAsk,
                 fmt::format("{}{} cannot be asked: the client of this call has not declared that "
                             "it answers it, or takes its answer in one piece, which carries no "
                             "questions: name text/event-stream in Accept",
                             question.method, is_url ? " of mode url" : ""));
      refused.value().details = {{"method", question.method}, {"url", is_url}};
      return refused;
    }
    if (mask != nullptr) question.params = mask->json(std::move(question.params));
    v1::Question& one = made.emplace_back();
    one.set_key(std::move(question.key));
    one.set_method(std::move(question.method));
    one.set_params(to_text(question.params));
  }
  return made;
}

tools::model::ToolResult<std::vector<Json>> CallRunner::wait_for_answers(
    const std::vector<std::string>& keys, const std::stop_token& give_up) {
  // Both end the wait: one that stops the call, and one of the asker's own.
  std::stop_source stop;
  const auto request = [&stop] { stop.request_stop(); };
  const std::stop_callback of_call(stop_.get_token(), request);
  const std::stop_callback of_asker(give_up, request);
  std::vector<Json> answers;
  MutexLock lock(mutex_);
  const auto answered = [&]() REQUIRES(mutex_) {
    return std::ranges::all_of(
        keys, [&](const auto& key) REQUIRES(mutex_) { return answers_.contains(key); });
  };
  run_.context->executor->wait(lock, answers_came_, stop.get_token(), answered);
  for (const auto& key : keys) {
    const auto found = answers_.find(key);
    auto answer =
        found != answers_.end() ? parse_json(found->second) : fail(ErrorCode::kCancelled, "");
    if (!answer) return refuse(ErrorCode::kCancelled, "the call is about to end");
    if (const auto error = answer->find("error"); error != answer->end() && error->is_object())
      return tl::unexpected(tools::model::ToolError("not_answered", said_no(*error)));
    answers.push_back(std::move(*answer));
  }
  return answers;
}

tools::model::ToolResult<std::vector<Json>> CallRunner::ask(
    std::vector<tools::model::Question> questions, const std::stop_token& give_up) {
  ASSIGN_OR_RETURN(auto asked, encoded(std::move(questions)));
  std::vector<std::string> keys;
  keys.reserve(asked.size());
  for (const auto& question : asked) keys.push_back(question.key());
  // A worker that has ended asks nothing, and has stopped the call.
  tools::model::ToolResult<void> begun;
  decide([&](CallTurn& turn, Step& step) {
    begun = turn.asked(std::move(asked), step).map_error([](Error error) {
      return tools::model::ToolError(error);
    });
  });
  RETURN_IF_ERROR(begun);
  auto answers = wait_for_answers(keys, give_up);
  decide([&keys](CallTurn& turn, Step& step) { turn.waited(keys, step); });
  return answers;
}

std::optional<std::string> CallRunner::secret(std::string_view name) const {
  return run_.context->options.secrets->find(name);
}

}  // namespace toolway::workers::call
