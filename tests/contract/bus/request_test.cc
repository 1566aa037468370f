#include <algorithm>

#include "proto/subjects.h"
#include "tests/contract/bus/bus_fixture.h"

namespace toolway::test {
namespace {

class RequestContract : public BusContract {
 protected:
  /// The server knows of all subscriptions so far: it has answered what was sent after them.
  void subscribed() {
    Awaited<Result<bus::StreamState>> state;
    bus().stream_state("CALLS", state.callback());
    ASSERT_TRUE(state.next());
  }
  Result<std::string> ask(const std::string& subject, const std::string& question) {
    Awaited<Result<std::string>> answer;
    subject_->other().request(subject, question, answer.callback());
    return answer.next().value_or(fail(ErrorCode::kInternal, "the handler was never called"));
  }
};

TEST_P(RequestContract, HandsOutTheAnswer) {
  auto served = bus().serve("ctl.*", "", [](bus::Request request) {
    request.answer(request.subject + " heard " + request.payload);
    request.answer("twice");  // goes nowhere
  });
  ASSERT_TRUE(served);
  subscribed();
  EXPECT_EQ(ask("ctl.w1", "one"), "ctl.w1 heard one");
  EXPECT_EQ(ask("ctl.w2", "two"), "ctl.w2 heard two");
}

TEST_P(RequestContract, SaysWhenNoResponderIsThere) {
  const auto answer = ask("ctl.nobody", "?");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
}

TEST_P(RequestContract, SaysWhenNoResponderAnswers) {
  auto served = bus().serve("ctl.mute", "", [](bus::Request) {});
  ASSERT_TRUE(served);
  subscribed();
  const auto answer = ask("ctl.mute", "?");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kTimeout);
}

TEST_P(RequestContract, AsksOneOfAGroupAndTellsAllOthers) {
  Awaited<std::string> heard;
  std::vector<std::unique_ptr<bus::Subscription>> served;
  for (const char* group : {"collectors", "collectors", ""}) {
    auto one = bus().serve("lookup", group,
                           [callback = heard.callback(), group](bus::Request) { callback(group); });
    ASSERT_TRUE(one);
    served.push_back(std::move(*one));
  }
  subscribed();
  subject_->other().tell("lookup", "call");
  std::vector<std::string> groups{heard.next().value_or("none"), heard.next().value_or("none")};
  std::sort(groups.begin(), groups.end());
  EXPECT_EQ(groups, (std::vector<std::string>{"", "collectors"}));
  served.clear();
  subscribed();
  EXPECT_FALSE(ask("lookup", "?"));
  EXPECT_FALSE(heard.next(std::chrono::milliseconds(0)));
}

TEST_P(RequestContract, NamesTheDurables) {
  Awaited<Result<std::vector<std::string>>> names;
  bus().durables("CALLS", names.callback());
  const auto found = names.next();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, (std::vector<std::string>{"collector", "native-bulk-0", "native-normal-0"}));
  for (const auto& name : **found) {
    const auto durable = proto::parse_call_durable(name);
    EXPECT_EQ(durable.has_value(), name != "collector") << name;
    if (!durable) continue;
    EXPECT_EQ(proto::call_durable(durable->pool, durable->lane, durable->partition), name);
  }
  bus().durables("NOSUCH", names.callback());
  const auto none = names.next();
  ASSERT_TRUE(none && !*none);
  EXPECT_EQ(none->error().code, ErrorCode::kNotFound);
}

TEST_P(RequestContract, TellsWhoWaitsForCallsAndWhatWasDelivered) {
  const bus::Durable pool{"CALLS", "native-normal-0"};
  const auto state = [&] {
    Awaited<Result<bus::ConsumerState>> answer;
    bus().consumer_state(pool, answer.callback());
    return answer.next()
        .value_or(fail(ErrorCode::kInternal, "never called"))
        .value_or(bus::ConsumerState{});
  };
  EXPECT_EQ(state().waiting, 0U);
  const auto session = SessionKey::make();
  const auto ack = publish_surely(
      {.subject = proto::call_subject("native", proto::Lane::kNormal, 0, session), .payload = "x"});
  EXPECT_EQ(state().delivered, 0U);
  Awaited<bool> came;
  std::vector<bus::Delivery> kept;
  auto pull = bus().pull(pool, [&, callback = came.callback()](bus::Delivery delivery) {
    kept.push_back(std::move(delivery));
    callback(true);
  });
  pull->allow(2);
  ASSERT_TRUE(came.next());
  EXPECT_EQ(state().delivered, ack.sequence);
  EXPECT_EQ(state().waiting, 1U);
  pull.reset();
}

// A collector once crashed at its end: an answer came, and its handler asked the next question.
TEST_P(RequestContract, AnswersWhatHandlersAskWhileItIsClosed) {
  auto served = bus().serve("ctl.mute", "", [](bus::Request) {});
  ASSERT_TRUE(served);
  subscribed();
  Awaited<ErrorCode> heard;
  const auto told = [](const auto& answer) {
    return answer ? ErrorCode::kInternal : answer.error().code;
  };
  bus().request(
      "ctl.mute", "?",
      [told, asked = &bus(), callback = heard.callback()](const Result<std::string>& first) {
        callback(told(first));
        asked->stream_state("EVENTS", [told, callback](const Result<bus::StreamState>& second) {
          callback(told(second));
        });
      });
  served->reset();
  subject_.reset();
  EXPECT_EQ(heard.next(), ErrorCode::kShuttingDown);
  EXPECT_TRUE(heard.next());
  EXPECT_EQ(heard.waiting(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Buses, RequestContract,
                         testing::Values(Implementation::kInMemory, Implementation::kJetStream),
                         implementation_name);

}  // namespace
}  // namespace toolway::test
