#include "cli/mcp_serve/bridge.h"

#include <algorithm>
#include <utility>

namespace toolway::cli::mcp_serve {

Bridge::Bridge(Carry carry, Write write) : carry_(std::move(carry)), write_(std::move(write)) {}

Bridge::~Bridge() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    for (auto& job : jobs_) job.stop.request_stop();
    changed_.notify_all();
  }
  threads_.clear();
}

void Bridge::take(std::string text) {
  auto line = read_client_line(text);
  if (!line) return write_(line.error());
  if (cancel(*line)) return;
  MutexLock lock(mutex_);
  changed_.wait(lock,
                [this]() REQUIRES(mutex_) { return jobs_.size() - under_way_ < kMaxWaiting; });
  jobs_.push_back({.text = std::move(text), .line = *std::move(line), .stop = {}});
  changed_.notify_all();
  if (threads_.size() < std::min(jobs_.size(), kMaxAtOnce + kMaxListening))
    threads_.emplace_back([this] { work(); });
}

/// Over HTTP the stream of a request is closed instead (2026-07-28,
/// basic/utilities/cancellation). The other era has a message for it, which the gateway gets.
bool Bridge::cancel(const ClientLine& line) {
  if (!line.cancels) return false;
  const MutexLock lock(mutex_);
  const auto named = std::ranges::find_if(jobs_, [&line](const Job& job) {
    return job.line.is_request() && job.line.stateless && job.line.id == line.cancels;
  });
  if (named == jobs_.end()) return line.stateless;
  named->stop.request_stop();
  if (!named->begun) jobs_.erase(named);
  changed_.notify_all();
  return true;
}

Bridge::Jobs::iterator Bridge::next_job() {
  if (initializing_) return jobs_.end();
  for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
    if (job->begun) continue;
    // It waits for those before it, and lets none pass.
    if (job->line.initializes()) return under_way_ == listening_ ? job : jobs_.end();
    if (job->line.listens()) {
      if (listening_ < kMaxListening) return job;
    } else if (under_way_ - listening_ < kMaxAtOnce &&
               (!job->line.calls_tool() || calls_ < kMaxCallsAtOnce)) {
      return job;
    }
  }
  return jobs_.end();
}

void Bridge::work() {
  MutexLock lock(mutex_);
  for (;;) {
    auto job = jobs_.end();
    changed_.wait(lock,
                  [&]() REQUIRES(mutex_) { return ending_ || (job = next_job()) != jobs_.end(); });
    if (ending_) return;
    job->begun = true;
    ++under_way_;
    if (job->line.calls_tool()) ++calls_;
    if (job->line.listens()) ++listening_;
    if (job->line.initializes()) initializing_ = true;
    changed_.notify_all();
    lock.unlock();
    carry_(job->text, job->line, job->stop.get_token());
    lock.lock();
    if (job->line.calls_tool()) --calls_;
    if (job->line.listens()) --listening_;
    if (job->line.initializes()) initializing_ = false;
    --under_way_;
    jobs_.erase(job);
    changed_.notify_all();
  }
}

void Bridge::finish() {
  MutexLock lock(mutex_);
  const auto listens = [](const Job& job) { return job.line.listens(); };
  changed_.wait(lock, [&]() REQUIRES(mutex_) { return std::ranges::all_of(jobs_, listens); });
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    job->stop.request_stop();
    job = job->begun ? std::next(job) : jobs_.erase(job);
  }
  changed_.wait(lock, [this]() REQUIRES(mutex_) { return jobs_.empty(); });
}

}  // namespace toolway::cli::mcp_serve
