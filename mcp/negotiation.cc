#include "mcp/negotiation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

namespace toolway::mcp {
namespace {

NoRevision no_common(std::span<const std::string> theirs) {
  return {fmt::format("the server speaks {}; this client speaks {}", fmt::join(theirs, ", "),
                      fmt::join(kRevisions | std::views::transform(revision_name), ", "))};
}

}  // namespace

std::optional<Revision> newest_of(std::span<const std::string> offered) {
  std::optional<Revision> newest;
  for (const auto& name : offered) {
    if (const auto revision = parse_revision(name); revision && (!newest || *revision > *newest))
      newest = revision;
  }
  return newest;
}

bool is_modern_error(std::int64_t code) {
  return code == kHeaderMismatch || code == kMissingCapability || code == kUnsupportedRevision;
}

Agreed after_discover(const std::optional<Answer>& answer) {
  const Handshake handshake{newest_with(Opening::kHandshake)};
  if (!answer) return handshake;
  std::vector<std::string> offered;
  ServerCapabilities capabilities;
  Implementation server;
  if (answer->result) {
    auto discovered = decode_discover(*answer->result);
    // Some older servers answer whatever they do not know.
    if (!discovered) return handshake;
    offered = std::move(discovered->revisions);
    capabilities = discovered->capabilities;
    server = std::move(discovered->server);
  } else {
    const auto& error = answer->result.error();
    if (!is_modern_error(error.code)) return handshake;
    offered = supported_revisions(error.data);
    if (error.code != kUnsupportedRevision || offered.empty()) {
      return NoRevision{fmt::format("the server refuses server/discover with error {}: {}",
                                    error.code, error.message)};
    }
  }
  const auto newest = newest_of(offered);
  if (!newest) return no_common(offered);
  if (rules_of(*newest).opening == Opening::kHandshake) return Handshake{*newest};
  if (answer->result) return Speak{*newest, capabilities, std::move(server)};
  return NoRevision{
      fmt::format("the server refuses revision {}, but names it as one that it speaks",
                  revision_name(*newest))};
}

Agreed after_initialize(const Answer& answer) {
  if (!answer.result) {
    const auto& error = answer.result.error();
    return NoRevision{
        fmt::format("the server refuses initialize with error {}: {}", error.code, error.message)};
  }
  auto initialized = decode_initialize(*answer.result);
  if (!initialized) return NoRevision{initialized.error().message};
  const auto revision = parse_revision(initialized->revision);
  if (!revision || rules_of(*revision).opening != Opening::kHandshake) {
    const std::string theirs[] = {initialized->revision};
    return no_common(theirs);
  }
  return Speak{*revision, initialized->capabilities, std::move(initialized->server)};
}

}  // namespace toolway::mcp
