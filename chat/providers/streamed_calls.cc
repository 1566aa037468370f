#include "chat/providers/streamed_calls.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/text.h"
#include "chat/providers/reply_parts.h"
#include "chat/providers/surrogates.h"
#include "tools/messages/foreign_parts.h"

namespace toolway::chat::providers {
namespace {

using tools::messages::text_member;

constexpr std::string_view kBlanks = " \t\r\n";

/// As a server wrote them: a piece of a text, or a value.
std::string arguments_of(const OrderedJson& function) {
  const auto* arguments = member(function, "arguments");
  if (arguments == nullptr) return "";
  return arguments->is_string() ? arguments->get<std::string>() : to_text(*arguments);
}

bool is_whole_object(const std::string& arguments) {
  return trimmed(arguments, kBlanks).ends_with('}') &&
         parse_ordered_json(without_halves(arguments)).has_value();
}

/// Whether a piece that does not say which call it is of cannot be of this one: some servers give
/// calls neither ids nor indexes of their own, and some repeat the name in each piece.
bool begins_next(const OrderedJson& call, const OrderedJson& piece) {
  const auto* function = member(piece, "function");
  const auto* own = member(call, "function");
  if (function == nullptr || own == nullptr) return false;
  const auto name = text_member(*function, "name");
  if (name.empty()) return false;
  const bool more = !trimmed(arguments_of(*function), kBlanks).empty();
  return (more || name != text_member(*own, "name")) &&
         is_whole_object(text_member(*own, "arguments"));
}

void add_function(OrderedJson& call, const OrderedJson& function) {
  auto& own = call["function"];
  if (!own.is_object()) own = {{"name", ""}, {"arguments", ""}};
  if (text_member(own, "name").empty()) own["name"] = text_member(function, "name");
  append_text(own["arguments"].get_ref<std::string&>(), arguments_of(function));
}

}  // namespace

void StreamedCalls::take(const OrderedJson& pieces) {
  if (!pieces.is_array()) return;
  for (const auto& piece : pieces) {
    if (!piece.is_object()) continue;
    auto& call = call_of(piece).value;
    for (const auto& [name, value] : piece.items()) {
      if (name == "index" || name == "function" || value.is_null()) continue;
      if (!call.contains(name) || text_member(call, name.c_str()).empty()) call[name] = value;
    }
    if (const auto* function = member(piece, "function")) add_function(call, *function);
  }
}

OrderedJson StreamedCalls::take_all() {
  std::ranges::stable_sort(calls_, {}, &Call::index);
  OrderedJson all = OrderedJson::array();
  for (auto& call : std::exchange(calls_, {})) all.push_back(std::move(call.value));
  return all;
}

StreamedCalls::Call& StreamedCalls::call_of(const OrderedJson& piece) {
  const auto id = text_member(piece, "id");
  const auto* index = member(piece, "index");
  if (index != nullptr && index->is_number_integer()) {
    const auto at = index->get<std::int64_t>();
    const auto known = newest_.find(at);
    if (known == newest_.end()) return begin(at);
    last_ = known->second;
    // Some servers give all calls the same index.
    const auto own = text_member(calls_[last_].value, "id");
    const bool other = !id.empty() && !own.empty() && id != own;
    if (other || (id.empty() && begins_next(calls_[last_].value, piece))) return begin(at);
    return calls_[last_];
  }
  // Servers that leave the index out begin each call with its id, or give it to each piece.
  if (calls_.empty()) return begin(0);
  const auto& last = calls_[last_].value;
  const bool other = !id.empty() && id != text_member(last, "id");
  return other || begins_next(last, piece) ? begin(next_index()) : calls_[last_];
}

StreamedCalls::Call& StreamedCalls::begin(std::int64_t index) {
  last_ = newest_[index] = calls_.size();
  return calls_.emplace_back(Call{.index = index});
}

std::int64_t StreamedCalls::next_index() const {
  const auto largest = newest_.rbegin()->first;
  return largest < std::numeric_limits<std::int64_t>::max() ? largest + 1 : largest;
}

}  // namespace toolway::chat::providers
