#include "gateway/calls/call_looks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "bus/in_memory_bus.h"
#include "proto/codec.h"
#include "tests/support/forwarding_bus.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::calls {
namespace {

/// Keeps questions until the test answers them.
class KeptQuestions final : public test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void last_message(std::string_view, std::string subject, bus::ReadFrom,
                    bus::MessageHandler handler) override {
    subjects.push_back(std::move(subject));
    open.push_back(std::move(handler));
  }
  void answer(const Result<bus::StoredMessage>& message) {
    for (const auto& handler : std::exchange(open, {})) handler(message);
  }
  std::vector<std::string> subjects;  ///< of all that were asked
  std::vector<bus::MessageHandler> open;
};

class CallLooksTest : public testing::Test {
 protected:
  // Who asked lives in the loop, which ends before the bus.
  ~CallLooksTest() override { bus_.open.clear(); }
  std::shared_ptr<CallLook> look(std::string subject) {
    auto look = std::make_shared<CallLook>();
    look->subject = std::move(subject);
    look->told = [this](const v1::CallEvent& event) { told_.push_back(event.call_id()); };
    return look;
  }
  /// Until nothing happens any more.
  void settle() {
    loop_.io().restart();
    while (loop_.io().poll() > 0) {
    }
  }

  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  KeptQuestions bus_{*memory_};
  BusLoop loop_{bus_};
  CallLooks looks_{loop_.bus(), loop_.io().get_executor()};
  std::vector<std::string> told_;
};

TEST_F(CallLooksTest, OnlyAFewAreOpenAtOnceAndTheOthersTakeTheirTurn) {
  std::vector<std::shared_ptr<CallLook>> looks;
  for (std::size_t i = 0; i < 2 * CallLooks::kAtOnce + 1; ++i) {
    looks.push_back(look(fmt::format("{}", i)));
    looks_.ask(*looks.back());
  }
  settle();
  EXPECT_EQ(bus_.open.size(), CallLooks::kAtOnce);
  bus_.answer(fail(ErrorCode::kTimeout, "no answer"));
  settle();
  EXPECT_EQ(bus_.open.size(), CallLooks::kAtOnce);
  bus_.answer(fail(ErrorCode::kTimeout, "no answer"));
  settle();
  EXPECT_EQ(bus_.open.size(), 1U);
  for (std::size_t i = 0; i < looks.size(); ++i) EXPECT_EQ(bus_.subjects[i], fmt::format("{}", i));
  bus_.answer(fail(ErrorCode::kTimeout, "no answer"));
  settle();
  looks_.ask(*looks.front());
  settle();
  EXPECT_EQ(bus_.open.size(), 1U) << "it can be asked again";
}

TEST_F(CallLooksTest, IsToldWhatTheLastEventIs) {
  const auto one = look("one");
  looks_.ask(*one);
  looks_.ask(*one);
  settle();
  ASSERT_EQ(bus_.open.size(), 1U) << "it is asked already";
  v1::CallEvent event;
  event.set_call_id("0192a000-0000-7000-8000-000000000001");
  event.set_session_key("0123456789abcdef0123456789abcdef");
  event.mutable_started();
  bus_.answer(bus::StoredMessage{
      .subject = {}, .payload = proto::encode(event), .sequence = 1, .stored_at = {}});
  settle();
  EXPECT_EQ(told_, std::vector<std::string>{event.call_id()});
}

TEST_F(CallLooksTest, OneThatIsGoneIsNeitherAskedNorTold) {
  std::vector<std::shared_ptr<CallLook>> looks;
  for (std::size_t i = 0; i <= CallLooks::kAtOnce; ++i) {
    looks.push_back(look("x"));
    looks_.ask(*looks.back());
  }
  settle();
  looks.clear();
  bus_.answer(fail(ErrorCode::kTimeout, "no answer"));
  settle();
  EXPECT_EQ(bus_.subjects.size(), CallLooks::kAtOnce);
  EXPECT_TRUE(told_.empty());
}

TEST_F(CallLooksTest, OneThatWaitsForItGivesUp) {
  const auto one = look("one");
  loop_.run(looks_.ask(*one, std::chrono::milliseconds(10)));
  EXPECT_TRUE(one->asked);
  EXPECT_EQ(one->done, nullptr);
}

}  // namespace
}  // namespace toolway::gateway::calls
