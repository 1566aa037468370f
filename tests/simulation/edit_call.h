#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "gateway/calls/log_edit.h"
#include "tests/simulation/node_bus.h"
#include "tests/simulation/tables.h"

namespace toolway::simulation {

/// One change of a call's log at a gateway, a cancellation or a decision: carries the gateway's
/// `LogEdit` over the model of the bus.
class EditCall : public std::enable_shared_from_this<EditCall> {
 public:
  using Done = std::function<void(const gateway::calls::LogEditStep& step)>;
  EditCall(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
           const Clock& clock, gateway::calls::LogEdit edit, Done done = {});

  void begin() { carry(edit_.begin(now())); }

 private:
  void carry(gateway::calls::LogEditStep step);
  void look_up();
  /// Asks, and hands the answer to a function of the machine.
  template <typename T>
  auto hand_to(gateway::calls::LogEditStep (gateway::calls::LogEdit::*next)(
      Result<T>, gateway::calls::LogEdit::Now)) {
    return [self = shared_from_this(), next](Result<T> answer) {
      self->carry((self->edit_.*next)(std::move(answer), self->now()));
    };
  }
  gateway::calls::LogEdit::Now now() const { return {clock_.monotonic(), clock_.wall()}; }

  const Surroundings around_;
  const std::shared_ptr<Process> process_;
  NodeBus& bus_;
  const Clock& clock_;
  gateway::calls::LogEdit edit_;
  const Done done_;  ///< told when it is done; of a refusal nothing
};

/// The call of a request, as a gateway finds it to cancel it; nothing: neither tables nor streams
/// have it.
std::optional<gateway::calls::KnownCall> to_cancel(const v1::CallRequest& request,
                                                   const Tables& tables, Server& server);

}  // namespace toolway::simulation
