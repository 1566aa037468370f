#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/answers/held_page.h"
#include "gateway/calls/streamed_calls.h"
#include "gateway/loop/async_bus.h"
#include "gateway/mailbox/recorded.h"
#include "persistence/store/store_reader.h"

namespace toolway::gateway::mailbox {

/// Whether closing a session waits for calls that wait for approval, too: only when it cancels
/// them, since otherwise they may take days.
enum class AwaitHeld { kNo, kYes };
bool is_awaited(const persistence::store::ManifestCall& call, AwaitHeld held);

/// Every call of a session, and how far it has got.
struct Manifest {
  std::vector<persistence::store::ManifestCall> calls;  ///< oldest first
  std::optional<persistence::store::CallCounts> counts;
  bool truncated = false;  ///< there are more calls than are listed; the counts are exact
  std::string reason;      ///< why it may be incomplete; empty: it is complete
  /// Those of `calls` that only the streams show so far, by call_id.
  std::unordered_map<std::string, calls::StreamedCall> unrecorded;
  wire::MemoryBudget::Share memory;  ///< for all of this

  std::size_t pending() const;
  /// Those of them that a close waits for.
  std::size_t awaited(AwaitHeld held) const;
};

/// The most calls that one manifest lists.
inline constexpr std::size_t kMaxListedCalls = 100'000;

/// The most memory that reading a page takes: a manifest without that much room lists nothing.
inline constexpr std::size_t kManifestPageMemory = 5 * 1024 * 1024;

/// Reads it from the store: what is recorded, as far as there is memory for it. `read`: the
/// mailbox's acknowledged cursor.
loop::Task<Manifest> read_manifest(const answers::PageSources& pages, SessionKey session,
                                   persistence::store::MailboxCursor read);

/// Completes a manifest when not everything accepted before it was read is recorded: why it may be
/// incomplete, and the calls that the streams show besides, with what became of the pending ones.
loop::Task<void> add_unrecorded(const RecordWatch& watch, SessionKey session, Manifest& manifest);

/// Takes over what was already known of calls' ends and is not recorded yet.
void keep_completions(Manifest& manifest, const Manifest& before);

/// Adds calls that the streams show, unless they are listed. Its cost grows with the added calls,
/// not the listed ones.
void add_calls(Manifest& manifest, std::vector<calls::StreamedCall> streamed);

/// Notes the end of a call; false when it is not listed as pending.
bool note_completion(persistence::store::ManifestCall& call, const v1::CallEvent& event);

/// Why closing a session stopped waiting for what is still pending.
enum class Waiting { kNot, kTimedOut, kEndedEarly };

struct ManifestText {
  const v1::SessionRecord& session;
  const std::vector<std::string>& available_tools;
  Waiting waiting = Waiting::kNot;
};
/// On any thread.
std::string manifest_json(const Manifest& manifest, const ManifestText& text);
/// About how long that is.
std::size_t manifest_bytes(const Manifest& manifest, std::size_t tools);

}  // namespace toolway::gateway::mailbox
