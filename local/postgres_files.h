#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

/// The files of a private cluster: where they may be, who owns them, what they contain.
namespace toolway::local {

/// The directory with initdb and postgres, of the newest installed version. Errors: kNotFound.
Result<std::string> postgres_programs();

/// The user the server must run as: `postgres` when we are root, which Postgres
/// refuses to run as; empty: as we are.
std::string postgres_user();

/// `wanted`, or a directory below /var/lib/toolway named after it, where `user` cannot reach that.
std::string reachable_directory(const std::string& wanted, const std::string& user);

/// Makes a directory that only `user` may enter (and root).
Result<void> make_private_directory(const std::string& path, const std::string& user);

/// Writes a file that only `user` may read (and root), through a rename; synced, since a password
/// that a power cut took would be replaced, and the cluster would know only the old one.
Result<void> write_private_file(const std::string& path, const std::string& text,
                                const std::string& user);

/// The password in `path`, made on the first call.
Result<std::string> password_file(const std::string& path, const std::string& user);

/// The whole of postgresql.conf.
std::string postgres_configuration(std::uint16_t port, bool durable);

}  // namespace toolway::local
