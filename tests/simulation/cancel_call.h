#pragma once

#include <memory>
#include <optional>

#include "gateway/calls/cancelling.h"
#include "tests/simulation/node_bus.h"
#include "tests/simulation/tables.h"

namespace toolway::simulation {

/// One request to cancel a call at a gateway: finds the call as the gateway does, in the store or,
/// before it is recorded, in the stream, and carries the gateway's `Cancelling` over the model of
/// the bus.
class CancelCall : public std::enable_shared_from_this<CancelCall> {
 public:
  CancelCall(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
             const Clock& clock, gateway::calls::ToCancel call);

  void begin() { carry(cancelling_.begin(now())); }

 private:
  void carry(gateway::calls::CancelStep step);
  void look_up();
  /// Asks, and hands the answer to a function of the machine.
  template <typename T>
  auto hand_to(gateway::calls::CancelStep (gateway::calls::Cancelling::*next)(
      Result<T>, gateway::calls::Cancelling::Now)) {
    return [self = shared_from_this(), next](Result<T> answer) {
      self->carry((self->cancelling_.*next)(std::move(answer), self->now()));
    };
  }
  gateway::calls::Cancelling::Now now() const { return {clock_.monotonic(), clock_.wall()}; }

  const Surroundings around_;
  const std::shared_ptr<Process> process_;
  NodeBus& bus_;
  const Clock& clock_;
  gateway::calls::Cancelling cancelling_;
};

/// The call of a request, as a gateway finds it to cancel it; nothing: neither tables nor streams
/// have it.
std::optional<gateway::calls::ToCancel> to_cancel(const v1::CallRequest& request,
                                                  const Tables& tables, Server& server);

}  // namespace toolway::simulation
