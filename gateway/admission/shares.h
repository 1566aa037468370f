#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "proto/subjects.h"

namespace toolway::gateway::admission {

/// How many calls of one session, and of one user, may wait at once.
struct ShareCaps {
  std::uint64_t session_bulk = 64;  ///< from here on its calls go to the lane `bulk`
  std::uint64_t user_bulk = 256;
  std::uint64_t session_most = 100'000;  ///< from here on they are refused
  std::uint64_t user_most = 150'000;
};

/// The calls that this gateway accepted and that were not given to a worker yet, by session and by
/// user: pure bookkeeping, on one thread. A call counts once its queue was asked and was seen to
/// still hold it; how far a queue has delivered says which calls wait. An entry takes about 40
/// bytes and goes when its call is delivered; a session without entries is forgotten.
class Shares {
 public:
  explicit Shares(ShareCaps caps = {}) : caps_(caps) {}

  enum class Placement { kNormal, kBulk, kSessionFull, kUserFull };
  Placement judge(std::string_view session, std::string_view user) const;

  /// A call was stored at `sequence` of stream CALLS, for the durable of that name.
  void accepted(std::string_view durable, std::uint64_t sequence, std::string_view session,
                std::string_view user);

  /// How many calls were accepted for a durable so far: read before the durable is asked how
  /// far it is, so that those accepted in between are not taken for waiting.
  std::uint64_t mark(std::string_view durable) const;
  /// The durable has delivered everything up to sequence `upto`, and `pending` more wait.
  void delivered(std::string_view durable, std::uint64_t mark, std::uint64_t upto,
                 std::uint64_t pending);
  /// Calls accepted for a durable since it was last asked: a reason to ask it again.
  std::uint64_t since_asked(std::string_view durable) const;
  /// Everything that this gateway remembers.
  std::uint64_t entries() const { return entries_; }

 private:
  struct Share {
    std::uint64_t waiting = 0;  ///< seen waiting
    std::uint64_t entries = 0;
  };
  using Shared = std::unordered_map<std::string, Share>;
  struct Entry {
    std::uint64_t sequence = 0;
    Shared::value_type* session = nullptr;  // nodes of the maps below; they stay where they are
    Shared::value_type* user = nullptr;
  };
  struct Queue {
    std::deque<Entry> entries;   ///< in the order of acceptance
    std::size_t counted = 0;     ///< how many of them, from the front, count as waiting
    std::uint64_t accepted = 0;  ///< in total
  };
  void drop_front(Queue& queue);
  static void release(Shared& shared, Shared::value_type* share, bool counted);
  static std::uint64_t waiting_of(const Shared& shared, std::string_view name);

  const ShareCaps caps_;
  Shared sessions_;
  Shared users_;
  std::unordered_map<std::string, Queue> queues_;
  std::uint64_t entries_ = 0;
};

}  // namespace toolway::gateway::admission
