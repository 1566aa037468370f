#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/bus.h"
#include "bus/topology.h"
#include "tests/simulation/broken.h"
#include "tests/simulation/world.h"

namespace toolway::simulation {

/// A client that pulls, follows or serves: how the server reaches it.
struct Client {
  virtual ~Client() = default;
  virtual bool reachable() const = 0;
};

/// What waits at a durable for messages.
struct PullClient {
  std::weak_ptr<Client> client;
  std::size_t allowed = 0;
  std::function<void(const bus::StoredMessage&, std::uint64_t count)> deliver;
};

/// A durable as nats-server keeps it: deliveries are counted, expire and come again.
struct ServerDurable {
  struct Out {
    std::uint64_t count = 0;
    Micros expires{};
  };
  bus::DurableConfig config;
  std::uint64_t next = 1;                         ///< no sequence below was passed over
  std::map<std::uint64_t, Out> outstanding;       ///< delivered, not settled
  std::multimap<Micros, std::uint64_t> due;       ///< to come again, when
  std::map<std::uint64_t, std::uint64_t> counts;  ///< deliveries so far of what is due again
  std::map<std::uint64_t, Micros> unflushed;      ///< acknowledged, and when
  std::vector<std::shared_ptr<PullClient>> pullers;
  bool dispatching = false;

  std::uint64_t ack_floor(std::uint64_t last) const;
};

struct ServerStream {
  bus::StreamConfig config;
  std::uint64_t first = 1;
  std::deque<bus::StoredMessage> messages;  ///< from `first` on
  std::unordered_map<std::string, std::vector<std::uint64_t>> by_subject;
  std::map<std::string, std::pair<std::uint64_t, Micros>> ids;
  std::map<std::string, ServerDurable> durables;

  std::uint64_t last() const { return first + messages.size() - 1; }
  const bus::StoredMessage* at(std::uint64_t sequence) const;
  /// The last one of a subject among those stored up to `seen`; null: none.
  const bus::StoredMessage* last_of(const std::string& subject, std::uint64_t seen) const;
};

/// A model of nats-server with JetStream, with what was learnt about it: acks are flushed
/// late and lost at a restart, an ack of an earlier delivery is honoured, ids are forgotten at a
/// restart, a durable made again delivers everything again. Answers at once; delays, losses and
/// reordering are the connections' part (node_bus.h).
class Server {
 public:
  Server(World& world, const bus::Layout& layout, Broken broken);

  Result<bus::PubAck> store(const bus::Publication& publication);
  void settle(const std::string& reply, bus::Settlement settlement);
  std::shared_ptr<PullClient> pull(const bus::Durable& durable, PullClient puller);
  /// Gives its pullers what there is.
  void dispatch(const std::string& stream, const std::string& durable);

  ServerStream* stream(std::string_view name);
  Result<bus::StreamState> state(std::string_view name);
  Result<bus::ConsumerState> consumer(const bus::Durable& durable);

  // What goes wrong with it.
  void restart();
  void remake_durable(const std::string& stream, const std::string& durable);
  /// Limits drop what is older than `age`, as far as its collectors have it: the guard sees to
  /// that.
  void drop_recorded(const std::string& stream, Micros age);
  /// CALLS and EVENTS are recorded up to there without a gap.
  WallTime recorded_until() const;

  /// Told of everything that is stored.
  std::function<void(const std::string& stream, const bus::StoredMessage&)> stored;

 private:
  World& world_;
  const Broken broken_;
  std::map<std::string, ServerStream, std::less<>> streams_;

  void dispatch_soon(const std::string& stream, const std::string& durable, Micros delay);
  bool take(ServerDurable& durable, const ServerStream& stream, std::uint64_t& sequence,
            std::uint64_t& count);
  void expire(const std::string& stream, const std::string& durable, std::uint64_t sequence);
};

/// `<stream>|<durable>|<sequence>|<count>`: where a delivery is settled.
std::string reply_of(const bus::Durable& durable, std::uint64_t sequence, std::uint64_t count);

}  // namespace toolway::simulation
