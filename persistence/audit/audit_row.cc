#include "persistence/audit/audit_row.h"

#include <charconv>

#include "base/sha256.h"

namespace toolway::persistence::audit {
namespace {

void add_number(std::string& to, std::int64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  to.append(digits.data(), end);
}

void add_field(std::string& to, std::string_view field) {
  add_number(to, static_cast<std::int64_t>(field.size()));
  to.append(1, ':').append(field).append(1, '\n');
}

void add_number_field(std::string& to, std::int64_t number) {
  std::string digits;
  add_number(digits, number);
  add_field(to, digits);
}

}  // namespace

void write_canonical(std::string& to, const AuditRow& row) {
  to.assign("toolway audit 1\n");
  add_number_field(to, row.at_us);
  add_field(to, row.what);
  add_field(to, row.id);
  add_number_field(to, row.seq);
  for (const auto field : {row.tenant_id, row.user_id, row.method, row.key_id, row.session_id,
                           row.object, row.outcome, row.code})
    add_field(to, field);
  if (row.details)
    add_field(to, *row.details);
  else
    to.append("-\n");
}

std::string digest_of(const AuditRow& row) {
  thread_local std::string text;
  write_canonical(text, row);
  return sha256_bytes(text);
}

}  // namespace toolway::persistence::audit
