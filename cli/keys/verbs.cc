#include "cli/keys/verbs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "base/try.h"
#include "cli/client/reporting.h"
#include "cli/policies/verbs.h"
#include "cli/switches/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"
#include "extensions/auth/api_key.h"
#include "extensions/auth/key_ring.h"
#include "extensions/principal.h"
#include "gateway/wire/json_text.h"
#include "proto/audit.h"
#include "proto/subjects.h"

namespace toolway::cli::keys {
namespace {

using switches::OperatorBucket;

std::string operator_of(const KeyOptions& options) {
  return options.by.empty() ? switches::os_user() : options.by;
}

std::string moment_of(std::int64_t us) {
  return us == 0 ? std::string() : gateway::wire::time_text(from_unix_us(us));
}

std::string_view state_of(const v1::ApiKeyRecord& record, WallTime now) {
  if (record.revoked_at_us() != 0) return "revoked";
  return extensions::auth::expiry_of(record) <= now ? "expired" : "valid";
}

OrderedJson shown(const std::string& id, const v1::ApiKeyRecord& record, WallTime now) {
  OrderedJson json{{"id", id},
                   {"state", state_of(record, now)},
                   {"tenant", record.tenant_id()},
                   {"user", record.user_id()},
                   {"roles", OrderedJson::array()},
                   {"namespaces", OrderedJson::array()}};
  for (const auto& role : record.roles()) json["roles"].push_back(role);
  for (const auto& ns : record.namespaces()) json["namespaces"].push_back(ns);
  const auto add = [&json](const char* name, const std::string& text) {
    if (!text.empty()) json[name] = text;
  };
  add("created_at", moment_of(record.created_at_us()));
  add("created_by", record.created_by());
  add("expires_at", moment_of(record.expires_at_us()));
  add("used_at", moment_of(record.used_at_us()));
  add("revoked_at", moment_of(record.revoked_at_us()));
  add("revoked_by", record.revoked_by());
  add("note", record.note());
  return json;
}

/// Never the key, nor its digest.
v1::AuditRecord audited(std::string_view what, const std::string& id,
                        const v1::ApiKeyRecord& record, const KeyOptions& options) {
  auto told = proto::audit_record(what, options.clock->wall());
  told.set_tenant_id(record.tenant_id());
  told.set_object(id);
  told.set_user_id(operator_of(options));
  told.set_method(std::string(extensions::kByOperator));
  told.set_details(to_text(shown(id, record, options.clock->wall())));
  return told;
}

struct Made {
  extensions::auth::ApiKey key;
  v1::ApiKeyRecord record;
};

Result<Made> make(const KeyOptions& options) {
  ASSIGN_OR_RETURN(auto record, record_of(options, options.clock->wall()));
  record.set_created_by(operator_of(options));
  ASSIGN_OR_RETURN(const auto bucket, OperatorBucket::open(options.fleet, proto::kApiKeysBucket));
  auto key = extensions::auth::make_api_key();
  record.set_sha256(extensions::auth::api_key_digest(key.text));
  RETURN_IF_ERROR(bucket->put({key.id, "", 0}, record.SerializeAsString()));
  bucket->tell_audit(audited("key_created", key.id, record, options));
  return Made{std::move(key), std::move(record)};
}

/// A gateway may note a use of the key at the same moment.
Result<void> revoke(const KeyOptions& options) {
  constexpr int kTries = 5;
  if (!extensions::auth::valid_api_key_id(options.id))
    return fail(ErrorCode::kInvalidRequest,
                "that is not the id of a key, which has 12 hex digits: `toolway keys list` shows "
                "them");
  ASSIGN_OR_RETURN(const auto bucket, OperatorBucket::open(options.fleet, proto::kApiKeysBucket));
  for (int tries = 1;; ++tries) {
    ASSIGN_OR_RETURN(const auto entry, bucket->get(options.id));
    v1::ApiKeyRecord record;
    if (entry.revision == 0 || !record.ParseFromString(entry.value))
      return fail(ErrorCode::kNotFound,
                  fmt::format("no key has the id {}: `toolway keys list` shows them", options.id));
    if (record.revoked_at_us() != 0) return {};
    record.set_revoked_at_us(to_unix_us(options.clock->wall()));
    record.set_revoked_by(operator_of(options));
    auto written = bucket->put(entry, record.SerializeAsString());
    const bool again = !written && written.error().code == ErrorCode::kWrongLastSequence;
    if (written) bucket->tell_audit(audited("key_revoked", options.id, record, options));
    if (!again || tries == kTries) return written;
  }
}

}  // namespace

int create_key(const KeyOptions& options) {
  const auto made = make(options);
  if (!made) return terminal::report_error(options.view, made.error());
  if (options.view.json()) {
    OrderedJson json{{"key", made->key.text}};
    json.update(shown(made->key.id, made->record, options.clock->wall()));
    client::print_json(json);
    return terminal::kExitOk;
  }
  // The key alone is on standard output, for $( ).
  fmt::print("{}\n", made->key.text);
  fmt::print(stderr,
             "key {} of user {}: it is not shown again; gateways take it within 2 s. Keep it in a "
             "file (--key-file) or in TOOLWAY_API_KEY\n",
             made->key.id, made->record.user_id());
  const auto policy = policies::policy_in_force(options.fleet);
  const auto unknown = policy ? unknown_roles(*policy, options.roles) : std::string();
  if (!unknown.empty()) fmt::print(stderr, "{}\n", unknown);
  return terminal::kExitOk;
}

int list_keys(const KeyOptions& options) {
  const auto found = [&]() -> Result<std::vector<bus::Entry>> {
    ASSIGN_OR_RETURN(const auto bucket, OperatorBucket::open(options.fleet, proto::kApiKeysBucket));
    return bucket->list();
  }();
  if (!found) return terminal::report_error(options.view, found.error());
  const auto now = options.clock->wall();
  OrderedJson rows = OrderedJson::array();
  terminal::Table table{.columns = {{.heading = "ID"},
                                    {.heading = "USER", .least = 8},
                                    {.heading = "TENANT", .least = 7, .rank = 3},
                                    {.heading = "ROLES", .least = 6, .rank = 1},
                                    {.heading = "NAMESPACES", .least = 6, .rank = 4},
                                    {.heading = "STATE"},
                                    {.heading = "CREATED", .rank = 3},
                                    {.heading = "EXPIRES", .rank = 2},
                                    {.heading = "USED", .rank = 2},
                                    {.heading = "NOTE", .least = 8, .rank = 5}},
                        .nothing = "there are no keys: toolway keys create makes one"};
  const auto moment = [&](std::int64_t us) {
    return us == 0 ? "never" : terminal::moment_text(moment_of(us), options.view);
  };
  for (const auto& [id, record] : listed_keys(*found)) {
    rows.push_back(shown(id, record, now));
    table.rows.push_back(
        {.cells = {id, record.user_id(), record.tenant_id(),
                   fmt::format("{}", fmt::join(record.roles(), ",")),
                   fmt::format("{}", fmt::join(record.namespaces(), ",")),
                   std::string(state_of(record, now)), moment(record.created_at_us()),
                   moment(record.expires_at_us()), moment(record.used_at_us()), record.note()}});
  }
  if (options.view.json())
    client::print_json({{"keys", rows}});
  else
    fmt::print("{}", terminal::render(std::move(table), options.view));
  return terminal::kExitOk;
}

int revoke_key(const KeyOptions& options) {
  if (const auto done = revoke(options); !done)
    return terminal::report_error(options.view, done.error());
  if (options.view.json())
    client::print_json({{"id", options.id}, {"state", "revoked"}});
  else
    fmt::print("key {} is revoked: gateways refuse it within 2 s\n", options.id);
  return terminal::kExitOk;
}

}  // namespace toolway::cli::keys
