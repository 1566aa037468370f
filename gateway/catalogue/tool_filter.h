#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/wire/target.h"
#include "tools/exports/format.h"
#include "tools/model/spec.h"

namespace toolway::gateway::catalogue {

/// Which tools of a list are wanted: all given conditions must hold. Pure.
struct ToolFilter {
  std::optional<tools::model::Kind> kind{};
  std::optional<std::string> ns{};
  std::optional<std::string> category{};
  std::vector<std::string>
      words{};  ///< lower case; each in name, namespace, description, category or topic

  bool wants_all() const { return !kind && !ns && !category && words.empty(); }
  bool wants(const tools::model::Spec& spec) const;
};

/// Reads ?kind=, ?namespace=, ?category= and ?q=. Errors: invalid_request.
wire::HttpResult<ToolFilter> parse_tool_filter(const wire::Target& target);

/// Reads ?format=; toolway when it is not given. Errors: invalid_request.
wire::HttpResult<tools::exports::Format> parse_tool_format(const wire::Target& target);

}  // namespace toolway::gateway::catalogue
