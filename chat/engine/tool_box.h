#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "chat/window/tool_list.h"
#include "tools/exports/model_message.h"
#include "tools/messages/message.h"

namespace toolway::chat::engine {

/// A call that has ended after its result said that it was running.
struct EndedCall {
  std::string ran_as;
  std::string name;  ///< of the tool, for people
  std::string text;  ///< as a model reads it
  bool is_error = false;
  std::vector<tools::messages::Block> blocks{};  ///< of the text
};

/// How far a call is that runs.
struct CallProgress {
  std::string name;                    ///< of the tool, for people
  std::string text;                    ///< for the model
  tools::messages::ToldProgress told;  ///< the newest of its reports
};

/// How a conversation reaches tools. One thread at a time.
class ToolBox {
 public:
  virtual ~ToolBox() = default;
  /// What goes into a model's request as its tools. Ends soon after `stop` is requested. Errors:
  /// those of where they come from.
  virtual Result<window::ToolListPtr> definitions(tools::exports::ModelApi api,
                                                  std::stop_token stop) = 0;
  /// The tool's name for people: `filesystem.list_directory`.
  virtual std::string shown_name(const std::string& api_name) = 0;
  /// Runs the calls of one message. One result for each that has one; what is missing was stopped,
  /// or is not known. Ends soon after `stop` is requested. Errors: nothing is known of any.
  virtual Result<std::vector<tools::messages::CallResult>> run(
      const std::vector<tools::messages::Call>& calls, const std::string& key,
      std::stop_token stop) = 0;
  /// What has become of calls that `run` was given with the same key, or was about to: those that
  /// were not started are never started, and say so. One result for each that has one. Errors:
  /// nothing is known of any.
  virtual Result<std::vector<tools::messages::CallResult>> settle(
      const std::vector<tools::messages::Call>& /*calls*/, const std::string& /*key*/,
      std::stop_token /*stop*/) {
    return fail(ErrorCode::kNotFound, "these tools do not remember calls");
  }
  /// Once this is requested, a `run` that is stopped cancels nothing: another process asks for its
  /// calls under the same key.
  virtual void set_leave(std::stop_token /*leave*/) {}
  /// How long calls of the next `run` may take before they run on; nothing: as otherwise.
  virtual void set_inline_wait(std::optional<std::chrono::milliseconds> /*wait*/) {}
  /// Of calls that were still running (`ran_as`): those that have ended since. Errors: it cannot be
  /// asked now.
  virtual Result<std::vector<EndedCall>> ended(const std::vector<std::string>& running) = 0;
  /// Of calls of the session that have ended and that no turn made: those that no model made at
  /// all. Errors: it cannot be asked now.
  virtual Result<std::vector<EndedCall>> made_by_no_model(
      const std::vector<std::string>& /*ended*/) {
    return std::vector<EndedCall>();
  }
  /// Of calls that run, with what was told of each (`event` is empty: nothing): the newest report
  /// of those that have reported since. Errors: it cannot be asked now.
  virtual Result<std::vector<CallProgress>> progress(
      const std::vector<tools::messages::ToldProgress>& /*running*/) {
    return std::vector<CallProgress>();
  }
  /// Whether `run` with the same key and calls gives the same calls, and runs nothing twice; and
  /// `settle` knows them.
  virtual bool remembers() const = 0;
};

/// The calls as an assistant's message of Chat Completions, which `tool_calls` takes; and results
/// of those that cannot be run, whatever the tools are.
struct CallsMessage {
  OrderedJson message;  ///< null: there is nothing to run
  std::vector<tools::messages::CallResult> refused;
};
CallsMessage calls_message(const std::vector<tools::messages::Call>& calls);

}  // namespace toolway::chat::engine
