#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace toolway::mcp {

/// The revisions of the Model Context Protocol that this library speaks, oldest first.
enum class Revision { k2024_11_05, k2025_03_26, k2025_06_18, k2025_11_25, k2026_07_28 };
inline constexpr std::array kRevisions{Revision::k2024_11_05, Revision::k2025_03_26,
                                       Revision::k2025_06_18, Revision::k2025_11_25,
                                       Revision::k2026_07_28};

/// Which side may ask the other.
enum class Requests {
  kBothWays,   ///< servers ask clients too (sampling, roots, elicitation)
  kOfClients,  ///< servers put what they want to know into a result (2026-07-28,
               ///< basic/patterns/mrtr)
};

/// What says which revision is spoken.
enum class Opening {
  kHandshake,    ///< `initialize`, once for a connection or session (2025-11-25, basic/lifecycle)
  kEachRequest,  ///< `_meta` of every request (2026-07-28, basic/versioning)
};

/// How a server reports changes that belong to no request.
enum class Changes {
  kUnasked,  ///< over stdio as they come, over HTTP on a GET stream (2025-11-25, basic/transports)
  kSubscription,  ///< on the answer of `subscriptions/listen` (2026-07-28,
                  ///< basic/patterns/subscriptions)
};

/// Who says that a call becomes a task.
enum class Tasks {
  kNone,      ///< there are none
  kByClient,  ///< `params.task` of its request (2025-11-25, basic/utilities/tasks)
  kByServer,  ///< the server, for clients that declare io.modelcontextprotocol/tasks (2026-07-28)
};

/// All that differs between revisions for a client of tools: the one place that says so.
struct RevisionRules {
  Revision revision;
  std::string_view name;  ///< as it travels
  Opening opening;
  Requests requests;
  Changes changes;
  /// Whether the stream of an answer begins with an event that has an id and no data (2025-11-25,
  /// basic/transports, "Sending Messages to the Server").
  bool primes_streams = false;
  Tasks tasks = Tasks::kNone;
};

const RevisionRules& rules_of(Revision revision);
std::string_view revision_name(Revision revision);
/// Nothing: a revision that this library does not speak.
std::optional<Revision> parse_revision(std::string_view name);

/// The newest revision that begins so.
Revision newest_with(Opening opening);

}  // namespace toolway::mcp
