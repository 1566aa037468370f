#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "mcp/message.h"
#include "mcp/revision.h"
#include "mcp/server_info.h"

/// Which revision to speak with a server (2026-07-28, basic/versioning, "Compatibility Matrix").
/// Pure.
namespace toolway::mcp {

/// Speak it: nothing is left to agree on.
struct Speak {
  Revision revision;
  ServerCapabilities capabilities{};
  Implementation server{};
};
/// Say `initialize`, naming this revision.
struct Handshake {
  Revision revision;
};
/// There is none that both speak, or the server's answer makes no sense.
struct NoRevision {
  std::string why;
};
using Agreed = std::variant<Speak, Handshake, NoRevision>;

/// After `server/discover`. `answer` nothing: none came in time, or (over HTTP) one that is not
/// JSON-RPC.
Agreed after_discover(const std::optional<Answer>& answer);
/// After `initialize`.
Agreed after_initialize(const Answer& answer);

/// The newest of `offered` that we speak.
std::optional<Revision> newest_of(std::span<const std::string> offered);

/// Whether an error can only come from a server that knows 2026-07-28 (basic/index, "Error Codes").
bool is_modern_error(std::int64_t code);

}  // namespace toolway::mcp
