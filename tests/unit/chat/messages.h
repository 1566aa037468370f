#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chat/history/message.h"

/// Messages for tests.
namespace toolway::chat::test {

inline history::Message user(std::string text) {
  return history::text_message(history::Role::kUser, std::move(text));
}
inline history::Message says(std::string text) {
  return history::text_message(history::Role::kAssistant, std::move(text));
}
inline history::Message calls(std::vector<history::Call> calls) {
  history::Message message{.role = history::Role::kAssistant, .finish = history::Finish::kCalls};
  for (auto& call : calls)
    message.parts.push_back({.kind = history::Part::Kind::kCall, .call = std::move(call)});
  return message;
}
inline history::Message results(std::vector<history::CallResult> results) {
  return {.role = history::Role::kResults, .results = std::move(results)};
}
inline history::Part opaque(std::string provider, OrderedJson value) {
  return {.kind = history::Part::Kind::kOpaque,
          .native = history::Native{std::move(provider), std::move(value)}};
}

}  // namespace toolway::chat::test
