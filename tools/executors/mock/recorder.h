#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "tools/executors/mock/known_secrets.h"
#include "tools/executors/mock/recording.h"

namespace toolway::tools::executors::mock {

/// Appends to a file of recordings, which other workers may write as well. Thread-safe.
class Recorder {
 public:
  /// The file is for its owner alone: it holds arguments and results. Errors: kInvalidRequest.
  static Result<std::shared_ptr<Recorder>> open(
      const std::string& path, std::shared_ptr<KnownSecrets> secrets,
      std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>());
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Call it before the tool runs as well: a secret may be replaced while it runs.
  void look_at_secrets() { secrets_->look(); }
  /// One line, in one write. What cannot be written is logged.
  void add(const Recording& recording);
  const std::string& path() const { return path_; }
  const Clock& clock() const { return *clock_; }

 private:
  Recorder(int fd, std::string path, std::shared_ptr<KnownSecrets> secrets,
           std::shared_ptr<const Clock> clock)
      : fd_(fd), path_(std::move(path)), secrets_(std::move(secrets)), clock_(std::move(clock)) {}

  const int fd_;
  const std::string path_;
  const std::shared_ptr<KnownSecrets> secrets_;
  const std::shared_ptr<const Clock> clock_;
  Mutex mutex_;  ///< held while a line is written: one after the other
};

/// The same tool; each execution that ends by itself is recorded. What was asked to stop is not:
/// that says nothing of the tool.
std::shared_ptr<const model::Tool> recorded_tool(std::shared_ptr<const model::Tool> tool,
                                                 std::shared_ptr<Recorder> recorder);

}  // namespace toolway::tools::executors::mock
