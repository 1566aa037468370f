#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The audit: what its records are, the seals over them, and what both prove. See docs/audit.md.
namespace toolway::persistence::audit {

/// One record of the audit: a row of audit_log without its place. Views of what it was made from.
struct AuditRow {
  std::int64_t at_us = 0;
  std::string_view what;
  std::string_view id;  ///< a UUID in canonical text
  std::uint32_t seq = 0;
  std::string_view tenant_id;
  std::string_view user_id;
  std::string_view method;
  std::string_view key_id;
  std::string_view session_id;
  std::string_view object;
  std::string_view outcome;
  std::string_view code;
  std::optional<std::string_view> details;  ///< JSON; nothing: NULL

  /// Those that are texts, in the order of the columns.
  std::array<std::string_view*, 8> texts() {
    return {&tenant_id, &user_id, &method, &key_id, &session_id, &object, &outcome, &code};
  }
};

/// What is digested: a line that names the form, then of each field its number of bytes, a colon,
/// the field and a newline; `-` for NULL. SQL function audit_text writes the same. Replaces what
/// `to` holds.
void write_canonical(std::string& to, const AuditRow& row);

/// SHA-256 of that: 32 bytes.
std::string digest_of(const AuditRow& row);

}  // namespace toolway::persistence::audit
