#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/trace_context.h"
#include "tools/model/spec.h"

namespace toolway::tools::model {

/// A tool's own words for what went wrong; all of it reaches the caller.
struct ToolError {
  std::string code = "tool_failed";
  std::string message;
  bool retryable = false;
  std::optional<std::chrono::milliseconds> retry_after{};
  Json details{};  ///< null: none

  ToolError() = default;
  ToolError(std::string error_code, std::string error_message)
      : code(std::move(error_code)), message(std::move(error_message)) {}
  /// Platform errors keep their code's name.
  ToolError(const Error& error)  // NOLINT(google-explicit-constructor)
      : code(code_name(error.code)), message(error.message), retry_after(error.retry_after) {}
};

template <typename T>
using ToolResult = tl::expected<T, ToolError>;

/// A report of how far a call is. `progress` grows; `total` 0: not known.
struct ProgressReport {
  double progress = 0;
  double total = 0;
  std::string message{};
  std::string step{};
  Json data{};  ///< null: none
};

/// Where a multi-step tool reports to. At most 100 reports of a call wait to be
/// published; a faster tool waits in `report`. Thread-safe.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void report(ProgressReport report) = 0;
};

/// A piece of a result as models and people are shown it, besides its JSON (v1::ContentBlock).
struct ContentBlock {
  std::string type;  ///< text, image, audio, resource, resource_link
  std::string text{};
  std::string data{};  ///< bytes
  std::string mime_type{};
  std::string uri{};
  std::string name{};
};

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// What a tool asks the client of its call, as the Model Context Protocol has it: `params` are
/// those of the method, and the answer is its result.
struct Question {
  std::string key;     ///< stands for this question in its call, in every attempt; 1 to 64 bytes
  std::string method;  ///< elicitation/create, sampling/createMessage or roots/list
  Json params{};       ///< an object
};

/// In whose name a turn of the chat engine acts.
struct OnBehalf {
  std::string token;  ///< sealed by a gateway, for gateways
  std::string tenant_id;
  std::string session_key;
};

/// What a tool may know about its call, and how it learns that it should stop.
/// Lives as long as the attempt; thread-safe.
class ToolContext {
 public:
  virtual ~ToolContext() = default;
  virtual const std::string& session_id() const = 0;
  virtual const std::string& user_id() const = 0;
  virtual const std::string& call_id() const = 0;
  virtual unsigned attempt() const = 0;
  virtual const Limits& limits() const = 0;
  /// The same for all attempts of a call: for tools that pass one on.
  virtual const std::string& idempotency_key() const = 0;
  /// Requested when the call is cancelled or over its limit: return soon.
  virtual std::stop_token cancellation() const = 0;
  /// Of a call that is to stop: whether its worker gives it up, for another to run again. False: it
  /// was cancelled, or reached a limit. Stays as it is once `cancellation` is requested.
  virtual bool runs_again() const { return false; }
  /// The span of this execution, for what the tool asks of others; without a trace when tracing is
  /// off.
  virtual const TraceContext& trace() const {
    static const TraceContext kNone;
    return kNone;
  }
  /// For turns of the chat engine; null: it is another call.
  virtual const OnBehalf* on_behalf() const { return nullptr; }
  /// A secret of the worker by name; nothing when it has none of that name.
  virtual std::optional<std::string> secret(std::string_view name) const = 0;
  /// Becomes a log event of the call. Never blocks.
  virtual void log(LogLevel level, std::string message) = 0;
  /// Appends a block to the completion, after those before it, if the tool succeeds. What is too
  /// large for a message is named there and left out (docs/results.md).
  virtual void add_content(ContentBlock) {}
  /// What may be asked: of form, url, sampling and roots.
  virtual std::vector<std::string> askable() const { return {}; }
  /// Asks, and waits for all answers: in their order. It may take as long as the call's total limit
  /// allows; it counts as no run time. What was answered in an earlier attempt is returned at once.
  /// Errors: cannot_ask (the client has not declared that, or the tool runs
  /// outside a call), invalid_request (the questions), cancelled (the call is to stop, or `give_up`
  /// says so). Thread-safe; never from a thread that must not block.
  virtual ToolResult<std::vector<Json>> ask(std::vector<Question> questions,
                                            const std::stop_token& give_up);
  /// For executors: what ran the tool did not end when it was asked to, and was ended by a
  /// signal. Call it before the tool returns.
  virtual void ended_by_force() {}
};

/// How one execution ended.
using Execution = ToolResult<Json>;

/// A tool that can be run: its spec, and the one way to run it. Immutable,
/// shared by all threads; `execute` may run many times at once.
class Tool {
 public:
  virtual ~Tool() = default;
  virtual const Spec& spec() const = 0;
  /// Checks `arguments` against the input schema, runs, and returns what the
  /// tool returned. An exception becomes error `tool_threw`. Blocks while the tool runs.
  virtual Execution execute(const Json& arguments, ToolContext& context,
                            Progress& progress) const = 0;
};

}  // namespace toolway::tools::model
