#include "persistence/audit/seal_rows.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "persistence/audit/audit_row.h"

namespace toolway::persistence::audit {
namespace {

using postgres::SqlParameter;
using postgres::SqlRow;

/// The place of each column of a record. They are read by it: a look-up by name would show in a
/// million.
enum Place : std::size_t {
  kAt,
  kWhat,
  kId,
  kSeq,
  kTenant,
  kUser,
  kMethod,
  kKey,
  kSession,
  kObject,
  kOutcome,
  kCode,
  kDetails,
  kDigest,
  kXid,
  kNumber,
  kAtText
};

constexpr std::string_view kRest =
    "number, previous, (extract(epoch FROM made_at) * 1000000)::bigint AS made_at, from_xid, "
    "to_xid, records, last_day - date '1970-01-01' AS last_day, "
    "kept_from - date '1970-01-01' AS kept_from, first_seal, key_id, mac";

std::optional<std::int32_t> day_of(const SqlRow& row, const char* column) {
  const auto day = row.nullable<std::int64_t>(column);
  return day ? std::optional(static_cast<std::int32_t>(*day)) : std::nullopt;
}

std::string_view text_at(const SqlRow& row, Place place) {
  return std::get<std::string>(row.values()[place]);
}
std::int64_t number_at(const SqlRow& row, Place place) {
  return std::get<std::int64_t>(row.values()[place]);
}

AuditRow said_by(const SqlRow& row) {
  AuditRow said{.at_us = number_at(row, kAt),
                .what = text_at(row, kWhat),
                .id = text_at(row, kId),
                .seq = static_cast<std::uint32_t>(number_at(row, kSeq)),
                .tenant_id = text_at(row, kTenant),
                .user_id = text_at(row, kUser),
                .method = text_at(row, kMethod),
                .key_id = text_at(row, kKey),
                .session_id = text_at(row, kSession),
                .object = text_at(row, kObject),
                .outcome = text_at(row, kOutcome),
                .code = text_at(row, kCode),
                .details = {}};
  if (!std::holds_alternative<std::monostate>(row.values()[kDetails]))
    said.details = text_at(row, kDetails);
  return said;
}

SqlParameter day_parameter(std::optional<std::int32_t> day) {
  return day ? SqlParameter(*day) : SqlParameter(std::nullopt);
}

}  // namespace

std::string seal_columns() { return fmt::format("{}, entries", kRest); }
std::string short_seal_columns() { return fmt::format("{}, ''::bytea AS entries", kRest); }

Seal seal_of(const SqlRow& row) {
  return {.number = row.get<std::int64_t>("number"),
          .previous = row.get<std::string>("previous"),
          .made_at_us = row.get<std::int64_t>("made_at"),
          .from_xid = row.get<std::uint64_t>("from_xid"),
          .to_xid = row.get<std::uint64_t>("to_xid"),
          .records = row.get<std::int64_t>("records"),
          .last_day = day_of(row, "last_day"),
          .kept_from = day_of(row, "kept_from"),
          .first_seal = row.get<std::int64_t>("first_seal"),
          .key_id = row.get<std::string>("key_id"),
          .entries = row.get<std::string>("entries"),
          .mac = row.get<std::string>("mac")};
}

Statement insert_seal(const Seal& seal) {
  return {
      "INSERT INTO audit_seals (number, previous, made_at, from_xid, to_xid, records, last_day, "
      "kept_from, first_seal, key_id, entries, mac) VALUES ($1::bigint, $2::bytea, "
      "'epoch'::timestamptz + $3::bigint * interval '1 microsecond', $4::xid8, $5::xid8, "
      "$6::integer, date '1970-01-01' + $7::integer, date '1970-01-01' + $8::integer, "
      "$9::bigint, $10, $11::bytea, $12::bytea) ON CONFLICT DO NOTHING RETURNING number",
      {seal.number, SqlParameter::bytes(seal.previous), seal.made_at_us, seal.from_xid, seal.to_xid,
       seal.records, day_parameter(seal.last_day), day_parameter(seal.kept_from), seal.first_seal,
       seal.key_id, SqlParameter::bytes(seal.entries), SqlParameter::bytes(seal.mac)}};
}

std::string record_columns() {
  return "(extract(epoch FROM at) * 1000000)::bigint, what, id::text, seq, tenant_id, user_id, "
         "method, key_id, session_id, object, outcome, code, details::text, digest, xid, number, "
         "to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";
}

FoundRecord found_record(const SqlRow& row) {
  return {.number = number_at(row, kNumber),
          .xid = std::get<std::uint64_t>(row.values()[kXid]),
          .stored = std::string(text_at(row, kDigest)),
          .content = digest_of(said_by(row)),
          .at_us = number_at(row, kAt)};
}

std::string ndjson_line(const SqlRow& row) {
  const auto said = said_by(row);
  std::string digest;
  const auto bytes = text_at(row, kDigest);
  append_hex(digest, {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
  OrderedJson json{{"number", number_at(row, kNumber)},
                   {"at", text_at(row, kAtText)},
                   {"what", said.what},
                   {"id", said.id}};
  if (said.seq != 0) json["seq"] = said.seq;
  json["tenant"] = said.tenant_id;
  const auto add = [&json](const char* name, std::string_view text) {
    if (!text.empty()) json[name] = text;
  };
  add("user", said.user_id);
  add("method", said.method);
  add("key", said.key_id);
  add("session", said.session_id);
  add("object", said.object);
  add("outcome", said.outcome);
  add("code", said.code);
  if (said.details) {
    auto details = parse_ordered_json(*said.details);
    json["details"] = details ? *std::move(details) : OrderedJson(*said.details);
  }
  json["sha256"] = digest;
  return to_text(json);
}

}  // namespace toolway::persistence::audit
