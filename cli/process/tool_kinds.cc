#include "cli/process/tool_kinds.h"

#include <algorithm>
#include <thread>

namespace toolway::cli {

std::size_t slots_of_pool(const std::string& pool) {
  const std::size_t cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  if (pool == "python") return 4 * cores;
  if (pool == "command") return 4 * cores;
  return 128;
}

Result<tools::ToolKinds> make_tool_kinds(const ProcessOptions&, const std::vector<PoolSlots>&) {
  return tools::ToolKinds{};
}

}  // namespace toolway::cli
