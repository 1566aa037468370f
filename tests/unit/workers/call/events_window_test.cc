#include "workers/call/events_window.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "tests/support/forwarding_bus.h"

namespace toolway::workers::call {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const WallTime kBegins = from_unix_us(1'800'000'000'000'000);

v1::CallRequest request(WallTime submitted, std::uint32_t publication = 0) {
  v1::CallRequest call;
  call.set_submitted_at_us(to_unix_us(submitted));
  call.set_publication(publication);
  return call;
}

TEST(HoldsLogOf, ACallWhoseFirstMessageIsAMinuteYoungerThanTheWindow) {
  const EventsHeld held{.since = kBegins, .moves = true};
  const WallTime young = kBegins + minutes(1);
  EXPECT_TRUE(holds_log_of(held, request(young), young));
  EXPECT_FALSE(holds_log_of(held, request(young), young - seconds(1)));
  EXPECT_FALSE(holds_log_of(held, request(young - seconds(1)), young))
      << "an older gateway repeats a message";
  EXPECT_TRUE(holds_log_of(held, request(young + minutes(60)), young))
      << "the gateway's clock is ahead";
}

TEST(HoldsLogOf, NoCallThatWasPublishedAgainOnceSomethingHasLeft) {
  const WallTime young = kBegins + minutes(60);
  EXPECT_FALSE(holds_log_of({.since = kBegins, .moves = true}, request(young, 1), young));
  EXPECT_TRUE(holds_log_of({.since = kBegins, .moves = false}, request(young, 1), young));
}

TEST(HoldsLogOf, NoCallThatIsOlderThanTheStream) {
  const EventsHeld whole{.since = kBegins, .moves = false};
  EXPECT_TRUE(holds_log_of(whole, request(kBegins), kBegins));
  EXPECT_TRUE(holds_log_of(whole, request(kBegins - seconds(3)), kBegins))
      << "the gateway's clock is behind";
  EXPECT_FALSE(holds_log_of(whole, request(kBegins), kBegins - seconds(1)));
  EXPECT_FALSE(holds_log_of(whole, request(kBegins - seconds(3), 1000), kBegins + minutes(9)))
      << "made again";
}

/// Keeps what it is asked until it is told to answer.
class SlowBus final : public toolway::test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void stream_state(std::string_view,
                    std::function<void(Result<bus::StreamState>)> handler) override {
    asked.push_back(std::move(handler));
  }
  void answer() {
    auto handler = std::move(asked.front());
    asked.erase(asked.begin());
    handler(bus::StreamState{.incarnation = 5, .first_sequence = ++first_, .messages = 0});
  }
  std::vector<std::function<void(Result<bus::StreamState>)>> asked;

 private:
  std::uint64_t first_ = 1;
};

TEST(EventsWindow, AnAnswerIsNeverOlderThanTheQuestion) {
  const auto memory = bus::make_in_memory_bus({});
  SlowBus slow(*memory);
  const auto window = std::make_shared<EventsWindow>(slow);
  std::vector<std::uint64_t> firsts;
  const auto note = [&](const Result<EventsHeld>& held) { firsts.push_back(held->first_sequence); };
  window->ask(note);
  window->ask(note);
  window->ask(note);
  EXPECT_EQ(slow.asked.size(), 1u);
  slow.answer();
  EXPECT_EQ(firsts, (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(slow.asked.size(), 1u) << "one for both who came later";
  slow.answer();
  EXPECT_EQ(firsts, (std::vector<std::uint64_t>{2, 3, 3}));
  EXPECT_TRUE(slow.asked.empty());
  window->ask(note);
  EXPECT_EQ(slow.asked.size(), 1u) << "nothing is remembered";
  slow.answer();
}

}  // namespace
}  // namespace toolway::workers::call
