#include "persistence/postgres/pg_connection.h"

#include <pqxx/pqxx>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/sha256.h"
#include "base/try.h"
#include "persistence/postgres/bounded_session.h"

namespace toolway::persistence::postgres {
namespace {

PgError lost() { return {PgFailure::kUnavailable, "", "the connection to Postgres was lost"}; }

#if PQXX_VERSION_MAJOR >= 7
using Values = pqxx::params;

Values values_of(const std::vector<SqlParameter>& parameters) {
  Values values;
  for (const auto& parameter : parameters) {
    if (parameter.text()) {
      values.append(*parameter.text());
    } else {
      values.append();
    }
  }
  return values;
}

pqxx::result run(pqxx::transaction_base& transaction, const std::string& sql,
                 const Values& values) {
#if PQXX_VERSION_MINOR >= 10
  return transaction.exec(sql, values);
#else
  return transaction.exec_params(sql, values);
#endif
}

pqxx::result run_prepared(pqxx::transaction_base& transaction, const std::string& name,
                          const Values& values) {
#if PQXX_VERSION_MINOR >= 10
  return transaction.exec(pqxx::prepped{name}, values);
#else
  return transaction.exec_prepared(name, values);
#endif
}
#else
using Values = std::vector<const char*>;

Values values_of(const std::vector<SqlParameter>& parameters) {
  Values values;
  for (const auto& parameter : parameters)
    values.push_back(parameter.text() ? parameter.text()->c_str() : nullptr);
  return values;
}

pqxx::result run(pqxx::transaction_base& transaction, const std::string& sql,
                 const Values& values) {
  return transaction.exec_params(sql, pqxx::prepare::make_dynamic_params(values));
}

pqxx::result run_prepared(pqxx::transaction_base& transaction, const std::string& name,
                          const Values& values) {
  return transaction.exec_prepared(name, pqxx::prepare::make_dynamic_params(values));
}
#endif

/// Of the form \x….
std::string bytes_of_bytea(std::string_view text) {
  const auto value = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(value(text[i]) << 4 | value(text[i + 1])));
  }
  return bytes;
}

// Of Postgres' pg_type.dat.
constexpr pqxx::oid kBoolean = 16;
constexpr pqxx::oid kBytea = 17;
constexpr pqxx::oid kBigint = 20;
constexpr pqxx::oid kSmallint = 21;
constexpr pqxx::oid kInteger = 23;
constexpr pqxx::oid kReal = 700;
constexpr pqxx::oid kDouble = 701;
constexpr pqxx::oid kXid8 = 5069;

SqlValue value_of(const pqxx::field& field, pqxx::oid type) {
  if (field.is_null()) return {};
  const std::string_view text(field.c_str(), static_cast<std::size_t>(field.size()));
  switch (type) {
    case kBoolean: return field.as<bool>();
    case kSmallint:
    case kInteger:
    case kBigint: return field.as<std::int64_t>();
    case kXid8: return field.as<std::uint64_t>();
    case kReal:
    case kDouble: return field.as<double>();
    case kBytea: return bytes_of_bytea(text);
    default: return std::string(text);
  }
}

SqlRows rows_of(const pqxx::result& result) {
  std::vector<std::string> names;
  std::vector<pqxx::oid> types;
  for (decltype(result.columns()) i = 0; i < result.columns(); ++i) {
    names.emplace_back(result.column_name(i));
    types.push_back(result.column_type(i));
  }
  const auto columns = std::make_shared<const std::vector<std::string>>(std::move(names));
  SqlRows rows;
  rows.reserve(static_cast<std::size_t>(result.size()));
  // What an iterator refers to is a copy of it, which counts who has the result: it is its own row
  // and field as well.
  const auto end = result.end();
  for (auto row = result.begin(); row != end; ++row) {
    std::vector<SqlValue> values;
    values.reserve(types.size());
    auto field = row->begin();
    for (const auto type : types) {
      values.push_back(value_of(*field.operator->(), type));
      ++field;
    }
    rows.emplace_back(columns, std::move(values));
  }
  return rows;
}

template <typename T>
bool is(const std::exception& error) {
  return dynamic_cast<const T*>(&error) != nullptr;
}

/// Empty: it is none of Postgres' errors. Of some, libpqxx 6 tells the SQLSTATE by the exception
/// only.
std::string sqlstate_of(const std::exception& error) {
  const auto* const refused = dynamic_cast<const pqxx::sql_error*>(&error);
  if (refused != nullptr && !refused->sqlstate().empty()) return refused->sqlstate();
  if (is<pqxx::insufficient_privilege>(error)) return "42501";
  if (is<pqxx::deadlock_detected>(error)) return "40P01";
  if (is<pqxx::serialization_failure>(error)) return "40001";
  if (is<pqxx::transaction_rollback>(error)) return "40000";
  return "";
}

/// What follows "ERROR:  ", without the lines after it, which may quote rows.
std::string primary_message(std::string_view text) {
  const auto line = first_line(text);
  const auto severity = line.find(":  ");
  return std::string(severity == std::string_view::npos ? line : line.substr(severity + 3));
}

}  // namespace

class PgConnection::Session {
 public:
  Session(const std::string& url, PgPatience patience, std::shared_ptr<WaitLimit> limit)
      : patience_(std::move(patience)), limit_(std::move(limit)), connection_(url) {}

  PgResult<SqlRows> execute(const std::string& sql, const std::vector<SqlParameter>& parameters,
                            const PgPatience& patience) {
    return ask(patience, [&](pqxx::transaction_base& transaction) {
      return parameters.empty() ? transaction.exec(sql)
                                : run(transaction, sql, values_of(parameters));
    });
  }
  PgResult<SqlRows> execute_planned(const std::string& sql,
                                    const std::vector<SqlParameter>& parameters) {
    if (!has_plans_) return execute(sql, parameters, patience_);
    auto rows = ask(patience_, [&](pqxx::transaction_base& transaction) {
      return run_prepared(transaction, prepared(sql), values_of(parameters));
    });
    if (rows || !is_unplanned(rows.error())) return rows;
    has_plans_ = false;
    return execute(sql, parameters, patience_);
  }
  bool broken() const { return broken_ || !connection_.is_open(); }
  const PgPatience& patience() const { return patience_; }

 private:
  /// Of Postgres' appendix "PostgreSQL Error Codes": invalid_sql_statement_name,
  /// duplicate_prepared_statement, and what a plan is told whose columns have changed.
  static bool is_unplanned(const PgError& error) {
    return error.sqlstate == "26000" || error.sqlstate == "42P05" || error.sqlstate == "0A000";
  }

  template <typename Statement>
  PgResult<SqlRows> ask(const PgPatience& patience, const Statement& statement) {
    // libpqxx 6 would connect again, and without our settings.
    if (broken()) return tl::unexpected<PgError>(lost());
    const WaitLimit::Wait wait(*limit_, connection_.sock(), patience);
    try {
      pqxx::nontransaction transaction(
          connection_);  // whose BEGIN and COMMIT, if any, are statements
      return rows_of(statement(transaction));
    } catch (const std::exception& error) {
      return tl::unexpected<PgError>(failed(error, wait.ended()));
    }
  }

  /// The name under which Postgres knows the statement: made of its text, so that no other
  /// connection through the same pooler calls another statement so.
  const std::string& prepared(const std::string& sql) {
    const auto known = prepared_.find(sql);
    if (known != prepared_.end()) return known->second;
    const auto name = "toolway_" + sha256_hex(sql).substr(0, 32);
    connection_.prepare(name, sql);
    return prepared_.emplace(sql, name).first->second;
  }

  PgError failed(const std::exception& error, bool gave_up) {
    const auto sqlstate = sqlstate_of(error);
    // What is in progress cannot be taken back, so nothing else may be sent over this connection.
    broken_ = gave_up || sqlstate.empty() || !connection_.is_open();
    if (gave_up) return {PgFailure::kUnavailable, "", "Postgres did not answer in time", true};
    // What libpqxx says of its own may quote the connection string.
    if (broken_) return lost();
    return {failure_of(sqlstate), sqlstate, primary_message(error.what())};
  }

  const PgPatience patience_;
  const std::shared_ptr<WaitLimit> limit_;
  bool broken_ = false;
  bool has_plans_ = true;  // unless Postgres forgot one
  std::unordered_map<std::string, std::string> prepared_;
  pqxx::connection connection_;
};

PgConnection::PgConnection(std::unique_ptr<Session> session) : session_(std::move(session)) {}
PgConnection::PgConnection(PgConnection&&) noexcept = default;
PgConnection& PgConnection::operator=(PgConnection&&) noexcept = default;
PgConnection::~PgConnection() = default;

PgResult<PgConnection> PgConnection::open(const std::string& url, PgPatience patience,
                                          PgAccess access, std::shared_ptr<WaitLimit> limit) try {
  ASSIGN_OR_RETURN(auto bounded, bounded_url(url, patience.connect));
  const PgPatience set_up{.statement = kSessionSetUp, .cutoff = patience.cutoff};
  auto settings = session_settings(patience);
  if (access == PgAccess::kReadOnly) settings += "; SET default_transaction_read_only = on";
  if (!limit) limit = std::make_shared<WaitLimit>();
  auto session = std::make_unique<Session>(bounded, std::move(patience), std::move(limit));
  RETURN_IF_ERROR(session->execute(settings, {}, set_up));
  return PgConnection(std::move(session));
} catch (const pqxx::broken_connection& error) {
  return tl::unexpected<PgError>(
      {PgFailure::kUnavailable, "", std::string(first_line(error.what()))});
} catch (const std::exception&) {
  return tl::unexpected<PgError>({PgFailure::kUnavailable, "", "Postgres cannot be reached"});
}

PgResult<SqlRows> PgConnection::execute(const std::string& sql,
                                        const std::vector<SqlParameter>& parameters,
                                        Planning planning) {
  if (planning == Planning::kOnce && !parameters.empty())
    return session_->execute_planned(sql, parameters);
  return session_->execute(sql, parameters, session_->patience());
}

bool PgConnection::broken() const { return session_->broken(); }

}  // namespace toolway::persistence::postgres
