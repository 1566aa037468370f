#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "extensions/services/answer.h"
#include "extensions/services/breaker.h"
#include "extensions/services/known_service.h"
#include "extensions/services/question.h"
#include "tools/http/http_engine.h"

namespace toolway::extensions::services {

/// Asks services about calls, over HTTP; one for a process. The one part of extensions that has a
/// socket: the thread that asks waits. Thread-safe.
class ServiceDesk {
 public:
  /// How many questions are in progress at once; more wait for their turn within their time.
  static constexpr std::size_t kAtOnce = 64;
  static constexpr std::size_t kMaxAnswerBytes = 64UL * 1024;        ///< before
  static constexpr std::size_t kMaxResultBytes = 4UL * 1024 * 1024;  ///< after

  /// `clock` must outlive it. Errors: kInternal (no thread).
  static Result<std::shared_ptr<ServiceDesk>> start(std::vector<KnownService> services,
                                                    const Clock& clock);
  ServiceDesk(std::vector<KnownService> services, const Clock& clock,
              std::shared_ptr<tools::http::HttpEngine> engine);

  /// Blocks until `due` at most. Errors, each in words that name the service but no path: any; what
  /// becomes of the call, `on_failure` says.
  Result<Answer> ask(const Service& service, const Question& question, MonotonicTime due,
                     std::stop_token stop = {});

 private:
  struct Kept {
    KnownService known;
    Breaker breaker;  ///< under mutex_
  };
  /// Room for one question, until it ends.
  class Turn;

  Result<Answer> ask_known(Kept& kept, const Service& service, const Question& question,
                           MonotonicTime due, std::stop_token stop);
  Result<std::string> fetch(const Kept& kept, const Service& service, const Question& question,
                            std::chrono::milliseconds rest, std::stop_token stop);

  const Clock& clock_;
  const std::shared_ptr<tools::http::HttpEngine> engine_;
  Mutex mutex_;
  CondVar room_;
  std::vector<Kept> services_;
  std::size_t under_way_ GUARDED_BY(mutex_) = 0;
};

/// Why a service cannot be asked by a process that was told of none.
Error no_services();

}  // namespace toolway::extensions::services
