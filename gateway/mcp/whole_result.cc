#include "gateway/mcp/whole_result.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace toolway::gateway::mcp {

loop::Task<WholeResult> whole_result(ReadResult read, wire::Caller caller, std::string call_id,
                                     std::string session_key) {
  auto whole = co_await read(caller, call_id, std::move(session_key));
  if (whole) co_return std::move(*whole);
  spdlog::debug("the result of call {} is not in its answer: {}", call_id,
                whole.error().error.message);
  co_return WholeResult();
}

}  // namespace toolway::gateway::mcp
