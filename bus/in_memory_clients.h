#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bus/bus.h"
#include "bus/handler_gate.h"

/// What an in-memory bus keeps of those who use it. Guarded by the bus's mutex, except the gates.
namespace toolway::bus {

/// One pull client: how much it may still be given.
struct PullClient {
  Durable durable;
  DeliveryHandler handler;
  std::size_t allowed = 0;
  bool stopped = false;
  HandlerGate gate;
};

struct Follower {
  std::string filter;
  LiveHandler handler;
  HandlerGate gate;
};

struct Server {
  std::string filter;
  std::string group;
  RequestHandler handler;
  HandlerGate gate;
};

struct Watcher {
  std::function<void(Connection)> handler;
  HandlerGate gate;
};

/// Runs `end` and closes the gate when destroyed.
template <typename Holder>
class InMemorySubscription final : public Subscription {
 public:
  InMemorySubscription(std::shared_ptr<Holder> holder, std::function<void()> end)
      : holder_(std::move(holder)), end_(std::move(end)) {}
  ~InMemorySubscription() override {
    end_();
    holder_->gate.close();
  }

 private:
  std::shared_ptr<Holder> holder_;
  std::function<void()> end_;
};

}  // namespace toolway::bus
