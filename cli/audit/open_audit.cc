#include "cli/audit/open_audit.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/process/named_file.h"
#include "cli/stack/run_files.h"
#include "cli/stack/stack.h"

namespace toolway::cli::audit {

using persistence::audit::AuditReader;

std::string data_of(const AuditOptions& options) {
  return options.data.empty() ? stack::StackOptions().data : options.data;
}

Result<AuditReader> open_audit(const AuditOptions& options) {
  if (!options.postgres_file.empty()) {
    ASSIGN_OR_RETURN(const auto text, process::read_named_file(options.postgres_file));
    return AuditReader::open(std::string(trimmed(text, " \t\r\n")));
  }
  if (!options.postgres_url.empty() && options.data.empty())
    return AuditReader::open(options.postgres_url);
  const auto data = data_of(options);
  const auto url = stack::first_line_of(stack::postgres_url_file(data));
  if (!url.empty()) return AuditReader::open(url);
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("no Postgres: no `toolway dev` is running on {}; start it, name its "
                          "directory with --data, or name Postgres with --postgres-url-file or "
                          "TOOLWAY_POSTGRES_URL",
                          data));
}

}  // namespace toolway::cli::audit
