#include "proto/switches.h"

#include <algorithm>

#include "base/ids.h"
#include "base/json.h"

namespace toolway::proto {
namespace {

std::string text_in(const Json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string encode(const Switch& off) {
  return to_text(OrderedJson{{"reason", off.reason}, {"by", off.by}, {"at", off.at}});
}

Switch decode_switch(std::string_view value) {
  const auto json = parse_json(value);
  if (!json || !json->is_object())
    return {.reason = "its entry in the bucket cannot be read", .by = {}, .at = {}};
  return {
      .reason = text_in(*json, "reason"), .by = text_in(*json, "by"), .at = text_in(*json, "at")};
}

bool valid_switch_key(std::string_view key) {
  const auto dot = key.find('.');
  if (dot == std::string_view::npos) return valid_name(key);
  return valid_name(key.substr(0, dot)) && valid_name(key.substr(dot + 1));
}

void Switches::take(const std::string& key, std::string_view value) {
  if (value.empty()) {
    off_.erase(key);
  } else {
    off_.insert_or_assign(key, decode_switch(value));
  }
}

const Switch* Switches::off(std::string_view ns, std::string_view name) const {
  if (off_.empty()) return nullptr;
  std::string key(ns);
  key.append(1, '.').append(name);
  auto found = off_.find(key);
  if (found == off_.end()) found = off_.find(ns);
  return found == off_.end() ? nullptr : &found->second;
}

std::string switched_off(std::string_view ns, std::string_view name, const Switch& off) {
  std::string text("tool '");
  text.append(ns).append(1, '.').append(name).append("' is switched off");
  if (!off.reason.empty()) text.append(": ").append(off.reason);
  return text;
}

}  // namespace toolway::proto
