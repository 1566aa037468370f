#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gateway/live/feed_cursor.h"
#include "gateway/live/live_order.h"
#include "tests/simulation/lives.h"
#include "tests/simulation/tables.h"

namespace toolway::simulation {

/// A client that follows a session, over any number of connections: where it is, and what it
/// was shown.
struct Reader {
  std::string session;  ///< `event.<shard>.<session>.>`
  persistence::store::EventPosition at{};
  std::vector<std::uint64_t> shown{};
};

/// One connection of a reader at a gateway: carries the gateway's `LiveOrder`, `FeedCursor` and
/// `RecordCursor` over the model of the bus and the tables.
class Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
           const Clock& clock, const Tables& tables, Reader& reader);

  void begin();

 private:
  using Next = void (Follower::*)();
  void subscribe();
  void find_beginning(Next then);
  void begin_cursor();
  void begin_again(bus::Connection state);
  void tell();
  void live(std::string_view subject, std::string_view payload, std::uint64_t sequence);
  void carry();
  void read_record();
  void ask_end(std::function<void(const bus::StreamState&, std::uint64_t recorded)> then,
               std::function<void(Error)> failed);
  void went_on(const Result<void>& read);
  gateway::live::RecordCursor::Page read_store(const gateway::live::RecordCursor& record) const;
  void show();
  void sweep();
  void check_gaps();
  void again(Micros delay, Next what);
  template <typename F>
  auto mine(F what);

  const Surroundings around_;
  const std::shared_ptr<Process> process_;
  NodeBus& bus_;
  const Clock& clock_;
  const Tables& tables_;
  Reader& reader_;
  gateway::live::LiveOrder order_;
  gateway::live::FeedCursor cursor_;
  std::unique_ptr<bus::Subscription> subscription_;
  std::unique_ptr<bus::Subscription> watch_;
  bool finding_ = false;    ///< where live events continue
  bus::Connection told_{};  ///< once that is known
  bool begun_ = false;
  bool busy_ = false;  ///< reading, until it is answered
};

}  // namespace toolway::simulation
