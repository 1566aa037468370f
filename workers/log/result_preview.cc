#include "workers/log/result_preview.h"

#include <algorithm>
#include <vector>

#include "base/utf8.h"

namespace toolway::workers::log {
namespace {

constexpr std::size_t kBrackets = 2;  // or quotes

/// Bytes that one byte of a string becomes, as nlohmann::json writes it.
std::size_t escaped_size(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '\b':
    case '\f':
    case '\n':
    case '\r':
    case '\t': return 2;
    default: return static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
  }
}

std::size_t string_size(const std::string& text, std::size_t limit) {
  std::size_t size = kBrackets;
  for (const char c : text) {
    size += escaped_size(c);
    if (size > limit) break;
  }
  return size;
}

std::string cut_string(const std::string& text, std::size_t max_bytes) {
  std::size_t size = kBrackets;
  for (std::size_t i = 0; i < text.size(); ++i) {
    size += escaped_size(text[i]);
    if (size > max_bytes) return std::string(utf8_prefix(text, i));
  }
  return text;
}

Json cut_list(const Json& list, std::size_t max_bytes) {
  Json cut = Json::array();
  std::size_t size = kBrackets;
  for (const Json& item : list) {
    const std::size_t comma = cut.empty() ? 0 : 1;
    const std::size_t room = max_bytes - size;
    const std::size_t needed = comma + text_size(item, room);
    if (needed > room) break;
    size += needed;
    cut.push_back(item);
  }
  return cut;
}

bool can_be_cut(const Json& value) { return value.is_structured() || value.is_string(); }

/// A member on its way into a preview.
struct Member {
  const std::string* key;
  const Json* value;
  std::size_t granted;  ///< bytes for its value
  std::size_t lacks;    ///< bytes more that would give it whole, as far as that matters
};

Json cut_object(const Json& object, std::size_t max_bytes) {
  // First the least that every member takes, then what is left, from the
  // members that lack least to those that lack most: small ones stay whole.
  std::vector<Member> members;
  std::size_t size = kBrackets;
  for (auto it = object.begin(); it != object.end(); ++it) {
    const std::size_t room = max_bytes - size;
    const std::size_t around = string_size(it.key(), room) + 1 + (members.empty() ? 0 : 1);
    const std::size_t whole = text_size(it.value(), max_bytes);
    const std::size_t least = can_be_cut(it.value()) ? kBrackets : whole;
    if (around + least > room) break;
    size += around + least;
    members.push_back({&it.key(), &it.value(), least, whole - least});
  }
  std::vector<Member*> by_lack;
  for (Member& member : members) by_lack.push_back(&member);
  std::stable_sort(by_lack.begin(), by_lack.end(),
                   [](const Member* a, const Member* b) { return a->lacks < b->lacks; });
  std::size_t left = max_bytes - size;
  for (std::size_t i = 0; i < by_lack.size(); ++i) {
    const std::size_t share = std::min(by_lack[i]->lacks, left / (by_lack.size() - i));
    by_lack[i]->granted += share;
    left -= share;
  }
  Json cut = Json::object();
  for (const Member& member : members) {
    cut.emplace(*member.key, preview_of(*member.value, member.granted));
  }
  return cut;
}

}  // namespace

std::size_t text_size(const Json& value, std::size_t limit) {
  if (value.is_string()) return string_size(value.get_ref<const std::string&>(), limit);
  if (!value.is_structured()) return value.dump().size();
  std::size_t size = kBrackets;
  const auto room = [&] { return size > limit ? 0 : limit - size; };
  for (auto it = value.begin(); it != value.end() && size <= limit; ++it) {
    if (it != value.begin()) ++size;
    if (value.is_object()) size += string_size(it.key(), room()) + 1;
    size += text_size(*it, room());
  }
  return size;
}

Json preview_of(const Json& value, std::size_t max_bytes) {
  if (text_size(value, max_bytes) <= max_bytes) return value;
  if (value.is_array()) return cut_list(value, max_bytes);
  if (value.is_object()) return cut_object(value, max_bytes);
  if (value.is_string()) return cut_string(value.get_ref<const std::string&>(), max_bytes);
  return value;
}

}  // namespace toolway::workers::log
