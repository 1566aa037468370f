#include "extensions/chain/known_verdicts.h"

#include <cstdint>
#include <string_view>

namespace toolway::extensions::chain {
namespace {

/// With its length: no other texts look the same when they follow one another.
void add(std::string& key, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  key.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(text);
}

void add(std::string& key, const std::vector<std::string>& texts) {
  const auto count = static_cast<std::uint32_t>(texts.size());
  key.append(reinterpret_cast<const char*>(&count), sizeof(count));
  for (const auto& text : texts) add(key, text);
}

}  // namespace

std::string KnownVerdicts::key_of(const tools::model::RegisteredTool& tool,
                                  const Principal& caller) {
  const auto& [tenant, user, key_id, roles, namespaces, method] = caller;
  std::string key;
  key.reserve(256);
  add(key, tool.digest);
  add(key, tenant);
  add(key, user);
  add(key, key_id);
  add(key, roles);
  add(key, namespaces);
  add(key, method);
  return key;
}

}  // namespace toolway::extensions::chain
