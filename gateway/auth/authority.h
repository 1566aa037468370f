#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "bus/bucket_mirror.h"
#include "bus/bus.h"
#include "extensions/auth/key_ring.h"
#include "gateway/auth/issuer_keys.h"
#include "gateway/auth/methods.h"

namespace toolway::gateway::auth {

/// What a gateway process believes about who calls it, for all of its loops: the API keys of the
/// fleet, followed in their bucket, and the issuers of tokens. Thread-safe.
class Authority {
 public:
  /// `issuers`: null unless `methods` has jwt. What it is given must outlive it.
  Authority(bus::Bus& bus, const Clock& clock, Methods methods,
            std::unique_ptr<IssuerKeys> issuers = nullptr);

  const Methods& methods() const { return methods_; }
  const extensions::auth::KeyRing& keys() const { return *keys_; }
  /// Only where `methods` has jwt.
  IssuerKeys& issuers() const { return *issuers_; }
  /// Whether the API keys were read once, where they are asked for.
  bool known() const { return !methods_.keys || keys_->known(); }
  /// Of what it does not know yet; `ok`: of nothing.
  std::string in_words() const;
  /// Looks whether keys have changed unnoticed: every second.
  void look();
  /// Writes down, once an hour at most, that a key was used. What goes wrong there goes wrong for
  /// one hour of one key.
  void note_use(const std::string& key_id);

 private:
  const Clock& clock_;
  const Methods methods_;
  const std::shared_ptr<extensions::auth::KeyRing> keys_;
  const std::unique_ptr<IssuerKeys> issuers_;
  bus::KeyValue entries_;
  std::unique_ptr<bus::BucketMirror> mirror_;
};

struct AuthOptions {
  std::string methods{};      ///< of `--auth`; empty: not given
  std::string config_file{};  ///< of `--auth-config`; empty: none
};

/// Null: callers are not asked who they are. `host`: of `--http`. Errors: kInvalidRequest, naming
/// an option or each mistake in a file; kInternal.
Result<std::shared_ptr<Authority>> start_authority(bus::Bus& bus, const Clock& clock,
                                                   const AuthOptions& options,
                                                   const std::string& host);
/// The same errors of the options alone; asks nothing of a server.
Result<Methods> check_options(const AuthOptions& options, const std::string& host);

}  // namespace toolway::gateway::auth
