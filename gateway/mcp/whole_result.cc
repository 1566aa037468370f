#include "gateway/mcp/whole_result.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "gateway/mcp/tool_result.h"

namespace toolway::gateway::mcp {

loop::Task<WholeResult> whole_result(ReadResult read, wire::Caller caller, v1::CallEvent completion,
                                     v1::CallRequest ids, tools::model::RegisteredToolPtr tool,
                                     toolway::mcp::Revision revision) {
  if (!tool || !needs_whole(completion.completed(), tool->spec(), revision))
    co_return WholeResult();
  auto whole = co_await read(caller, ids.call_id(), ids.session_key());
  if (whole) co_return std::move(*whole);
  spdlog::debug("the result of call {} is not in its answer: {}", ids.call_id(),
                whole.error().error.message);
  co_return WholeResult();
}

}  // namespace toolway::gateway::mcp
