#include "cli/talk/turn_worker.h"

#include <gtest/gtest.h>

namespace toolway::cli::talk {
namespace {

TEST(TurnWorker, StoresStartedBeforeATurnBegins) {
  const auto options = turn_worker_options();
  EXPECT_EQ(options.pool, "chat");
  EXPECT_TRUE(options.starts_first) << "messages are fenced by the attempt's number";
}

TEST(TurnWorker, TellsTheDoorWhoseTurnItIsAndWhereItsMessageIs) {
  v1::CallRequest request;
  request.set_call_id("c");
  request.set_tenant_id("t");
  request.set_session_key("s");
  request.set_arguments("{}");
  bool may = false;
  const auto turn = turn_at_door(request, {.subject = "call.chat", .sequence = 7},
                                 [&](bool told) { may = told; });
  EXPECT_EQ(turn.owner.tenant_id, "t");
  EXPECT_EQ(turn.owner.session_key, "s");
  EXPECT_EQ(turn.id, "c");
  EXPECT_EQ(turn.arguments, "{}");
  EXPECT_EQ(turn.place.subject, "call.chat");
  EXPECT_EQ(turn.place.sequence, 7U);
  turn.answered(true);
  EXPECT_TRUE(may);
}

}  // namespace
}  // namespace toolway::cli::talk
