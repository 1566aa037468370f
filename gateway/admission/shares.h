#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gateway/admission/waiting_counts.h"
#include "proto/subjects.h"

namespace toolway::gateway::admission {

/// How many calls of one session, and of one user, may wait at once.
struct ShareCaps {
  /// From here on its calls go to the lane `bulk`; 0: twice as many as its pool has slots.
  std::uint64_t session_bulk = 0;
  std::uint64_t user_bulk = 0;           ///< 0: as session_bulk
  std::uint64_t session_most = 100'000;  ///< from here on they are refused
  std::uint64_t user_most = 150'000;
};

/// A session whose pool has few slots, or none that a worker has announced, may have as many calls
/// waiting before the next ones go to lane bulk.
inline constexpr std::uint64_t kMinShare = 16;

/// The caps of a pool whose workers have `slots`: what is 0 follows them. Pure.
ShareCaps caps_of_pool(ShareCaps caps, std::uint64_t slots);

/// The calls that this gateway accepted and that were not given to a worker yet, by session and by
/// user: pure bookkeeping, on one thread. A call counts once its queue was asked and was seen to
/// still hold it; how far a queue has delivered says which calls wait. An entry takes about 50
/// bytes and goes when its call is delivered; a session without entries is forgotten.
class Shares {
 public:
  enum class Placement { kNormal, kBulk, kSessionFull, kUserFull };
  /// Calls that wait at other gateways.
  struct Elsewhere {
    std::uint64_t session = 0;
    std::uint64_t user = 0;
  };
  Placement judge(const ShareCaps& caps, std::string_view session, std::string_view user,
                  Elsewhere elsewhere) const;
  Placement judge(const ShareCaps& caps, std::string_view session, std::string_view user) const {
    return judge(caps, session, user, {});
  }

  /// A call was stored at `sequence` of stream CALLS, for the durable of that name.
  void accepted(std::string_view durable, std::uint64_t sequence, std::string_view session,
                std::string_view user, WaitingPlacePtr counted = nullptr);

  /// How many calls were accepted for a durable so far: read before the durable is asked how
  /// far it is, so that those accepted in between are not taken for waiting.
  std::uint64_t mark(std::string_view durable) const;
  /// The durable has delivered everything up to sequence `upto`, and `pending` more wait.
  void delivered(std::string_view durable, std::uint64_t mark, std::uint64_t upto,
                 std::uint64_t pending);
  /// Calls accepted for a durable since it was last asked: a reason to ask it again.
  std::uint64_t since_asked(std::string_view durable) const;
  /// Whether a durable may still have calls that wait.
  bool in_use(std::string_view durable) const;
  /// All such durables.
  std::vector<std::string> queues_in_use() const;
  /// The sessions, or users, with at least `least` calls seen waiting.
  using Waiting = std::vector<std::pair<std::string, std::uint64_t>>;
  Waiting sessions_waiting(std::uint64_t least) const { return waiting(sessions_, least); }
  Waiting users_waiting(std::uint64_t least) const { return waiting(users_, least); }
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
    WaitingPlacePtr counted{};
  };
  struct Queue {
    std::deque<Entry> entries;   ///< in the order of acceptance
    std::size_t counted = 0;     ///< how many of them, from the front, count as waiting
    std::uint64_t accepted = 0;  ///< in total
  };
  void drop_front(Queue& queue);
  static void release(Shared& shared, Shared::value_type* share, bool counted);
  static std::uint64_t waiting_of(const Shared& shared, std::string_view name);
  static Waiting waiting(const Shared& shared, std::uint64_t least);

  Shared sessions_;
  Shared users_;
  std::unordered_map<std::string, Queue> queues_;
  std::uint64_t entries_ = 0;
};

}  // namespace toolway::gateway::admission
