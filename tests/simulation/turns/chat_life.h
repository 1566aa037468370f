#pragma once

#include <memory>
#include <string>

#include "chat/turns/lease_keeper.h"
#include "tests/simulation/fiber_executor.h"
#include "tests/simulation/lives.h"
#include "tests/simulation/turns/turn_surroundings.h"

namespace toolway::simulation::turns {

/// A chat process: the real worker with the real turns, doors and leases, put together as
/// cli/talk/chat_process.cc does. Its threads are fibers; the model, the store and the way to a
/// gateway are the world's.
class ChatLife final : public Life {
 public:
  ChatLife(const Surroundings& around, const std::string& name, const NodeClock& clock,
           TurnSurroundings& turns);
  ~ChatLife() override { die(); }
  void die() override;

 private:
  void arm();
  void renew();
  void wake();
  std::shared_ptr<const tools::model::Tool> make_tool();

  const NodeClock& node_clock_;
  TurnSurroundings& turns_;
  SimConversations store_;
  const std::shared_ptr<FiberExecutor> executor_;
  const std::shared_ptr<chat::turns::LeaseKeeper> keeper_;
  std::unique_ptr<workers::pool::CallWorker> worker_;
  Micros armed_ = Micros::max();
};

}  // namespace toolway::simulation::turns
