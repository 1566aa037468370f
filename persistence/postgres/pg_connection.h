#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "persistence/postgres/pg_dialogue.h"
#include "persistence/postgres/pg_patience.h"

struct pg_conn;
struct pg_result;

namespace toolway::persistence {

/// What the caller can do about a failed statement.
enum class PgFailure {
  kData,         ///< the rows are at fault: the same rows fail again
  kContention,   ///< deadlock or serialization: retry at once
  kUnavailable,  ///< Postgres, the connection or the schema: retry later
};

struct PgError {
  PgFailure failure = PgFailure::kUnavailable;
  std::string sqlstate;  ///< empty: none was given
  std::string message;   ///< without row contents and credentials
  bool gave_up = false;  ///< no answer came in time: the statement may have been executed
};

template <typename T>
using PgResult = tl::expected<T, PgError>;

/// Sorts SQLSTATEs into what can be done about them.
PgFailure failure_of(std::string_view sqlstate);

struct PgReply {
  std::vector<std::vector<std::string>> rows;  ///< text form; NULL is empty
  std::uint64_t affected = 0;
};

/// One libpq connection. One thread at a time. A statement that gets no answer within the
/// connection's patience fails, and the connection is broken then. Postgres ends the statement, too: after the
/// same time, or within 2 s once the connection is closed.
class PgConnection {
 public:
  /// Gives up after the patience's `connect` for each address of the server. No error contains the URL.
  static PgResult<PgConnection> open(const std::string& url, PgPatience patience = {});

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
  struct Clear {
    void operator()(pg_result* result) const;
  };
  using Answer = std::unique_ptr<pg_result, Clear>;

  PgConnection(pg_conn* connection, PgPatience patience)
      : connection_(connection), patience_(std::move(patience)) {}
  PgError connection_error() const;
  PgError given_up();
  PgResult<Answer> finish(PgDialogue& dialogue);
  PgResult<Answer> exchange(const std::string& sql);
  PgResult<Answer> exchange(const std::string& sql, const std::vector<const char*>& values);

  std::unique_ptr<pg_conn, Close> connection_;
  PgPatience patience_;
  bool gave_up_ = false;
};

/// `bytes` as the text form of a bytea: \x….
std::string bytea_text(std::string_view bytes);

/// `url` with limits on how long connecting and a dead network may take, which
/// libpq leaves open. Fails when libpq cannot read it, without quoting it.
PgResult<std::string> bounded_url(const std::string& url, std::chrono::seconds connect = PgPatience().connect);

}  // namespace toolway::persistence
