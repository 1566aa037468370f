#include "tools/executors/command/command_result.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>

#include "base/answer_json.h"
#include "base/utf8.h"
#include "tools/model/readable.h"

namespace toolway::tools::executors::command {
namespace {

tl::unexpected<model::ToolError> refuse(ErrorCode code, std::string message) {
  return tl::unexpected(model::ToolError(std::string(code_name(code)), std::move(message)));
}

/// The byte at which text stops being UTF-8.
std::size_t first_invalid(std::string_view text) {
  std::size_t good = 0;
  // A character has at most 4 bytes: halve down to the first that cannot be completed.
  while (good < text.size()) {
    std::size_t length = 1;
    while (length <= 4 && good + length <= text.size() && !valid_utf8(text.substr(good, length)))
      ++length;
    if (length > 4 || good + length > text.size()) return good;
    good += length;
  }
  return good;
}

std::string beginning(std::string_view text) {
  constexpr std::size_t kShown = 200;
  auto shown = model::readable(std::string(text.substr(0, kShown)));
  return text.size() > kShown ? shown + "…" : shown;
}

std::string not_utf8_at(std::size_t offset, std::string_view text) {
  const auto bad = first_invalid(text);
  return fmt::format("the command's output is not UTF-8: byte 0x{:02x} at {}; after \"{}\"",
                     static_cast<unsigned char>(text[bad]), offset + bad,
                     model::readable(std::string(
                         text.substr(bad > 40 ? bad - 40 : 0, std::min<std::size_t>(bad, 40)))));
}

/// How an exit code reads to a caller that has not seen the command.
std::string how_it_ended(int exit_code) {
  if (exit_code <= 128 || exit_code > 128 + 64)
    return fmt::format("the command ended with exit code {}", exit_code);
  const char* name = sigabbrev_np(exit_code - 128);
  return fmt::format("the command ended with exit code {} (signal {}{})", exit_code,
                     name ? "SIG" : "", name ? name : std::to_string(exit_code - 128));
}

}  // namespace

CommandResult::CommandResult(const model::Spec& spec, const CommandConfig& config,
                             model::Progress& progress)
    : spec_(spec),
      config_(config),
      progress_(progress),
      max_bytes_(config.max_output_bytes == 0
                     ? spec.result.max_bytes
                     : std::min(config.max_output_bytes, spec.result.max_bytes)) {}

void CommandResult::add(std::string_view text) {
  if (config_.output != CommandOutput::kLines) {
    text_.append(text);
    return;
  }
  while (!text.empty()) {
    const auto end = text.find('\n');
    text_.append(text.substr(0, end));
    if (end == std::string_view::npos) return;
    end_line();
    text.remove_prefix(end + 1);
  }
}

void CommandResult::end_line() {
  if (!not_utf8_.empty()) return text_.clear();
  if (!valid_utf8(text_)) {
    not_utf8_ = not_utf8_at(offset_, text_);
    return text_.clear();
  }
  offset_ += text_.size() + 1;
  ++lines_;
  if (spec_.multi_step) {
    progress_.report({.progress = static_cast<double>(lines_), .data = std::move(text_)});
  } else {
    kept_.push_back(std::move(text_));
  }
  text_.clear();
}

model::Execution CommandResult::succeeded(int exit_code) {
  if (config_.output == CommandOutput::kLines) {
    if (!text_.empty()) end_line();
    if (!not_utf8_.empty()) return refuse(ErrorCode::kInvalidResult, not_utf8_);
    if (!spec_.multi_step) return std::move(kept_);
    return Json{{"exit_code", exit_code}, {"lines", lines_}};
  }
  if (!valid_utf8(text_)) return refuse(ErrorCode::kInvalidResult, not_utf8_at(0, text_));
  if (config_.output == CommandOutput::kText) return Json(std::move(text_));
  auto parsed = parse_answer(text_);
  if (parsed) return std::move(*parsed);
  if (parsed.error().code == ErrorCode::kPayloadTooLarge)
    return refuse(ErrorCode::kResultTooLarge,
                  "the command's output is too large: " + parsed.error().message);
  return refuse(ErrorCode::kInvalidResult,
                fmt::format("the command's output is not valid JSON: {}; it begins with: {}",
                            parsed.error().message, beginning(text_)));
}

model::Execution CommandResult::failed(const CommandEnd& end, const ExitMeaning& meaning) const {
  auto message = meaning.message.empty() ? how_it_ended(end.exit_code) : meaning.message;
  if (!end.error_tail.empty()) message += ": " + end.error_tail;
  model::ToolError error(meaning.code, std::move(message));
  error.retryable = meaning.retryable;
  error.details = {{"exit_code", end.exit_code}, {"stderr", end.error_tail}};
  if (end.exit_code > 128 && end.exit_code <= 128 + 64)
    error.details["signal"] = end.exit_code - 128;
  // Many programs say there what went wrong.
  if (config_.output == CommandOutput::kText && !text_.empty())
    error.details["stdout"] = beginning(text_);
  return tl::unexpected(std::move(error));
}

model::Execution CommandResult::of(const CommandEnd& end) {
  switch (end.why) {
    case CommandEnd::Why::kCancelled:
      return refuse(ErrorCode::kCancelled, "the command was told to stop, and has ended");
    case CommandEnd::Why::kTooMuchOutput:
      return refuse(ErrorCode::kResultTooLarge,
                    fmt::format("the command wrote more than {} bytes to stdout, and was killed",
                                max_bytes_));
    case CommandEnd::Why::kOutOfBounds:
      return tl::unexpected(model::ToolError(
          "workspace_full",
          "the session's workspace has more bytes or files than allowed; remove some"));
    case CommandEnd::Why::kNotStarted:
      return tl::unexpected(model::ToolError("command_not_found",
                                             "the command cannot be started: " + end.error_tail));
    case CommandEnd::Why::kNoSandbox:
      return refuse(ErrorCode::kSandboxUnavailable,
                    "the command's sandbox cannot be made: " + end.error_tail);
    case CommandEnd::Why::kExited: break;
  }
  const auto found = config_.exit_codes.find(end.exit_code);
  const bool success =
      found == config_.exit_codes.end() ? end.exit_code == 0 : found->second.succeeded;
  if (success) return succeeded(end.exit_code);
  return failed(end, found == config_.exit_codes.end() ? ExitMeaning{} : found->second);
}

}  // namespace toolway::tools::executors::command
