#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "persistence/postgres/pg_connection.h"
#include "tools/loaders/spec_source.h"

namespace toolway::persistence::specs {

/// The specs of table `tool_specs`; each row is a part. A look asks for the highest
/// revision, and reads the rows above the one it knows.
class PostgresSpecSource final : public tools::loaders::SpecSource {
 public:
  /// Up to which revision the source has told what it read. Thread-safe.
  using ReadUpTo = std::shared_ptr<std::atomic<std::int64_t>>;

  /// `url` is never logged. `read_up_to`: kept up to date; null: it is not told.
  explicit PostgresSpecSource(std::string url,
                              std::chrono::milliseconds interval = std::chrono::milliseconds(1000),
                              ReadUpTo read_up_to = nullptr);
  ~PostgresSpecSource() override;

  tools::loaders::SourceKind kind() const override { return tools::loaders::SourceKind::kDatabase; }
  const std::string& name() const override { return name_; }
  std::optional<tools::loaders::SourceState> look(std::stop_token stop) override;
  std::chrono::milliseconds pause() const override { return interval_; }

 private:
  struct Version {
    std::shared_ptr<const tools::loaders::SpecPart> good;
    std::optional<toolway::Mistake> mistake;
  };

  /// Why nothing can be read; empty: it can. Sets `changed`.
  std::string read(bool& changed);
  /// The rows, or why not.
  tl::expected<postgres::SqlRows, std::string> query(
      const std::string& sql, const std::vector<postgres::SqlParameter>& parameters = {});
  void take(const postgres::SqlRow& row);
  tools::loaders::SourceState state();

  const std::string url_;
  const std::chrono::milliseconds interval_;
  const ReadUpTo read_up_to_;
  const std::string name_ = "database";
  const postgres::PgPatience patience_;
  const std::shared_ptr<postgres::WaitLimit> limit_ = std::make_shared<postgres::WaitLimit>();
  std::optional<postgres::PgConnection> connection_;
  std::int64_t revision_ = 0;                // all up to here is read
  std::map<std::string, Version> versions_;  // by qualified name, candidates separate
  std::vector<toolway::Mistake> found_;
  std::string away_;
  bool first_ = true;
  bool afresh_ = true;  // the connection is new, maybe to another database
};

}  // namespace toolway::persistence::specs
