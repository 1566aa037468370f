// Publications that may go out in groups get the answers that they get singly: on every server, and
// on one that takes batches (nats-server 2.15 and later) some of them do go in one.
#include <fmt/format.h>

#include <csignal>
#include <map>
#include <memory>
#include <mutex>

#include "base/base64.h"
#include "base/json.h"
#include "tests/contract/bus/bus_fixture.h"
#include "tests/support/stopped.h"

namespace toolway::test {
namespace {

using bus::PubAck;
using bus::Publication;
using Answers = std::vector<Result<PubAck>>;

constexpr int kMany = 60;

/// The answers of publications, in their order. Copies share them.
class Collected {
 public:
  bus::PublishHandler at(std::size_t place) {
    return [state = state_, place](Result<PubAck> ack) {
      const std::scoped_lock lock(state->mutex);
      EXPECT_TRUE(state->answers.emplace(place, std::move(ack)).second) << "answered twice";
      state->more.notify_all();
    };
  }
  Answers all(std::size_t count) {
    std::unique_lock lock(state_->mutex);
    EXPECT_TRUE(
        state_->more.wait_for(lock, kPatience, [&] { return state_->answers.size() == count; }));
    Answers answers;
    for (const auto& [place, ack] : state_->answers) answers.push_back(ack);
    return answers;
  }

  std::size_t so_far() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->answers.size();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable more;
    std::map<std::size_t, Result<PubAck>> answers;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

class GroupCommit : public testing::Test {
 protected:
  void SetUp() override {
    server_ = start_nats(directory_.path().string());
    bus_ = connect();
    ASSERT_TRUE(bus_->provision({.pools = {{.name = "native"}}}));
    bus_ = connect();  // finds the streams as they are
    await_groups();
  }

  std::unique_ptr<bus::Bus> connect(std::chrono::milliseconds publish_timeout = kPatience) {
    auto bus = bus::connect_jetstream({.url = server_->url(),
                                       .name = "test",
                                       .publish_timeout = publish_timeout,
                                       .group_commit = true});
    if (!bus) throw std::runtime_error(bus.error().message);
    return std::move(*bus);
  }

  /// Publishes all in one turn of the bus's loop.
  Collected in_one_turn(std::vector<Publication> publications) {
    Collected answers;
    Awaited<bool> published;
    bus_->in_one_turn([&bus = *bus_, answers, all = std::move(publications),
                       done = published.callback()]() mutable {
      for (std::size_t i = 0; i < all.size(); ++i) bus.publish(all[i], answers.at(i));
      done(true);
    });
    EXPECT_TRUE(published.next());
    return answers;
  }

  std::vector<Publication> events(const std::string& name, int count = kMany) {
    std::vector<Publication> all;
    for (int i = 0; i < count; ++i) {
      all.push_back({.subject = fmt::format("event.{}.{}", name, i),
                     .payload = fmt::format("{}-{}", name, i),
                     .expected_last = 0});
    }
    return all;
  }

  Json ask(const std::string& subject, const std::string& text) {
    Awaited<Result<std::string>> answer;
    bus_->request(subject, text, answer.callback());
    const auto said = answer.next();
    if (!said || !*said) return Json::object();
    return parse_json(**said).value_or(Json::object());
  }

  /// Whether the stored message went out in a batch.
  bool grouped(std::uint64_t sequence) {
    const Json answer =
        ask("$JS.API.STREAM.MSG.GET.EVENTS", fmt::format(R"({{"seq":{}}})", sequence));
    const Json message = answer.value("message", Json::object());
    const auto headers = from_base64(message.value("hdrs", ""));
    return headers && headers->find("Nats-Batch-Id") != std::string::npos;
  }

  bool server_groups() {
    const Json config = ask("$JS.API.STREAM.INFO.EVENTS", "").value("config", Json::object());
    return config.value("allow_atomic", false);
  }

  /// The bus learns after it has connected whether the streams take batches.
  void await_groups() {
    if (!server_groups()) return;
    for (;;) {
      const auto answers = in_one_turn(events(fmt::format("warm-{}", ++warmed_), 30)).all(30);
      ASSERT_TRUE(answers.back());
      if (grouped(answers.back()->sequence)) return;
    }
  }

  /// Checks that `event` is stored under the sequence that its answer said.
  void expect_stored(const Publication& event, const Result<PubAck>& ack) {
    ASSERT_TRUE(ack) << ack.error().message;
    Awaited<Result<bus::StoredMessage>> read;
    bus_->last_message("EVENTS", event.subject, bus::ReadFrom::kLeader, read.callback());
    const auto message = read.next();
    ASSERT_TRUE(message && *message);
    EXPECT_EQ((*message)->sequence, ack->sequence);
    EXPECT_EQ((*message)->payload, event.payload);
  }

  std::uint64_t stored(const std::string& stream) {
    Awaited<Result<bus::StreamState>> state;
    bus_->stream_state(stream, state.callback());
    const auto said = state.next();
    return said && *said ? (*said)->messages : 0;
  }

  int warmed_ = 0;
  TempDir directory_;
  std::unique_ptr<local::NatsServer> server_;
  std::unique_ptr<bus::Bus> bus_;
};

TEST_F(GroupCommit, GivesEachItsOwnSequence) {
  const auto all = events("a");
  const auto answers = in_one_turn(all).all(kMany);
  for (std::size_t i = 0; i < all.size(); ++i) expect_stored(all[i], answers[i]);
  EXPECT_EQ(grouped(answers.back()->sequence), server_groups());
}

TEST_F(GroupCommit, RefusesWhatIsOutOfItsChainAndStoresTheRest) {
  auto all = events("a");
  all[7].expected_last = 4711;
  all[40].subject = all[39].subject;  // after one of the same burst
  const auto answers = in_one_turn(all).all(kMany);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 7 || i == 40) {
      ASSERT_FALSE(answers[i]);
      EXPECT_EQ(answers[i].error().code, ErrorCode::kWrongLastSequence);
    } else {
      expect_stored(all[i], answers[i]);
    }
  }
}

TEST_F(GroupCommit, StoresAMessageIdOnce) {
  std::vector<Publication> all;
  for (int i = 0; i < kMany; ++i) {
    all.push_back({.subject = fmt::format("call.native.normal.0.{}", i),
                   .payload = "x",
                   .message_id = fmt::format("id-{}", i == 50 ? 3 : i)});
  }
  const auto first = in_one_turn({all[20]}).all(1);
  ASSERT_TRUE(first[0]);
  const auto answers = in_one_turn(all).all(kMany);
  for (const auto& answer : answers) ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answers[20]->duplicate);
  EXPECT_EQ(answers[20]->sequence, first[0]->sequence);
  EXPECT_TRUE(answers[50]->duplicate);
  EXPECT_EQ(answers[50]->sequence, answers[3]->sequence);
  EXPECT_FALSE(answers[3]->duplicate);
  EXPECT_EQ(stored("CALLS"), static_cast<std::uint64_t>(kMany - 1));
}

TEST_F(GroupCommit, AnswersEachOnceWhenTheServerIsKilledAndKeepsWhatItAcknowledged) {
  auto all = events("a", 600);
  auto answers = in_one_turn(all);
  server_->stop(SIGKILL);
  const auto said = answers.all(all.size());
  ASSERT_TRUE(server_->restart());
  // Until JetStream answers again.
  while (stored("EVENTS") == 0 && !in_one_turn(events("b", 1)).all(1)[0]) {
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (said[i]) {
      expect_stored(all[i], said[i]);
    } else {
      EXPECT_TRUE(said[i].error().code == ErrorCode::kTimeout ||
                  said[i].error().code == ErrorCode::kBusUnavailable);
    }
  }
}

TEST_F(GroupCommit, WhatIsNotAnsweredMayBeStoredAndARepetitionFindsIt) {
  std::vector<Publication> all;
  for (int i = 0; i < 30; ++i) {
    all.push_back({.subject = fmt::format("call.native.normal.0.{}", i),
                   .payload = "x",
                   .message_id = fmt::format("id-{}", i)});
  }
  bus_ = connect(std::chrono::milliseconds(500));
  await_groups();
  auto stopped = std::make_unique<Stopped>(server_->pid());
  const auto unanswered = in_one_turn(all).all(all.size());
  stopped.reset();
  for (const auto& answer : unanswered) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kTimeout) << answer.error().message;
  }
  const auto repeated = in_one_turn(all).all(all.size());
  for (const auto& answer : repeated) ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(repeated.front()->duplicate);
  EXPECT_EQ(stored("CALLS"), all.size());
}

// Such a server stores what it gets of a batch, and answers the last one alone: the others would
// never be answered.
TEST_F(GroupCommit, PublishesSinglyOnceItIsConnectedToAServerThatKnowsNoBatches) {
  const std::string url = server_->url();
  server_->stop(SIGKILL);
  const TempDir directory;
  const char* program = std::getenv("TOOLWAY_NATS_SERVER");
  auto other = local::NatsServer::start(
      {.program = program == nullptr ? "" : program,
       .directory = directory.path().string(),
       .port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)))});
  ASSERT_TRUE(other) << other.error().message;
  const auto old = connect_to(**other);
  const auto answering = old->serve("event.>", "", [](bus::Request request) {
    request.answer(R"({"stream":"EVENTS","seq":1})");
  });
  ASSERT_TRUE(answering);
  while (bus_->connection() != bus::Connection::kConnected ||
         !in_one_turn(events("b", 1)).all(1)[0]) {
  }
  for (const auto& answer : in_one_turn(events("a")).all(kMany))
    EXPECT_TRUE(answer) << answer.error().message;
}

TEST_F(GroupCommit, PublishesSinglyOnceTheStreamTakesNoBatches) {
  ASSERT_TRUE(connect_to(*server_)->provision({.pools = {{.name = "native"}}}));
  EXPECT_FALSE(server_groups());
  const auto all = events("a");
  const auto answers = in_one_turn(all).all(kMany);
  for (std::size_t i = 0; i < all.size(); ++i) expect_stored(all[i], answers[i]);
  EXPECT_FALSE(grouped(answers.back()->sequence));
}

// Also those that wait for the batch before them.
TEST_F(GroupCommit, AnswersEachOnceWhenTheBusIsClosed) {
  const Stopped stopped(server_->pid());
  auto answers = in_one_turn(events("a", 1200));
  bus_.reset();
  EXPECT_EQ(answers.so_far(), 1200U);
}

}  // namespace
}  // namespace toolway::test
