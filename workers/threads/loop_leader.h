#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/os/file_descriptor.h"
#include "bus/loop_thread.h"
#include "workers/threads/job_executor.h"
#include "workers/threads/spawner.h"

namespace toolway::workers::threads {

/// Whose jobs the leader of a loop runs.
class JobHost {
 public:
  virtual ~JobHost() = default;
  /// Runs it on the calling thread, which counts as one of the host's until that has returned.
  virtual void run_here(Job& job) = 0;
  /// Runs it on a thread of the host's own.
  virtual void run_elsewhere(std::shared_ptr<Job> job) = 0;
};

struct LoopLeaderOptions {
  std::chrono::microseconds budget{500};  ///< for jobs between two turns; the rest goes elsewhere
  /// Without a turn; then the follower leads.
  std::chrono::microseconds longest_absence{1000};
  /// After the follower has taken the lead: by then the other one should be back.
  std::chrono::milliseconds new_follower_after{100};
  Spawner spawner = spawn_thread;
};

/// Takes the turns of a bus's loop, and runs quick jobs between two turns, on the same thread: they
/// need no switch of threads. Nevertheless no job holds up the loop, since there are two threads.
/// One leads: it takes turns and runs jobs. The other one follows: it sleeps until a job has kept
/// the leader from the loop for `longest_absence`, and then leads itself. The thread that lost the
/// lead belongs to its job until that returns, whenever that is; then it follows. While no thread
/// follows, no job is taken. Thread-safe.
class LoopLeader final : public std::enable_shared_from_this<LoopLeader> {
 public:
  /// Takes over the turns of `turns`, which was started. It and `clock` must live until `end`.
  /// Null: the system has no threads, and nothing was taken over.
  static std::shared_ptr<LoopLeader> start(bus::LoopThread& turns, const Clock& clock,
                                           LoopLeaderOptions options = {});
  LoopLeader(const LoopLeader&) = delete;
  LoopLeader& operator=(const LoopLeader&) = delete;

  /// Gives the turns back to their own thread. Waits for no job. Once, on none of its threads, when
  /// all hosts have ended.
  void end();

  /// In a turn: `job` is run once that has ended. False, also on any other thread: it was not
  /// taken.
  bool take(const std::shared_ptr<Job>& job, const std::shared_ptr<JobHost>& host);

 private:
  struct Waiting {
    std::shared_ptr<Job> job;
    std::shared_ptr<JobHost> host;
  };
  using Queue = std::deque<Waiting>;
  enum class Role : std::uint8_t { kLeads, kFollows };

  LoopLeader(bus::LoopThread& turns, const Clock& clock, LoopLeaderOptions options,
             os::FileDescriptor alarm)
      : turns_(turns), clock_(clock), options_(std::move(options)), alarm_(std::move(alarm)) {}

  void thread_main(Role role);
  /// Until another thread leads (true) or no thread shall (false).
  bool lead();
  /// Until it leads (true), or no thread shall follow (false).
  bool follow();
  enum class Lead : std::uint8_t { kKept, kLost, kEnded };
  Lead run_jobs();
  /// The follower sleeps for so long; zero: until it is set again.
  void set_alarm(std::chrono::nanoseconds in);
  void no_longer_led() REQUIRES(mutex_);
  bool spawn(Role role);
  static void run_elsewhere(Queue jobs);

  bus::LoopThread& turns_;
  const Clock& clock_;
  const LoopLeaderOptions options_;
  const os::FileDescriptor alarm_;

  Mutex mutex_;
  CondVar ended_;
  Queue queue_ GUARDED_BY(mutex_);
  std::uint64_t term_ GUARDED_BY(mutex_) = 0;  ///< changes with the thread that leads
  bool running_ GUARDED_BY(mutex_) = false;    ///< the leader is between two turns, with jobs
  bool led_ GUARDED_BY(mutex_) = false;
  bool followed_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  MonotonicTime late_at_ GUARDED_BY(mutex_){};  ///< while running_: when the follower leads
  MonotonicTime spawn_at_ GUARDED_BY(mutex_){};
};

}  // namespace toolway::workers::threads
