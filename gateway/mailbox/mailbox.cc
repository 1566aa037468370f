#include "gateway/mailbox/mailbox.h"

#include <fmt/format.h>

#include <limits>

#include "base/text.h"
#include "base/try.h"
#include "gateway/calls/call_json.h"
#include "gateway/loop/give_way.h"
#include "proto/subjects.h"

namespace toolway::gateway::mailbox {
namespace {

/// Both parts are bigints in the database.
constexpr std::uint64_t kMaxCursorPart = std::numeric_limits<std::int64_t>::max();

/// A whole decimal number without sign or leading zero.
bool read_number(std::string_view text, std::uint64_t& number) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  return parse_number(text, number) && number <= kMaxCursorPart;
}

}  // namespace

std::string cursor_text(MailboxCursor cursor) {
  return cursor == MailboxCursor{} ? "0" : fmt::format("{}-{}", cursor.xid, cursor.number);
}

wire::HttpResult<MailboxCursor> parse_mailbox_cursor(std::string_view text) {
  if (text == "0") return MailboxCursor{};
  const auto dash = text.find('-');
  MailboxCursor cursor;
  if (dash == std::string_view::npos || !read_number(text.substr(0, dash), cursor.xid) ||
      !read_number(text.substr(dash + 1), cursor.number)) {
    return wire::refuse(
        ErrorCode::kInvalidCursor,
        "expected the cursor of a completion, or 0 for the beginning of the mailbox");
  }
  return cursor;
}

MailboxCursor cursor_before(MailboxCursor cursor) {
  if (cursor.number > 0) return {cursor.xid, cursor.number - 1};
  return cursor.xid > 0 ? MailboxCursor{cursor.xid - 1, kMaxCursorPart} : MailboxCursor{};
}

MailboxCursor acknowledged(const v1::SessionRecord& record) {
  return {record.read_xid(), record.read_number()};
}

loop::Task<wire::HttpResult<MailboxPage>> read_mailbox(const MailboxContext& context,
                                                       SessionKey session, MailboxAsked asked) {
  constexpr std::chrono::seconds kRecordWait{1};
  const auto due = context.pages.clock.monotonic();
  const auto recorded = co_await await_recorded(context.recorded, proto::kEventsStream,
                                                proto::session_events_filter(session), kRecordWait);
  auto read = [session, asked](persistence::store::StoreReader& store) {
    return store.mailbox(session, asked.after, asked.limit, asked.parents);
  };
  CO_ASSIGN_OR_RETURN(auto page, co_await answers::read_held_page<persistence::store::MailboxEntry>(
                                     context.pages, due, std::move(read)));
  co_return MailboxPage{std::move(page), recorded != Recorded::kAll};
}

loop::Task<void> write_mailbox(wire::ObjectText& object, std::string& out, const MailboxPage& page,
                               MailboxCursor after) {
  object.begin("completions");
  wire::ListText list(out);
  loop::TextTurn turn(out);
  for (std::size_t i = 0; i < page.rows.size(); ++i) {
    if (turn.is_full()) co_await loop::give_way();
    list.next();
    // The call as it is shown elsewhere, with its cursor as the first member.
    out += R"({"cursor":")" + cursor_text(page.rows[i].cursor) + "\",";
    out += calls::call_json(page.rows[i].call, calls::CallForm::kGet).substr(1);
  }
  list.end();
  object.text("next", cursor_text(page.rows.empty() ? after : page.rows.back().cursor));
  object.boolean("more", page.rows.more);
  object.boolean("behind", page.behind);
}

}  // namespace toolway::gateway::mailbox
