#include "tools/executors/mcp_client/tool_listing.h"

#include <fmt/format.h>

#include <iterator>

#include "base/try.h"

namespace toolway::tools::executors::mcp_client {

Result<ToolListing::Next> ToolListing::take(std::string_view answer) {
  bytes_ += answer.size();
  if (bytes_ > kMaxBytes || cursors_.size() >= kMaxPages) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("the list of tools has no end ({} pages, {} bytes so far)",
                            cursors_.size() + 1, bytes_));
  }
  auto page = mcp::decode_tool_page(answer);
  RETURN_IF_ERROR(page);
  tools_.insert(tools_.end(), std::make_move_iterator(page->tools.begin()),
                std::make_move_iterator(page->tools.end()));
  refused_.insert(refused_.end(), std::make_move_iterator(page->refused.begin()),
                  std::make_move_iterator(page->refused.end()));
  if (tools_.size() > kMaxTools) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("the list has more than {} tools", kMaxTools));
  }
  cursor_ = std::move(page->next_cursor);
  if (!cursor_) return Next::kDone;
  if (!cursors_.insert(*cursor_).second) {
    return fail(ErrorCode::kInvalidRequest,
                "the list of tools goes in a circle: a page's cursor came twice");
  }
  return Next::kPage;
}

}  // namespace toolway::tools::executors::mcp_client
