#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/messages/message.h"

/// Messages for tests.
namespace toolway::tools::messages::test {

inline Message user(std::string text) { return text_message(Role::kUser, std::move(text)); }
inline Message says(std::string text) { return text_message(Role::kAssistant, std::move(text)); }
inline Message calls(std::vector<Call> calls) {
  Message message{.role = Role::kAssistant, .finish = Finish::kCalls};
  for (auto& call : calls)
    message.parts.push_back({.kind = Part::Kind::kCall, .call = std::move(call)});
  return message;
}
inline Message results(std::vector<CallResult> results) {
  return {.role = Role::kResults, .results = std::move(results)};
}
inline Part opaque(std::string provider, OrderedJson value) {
  return {.kind = Part::Kind::kOpaque, .native = Native{std::move(provider), std::move(value)}};
}

}  // namespace toolway::tools::messages::test
