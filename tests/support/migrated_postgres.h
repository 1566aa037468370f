#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "local/postgres_cluster.h"
#include "persistence/schema/migrate.h"
#include "tests/support/temp_dir.h"

namespace toolway::test {

inline std::unique_ptr<local::PostgresCluster> start_postgres(const std::string& directory) {
  auto cluster = local::PostgresCluster::start({.directory = directory, .durable = false});
  if (!cluster) throw std::runtime_error(cluster.error().message);
  return std::move(*cluster);
}

/// A cluster as the migrations left it, stopped: what tests copy.
class MigratedPostgres {
 public:
  MigratedPostgres() {
    const auto cluster = start_postgres(path());
    const auto migrated = persistence::schema::migrate(cluster->url());
    if (!migrated) throw std::runtime_error(migrated.error().message);
    cluster->stop(SIGINT);
  }
  std::string path() const { return directory_ / "pg"; }

 private:
  TempDir directory_;
};

/// Files keep their owners: as root, Postgres runs as another user.
inline void copy_with_owners(const std::filesystem::path& from, const std::filesystem::path& to) {
  namespace fs = std::filesystem;
  const auto take_over = [](const fs::path& original, const fs::path& copy) {
    struct stat status{};
    if (lstat(original.c_str(), &status) != 0 ||
        lchown(copy.c_str(), status.st_uid, status.st_gid) != 0)
      throw std::runtime_error("cannot give " + copy.string() + " its owner");
  };
  fs::copy(from, to, fs::copy_options::recursive);
  take_over(from, to);
  for (const auto& entry : fs::recursive_directory_iterator(from))
    take_over(entry.path(), to / entry.path().lexically_relative(from));
}

/// A migrated cluster of its own in `directory`, not durable. A process makes one; each of its
/// tests has a copy, since initdb and the migrations take longer than most tests. Throws when there
/// is no Postgres.
inline std::unique_ptr<local::PostgresCluster> migrated_postgres(const std::string& directory) {
  static const MigratedPostgres original;
  copy_with_owners(original.path(), directory);
  return start_postgres(directory);
}

}  // namespace toolway::test
