#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/tool_filter.h"
#include "proto/switches.h"
#include "tools/exports/api_names.h"
#include "tools/exports/format.h"
#include "tools/live_registry.h"

namespace toolway::gateway {

/// A list of tools as clients get it.
struct ToolList {
  std::string json;    ///< an array
  std::string digest;  ///< of the tools in it: the same in every format
};

/// Of a gateway that nobody has switched anything off at.
std::shared_ptr<const proto::Switches> nothing_is_off();

/// Renders lists of tools, once per version of the registry, set of namespaces, and format.
/// What a session sees costs what that session sees, however many tools there are. What is
/// switched off is in no list that a model may get.
class ToolsView {
 public:
  /// What is switched off now; never null.
  using SwitchesNow = std::function<std::shared_ptr<const proto::Switches>()>;
  explicit ToolsView(const tools::LiveRegistry& registry, SwitchesNow switches_now = nothing_is_off)
      : live_(registry), switches_now_(std::move(switches_now)) {}
  /// `session_key`: whose versions of tools they are; empty: the stable ones.
  std::shared_ptr<const ToolList> of(std::span<const std::string> namespaces,
                                     tools::Format format = tools::Format::kToolway,
                                     std::string_view session_key = {});
  /// Every tool that the filter wants. Only the list of all is kept. In the format `toolway`, which
  /// is for operators, those that are switched off are in it, and say so, and so are candidates.
  std::shared_ptr<const ToolList> all(tools::Format format, const ToolFilter& filter = {});
  /// What models call the tools of these namespaces, those that are switched off among them: a
  /// name must not come to mean another tool meanwhile.
  std::shared_ptr<const tools::ApiNames> names(std::span<const std::string> namespaces);

 private:
  using Tools = std::vector<const tools::RegisteredTool*>;
  /// One set of namespaces, in the versions that some sessions get.
  struct Seen {
    Tools tools;  ///< of registry_
    std::shared_ptr<const tools::ApiNames> names;
    std::array<std::shared_ptr<const ToolList>, tools::kFormats> lists;
  };
  /// Forgets what was made from an older registry.
  void look();
  Seen& seen(std::span<const std::string> namespaces, std::string_view session_key);
  Seen& remember(std::string key, Tools tools);
  /// Whether a list also shows what is switched off, and candidates.
  enum class Off { kLeftOut, kShown };
  const std::shared_ptr<const ToolList>& list_of(Seen& seen, tools::Format format, Off off);
  std::shared_ptr<const ToolList> render(const Tools& tools, const tools::ApiNames& names,
                                         tools::Format format, Off off) const;

  const tools::LiveRegistry& live_;
  const SwitchesNow switches_now_;
  std::shared_ptr<const tools::Registry> registry_;
  std::shared_ptr<const proto::Switches> switches_;
  std::unordered_map<std::string, Seen> seen_;
};

/// `{"tools": …, "digest": …}`
std::string tools_json(const ToolList& list);

}  // namespace toolway::gateway
