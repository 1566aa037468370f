#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/os/private_file.h"
#include "extensions/auth/auth_config.h"
#include "extensions/auth/issuer.h"

namespace toolway::gateway::auth {

using extensions::auth::AuthConfig;
using extensions::auth::Issuer;
using extensions::auth::KeySource;

/// The JWK Set of a source with a URL; blocks. Errors: any, in words.
using FetchKeys = std::function<Result<std::string>(const KeySource&, std::stop_token)>;

/// The issuers that a process believes, with their keys as they are now: a thread of its own reads
/// files again when they change, and URLs every few minutes, or when a token names a key that is
/// not known. What cannot be read changes nothing. Thread-safe.
class IssuerKeys {
 public:
  using Issuers = std::shared_ptr<const std::vector<Issuer>>;

  static constexpr std::chrono::minutes kRefresh{5};       ///< of a URL
  static constexpr std::chrono::seconds kRetry{30};        ///< after it could not be fetched
  static constexpr std::chrono::seconds kFirstRetry{2};    ///< while none of its keys are known
  static constexpr std::chrono::seconds kUnknownKeys{30};  ///< at most this often for them
  static constexpr std::chrono::milliseconds kFileLook{500};

  /// Files are read at once, URLs soon. Errors: kInvalidRequest: a file that cannot be used, naming
  /// it. `clock` must outlive it.
  static Result<std::unique_ptr<IssuerKeys>> start(AuthConfig config, FetchKeys fetch,
                                                   const Clock& clock);
  /// Calls what still waits for a fetch.
  ~IssuerKeys();

  Issuers issuers() const;
  /// Grows whenever `issuers` changes.
  std::uint64_t changes() const { return changes_; }
  /// How many issuers have no keys yet.
  std::size_t unknown() const;
  /// A token names a key that its issuer may have by now: calls `done`, once, when its keys were
  /// fetched; at once when that was done for such a token a short while ago. Any thread.
  void renew(std::size_t issuer, std::function<void()> done);

 private:
  struct Source {
    KeySource from;
    std::string issuer;
    std::optional<os::FileStamp> stamp{};
    MonotonicTime due{};
    std::optional<MonotonicTime> asked{};
    std::vector<std::function<void()>> waiting{};
    std::string trouble{};  ///< said last; empty: none
  };

  IssuerKeys(FetchKeys fetch, const Clock& clock) : fetch_(std::move(fetch)), clock_(clock) {}
  void run();
  std::optional<std::size_t> next_due(MonotonicTime now);
  void refresh(std::size_t index);
  Result<void> read_file(Source& source, std::size_t index);
  void take(std::size_t index, extensions::auth::KeySet keys);
  void say(Source& source, const Result<void>& read);

  const FetchKeys fetch_;
  const Clock& clock_;
  std::atomic<std::uint64_t> changes_{0};
  mutable Mutex mutex_;
  CondVar wake_;
  Issuers issuers_ GUARDED_BY(mutex_);
  /// Only their `due`, `asked` and `waiting` are looked at by other threads, under the mutex.
  std::vector<Source> sources_;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace toolway::gateway::auth
