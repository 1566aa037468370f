// What logout and the mailbox decide without a bus.
#include <gtest/gtest.h>

#include "base/json.h"
#include "gateway/mailbox/mailbox.h"
#include "gateway/mailbox/manifest.h"
#include "gateway/sessions/close_request.h"

namespace toolway::gateway::sessions {
namespace {

using persistence::store::CallState;

TEST(SessionClosing, KeepsTheDigestOfASessionThatHasGainedNamespaces) {
  const SessionClosing closing{.how = v1::SessionRecord::CLOSING_DETACH,
                               .now = from_unix_us(7),
                               .seen = {"time"},
                               .toolset_digest = "of time"};
  v1::SessionRecord record;
  record.set_state(v1::SessionRecord::STATE_OPEN);
  record.add_namespaces("time");
  record.set_toolset_digest("older");
  v1::SessionRecord gained = record;
  gained.add_namespaces("zoo");
  EXPECT_TRUE(closing(record));
  EXPECT_EQ("of time", record.toolset_digest());
  EXPECT_EQ(v1::SessionRecord::CLOSING_DETACH, record.closing());
  EXPECT_EQ(7, record.closed_at_us());
  EXPECT_TRUE(closing(gained));
  EXPECT_EQ("older", gained.toolset_digest());
  EXPECT_FALSE(closing(gained)) << "it is closed";
}

TEST(CloseRequest, HasDefaultsAndBounds) {
  const auto empty = parse_close_request("");
  ASSERT_TRUE(empty);
  EXPECT_EQ(v1::SessionRecord::CLOSING_WAIT, empty->pending);
  EXPECT_EQ(std::chrono::seconds(30), empty->timeout);
  const auto cancel = parse_close_request(R"({"pending":"cancel","timeout_ms":300000})");
  ASSERT_TRUE(cancel);
  EXPECT_EQ(v1::SessionRecord::CLOSING_CANCEL, cancel->pending);
  EXPECT_EQ(std::chrono::minutes(5), cancel->timeout);
  for (const char* body : {R"({"pending":"expired"})", R"({"pending":1})",
                           R"({"timeout_ms":300001})", R"({"timeout_ms":0})", R"({"timeout":1})"}) {
    const auto refused = parse_close_request(body);
    ASSERT_FALSE(refused) << body;
    EXPECT_EQ(ErrorCode::kInvalidRequest, refused.error().error.code) << body;
  }
  EXPECT_EQ(ErrorCode::kMalformedJson, parse_close_request("{").error().error.code);
}

TEST(DeleteRequest, HasDefaultsAndBounds) {
  const auto parsed = [](const std::string& query) {
    return parse_delete_request(*wire::Target::parse("/v1/sessions/s" + query));
  };
  EXPECT_FALSE(parsed("")->cancel);
  EXPECT_EQ(std::chrono::seconds(30), parsed("")->timeout);
  EXPECT_TRUE(parsed("?pending=cancel&timeout_ms=300000")->cancel);
  EXPECT_EQ(std::chrono::minutes(5), parsed("?pending=cancel&timeout_ms=300000")->timeout);
  for (const char* query : {"?pending=wait", "?timeout_ms=0", "?timeout_ms=300001", "?force=1"})
    EXPECT_FALSE(parsed(query)) << query;
}

TEST(SessionDeletion, LeavesNameAndKeyOfThatSessionAlone) {
  const SessionDeletion deletion{.key = SessionKey::make(), .now = from_unix_us(9)};
  v1::SessionRecord record;
  record.set_user_id("ann");
  record.set_session_id("s");
  record.set_session_key(deletion.key.text());
  record.set_metadata(R"({"secret":1})");
  record.add_namespaces("time");
  record.set_toolset_digest("d");
  v1::SessionRecord other = record;
  other.set_session_key(SessionKey::make().text());
  EXPECT_FALSE(deletion(other)) << "it has the name since";
  EXPECT_EQ(R"({"secret":1})", other.metadata());
  EXPECT_TRUE(deletion(record));
  EXPECT_EQ(v1::SessionRecord::STATE_DELETED, record.state());
  EXPECT_EQ(deletion.key.text(), record.session_key());
  EXPECT_EQ("s", record.session_id());
  EXPECT_EQ(9, record.closed_at_us());
  EXPECT_TRUE(record.metadata().empty());
  EXPECT_TRUE(record.namespaces().empty());
  EXPECT_TRUE(record.toolset_digest().empty());
}

TEST(MailboxCursorText, IsReadBackAndNothingElseIs) {
  for (const persistence::store::MailboxCursor cursor :
       {persistence::store::MailboxCursor{}, persistence::store::MailboxCursor{1, 0},
        persistence::store::MailboxCursor{7, 42},
        persistence::store::MailboxCursor{9223372036854775807ULL, 9223372036854775807ULL}}) {
    const auto parsed = mailbox::parse_mailbox_cursor(mailbox::cursor_text(cursor));
    ASSERT_TRUE(parsed) << mailbox::cursor_text(cursor);
    EXPECT_EQ(cursor, *parsed);
  }
  for (const char* text : {"", "-", "1", "1-", "-1", "01-1", "1-01", "1-1-1", " 1-1", "1 -1",
                           "+1-1", "a-b", "9223372036854775808-1", "1-99999999999999999999"}) {
    EXPECT_FALSE(mailbox::parse_mailbox_cursor(text)) << text;
  }
}

TEST(MailboxCursorText, ItsPredecessorLiesDirectlyBefore) {
  EXPECT_EQ((persistence::store::MailboxCursor{3, 6}), mailbox::cursor_before({3, 7}));
  EXPECT_LT(mailbox::cursor_before({3, 0}), (persistence::store::MailboxCursor{3, 0}));
  EXPECT_GT(mailbox::cursor_before({3, 0}), (persistence::store::MailboxCursor{2, 1'000'000'000}));
  EXPECT_EQ(persistence::store::MailboxCursor{}, mailbox::cursor_before({}));
}

persistence::store::ManifestCall call(const std::string& id, CallState state) {
  persistence::store::ManifestCall call;
  call.call_id = id;
  call.labels.set_namespace_("time");
  call.labels.set_tool("now");
  call.state = state;
  if (state == CallState::kCompleted) call.outcome = v1::OUTCOME_SUCCEEDED;
  return call;
}

v1::CallEvent failed(const std::string& code) {
  v1::CallEvent event;
  event.mutable_completed()->set_outcome(v1::OUTCOME_FAILED);
  event.mutable_completed()->mutable_error()->set_code(code);
  return event;
}

Json shown(const mailbox::Manifest& manifest, mailbox::Waiting waiting) {
  v1::SessionRecord record;
  record.set_session_id("s");
  record.set_closing(v1::SessionRecord::CLOSING_DETACH);
  record.add_namespaces("time");
  const std::vector<std::string> tools{"time.now"};
  return Json::parse(mailbox::manifest_json(manifest, {record, tools, waiting}));
}

TEST(ManifestText, CountsWhatItListsAndWhatEndedAfterTheStoreCounted) {
  mailbox::Manifest manifest;
  manifest.calls = {call("a", CallState::kCompleted), call("b", CallState::kRunning),
                    call("c", CallState::kQueued)};
  manifest.counts =
      persistence::store::CallCounts{.queued = 1, .running = 1, .completed = 1, .unread = 0};
  EXPECT_EQ(2U, manifest.pending());
  EXPECT_FALSE(mailbox::note_completion(manifest.calls[0], failed("x")));
  EXPECT_TRUE(mailbox::note_completion(manifest.calls[1], failed("boom")));
  const Json json = shown(manifest, mailbox::Waiting::kTimedOut);
  EXPECT_EQ((Json{{"queued", 1}, {"running", 0}, {"held", 0}, {"completed", 2}, {"unread", 1}}),
            json["counts"]);
  EXPECT_EQ("boom", json["completed_calls"][1]["error_code"]);
  EXPECT_EQ("failed", json["completed_calls"][1]["outcome"]);
  EXPECT_EQ("c", json["pending_calls"][0]["call_id"]);
  EXPECT_EQ(true, json["pending_calls"][0]["timed_out"]);
  EXPECT_EQ("detach", json["closing"]);
  EXPECT_EQ(true, json["complete"]);
  EXPECT_TRUE(json["reason"].is_null());
}

TEST(ManifestText, SaysWhenItIsNotComplete) {
  mailbox::Manifest manifest;
  manifest.reason = "the database does not say";
  Json json = shown(manifest, mailbox::Waiting::kNot);
  EXPECT_EQ(false, json["complete"]);
  EXPECT_EQ("the database does not say", json["reason"]);
  EXPECT_TRUE(json["counts"].is_null());
  manifest = {};
  manifest.calls = {call("a", CallState::kQueued)};
  manifest.counts =
      persistence::store::CallCounts{.queued = 200'000, .running = 0, .completed = 0, .unread = 0};
  manifest.truncated = true;
  json = shown(manifest, mailbox::Waiting::kNot);
  EXPECT_EQ(false, json["complete"]);
  EXPECT_EQ(200'000, json["counts"]["queued"]);
  EXPECT_EQ(false, json["pending_calls"][0]["timed_out"]);
}

TEST(ManifestText, KeepsAnEndThatIsNotRecordedYet) {
  mailbox::Manifest before;
  before.calls = {call("a", CallState::kRunning), call("b", CallState::kRunning)};
  mailbox::note_completion(before.calls[0], failed("boom"));
  mailbox::Manifest newest;
  newest.calls = {call("a", CallState::kRunning), call("b", CallState::kRunning),
                  call("c", CallState::kQueued)};
  mailbox::keep_completions(newest, before);
  EXPECT_EQ(2U, newest.pending());
  EXPECT_EQ("boom", newest.calls[0].error_code);
}

calls::StreamedCall streamed(const std::string& id) {
  calls::StreamedCall call;
  call.call.call_id = id;
  return call;
}

std::string ids(const mailbox::Manifest& manifest) {
  std::string text;
  for (const auto& call : manifest.calls) text += call.call_id;
  return text;
}

TEST(ManifestCalls, ThatTheStreamsShowAreAddedOnceInOrder) {
  mailbox::Manifest manifest;
  manifest.calls = {call("b", CallState::kCompleted), call("d", CallState::kRunning)};
  mailbox::add_calls(manifest, {streamed("d"), streamed("f"), streamed("e"), streamed("f")});
  EXPECT_EQ(ids(manifest), "bdef");
  EXPECT_EQ(manifest.unrecorded.size(), 2U);
  mailbox::add_calls(manifest, {streamed("c"), streamed("a")});  // older than what is listed
  EXPECT_EQ(ids(manifest), "abcdef");
  EXPECT_EQ(manifest.calls[1].state, CallState::kCompleted);
}

TEST(ManifestCalls, ThatTheStreamsShowedBeforeAreKept) {
  mailbox::Manifest before;
  before.calls = {call("b", CallState::kRunning)};
  mailbox::add_calls(before, {streamed("a"), streamed("c"), streamed("d")});
  mailbox::note_completion(before.calls[3], failed("boom"));
  mailbox::Manifest newest;
  newest.calls = {call("b", CallState::kRunning), call("c", CallState::kQueued)};
  newest.reason = "not all is recorded";
  mailbox::keep_completions(newest, before);
  EXPECT_EQ(ids(newest), "abcd");
  EXPECT_EQ(newest.calls[3].error_code, "boom");
  EXPECT_EQ(newest.unrecorded.size(), 2U);
}

}  // namespace
}  // namespace toolway::gateway::sessions
