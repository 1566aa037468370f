#include "gateway/mcp/offers_view.h"

#include <utility>

namespace toolway::gateway::mcp {
namespace {

constexpr std::size_t kMaxSeen = 256;

}  // namespace

SeenOffersPtr OffersView::of(std::span<const std::string> namespaces,
                             const extensions::GrantsPtr& grants) {
  if (auto now = live_.now(); now != now_) {
    // This may have been the last owner of large contents.
    work_.discard(std::pair(std::exchange(seen_, {}), std::exchange(now_, std::move(now))));
  }
  std::string key;
  for (const auto& ns : namespaces) key += ns + "\n";
  // No name has this character.
  if (grants) key += "=" + grants->key();
  if (const auto found = seen_.find(key); found != seen_.end()) return found->second;
  if (seen_.size() >= kMaxSeen) work_.discard(std::exchange(seen_, {}));
  return seen_[std::move(key)] =
             std::make_shared<const SeenOffers>(++made_, now_, namespaces, grants);
}

}  // namespace toolway::gateway::mcp
