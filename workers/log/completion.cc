#include "workers/log/completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "workers/log/backlog.h"
#include "workers/log/result_preview.h"

namespace toolway::workers::log {
namespace {

constexpr std::size_t kMaxDetails = 64 * 1024;

v1::Completed failed(ErrorCode code, std::string message) {
  return completion_without_result(v1::OUTCOME_FAILED, code_name(code), std::move(message));
}

v1::Completed failed(tools::model::ToolError error) {
  auto completed = completion_without_result(v1::OUTCOME_FAILED, clean_text(error.code, 128),
                                             std::move(error.message));
  auto& wire = *completed.mutable_error();
  wire.set_retryable(error.retryable);
  if (error.retry_after && error.retry_after->count() > 0) {
    wire.set_retry_after_ms(static_cast<std::uint64_t>(error.retry_after->count()));
  }
  if (!error.details.is_null()) {
    std::string details = to_text(error.details);
    if (details.size() <= kMaxDetails) {
      wire.set_details(std::move(details));
    } else {
      wire.set_message(fmt::format("{} ({} bytes of details left out; the limit is {})",
                                   wire.message(), details.size(), kMaxDetails));
    }
  }
  return completed;
}

}  // namespace

v1::Completed completion_without_result(v1::Outcome outcome, std::string_view code,
                                        std::string message) {
  v1::Completed completed;
  completed.set_outcome(outcome);
  completed.mutable_error()->set_code(code.data(), code.size());
  completed.mutable_error()->set_message(clean_text(std::move(message), Backlog::kMaxText));
  return completed;
}

Ending ending_of(tools::model::Execution execution, const tools::model::ResultForm& form) {
  if (!execution) return {failed(std::move(execution.error()))};
  std::string result;
  try {
    // Strict: what is not UTF-8 is refused, never altered.
    result = execution->dump(-1, ' ', false, Json::error_handler_t::strict);
  } catch (const Json::exception& e) {
    return {failed(ErrorCode::kInvalidResult,
                   fmt::format("the tool's result is not UTF-8 and cannot be sent: {}", e.what()))};
  }
  if (result.size() > form.max_bytes) {
    return {
        failed(ErrorCode::kResultTooLarge,
               fmt::format("the tool's result has {} bytes of JSON, {} are allowed; ask for less",
                           result.size(), form.max_bytes))};
  }
  Ending ending;
  ending.completed.set_outcome(v1::OUTCOME_SUCCEEDED);
  const std::size_t cap = std::clamp(form.inline_bytes, kMinInlineResult, kMaxInlineResult);
  if (result.size() <= cap) {
    ending.completed.set_result(std::move(result));
    return ending;
  }
  ending.completed.set_result(to_text(preview_of(*execution, std::min(cap, kMaxPreview))));
  ending.completed.mutable_blob()->set_items(execution->is_array() ? execution->size() : 0);
  ending.large = std::move(result);
  return ending;
}

void add_content(v1::Completed& completed, std::vector<tools::model::ContentBlock> blocks) {
  if (completed.outcome() != v1::OUTCOME_SUCCEEDED) return;
  constexpr std::size_t kMaxContentBlocks = 1000;
  constexpr std::size_t kAround = 64;
  const std::size_t room = kMaxInlineResult - std::min(kMaxInlineResult, completed.result().size());
  std::size_t left = std::min(kMaxContent, room);
  for (auto& block : blocks) {
    if (static_cast<std::size_t>(completed.content_size()) == kMaxContentBlocks) return;
    const std::size_t named =
        block.mime_type.size() + block.uri.size() + block.name.size() + 2 * kAround;
    if (named > left) return;
    const std::size_t holds = block.text.size() + block.data.size();
    auto& wire = *completed.add_content();
    wire.set_type(clean_text(block.type, 32));
    wire.set_mime_type(clean_text(std::move(block.mime_type), 256));
    wire.set_uri(clean_text(std::move(block.uri), 8192));
    wire.set_name(clean_text(std::move(block.name), 1024));
    if (named + holds <= left) {
      wire.set_text(clean_text(std::move(block.text), holds));
      wire.set_data(std::move(block.data));
      left -= named + holds;
    } else {
      wire.set_text(fmt::format("(left out here: {} bytes)", holds));
      left -= named;
    }
  }
}

v1::Completed timed_out(LimitKind limit, std::chrono::milliseconds allowed) {
  ErrorCode code = ErrorCode::kTotalLimitExceeded;
  std::string message;
  switch (limit) {
    case LimitKind::kQueue:
      code = ErrorCode::kQueueLimitExceeded;
      message = fmt::format("the call waited longer than its queue limit of {} ms and was not run",
                            allowed.count());
      break;
    case LimitKind::kTotal:
      message = fmt::format("the call took longer than its total limit of {} ms", allowed.count());
      break;
    case LimitKind::kRun:
      code = ErrorCode::kRunLimitExceeded;
      message = fmt::format("the tool ran longer than its run limit of {} ms", allowed.count());
      break;
    case LimitKind::kHeartbeat:
      code = ErrorCode::kHeartbeatMissed;
      message = fmt::format("the tool reported nothing within its heartbeat limit of {} ms",
                            allowed.count());
      break;
  }
  auto completed =
      completion_without_result(v1::OUTCOME_TIMED_OUT, code_name(code), std::move(message));
  completed.mutable_error()->set_retryable(true);
  completed.mutable_error()->set_details(
      fmt::format(R"({{"limit":"{}","limit_ms":{}}})", limit_name(limit), allowed.count()));
  return completed;
}

v1::Completed cancelled() {
  return completion_without_result(v1::OUTCOME_CANCELLED, code_name(ErrorCode::kCancelled),
                                   "the call was cancelled on request");
}

void add_blob(Ending& ending, Result<v1::BlobRef> stored) {
  if (!stored) {
    ending.completed =
        failed(ErrorCode::kInternal,
               "the tool ended, but its result could not be stored: " + stored.error().message);
    return;
  }
  stored->set_items(ending.completed.blob().items());
  *ending.completed.mutable_blob() = std::move(*stored);
  ending.large = std::string();
}

v1::Completed threw(std::string what) { return failed(ErrorCode::kToolThrew, std::move(what)); }

v1::Completed unknown_after(std::uint32_t attempt) {
  return completion_without_result(
      v1::OUTCOME_UNKNOWN, code_name(ErrorCode::kOutcomeUnknown),
      fmt::format(
          "attempt {} started, and then its worker was lost; the tool is not idempotent, so it "
          "was not run again, and may or may not have taken effect",
          attempt));
}

v1::Completed broken_off(std::uint32_t attempt) {
  return completion_without_result(
      v1::OUTCOME_UNKNOWN, code_name(ErrorCode::kOutcomeUnknown),
      fmt::format(
          "the worker had to shut down while attempt {} was running and stopped it; the tool is not idempotent, so "
          "it was not run again, and may or may not have taken effect",
          attempt));
}

v1::Completed broke_off_too_often(std::uint32_t times) {
  return failed(
      ErrorCode::kToolCrashed,
      fmt::format(
          "{} attempts were cut short because their workers died or were lost; the call is not tried again",
          times));
}

v1::Completed refused(const Error& why) {
  auto completed =
      completion_without_result(v1::OUTCOME_REJECTED, code_name(why.code), why.message);
  if (why.retry_after)
    completed.mutable_error()->set_retry_after_ms(
        static_cast<std::uint64_t>(why.retry_after->count()));
  return completed;
}

v1::Completed cannot_run(const Error& why) {
  auto completed = failed(why.code, why.message);
  completed.mutable_error()->set_retryable(true);
  return completed;
}

}  // namespace toolway::workers::log
