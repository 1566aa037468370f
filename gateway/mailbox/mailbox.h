#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/answers/held_page.h"
#include "gateway/mailbox/recorded.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/problem.h"
#include "persistence/store/store_reader.h"

namespace toolway::gateway::mailbox {

using persistence::store::MailboxCursor;

/// `<xid>-<number>`; `0` before the first completion.
std::string cursor_text(MailboxCursor cursor);
/// Errors: invalid_cursor.
wire::HttpResult<MailboxCursor> parse_mailbox_cursor(std::string_view text);

/// The largest cursor below `cursor`.
MailboxCursor cursor_before(MailboxCursor cursor);

/// What a session's user has acknowledged.
MailboxCursor acknowledged(const v1::SessionRecord& record);

/// A page of completions, in the order in which they were recorded.
struct MailboxPage : answers::HeldPage<persistence::store::MailboxEntry> {
  bool behind = false;  ///< not everything that happened to the session's calls is recorded yet
};

/// What reading a mailbox needs.
struct MailboxContext {
  const RecordWatch& recorded;
  const answers::PageSources& pages;
};

/// A page of a mailbox.
struct MailboxAsked {
  MailboxCursor after;
  std::size_t limit = 0;  ///< completions at most
  persistence::store::Parents parents = persistence::store::Parents::kAny;
};

/// Waits for what the session's readers may already have seen, for at most a second, and reads.
/// Errors: store_unavailable, overloaded.
loop::Task<wire::HttpResult<MailboxPage>> read_mailbox(const MailboxContext& context,
                                                       SessionKey session, MailboxAsked asked);

/// `completions`, `next`, `more` and `behind` as members of an object, in several turns when they
/// are long; `after`: where the page begins.
loop::Task<void> write_mailbox(wire::ObjectText& object, std::string& out, const MailboxPage& page,
                               MailboxCursor after);

}  // namespace toolway::gateway::mailbox
