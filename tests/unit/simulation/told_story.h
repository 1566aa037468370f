#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gateway/calls/idempotency.h"
#include "tests/simulation/turns/turn_checker.h"

namespace toolway::simulation::turns {

/// Calls as a test has them.
class ToldCalls final : public KnownCalls {
 public:
  std::optional<Known> find(const std::string& call) const override {
    const auto found = all.find(call);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  }
  std::string under(const std::string& key) const override {
    for (const auto& [id, call] : all)
      if (call.key == key) return id;
    return {};
  }
  std::vector<Accepted> accepted(const std::string&) const override { return messages; }
  std::map<std::string, Known> all;
  std::vector<Accepted> messages;
};

/// Attempts as a test has them.
class ToldAttempts final : public KnownAttempts {
 public:
  std::optional<Micros> runs_for(const Writer& writer) const override {
    const auto found = running.find(writer);
    return found == running.end() ? std::nullopt : std::optional(found->second);
  }
  bool asked_to_stop(const Writer& writer) const override { return stopped.contains(writer); }
  std::map<Writer, Micros> running;
  std::set<Writer> stopped;
};

/// Collectors that have recorded nothing.
class NothingRecorded final : public RecordedCalls {
 public:
  std::optional<Micros> ended(const std::string&) const override { return std::nullopt; }
  std::vector<Ended> mailbox(const std::string&, std::uint64_t) const override { return {}; }
  std::uint64_t last_place() const override { return 0; }
};

/// A history of one session by hand: what writers do to the tables, and what the checker is told.
class Story {
 public:
  using Writer = conversations::Writer;

  Story() : checker(world, calls, attempts) {}

  /// A turn of the user, or without `content` one that completions begin.
  void turn(const std::string& id, const std::string& content) {
    calls.all[id] = {.key = {}, .is_turn = true, .content = content};
  }
  /// Message `number` of this conversation makes call `index`, which becomes call `id` of a turn.
  void call(const std::string& id, std::uint64_t number, std::size_t index = 0,
            const std::string& turn = "t1") {
    calls.all[id] = {
        .key = gateway::calls::call_key(fmt::format("{}.{}", conversation, number - 1), index),
        .parent = turn};
  }
  void end(const std::string& call) { calls.all.at(call).ended = true; }
  /// A turn has succeeded, and says which message is its reply.
  void succeed(const std::string& turn, std::uint64_t last_message) {
    auto& known = calls.all.at(turn);
    known.ended = known.succeeded = true;
    known.attempt = 1;
    known.result =
        fmt::format(R"({{"conversation":"{}","last_message":{}}})", conversation, last_message);
  }

  void take(const Writer& writer) {
    conversation = tables.take(owner, writer, world.now()).opened.conversation;
    checker.taken(conversation, writer, "p");
  }
  /// Stored, and told to the checker.
  void add(const Writer& writer, const std::string& body,
           const conversations::CallNotes& notes = {}) {
    const auto message = next(body);
    ASSERT_TRUE(tables.append(conversation, writer, message, notes, world.now()));
    tell(writer, message);
  }
  /// The same with the reply that ends its turn.
  void reply(const Writer& writer) {
    auto message = next(kReply);
    message.ends_turn = true;
    ASSERT_TRUE(tables.append(conversation, writer, message, {}, world.now()));
    tell(writer, message);
  }
  void tell(const Writer& writer, const conversations::StoredMessage& message) {
    checker.added(conversation, writer, message, "p");
    head = message.number;
  }
  conversations::StoredMessage next(const std::string& body) const {
    return {.number = head + 1, .turn = {}, .role = Json::parse(body).at("role"), .body = body};
  }
  void crash() {
    tables.crash();
    checker.rolled_back(tables);
    head = tables.all().back().head;
  }

  /// What was found, a line each.
  std::string found() const {
    std::string lines;
    for (const auto& one : world.violations()) lines += one + "\n";
    return lines;
  }
  std::string found_at_end() {
    checker.check_end(tables);
    return found();
  }

  static std::string user(const std::string& text) {
    return fmt::format(R"({{"role":"user","text":"{}"}})", text);
  }
  static constexpr const char* kReply = R"({"role":"assistant","parts":[{"text":"so"}]})";
  static constexpr const char* kCalls =
      R"({"role":"assistant","parts":[{"call":{"id":"c0"}},{"call":{"id":"c1"}}]})";
  static constexpr const char* kCall = R"({"role":"assistant","parts":[{"call":{"id":"c0"}}]})";
  /// Of kCall; `more`: further members of the result.
  static std::string result(const std::string& ran_as, const std::string& more = "") {
    return fmt::format(R"({{"role":"results","results":[{{"call_id":"c0","ran_as":"{}"{}}}]}})",
                       ran_as, more);
  }
  static constexpr const char* kDetached = R"(,"detached":true)";
  static std::string told(const std::string& call) {
    return fmt::format(R"({{"role":"injected","text":"ended","about":["{}"]}})", call);
  }

  const conversations::Owner owner{"default", "s"};
  World world{1, Trace::kOff};
  ToldCalls calls;
  ToldAttempts attempts;
  NothingRecorded recorded;
  ConversationTables tables{recorded};
  TurnChecker checker;
  std::string conversation;
  std::uint64_t head = 0;
};

}  // namespace toolway::simulation::turns
