#include "tools/messages/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace toolway::tools::messages {
namespace {

/// The longest id of a call that one of the APIs takes.
constexpr std::size_t kMaxIdBytes = 40;

/// The members of a provider's own form that name the call.
void rename_native(Native& native, const std::string& id) {
  if (!native.value.is_object()) return;
  // Responses has ids of items as well, which are not those of calls.
  const bool has_call_id = native.value.contains("call_id");
  native.value[has_call_id ? "call_id" : "id"] = id;
}

}  // namespace

bool valid_call_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxIdBytes && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '-';
  });
}

CallResult interrupted_result(const std::string& call_id, Interruption what) {
  const auto text = [what]() -> std::string_view {
    switch (what) {
      case Interruption::kNeverStarted:
        return "the call was never started: the turn ended before it";
      case Interruption::kStopped: return "the call was stopped before it had a result";
      case Interruption::kUnknown:
        return "the turn was interrupted: whether this call ran, and with what result, is not "
               "known";
      case Interruption::kCutOff:
        return "the message was cut off by the limit of tokens, so its calls were not run";
    }
    return {};
  }();
  return {.call_id = call_id, .text = "tool_error: " + std::string(text), .is_error = true};
}

Message interrupted_results(const Message& open, Interruption what,
                            std::span<const CallResult> known) {
  Message results{.role = Role::kResults, .at_us = open.at_us};
  for (const Call& call : calls_of(open)) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const CallResult& result) {
      return result.call_id == call.id;
    });
    results.results.push_back(found != known.end() ? *found : interrupted_result(call.id, what));
  }
  return results;
}

const Message* History::open() const {
  return !messages_.empty() && has_calls(messages_.back()) ? &messages_.back() : nullptr;
}

Result<void> History::append(Message message) {
  const bool is_results = message.role == Role::kResults;
  if (open() == nullptr && is_results)
    return fail(ErrorCode::kInvalidRequest, "results follow no message with calls");
  if (open() != nullptr && !is_results)
    return fail(ErrorCode::kInvalidRequest,
                "the calls of the last message have no results yet: add them, or repair the "
                "history");
  if (message.role == Role::kSummary) {
    take_summary(std::move(message));
    return {};
  }
  summary_is_newest_ = false;
  if (is_results) order_results(message);
  if (message.role == Role::kAssistant) order_ids(message);
  messages_.push_back(std::move(message));
  return {};
}

Result<void> History::prepend(std::vector<Message> older) {
  History whole;
  whole.messages_.reserve(older.size() + messages_.size());
  for (auto& message : older)
    if (auto added = whole.append(std::move(message)); !added) return added;
  if (whole.open() != nullptr && (!messages_.empty() || summary_))
    return fail(ErrorCode::kInvalidRequest, "calls without results come before the first message");
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    if (summary_ && before_summary_ == i) whole.take_summary(std::move(*summary_));
    // What it has is in order.
    static_cast<void>(whole.append(std::move(messages_[i])));
  }
  if (summary_ && before_summary_ == messages_.size()) whole.take_summary(std::move(*summary_));
  *this = std::move(whole);
  return {};
}

bool History::repair(Interruption what, std::span<const CallResult> known) {
  const Message* last = open();
  if (last == nullptr) return false;
  messages_.push_back(interrupted_results(*last, what, known));
  summary_is_newest_ = false;
  return true;
}

void History::take_summary(Message summary) {
  before_summary_ = messages_.size();
  covered_ = messages_.size() - std::min(summary.keeps, messages_.size());
  while (covered_ < messages_.size() && messages_[covered_].role == Role::kResults) --covered_;
  summary_ = std::move(summary);
  summary_is_newest_ = true;
}

std::string History::fresh_id(std::size_t index) {
  for (std::size_t extra = 0;; ++extra) {
    auto id = extra == 0 ? fmt::format("call_{}_{}", messages_.size(), index)
                         : fmt::format("call_{}_{}_{}", messages_.size(), index, extra);
    if (!ids_.contains(id)) return id;
  }
}

void History::order_ids(Message& message) {
  std::erase_if(message.parts, [](const Part& part) {
    return part.kind == Part::Kind::kText && part.text.empty() && !part.native;
  });
  std::size_t index = 0;
  for (Part& part : message.parts) {
    if (part.kind != Part::Kind::kCall) continue;
    if (!valid_call_id(part.call.id) || ids_.contains(part.call.id)) {
      part.call.id = fresh_id(index);
      if (part.native) rename_native(*part.native, part.call.id);
    }
    ids_.insert(part.call.id);
    ++index;
  }
}

void History::order_results(Message& message) const {
  const auto calls = calls_of(messages_.back());
  std::unordered_map<std::string, CallResult*> by_id;
  for (CallResult& result : message.results) by_id.emplace(result.call_id, &result);
  // A call that came with an id of an earlier message's has another one now, and its stored result
  // not: a conversation that was written without all of it in sight.
  if (message.results.size() == calls.size())
    for (std::size_t i = 0; i < calls.size(); ++i) {
      CallResult& result = message.results[i];
      const bool of_a_call =
          std::ranges::any_of(calls, [&](const Call& call) { return call.id == result.call_id; });
      if (of_a_call || !ids_.contains(result.call_id)) continue;
      if (by_id.emplace(calls[i].id, &result).second) result.call_id = calls[i].id;
    }
  std::vector<CallResult> ordered;
  for (const Call& call : calls) {
    const auto found = by_id.find(call.id);
    ordered.push_back(found != by_id.end() ? std::move(*found->second)
                                           : interrupted_result(call.id, Interruption::kUnknown));
  }
  message.results = std::move(ordered);
}

}  // namespace toolway::tools::messages
