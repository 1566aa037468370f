#include "gateway/endpoints/face_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

namespace toolway::gateway::endpoints {
namespace {

using tools::exports::ModelApi;

/// Events that have come already.
class Told final : public wire::EventStream {
 public:
  explicit Told(std::deque<std::string> events) : events_(std::move(events)) {}
  loop::Task<Turn> next(std::string& out) override {
    if (events_.empty()) co_return Turn::kEnded;
    out += events_.front();
    events_.pop_front();
    co_return Turn::kEvents;
  }
  void stop() override {}
  void quiet_after(std::chrono::milliseconds) override {}
  loop::Task<void> left() override { co_return; }

 private:
  std::deque<std::string> events_;
};

std::string progress(unsigned attempt, const Json& parts) {
  return fmt::format("event: progress\ndata: {}\n\n",
                     to_text(Json{{"attempt", attempt}, {"data", parts}}));
}
std::string says_in(unsigned attempt, std::string_view text) {
  return progress(attempt, Json::array({{{"type", "text"}, {"text", text}}}));
}
std::string calls_in(unsigned attempt) {
  return progress(attempt, Json::array({{{"type", "tool_call"}, {"id", "a"}, {"tool", "t"}}}));
}
std::string replied(std::string_view reply) {
  return fmt::format("event: completed\ndata: {}\n\n",
                     to_text(Json{{"outcome", "succeeded"},
                                  {"result", {{"reply", reply}, {"finish", "replied"}}}}));
}

void run_alone(loop::Task<void> task) {
  asio::io_context io{1};
  bool done = false;
  asio::co_spawn(io, std::move(task), [&done](std::exception_ptr) { done = true; });
  io.run();
  EXPECT_TRUE(done);
}

/// The data of what a client of chat completions reads.
struct Read {
  std::string text;
  std::string finish;
  std::string error;
};

Read read(std::deque<std::string> events) {
  FaceStream stream(std::make_unique<Told>(std::move(events)), ModelApi::kOpenAi, {.id = "c"}, {});
  std::string out;
  const auto all = [&]() -> loop::Task<void> {
    while (co_await stream.next(out) == wire::EventStream::Turn::kEvents) {
    }
  };
  run_alone(all());
  Read read;
  tools::http::SseReader reader([&](const tools::http::SseEvent& event) {
    const auto json = Json::parse(event.data, nullptr, false);
    if (!json.is_object()) return;
    if (json.contains("error")) read.error = json["error"]["message"];
    if (!json.contains("choices") || json["choices"].empty()) return;
    const auto& choice = json["choices"][0];
    read.text += choice["delta"].value("content", "");
    if (choice["finish_reason"].is_string()) read.finish = choice["finish_reason"];
  });
  EXPECT_TRUE(reader.feed(out));
  return read;
}

TEST(FaceStream, MessagesOfATurnAreParagraphs) {
  const auto all =
      read({says_in(1, "I look."), calls_in(1), says_in(1, "Twelve."), replied("Twelve.")});
  EXPECT_EQ(all.text, "I look.\n\nTwelve.");
  EXPECT_EQ(all.finish, "stop");
}

TEST(FaceStream, WhatAnotherAttemptSaysAgainIsShownOnce) {
  const auto all = read({says_in(1, "One two"), says_in(2, "One "), says_in(2, "two three"),
                         replied("One two three")});
  EXPECT_EQ(all.text, "One two three");
  EXPECT_EQ(all.finish, "stop");
}

// Its history came with the request, and nothing of the turn is stored.
TEST(FaceStream, AnotherAttemptBeginsWithTheTurnsFirstMessage) {
  const auto all =
      read({says_in(1, "I look."), calls_in(1), says_in(1, "Tw"), says_in(2, "I look."),
            calls_in(2), says_in(2, "Twelve"), replied("Twelve.")});
  EXPECT_EQ(all.text, "I look.\n\nTwelve.");
  EXPECT_EQ(all.finish, "stop") << all.error;
}

TEST(FaceStream, OneThatAnswersOtherwiseWhenAskedAgainEndsInAnError) {
  for (const auto& events :
       {std::deque{says_in(1, "One two"), says_in(2, "Three"), replied("Three")},
        std::deque{says_in(1, "One two"), says_in(2, "One"), replied("One")}}) {
    const auto all = read(events);
    EXPECT_EQ(all.text, "One two");
    EXPECT_EQ(all.finish, "");
    EXPECT_NE(all.error.find("says something else"), std::string::npos) << all.error;
    EXPECT_NE(all.error.find("call c"), std::string::npos) << all.error;
  }
}

TEST(FaceStream, TheRestOfAReplyComesWithItsEnd) {
  EXPECT_EQ(read({says_in(1, "One"), replied("One two")}).text, "One two");
  EXPECT_EQ(read({replied("One two")}).text, "One two");
}

TEST(FaceStream, AClientThatGoesBeforeTheEndIsNoted) {
  for (const bool ended : {false, true}) {
    int left = 0;
    FaceStream stream(std::make_unique<Told>(std::deque{says_in(1, "One"), replied("One")}),
                      ModelApi::kOpenAi, {}, [&left]() -> loop::Task<void> {
                        ++left;
                        co_return;
                      });
    const auto some = [&]() -> loop::Task<void> {
      std::string out;
      for (int i = 0; i < (ended ? 5 : 2); ++i) co_await stream.next(out);
      co_await stream.left();
    };
    run_alone(some());
    EXPECT_EQ(left, ended ? 0 : 1);
  }
}

}  // namespace
}  // namespace toolway::gateway::endpoints
