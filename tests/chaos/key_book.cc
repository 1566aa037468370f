#include "tests/chaos/key_book.h"

#include <algorithm>

#include "tests/chaos/history.h"

namespace toolway::chaos {

std::optional<KeyLife> read_made_key(const std::string& output) {
  const auto brace = output.find('{');
  if (brace == std::string::npos) return std::nullopt;
  const auto json = parse_ordered_json(std::string_view(output).substr(brace));
  if (!json || !json->contains("id") || !json->contains("key")) return std::nullopt;
  return KeyLife{.id = text_at(*json, "id"),
                 .user = text_at(*json, "user"),
                 .secret = text_at(*json, "key"),
                 .made_us = now_us()};
}

void KeyBook::made(KeyLife key) {
  const std::lock_guard lock(mutex_);
  keys_.push_back(std::move(key));
}

std::optional<KeyLife> KeyBook::some_good(Randomness& random) const {
  std::vector<KeyLife> good;
  for (auto& key : all())
    if (key.revoking_us == 0) good.push_back(std::move(key));
  if (good.empty()) return std::nullopt;
  return random.pick(good);
}

void KeyBook::revoking(const std::string& id, std::int64_t at_us) {
  const std::lock_guard lock(mutex_);
  for (auto& key : keys_)
    if (key.id == id) key.revoking_us = at_us;
}

void KeyBook::revoked(const std::string& id, std::int64_t at_us) {
  const std::lock_guard lock(mutex_);
  for (auto& key : keys_)
    if (key.id == id) key.revoked_us = at_us;
}

std::optional<KeyLife> KeyBook::some_of(const std::string& user, Randomness& random) const {
  constexpr std::size_t kLastFew = 6;
  std::vector<KeyLife> its;
  for (auto& key : all())
    if (key.user == user) its.push_back(std::move(key));
  if (its.empty()) return std::nullopt;
  const auto few = random.chance(0.8) ? std::min(its.size(), kLastFew) : its.size();
  return its[its.size() - random.between(1, few)];
}

std::vector<KeyLife> KeyBook::all() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

}  // namespace toolway::chaos
