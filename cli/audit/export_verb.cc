// `toolway audit export`
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "base/try.h"
#include "cli/audit/open_audit.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"
#include "gateway/wire/time_text.h"
#include "proto/audit_kinds.h"

namespace toolway::cli::audit {
namespace {

using persistence::audit::ExportFilter;

Result<std::optional<WallTime>> moment(std::string_view option, const std::string& text,
                                       WallTime now) {
  if (text.empty()) return std::optional<WallTime>();
  if (const auto found = gateway::wire::parse_moment(text, now)) return found;
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("{} '{}' is neither an age such as 2h or 7d nor a time (RFC 3339)",
                          option, text));
}

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Result<std::optional<std::string>> kind(const std::string& what) {
  if (what.empty() || proto::is_audit_kind(what)) return given(what);
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("--what '{}' is not a kind of record; there are: {}", what,
                          fmt::join(proto::kAuditKinds, ", ")));
}

Result<std::uint64_t> exported(const AuditOptions& options) {
  const auto now = options.clock->wall();
  ExportFilter filter{.since = {}, .until = {}, .tenant = given(options.tenant), .what = {}};
  ASSIGN_OR_RETURN(filter.what, kind(options.what));
  ASSIGN_OR_RETURN(filter.since, moment("--since", options.since, now));
  ASSIGN_OR_RETURN(filter.until, moment("--until", options.until, now));
  ASSIGN_OR_RETURN(auto reader, open_audit(options));
  return reader.export_to(filter, [](std::string_view line) { fmt::print("{}\n", line); });
}

}  // namespace

int export_audit(const AuditOptions& options) {
  const auto count = exported(options);
  return count ? terminal::kExitOk : terminal::report_error(options.view, count.error());
}

}  // namespace toolway::cli::audit
