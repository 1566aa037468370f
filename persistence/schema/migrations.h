#pragma once

#include <string>
#include <vector>

namespace toolway::persistence::schema {

/// One file of persistence/migrations/, embedded at build time.
struct Migration {
  unsigned version = 0;
  std::string name;
  std::string sql;
};

/// In order of version, from 1, without gaps.
const std::vector<Migration>& embedded_migrations();

/// FNV-1a of the text, as 16 hex digits: tells an edited migration, not a forged one.
std::string migration_checksum(const Migration& migration);

}  // namespace toolway::persistence::schema
