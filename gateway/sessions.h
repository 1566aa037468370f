#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/async_bus.h"
#include "gateway/problem.h"
#include "gateway/session_request.h"
#include "monitoring/metrics.h"

namespace toolway::gateway {

/// A session as it stood at one revision. Immutable; shared by the requests that use it.
struct Session {
  v1::SessionRecord record;
  SessionKey key;
  std::vector<std::string> namespaces;
  std::uint64_t revision = 0;
};
using SessionPtr = std::shared_ptr<const Session>;

/// How an opened session came about.
struct Opened {
  SessionPtr session;
  bool created = false;
};

/// The sessions of the fleet: a bucket on the bus, and what this gateway remembers of
/// it. What is remembered follows the bucket's changes while the bus is connected,
/// and is forgotten when it is not. On the io_context's thread.
class Sessions {
 public:
  Sessions(bus::Bus& bus, AsyncBus& async_bus, std::shared_ptr<LoopInbox> inbox,
           monitoring::Metrics& metrics, const Clock& clock);
  /// Without the bus nothing is remembered until it is there.
  void watch();

  /// Errors: invalid_identifier, unknown_session, and the bus's.
  Task<Answer<SessionPtr>> find(const Caller& caller, std::string_view session_id);
  /// Compare-and-set: of several gateways that open it at once, one creates it.
  Task<Answer<Opened>> open(SessionRequest request, const Caller& caller);
  void connection_changed(bus::Connection state);
  /// What the bucket holds now, as another gateway or we wrote it.
  void learn(const bus::Entry& entry);

 private:
  void forget_all();
  struct Remembered {
    std::string name;
    SessionPtr session;
  };
  SessionPtr remembered(const std::string& name);
  SessionPtr remember(v1::SessionRecord record, std::uint64_t revision);
  void drop_oldest();

  static constexpr std::size_t kMostBytes = 64 * 1024 * 1024;
  bus::KeyValue bucket_;
  AsyncBus& bus_;
  std::shared_ptr<LoopInbox> inbox_;
  monitoring::Gauge& open_;
  const Clock& clock_;
  std::list<Remembered> by_use_;  // newest first
  std::unordered_map<std::string_view, std::list<Remembered>::iterator> by_name_;
  std::size_t bytes_ = 0;
  std::size_t open_count_ = 0;
  std::unique_ptr<bus::Subscription> watch_;
};

}  // namespace toolway::gateway
