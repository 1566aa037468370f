#pragma once

#include <memory>
#include <utility>

#include "chat/window/tokens.h"

namespace toolway::chat::window {

/// The tools of a request. Immutable, so that requests and turns share it.
struct ToolList {
  OrderedJson definitions = OrderedJson::array();  ///< in the form of the provider's API
  Tokens tokens{};                                 ///< of them in a request
};
/// Never null.
using ToolListPtr = std::shared_ptr<const ToolList>;

inline ToolListPtr tool_list(OrderedJson definitions, tools::exports::ModelApi api) {
  const auto tokens = tokens_of_tools(definitions, api);
  return std::make_shared<const ToolList>(
      ToolList{.definitions = std::move(definitions), .tokens = tokens});
}

}  // namespace toolway::chat::window
