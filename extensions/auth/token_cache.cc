#include "extensions/auth/token_cache.h"

namespace toolway::extensions::auth {

const TokenCache::Known* TokenCache::find(std::string_view digest, WallTime now) {
  const auto found = by_digest_.find(digest);
  if (found == by_digest_.end()) return nullptr;
  const auto entry = found->second;
  if (entry->known.grant.until <= now) {
    by_digest_.erase(found);
    by_use_.erase(entry);
    return nullptr;
  }
  by_use_.splice(by_use_.begin(), by_use_, entry);
  return &entry->known;
}

void TokenCache::remember(std::string_view digest, Known known) {
  if (const auto found = by_digest_.find(digest); found != by_digest_.end()) {
    found->second->known = std::move(known);
    return;
  }
  by_use_.push_front({std::string(digest), std::move(known)});
  by_digest_.emplace(by_use_.front().digest, by_use_.begin());
  if (by_use_.size() <= most_) return;
  by_digest_.erase(by_use_.back().digest);
  by_use_.pop_back();
}

void TokenCache::keep_signed(std::span<const Issuer> issuers) {
  for (auto entry = by_use_.begin(); entry != by_use_.end();) {
    const auto& known = entry->known;
    const bool kept = known.issuer < issuers.size() && issuers[known.issuer].keys &&
                      issuers[known.issuer].keys->holds(known.key);
    if (kept) {
      ++entry;
    } else {
      by_digest_.erase(entry->digest);
      entry = by_use_.erase(entry);
    }
  }
}

}  // namespace toolway::extensions::auth
