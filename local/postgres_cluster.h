#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace toolway::local {

struct PostgresOptions {
  std::string directory;        ///< of the cluster; made and initialised when missing
  std::uint16_t port = 0;       ///< 0: a free one, kept over restarts of this object
  bool durable = true;          ///< false: fsync off, for tests that never cut the power
  bool sync_when_made = false;  ///< of a new cluster: before it starts, which takes seconds
  bool keep = true;             ///< false: the data is deleted with this object
  std::string log_file{};       ///< empty: postgres.log next to the data
};

/// A private Postgres cluster on loopback. As root it runs as user `postgres`;
/// where that user cannot reach `directory`, the cluster is below
/// /var/lib/toolway instead (see `directory()`). May be stopped by another thread than the one that
/// restarts it.
class PostgresCluster {
 public:
  /// Errors: kNotFound when Postgres is not installed, kTimeout with the end of its log.
  static Result<std::unique_ptr<PostgresCluster>> start(PostgresOptions options);
  virtual ~PostgresCluster() = default;
  /// postgresql://…/toolway; holds a password: never log it.
  virtual std::string url() const = 0;
  /// Where the data really is.
  virtual std::string directory() const = 0;
  virtual int pid() const = 0;
  virtual bool alive() = 0;
  /// SIGINT: fast shutdown; SIGQUIT: at once, as a crash.
  virtual void stop(int signal) = 0;
  virtual Result<void> restart() = 0;
};

}  // namespace toolway::local
