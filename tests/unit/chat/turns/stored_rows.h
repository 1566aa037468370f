#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "chat/turns/stored_memory.h"
#include "tests/support/test_clock.h"
#include "tests/unit/chat/messages.h"
#include "tests/unit/chat/turns/fake_conversations.h"
#include "tools/messages/message_json.h"

namespace toolway::chat::turns {

/// Rows of one conversation, which one writer has, read by their bytes as Postgres does.
class Rows final : public FakeConversations {
 public:
  Result<void> append(const std::string&, const Writer& writer, const StoredMessage& message,
                      const persistence::conversations::CallNotes& notes) override {
    if (writer != has) return fail(ErrorCode::kWrongLastSequence, "another writes");
    EXPECT_EQ(message.number, rows.size() + 1);
    rows.push_back(message);
    if (!notes.heard.empty()) heard = notes.heard;
    return {};
  }
  Result<std::vector<StoredMessage>> last_before(const std::string&, std::uint64_t before,
                                                 std::size_t bytes) override {
    asked.push_back(bytes);
    std::vector<StoredMessage> found;
    std::size_t read = 0;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (row->number >= before) continue;
      read += row->body.size();
      if (read > bytes && !found.empty()) break;
      found.insert(found.begin(), *row);
    }
    return found;
  }
  Result<CallNews> news(const std::string&, const std::string& after) override {
    ++asked_for_news;
    CallNews news{.untold = waiting, .ended = {}};
    for (const auto& one : ended)
      if (one.place > (after.empty() ? heard : after) && news.ended.size() < kMaxHeard)
        news.ended.push_back(one);
    return news;
  }
  /// `window`: in tokens; what is read at first has as many bytes.
  std::unique_ptr<StoredMemory> open(const Writer& writer, std::size_t window = 100'000) {
    auto memory = StoredMemory::open(*this, {}, writer, {"c", rows.size()}, window, clock);
    EXPECT_TRUE(memory) << memory.error().message;
    return std::move(*memory);
  }
  void add(const tools::messages::Message& message) {
    rows.push_back({.number = rows.size() + 1,
                    .turn = "t",
                    .role = std::string(tools::messages::role_name(message.role)),
                    .body = to_text(tools::messages::message_json(message))});
  }
  std::vector<StoredMessage> rows;
  std::vector<std::size_t> asked;
  std::vector<Progress> waiting;
  std::vector<CallNews::Ended> ended;
  std::string heard;
  int asked_for_news = 0;
  Writer has{"t", 1};
  toolway::test::StoppedClock clock;
};

/// Reads until there is nothing more, or it is enough.
inline void read_all(StoredMemory& memory) {
  for (bool more = true; more;) {
    const auto read = memory.read_further(1);
    ASSERT_TRUE(read) << read.error().message;
    more = *read > 0;
  }
}

inline std::vector<std::string> texts(const StoredMemory& memory) {
  std::vector<std::string> texts;
  for (const auto& message : memory.history().messages())
    texts.push_back(message.role == tools::messages::Role::kAssistant
                        ? tools::messages::text_of(message)
                        : message.text);
  return texts;
}

}  // namespace toolway::chat::turns
