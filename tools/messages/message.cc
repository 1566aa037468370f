#include "tools/messages/message.h"

#include <algorithm>
#include <array>
#include <utility>

namespace toolway::tools::messages {
namespace {

constexpr std::array<std::pair<Role, std::string_view>, 6> kRoles{{{Role::kSystem, "system"},
                                                                   {Role::kUser, "user"},
                                                                   {Role::kAssistant, "assistant"},
                                                                   {Role::kResults, "results"},
                                                                   {Role::kInjected, "injected"},
                                                                   {Role::kSummary, "summary"}}};

constexpr std::array<std::pair<Finish, std::string_view>, 7> kFinishes{
    {{Finish::kStop, "stop"},
     {Finish::kCalls, "calls"},
     {Finish::kLength, "length"},
     {Finish::kRefusal, "refusal"},
     {Finish::kFiltered, "filtered"},
     {Finish::kPaused, "paused"},
     {Finish::kStopped, "stopped"}}};

template <typename Names, typename Value>
std::string_view name_in(const Names& names, Value value) {
  return std::find_if(names.begin(), names.end(),
                      [&](const auto& entry) { return entry.first == value; })
      ->second;
}

template <typename Value, typename Names>
std::optional<Value> value_in(const Names& names, std::string_view name) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const auto& entry) { return entry.second == name; });
  return found == names.end() ? std::nullopt : std::optional<Value>(found->first);
}

}  // namespace

std::string_view role_name(Role role) { return name_in(kRoles, role); }
std::optional<Role> parse_role(std::string_view name) { return value_in<Role>(kRoles, name); }
std::string_view finish_name(Finish finish) { return name_in(kFinishes, finish); }
std::optional<Finish> parse_finish(std::string_view name) {
  return value_in<Finish>(kFinishes, name);
}

Message text_message(Role role, std::string text) {
  Message message{.role = role};
  if (role == Role::kAssistant) {
    message.parts.push_back({.kind = Part::Kind::kText, .text = std::move(text)});
  } else {
    message.text = std::move(text);
  }
  return message;
}

std::vector<Call> calls_of(const Message& message) {
  std::vector<Call> calls;
  for (const Part& part : message.parts)
    if (part.kind == Part::Kind::kCall) calls.push_back(part.call);
  return calls;
}

bool has_calls(const Message& message) {
  return std::any_of(message.parts.begin(), message.parts.end(),
                     [](const Part& part) { return part.kind == Part::Kind::kCall; });
}

std::string text_of(const Message& message) {
  if (message.role != Role::kAssistant) return message.text;
  std::string text;
  for (const Part& part : message.parts)
    if (part.kind == Part::Kind::kText) text += part.text;
  return text;
}

std::vector<std::string> pending_calls(const std::vector<Message>& messages) {
  std::vector<std::string> pending;
  for (const Message& message : messages) {
    for (const CallResult& result : message.results)
      if (result.detached && !result.ran_as.empty()) pending.push_back(result.ran_as);
    for (const auto& told : message.about) std::erase(pending, told);
  }
  return pending;
}

std::vector<ToldProgress> told_progress(const std::vector<Message>& messages) {
  std::vector<ToldProgress> all;
  for (const Message& message : messages)
    for (const auto& told : message.progress) note_progress(all, told);
  return all;
}

void note_progress(std::vector<ToldProgress>& all, const ToldProgress& told) {
  const auto known = std::ranges::find(all, told.ran_as, &ToldProgress::ran_as);
  if (known == all.end())
    all.push_back(told);
  else
    known->event = told.event;
}

}  // namespace toolway::tools::messages
