#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/mcp/seen_offers.h"

/// The resources whose changes a client wants to hear of. Pure.
namespace toolway::gateway::mcp {

struct Subscription {
  std::string uri;
  /// What its client could read when it subscribed, as `SeenOffers::content_of` says it; of the
  /// result of a call: 0 as long as there was none.
  std::uint64_t content = 0;
};
using Subscriptions = std::vector<Subscription>;
using SubscriptionsPtr = std::shared_ptr<const Subscriptions>;

// A session's, or a stream's: each gateway that shows them keeps their URIs.
inline constexpr std::size_t kMaxSubscriptions = 100;
inline constexpr std::size_t kMaxSubscribedUri = 2048;
inline constexpr std::size_t kMaxSubscribedBytes = 4096;

/// Adds a subscription, or updates the one with its URI. Returns why there is no room for it;
/// nothing: it was added.
std::optional<std::string> add_subscription(Subscriptions& all, Subscription one);
/// False: there is none.
bool remove_subscription(Subscriptions& all, std::string_view uri);

/// What one stream has told of them. A stream that begins tells what has changed since its client
/// subscribed: so nothing is lost with a stream that broke, and some may come twice.
class ToldResources {
 public:
  /// From now on these: it forgets others, and learns of new ones. False: they are the same.
  bool follow(SubscriptionsPtr subscriptions);
  /// The URIs of those that changed since it was asked last; results of calls aside.
  std::vector<std::string> changed(const SeenOffers& seen);
  /// Results of calls that are not there, as far as known: the ids of some of the calls, each in
  /// its turn.
  std::vector<std::string> awaited(std::size_t most);
  /// That call has ended, and is awaited no more.
  void ended(std::string_view call_id);

 private:
  struct Known {
    std::size_t uri = 0;  ///< its hash
    std::uint64_t content = 0;
    bool of_call = false;
  };
  SubscriptionsPtr subscriptions_;
  std::vector<Known> known_;  ///< of each of them
  std::size_t next_ = 0;      ///< whose turn it is
};

}  // namespace toolway::gateway::mcp
