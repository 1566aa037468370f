#include "tools/builtin/builtin.h"

#include "base/clock.h"
#include "tools/builtin/bench_tools.h"
#include "tools/builtin/filesystem_tools.h"
#include "tools/builtin/root_directory.h"
#include "tools/builtin/time_tools.h"
#include "tools/spec_file.h"

namespace toolway::tools {

Result<std::shared_ptr<const Registry>> builtin_registry(const BuiltinOptions& options) {
  auto root = RootDirectory::open(options.root);
  if (!root) return fail(root.error());
  const auto clock = std::make_shared<const SystemClock>();

  std::vector<std::shared_ptr<const Tool>> tools = bench_tools();
  for (auto& tool : time_tools(clock)) tools.push_back(std::move(tool));
  for (auto& tool : filesystem_tools(*std::move(root), clock)) tools.push_back(std::move(tool));
  if (options.specs) {
    auto adjusted = apply_spec_file(*options.specs, std::move(tools));
    if (!adjusted) return fail(adjusted.error());
    tools = *std::move(adjusted);
  }
  std::vector<RegisteredToolPtr> registered;
  for (auto& tool : tools) {
    auto one = register_tool(std::move(tool));
    if (!one) return fail(std::move(one.error()));
    registered.push_back(*std::move(one));
  }
  return Registry::of(std::move(registered));
}

}  // namespace toolway::tools
