#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "mcp/http_headers.h"
#include "mcp/tool_list.h"

namespace toolway::cli::mcp_serve {

/// Which parameters of which tools go into headers `Mcp-Param-…` as well: what was learned of the
/// gateway's lists (2026-07-28, basic/transports/streamable-http). Bounded. Thread-safe.
class ParameterHeaders {
 public:
  /// Of names, places and headers together; of what a list has beyond them, nothing is known.
  static constexpr std::size_t kMaxBytes = 4UL << 20;

  using List = std::function<Result<std::vector<mcp::ToolDefinition>>()>;

  /// Whether the tool was on a list, or the whole list was asked for since the last change.
  bool knows(const std::string& tool) const;
  /// The headers of a call, whose text is one message; none of a tool that it does not know.
  mcp::Headers of(const std::string& tool, std::string_view call) const;
  /// Of what was known: another one when it has changed.
  unsigned number() const;

  /// Takes a page of the list, the text of an answer; any other answer is nothing to learn from.
  void learn(std::string_view answer);
  /// Asks for the whole list with `list`, which may block, in place of what was known as `old`; at
  /// once if that has changed. Errors: those of `list`; from then on every tool counts as known,
  /// until the gateway refuses a header.
  Result<void> learn_all(unsigned old, const List& list);
  /// The list has changed.
  void forget();

 private:
  using Parameters = std::vector<mcp::MirroredParameter>;

  bool keep(const mcp::ToolDefinition& tool) REQUIRES(mutex_);
  void clear() REQUIRES(mutex_);

  Mutex listing_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, Parameters> tools_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  bool asked_ GUARDED_BY(mutex_) = false;  ///< for the whole list
  unsigned number_ GUARDED_BY(mutex_) = 0;
};

}  // namespace toolway::cli::mcp_serve
