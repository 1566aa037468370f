#pragma once

#include <memory>
#include <string>

#include "chat/turns/lease_keeper.h"
#include "tests/simulation/lives.h"
#include "tests/simulation/turns/turn_surroundings.h"

namespace toolway::simulation::turns {

/// A chat process: the real worker with the real turns, doors, leases and waker. Its threads are
/// fibers; the model, the store and the way to a gateway are the world's.
class ChatLife final : public WorkingLife {
 public:
  ChatLife(const Surroundings& around, const std::string& name, const NodeClock& clock,
           TurnSurroundings& turns);
  ~ChatLife() override { die(); }
  void die() override;
  /// Runs an attempt of a turn, on its fiber.
  tools::model::Execution run_turn(const Json& arguments, tools::model::ToolContext& context,
                                   tools::model::Progress& progress);

 private:
  void pause_now();
  void renew();
  void wake();
  std::shared_ptr<const tools::model::Tool> make_tool();

  TurnSurroundings& turns_;
  SimConversations store_;
  const std::shared_ptr<FiberExecutor> executor_;
  const std::shared_ptr<chat::turns::LeaseKeeper> keeper_;
  const std::shared_ptr<const tools::model::Tool> tool_;
};

}  // namespace toolway::simulation::turns
