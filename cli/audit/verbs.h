#pragma once

#include <string>

#include "base/clock.h"
#include "cli/terminal/view.h"

/// `toolway audit`: whether the record of decisions is as it was sealed, and what it says. Each
/// prints, and returns the exit status.
namespace toolway::cli::audit {

struct AuditOptions {
  std::string postgres_url;   ///< from the environment; a secret
  std::string postgres_file;  ///< file that holds it
  std::string data;           ///< of a running `toolway dev`; empty: .toolway, if that is one
  std::string keys_file;      ///< of verify; empty: that of `toolway dev`
  std::string last;           ///< of verify: NUMBER:MAC, noted earlier
  std::string since;          ///< of export
  std::string until;          ///< likewise
  std::string tenant;         ///< likewise
  std::string what;           ///< likewise
  const Clock* clock = nullptr;
  terminal::View view;
};

/// Status 1 when something is not as it was sealed.
int verify_audit(const AuditOptions& options);
/// NDJSON on standard output.
int export_audit(const AuditOptions& options);

}  // namespace toolway::cli::audit
