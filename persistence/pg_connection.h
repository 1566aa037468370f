#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

struct pg_conn;

namespace toolway::persistence {

/// What the caller can do about a failed statement.
enum class PgFailure {
  kData,         ///< the rows are at fault: the same rows fail again
  kContention,   ///< deadlock or serialization: at once again
  kUnavailable,  ///< Postgres, the connection or the schema: later again
};

struct PgError {
  PgFailure failure = PgFailure::kUnavailable;
  std::string sqlstate;  ///< empty: none was given
  std::string message;   ///< without row contents and credentials
};

template <typename T>
using PgResult = tl::expected<T, PgError>;

/// Sorts SQLSTATEs into what can be done about them.
PgFailure failure_of(std::string_view sqlstate);

struct PgReply {
  std::vector<std::vector<std::string>> rows;  ///< text form; NULL is empty
  std::uint64_t affected = 0;
};

/// One libpq connection, for bulk writes and migrations. One thread at a time.
class PgConnection {
 public:
  /// Gives up after some seconds. The URL stands in no error.
  static PgResult<PgConnection> open(const std::string& url);

  /// One or several statements; the reply is that of the last.
  PgResult<PgReply> execute(const std::string& sql);
  /// One statement with $1 … as text.
  PgResult<PgReply> execute(const std::string& sql,
                            const std::vector<std::optional<std::string>>& parameters);
  /// `sql` is a COPY … FROM STDIN; `data` all that it reads.
  PgResult<std::uint64_t> copy_in(const std::string& sql, std::string_view data);

  /// Whether the connection is lost, and the object useless.
  bool broken() const;

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  explicit PgConnection(pg_conn* connection) : connection_(connection) {}
  PgError connection_error() const;

  std::unique_ptr<pg_conn, Close> connection_;
};

/// `bytes` as the text form of a bytea: \x….
std::string bytea_text(std::string_view bytes);

/// `url` with limits on how long connecting and a dead network may take, which
/// libpq leaves open. Fails when libpq cannot read it, without quoting it.
PgResult<std::string> bounded_url(const std::string& url);

}  // namespace toolway::persistence
