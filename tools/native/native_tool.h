#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string_view>

#include "tools/model/tool.h"
#include "tools/schema/schema.h"

namespace toolway::tools::native {

/// What a native tool says about itself, as `static constexpr ToolInfo info{…}`.
struct ToolInfo {
  std::string_view name;
  std::string_view ns = "default";
  std::string_view description{};
  std::string_view topic{};  ///< display title; empty: the name
  std::string_view category{};
  std::string_view version = "1";
  std::array<std::string_view, 4> permissions{};
  bool dangerous = false;
  bool requires_approval = false;
  bool read_only = false;   ///< changes nothing
  bool open_world = true;   ///< reaches what has no bounds, such as the web
  bool idempotent = false;  ///< running it again does no harm
  model::Limits limits{.run = std::chrono::seconds(60), .total = std::chrono::minutes(60)};
  model::ResultForm result{};
};

enum class Steps { kSingle, kMulti };

/// Runs a body with checked arguments. What the template `make_native_tool`
/// needs of this is not a template, so that files with tools compile quickly.
class NativeTool final : public model::Tool {
 public:
  using Body = std::function<model::Execution(const Json&, model::ToolContext&, model::Progress&)>;

  NativeTool(model::Spec spec, Body body);

  const model::Spec& spec() const override { return spec_; }
  model::Execution execute(const Json& arguments, model::ToolContext& context,
                           model::Progress& progress) const override;

  static model::Spec make_spec(const ToolInfo& info, OrderedJson input, OrderedJson output,
                               Steps steps);

 private:
  const model::Spec spec_;
  const Body body_;
  /// A schema that cannot be compiled is refused by the registry; running the tool says so too.
  const Result<std::shared_ptr<const schema::CompiledSchema>> input_;
};

/// The same tool under an adjusted spec; schemas and kind must be the tool's own.
std::shared_ptr<const model::Tool> with_spec(std::shared_ptr<const model::Tool> tool,
                                             model::Spec spec);

/// `arguments` with what is missing at the top level filled in from the schema's defaults.
Json with_defaults(const OrderedJson& schema, Json arguments);

}  // namespace toolway::tools::native
