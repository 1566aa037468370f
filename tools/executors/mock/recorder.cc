#include "tools/executors/mock/recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/mutex.h"

namespace toolway::tools::executors::mock {
namespace {

std::chrono::milliseconds since(MonotonicTime begin, MonotonicTime now) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - begin);
}

/// Passes reports on, and keeps them with their times.
class Listening final : public model::Progress {
 public:
  Listening(model::Progress& next, const Clock& clock)
      : next_(next), clock_(clock), begin_(clock.monotonic()) {}

  void report(model::ProgressReport report) override {
    {
      const MutexLock lock(mutex_);
      heard_.push_back({since(begin_, clock_.monotonic()), report});
    }
    next_.report(std::move(report));
  }
  std::vector<MockReport> take() {
    const MutexLock lock(mutex_);
    return std::move(heard_);
  }
  std::chrono::milliseconds so_far() const { return since(begin_, clock_.monotonic()); }

 private:
  model::Progress& next_;
  const Clock& clock_;
  const MonotonicTime begin_;
  Mutex mutex_;
  std::vector<MockReport> heard_ GUARDED_BY(mutex_);
};

class RecordedTool final : public model::Tool {
 public:
  RecordedTool(std::shared_ptr<const model::Tool> tool, std::shared_ptr<Recorder> recorder)
      : tool_(std::move(tool)), recorder_(std::move(recorder)) {}
  const model::Spec& spec() const override { return tool_->spec(); }

  model::Execution execute(const Json& arguments, model::ToolContext& context,
                           model::Progress& progress) const override {
    recorder_->look_at_secrets();
    Listening listening(progress, recorder_->clock());
    auto end = tool_->execute(arguments, context, listening);
    if (!context.cancellation().stop_requested()) {
      recorder_->add({.tool = spec().qualified_name(),
                      .arguments = arguments,
                      .progress = listening.take(),
                      .end = end,
                      .duration = listening.so_far()});
    }
    return end;
  }

 private:
  const std::shared_ptr<const model::Tool> tool_;
  const std::shared_ptr<Recorder> recorder_;
};

}  // namespace

Result<std::shared_ptr<Recorder>> Recorder::open(const std::string& path,
                                                 std::shared_ptr<KnownSecrets> secrets,
                                                 std::shared_ptr<const Clock> clock) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("cannot record to {}: {}", path, std::strerror(errno)));
  }
  return std::shared_ptr<Recorder>(new Recorder(fd, path, std::move(secrets), std::move(clock)));
}

Recorder::~Recorder() { ::close(fd_); }

void Recorder::add(const Recording& recording) {
  const auto line = to_line(recording, secrets_->look()) + "\n";
  const MutexLock lock(mutex_);
  std::size_t written = 0;
  while (written < line.size()) {
    const auto count = ::write(fd_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      return spdlog::error("a call of {} is not recorded in {}: {}", recording.tool, path_,
                           std::strerror(errno));
    written += static_cast<std::size_t>(count);
  }
}

std::shared_ptr<const model::Tool> recorded_tool(std::shared_ptr<const model::Tool> tool,
                                                 std::shared_ptr<Recorder> recorder) {
  return std::make_shared<const RecordedTool>(std::move(tool), std::move(recorder));
}

}  // namespace toolway::tools::executors::mock
