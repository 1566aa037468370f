#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "persistence/store/store_reader.h"

namespace toolway::test {

/// What Postgres would answer, from messages that were handed to it instead of to a collector:
/// `StoreReader`'s twin. tests/contract/persistence holds both to one suite. Thread-safe.
class InMemoryStore : public persistence::store::StoreReader {
 public:
  using Position = persistence::store::EventPosition;

  /// What is recorded from now on has this transaction.
  void begin_transaction();
  /// What cannot be decoded is ignored.
  void record_call(std::string_view payload, Position position);
  void record_event(std::string_view payload, Position position);
  void record_session(std::string_view payload, Position position);
  void record_chunk(std::string_view payload);
  /// While it is, every read fails.
  void away(bool is_away);

  Result<std::optional<persistence::store::RecordedCall>> call(const CallId& call) override;
  Result<persistence::store::Page<persistence::store::RecordedCall>> calls_of_session(
      const SessionKey& session, persistence::store::CallState state,
      const std::optional<CallId>& before, persistence::store::PageLimit limit) override;
  Result<persistence::store::Page<persistence::store::RecordedCall>> calls_of_user(
      const persistence::store::CallFilter& filter, const std::optional<CallId>& before,
      persistence::store::PageLimit limit) override;
  Result<persistence::store::Page<persistence::store::MailboxEntry>> mailbox(
      const SessionKey& session, persistence::store::MailboxCursor after,
      persistence::store::PageLimit limit, persistence::store::Parents parents) override;
  Result<std::vector<persistence::store::ManifestCall>> manifest(const SessionKey& session,
                                                                 const std::optional<CallId>& after,
                                                                 std::size_t limit) override;
  Result<persistence::store::CallCounts> counts(const SessionKey& session,
                                                persistence::store::MailboxCursor read) override;
  Result<persistence::store::Page<persistence::store::RecordedSession>> sessions_of_user(
      std::string_view tenant, std::string_view user, std::optional<WallTime> before,
      persistence::store::PageLimit limit) override;
  Result<std::optional<v1::SessionRecord>> session(std::string_view tenant, std::string_view user,
                                                   std::string_view session_id) override;
  Result<persistence::store::Page<persistence::store::RecordedEvent>> events_of_session(
      const SessionKey& session, Position after, persistence::store::PageLimit limit) override;
  Result<persistence::store::Page<persistence::store::RecordedEvent>> events_of_call(
      const CallId& call, Position after, persistence::store::PageLimit limit) override;
  Result<std::vector<persistence::store::BlobPiece>> blob_chunks(const CallId& call,
                                                                 unsigned attempt, unsigned first,
                                                                 unsigned count) override;
  Result<std::uint64_t> blob_chunks_recorded(const CallId& call, unsigned attempt) override;
  Result<std::optional<persistence::store::AcceptedCall>> accepted(const CallId& call) override;
  Result<std::optional<persistence::store::CallAndLog>> call_and_log(const CallId& call) override;
  Result<persistence::store::Page<persistence::store::HeldCall>> held_calls(
      const persistence::store::ApprovalFilter& filter, const std::optional<CallId>& after,
      persistence::store::PageLimit limit) override;
  /// None: collectors make them, and there are none here.
  Result<persistence::audit::RecordPage> audit(const persistence::audit::RecordFilter& /*filter*/,
                                               persistence::audit::RecordPlace after,
                                               std::size_t /*limit*/) override {
    return persistence::audit::RecordPage{.records = {}, .looked_to = after};
  }
  Result<std::optional<persistence::conversations::ConversationHead>> conversation(
      const SessionKey& /*session*/, const std::string& /*id*/) override {
    return std::optional<persistence::conversations::ConversationHead>();
  }
  Result<persistence::conversations::MessagePage> messages(const std::string& /*conversation*/,
                                                           std::uint64_t /*after*/,
                                                           std::size_t /*limit*/) override {
    return persistence::conversations::MessagePage();
  }
  Result<void> ping() override;
  void give_up() override;

 private:
  struct Completion {
    persistence::store::MailboxCursor cursor;
    v1::CallEvent event;
  };
  using Request = std::pair<Position, v1::CallRequest>;

  Result<void> there() const;
  /// Whether the session of that recorded call is.
  bool is_deleted(const std::string& call_id) const;
  const Completion* completion_of(const std::string& call_id) const;
  /// Of the events so far, the newest Started or RetryAt.
  const v1::CallEvent* step_of(const std::string& call_id) const;
  persistence::store::CallState state_of(const std::string& call_id) const;
  persistence::store::RecordedCall recorded(const std::string& call_id) const;
  persistence::store::CallAndLog call_with_log(const std::string& call_id) const;
  persistence::store::HeldCall approval_of(const std::string& call_id) const;
  persistence::store::CallCounts counts_of(const std::string& session,
                                           persistence::store::MailboxCursor read) const;
  template <typename Matches>
  Result<persistence::store::Page<persistence::store::RecordedEvent>> events(
      Matches matches, Position after, persistence::store::PageLimit limit) const;

  mutable std::mutex mutex_;
  bool away_ = false;
  persistence::store::MailboxCursor last_{1, 0};
  std::map<std::string, Request> calls_;           // by call_id, as Postgres orders uuids
  std::map<std::string, Completion> completions_;  // likewise
  std::map<Position, v1::CallEvent> events_;       // completions too, Alive not
  std::map<std::string, std::pair<Position, v1::SessionRecord>> sessions_;  // by session_key
  std::map<std::pair<std::string, unsigned>, std::map<unsigned, std::string>> chunks_;
};

}  // namespace toolway::test
