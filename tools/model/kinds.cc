#include "tools/model/kinds.h"

#include <fmt/format.h>

#include <algorithm>

namespace toolway::tools::model {
namespace {

class DeclaredTool final : public Tool {
 public:
  explicit DeclaredTool(Spec spec) : spec_(std::move(spec)) {}
  const Spec& spec() const override { return spec_; }
  Execution execute(const Json&, ToolContext&, Progress&) const override {
    return tl::unexpected(
        ToolError(std::string(code_name(ErrorCode::kToolFailed)),
                  fmt::format("tool '{}' is of kind {}, which this process offers but does not run",
                              spec_.qualified_name(), spec_.kind.name)));
  }

 private:
  const Spec spec_;
};

}  // namespace

Result<std::shared_ptr<const Tool>> make_tool(const ToolKinds& kinds, Spec spec) {
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const auto& one) { return one->kind() == spec.kind; });
  if (kind == kinds.end()) {
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("tool '{}': this process runs no tools of kind {}",
                            spec.qualified_name(), spec.kind.name));
  }
  return (*kind)->make(std::move(spec));
}

std::shared_ptr<const Tool> declared_tool(Spec spec) {
  return std::make_shared<const DeclaredTool>(std::move(spec));
}

}  // namespace toolway::tools::model
