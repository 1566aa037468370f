#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/switches/operator_bucket.h"
#include "cli/terminal/view.h"
#include "extensions/policy.h"
#include "proto/toolway/v1/api_key.pb.h"

/// `toolway keys`: an operator's verbs for the API keys of a fleet, over NATS. Each prints, and
/// returns the exit status.
namespace toolway::cli::keys {

struct KeyOptions {
  switches::FleetNats fleet;
  std::string tenant = "default";
  std::string user;
  std::vector<std::string> roles;
  std::vector<std::string> namespaces;  ///< globs that it is limited to
  std::string expires = "never";        ///< `90d`, `12h`, `30m`
  std::string note;
  std::string by;  ///< empty: the user of the operating system
  std::string id;  ///< of revoke
  const Clock* clock = nullptr;
  terminal::View view;
};

/// Makes a key, and prints it: it is nowhere else, and never shown again.
int create_key(const KeyOptions& options);
int list_keys(const KeyOptions& options);
/// Nothing is answered to it any more, anywhere, within 2 s; streams of events end.
int revoke_key(const KeyOptions& options);

struct ListedKey {
  std::string id;
  v1::ApiKeyRecord record;
};
/// The keys of a bucket, newest last. Without entries that cannot be read, which open nothing,
/// either. Pure.
std::vector<ListedKey> listed_keys(const std::vector<bus::Entry>& entries);

/// What is stored of a new key, except its digest. Pure. Errors: kInvalidRequest, naming the
/// option.
Result<v1::ApiKeyRecord> record_of(const KeyOptions& options, WallTime now);

/// What to say of a key's roles that the policy does not have; empty: nothing. `policy` may be
/// null. Pure.
std::string unknown_roles(const extensions::PolicyPtr& policy,
                          const std::vector<std::string>& roles);

/// `90d`, `12h`, `30m`, or `never`: nothing. Pure. Errors: kInvalidRequest.
Result<std::optional<std::chrono::minutes>> parse_lifetime(std::string_view text);

}  // namespace toolway::cli::keys
