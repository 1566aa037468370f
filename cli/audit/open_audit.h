#pragma once

#include "cli/audit/verbs.h"
#include "persistence/audit/audit_reader.h"

namespace toolway::cli::audit {

/// The directory of the `toolway dev` that is asked for.
std::string data_of(const AuditOptions& options);

/// The audit in the database of the file that was named, of the environment, or of a running
/// `toolway dev`. Errors: kInvalidRequest: none of them; those of AuditReader.
Result<persistence::audit::AuditReader> open_audit(const AuditOptions& options);

}  // namespace toolway::cli::audit
