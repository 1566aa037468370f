#pragma once

#include "base/try.h"
#include "persistence/conversations/conversation_store.h"

namespace toolway::chat::turns {

/// A store of which a test replaces what it needs; nothing else may be asked.
class FakeConversations : public persistence::conversations::ConversationStore {
 protected:
  using Owner = persistence::conversations::Owner;
  using Opened = persistence::conversations::Opened;
  using Writer = persistence::conversations::Writer;
  using StoredMessage = persistence::conversations::StoredMessage;
  using Taken = persistence::conversations::Taken;
  using Progress = persistence::conversations::CallNotes::Progress;
  using CallNews = persistence::conversations::CallNews;
  using Lease = persistence::conversations::Lease;
  using Arrival = persistence::conversations::Arrival;
  using Arrived = persistence::conversations::Arrived;
  static tl::unexpected<Error> not_asked() { return fail(ErrorCode::kInternal, "not asked"); }

 public:
  Result<TakeResult> take(const Owner&, const Writer&) override { return not_asked(); }
  Result<std::vector<Arrived>> arrive(const std::vector<Arrival>&) override { return not_asked(); }
  Result<std::vector<bool>> are_known(const std::vector<Arrival>&) override { return not_asked(); }
  Result<void> ask_to_stop(const Owner&) override { return not_asked(); }
  Result<Opened> start_new(const Owner&, const Writer&, const std::string&) override {
    return not_asked();
  }
  Result<std::optional<Opened>> left_by(const Owner&, const std::string&,
                                        const std::string&) override {
    return std::optional<Opened>();
  }
  Result<Renewed> renew(const std::vector<Lease>&) override { return not_asked(); }
  Result<void> release(const Owner&, const Writer&) override { return not_asked(); }
  Result<void> leave(const Owner&, const Writer&) override { return not_asked(); }
  Result<void> append(const std::string&, const Writer&, const StoredMessage&,
                      const persistence::conversations::CallNotes&) override {
    return not_asked();
  }
  Result<std::vector<StoredMessage>> last_before(const std::string&, std::uint64_t,
                                                 std::size_t) override {
    return not_asked();
  }
  Result<CallNews> news(const std::string&, const std::string&) override { return CallNews(); }
  Result<persistence::conversations::Reading> read(const std::string& conversation,
                                                   std::uint64_t before,
                                                   std::size_t bytes) override {
    ASSIGN_OR_RETURN(auto messages, last_before(conversation, before, bytes));
    ASSIGN_OR_RETURN(auto found, news(conversation, ""));
    return persistence::conversations::Reading{std::move(messages), std::move(found)};
  }
  Result<bool> count_auto_turn(const std::string&) override { return not_asked(); }
  Result<std::vector<persistence::conversations::Wakeable>> wakeable(
      double, const std::vector<std::string>&) override {
    return not_asked();
  }
  Result<void> stop_waking(const std::string&) override { return not_asked(); }
};

}  // namespace toolway::chat::turns
