#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "persistence/postgres/pg_connection.h"
#include "tools/loaders/spec_source.h"

namespace toolway::persistence {

/// The specs of table `tool_specs`; each row is a part. A look asks for the highest
/// revision, and reads the rows above the one it knows.
class PostgresSpecSource final : public tools::SpecSource {
 public:
  /// `url` is never logged.
  explicit PostgresSpecSource(std::string url,
                              std::chrono::milliseconds interval = std::chrono::milliseconds(1000));
  ~PostgresSpecSource() override;

  tools::SourceKind kind() const override { return tools::SourceKind::kDatabase; }
  const std::string& name() const override { return name_; }
  std::optional<tools::SourceState> look(std::stop_token stop) override;
  std::chrono::milliseconds pause() const override { return interval_; }

 private:
  struct Version {
    std::shared_ptr<const tools::SpecPart> good;
    std::optional<tools::Mistake> mistake;
  };

  /// Why nothing can be read; empty: it can. Sets `changed`.
  std::string read(bool& changed);
  /// The rows, or why not.
  tl::expected<SqlRows, std::string> query(const std::string& sql,
                                           const std::vector<SqlParameter>& parameters = {});
  void take(const SqlRow& row);
  tools::SourceState state();

  const std::string url_;
  const std::chrono::milliseconds interval_;
  const std::string name_ = "database";
  const PgPatience patience_;
  const std::shared_ptr<WaitLimit> limit_ = std::make_shared<WaitLimit>();
  std::optional<PgConnection> connection_;
  std::int64_t revision_ = 0;                // all up to here is read
  std::map<std::string, Version> versions_;  // by qualified name, candidates separate
  std::vector<tools::Mistake> found_;
  std::string away_;
  bool first_ = true;
  bool afresh_ = true;  // the connection is new, maybe to another database
};

}  // namespace toolway::persistence
