#include "tools/model/tool.h"

namespace toolway::tools::model {

ToolResult<std::vector<Json>> ToolContext::ask(std::vector<Question>, const std::stop_token&) {
  return tl::unexpected(
      ToolError(std::string(code_name(ErrorCode::kCannotAsk)), "there is no client to ask here"));
}

}  // namespace toolway::tools::model
