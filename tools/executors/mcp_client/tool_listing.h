#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mcp/revision.h"
#include "mcp/server_info.h"
#include "mcp/tool_list.h"

namespace toolway::tools::executors::mcp_client {

/// What a server offers, as it says so itself.
struct ListedTools {
  mcp::Revision revision{};
  mcp::Implementation server{};
  std::vector<mcp::ToolDefinition> tools{};
  std::vector<std::string> refused{};  ///< what is not a tool, and why
};

/// Puts a list together from its pages. Pure; one thread.
class ToolListing {
 public:
  static constexpr std::size_t kMaxPages = 1'000;
  static constexpr std::size_t kMaxTools = 10'000;
  static constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

  enum class Next { kPage, kDone };
  /// Takes the answer's text. kPage: `cursor()` is of the page to ask for. Errors: kInvalidRequest:
  /// the list is not usable (no list, a cursor that comes again, more than any client needs).
  Result<Next> take(std::string_view answer);
  const std::optional<std::string>& cursor() const { return cursor_; }
  /// All that was taken, of a server that calls itself `server`.
  ListedTools listed(mcp::Revision revision, mcp::Implementation server) && {
    return {revision, std::move(server), std::move(tools_), std::move(refused_)};
  }

 private:
  std::vector<mcp::ToolDefinition> tools_;
  std::vector<std::string> refused_;
  std::optional<std::string> cursor_;
  std::set<std::string> cursors_;
  std::size_t bytes_ = 0;
};

}  // namespace toolway::tools::executors::mcp_client
