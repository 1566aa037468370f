#include "gateway/mcp/subscriptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "gateway/mcp/result_uri.h"

namespace toolway::gateway::mcp {

std::optional<std::string> add_subscription(Subscriptions& all, Subscription one) {
  if (one.uri.size() > kMaxSubscribedUri)
    return fmt::format("a URI to subscribe to has {} bytes at most", kMaxSubscribedUri);
  const auto same = std::ranges::find(all, one.uri, &Subscription::uri);
  if (same != all.end()) {
    same->content = one.content;
    return std::nullopt;
  }
  if (all.size() >= kMaxSubscriptions)
    return fmt::format("{} resources at most: unsubscribe from others first", kMaxSubscriptions);
  std::size_t bytes = one.uri.size();
  for (const auto& other : all) bytes += other.uri.size();
  if (bytes > kMaxSubscribedBytes)
    return fmt::format("the URIs of all subscriptions have {} bytes together at most",
                       kMaxSubscribedBytes);
  all.push_back(std::move(one));
  return std::nullopt;
}

bool remove_subscription(Subscriptions& all, std::string_view uri) {
  return std::erase_if(all, [uri](const auto& one) { return one.uri == uri; }) > 0;
}

bool ToldResources::follow(SubscriptionsPtr subscriptions) {
  if (subscriptions == subscriptions_) return false;
  std::vector<Known> known;
  known.reserve(subscriptions->size());
  for (const auto& one : *subscriptions) {
    const auto hash = std::hash<std::string_view>{}(one.uri);
    const auto before = std::ranges::find(known_, hash, &Known::uri);
    known.push_back(before != known_.end() ? *before
                                           : Known{.uri = hash,
                                                   .content = one.content,
                                                   .of_call = call_of_result(one.uri).has_value()});
  }
  known_ = std::move(known);
  subscriptions_ = std::move(subscriptions);
  return true;
}

std::vector<std::string> ToldResources::changed(const SeenOffers& seen) {
  std::vector<std::string> uris;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (known_[i].of_call) continue;
    const auto& uri = (*subscriptions_)[i].uri;
    const auto now = seen.content_of(uri);
    if (std::exchange(known_[i].content, now) != now) uris.push_back(uri);
  }
  return uris;
}

std::vector<std::string> ToldResources::awaited(std::size_t most) {
  std::vector<std::string> calls;
  for (std::size_t i = 0; i < known_.size() && calls.size() < most; ++i) {
    const auto at = next_++ % known_.size();
    if (known_[at].of_call && known_[at].content == 0)
      calls.push_back(*call_of_result((*subscriptions_)[at].uri));
  }
  return calls;
}

void ToldResources::ended(std::string_view call_id) {
  const auto found =
      std::ranges::find(known_, std::hash<std::string_view>{}(result_uri(call_id)), &Known::uri);
  if (found != known_.end()) found->content = 1;
}

}  // namespace toolway::gateway::mcp
