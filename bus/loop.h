#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/os/file_descriptor.h"
#include "base/os/wake_fd.h"

namespace toolway::bus {

/// One thread's work in turns: sockets that are ready, tasks that other threads hand over, and
/// tasks whose time has come. Its owner calls turn() whenever fd() is readable, so that one loop of
/// the owner's serves its own sockets and this. Another thread may become the owner between two
/// turns. What a task throws is logged and dropped.
class Loop {
 public:
  using Task = std::function<void()>;

  /// What waits for a socket. Called on the loop's thread.
  class Source {
   public:
    virtual ~Source() = default;
    virtual void ready(std::uint32_t events) = 0;
    /// After everything else of a turn: what it has gathered can be sent in one go.
    virtual void end_turn() = 0;
  };

  /// Runs a task when its time has come, or soon after. Thread-safe.
  class Timer {
   public:
    /// The loop must live longer.
    Timer(Loop& loop, Task task);
    ~Timer() { stop(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    /// The task does not run any more, except where this is called from it.
    void stop();
    /// Runs it once then; forgets what was set before. Times that have passed mean now. Needs no
    /// memory.
    void set(MonotonicTime when);

   private:
    friend class Loop;
    struct Timed;
    Loop& loop_;
    const std::shared_ptr<Timed> timed_;
  };

  /// Told of wait() and run(), on the thread that takes their turns.
  struct Watch {
    Task begins;  ///< before the first turn in a thread, and after each pause()
    Task ended;   ///< after each turn
  };

  /// Throws std::system_error when the system has no descriptors left.
  explicit Loop(Watch watch = {});
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Readable when turn() has something to do.
  int fd() const { return epoll_.get(); }
  /// Does what is ready and does not wait.
  void turn() { turn(0); }
  /// As turn(), as soon as there is something to do.
  void wait();
  /// What is left of a turn that began elsewhere: runs the tasks, and lets sources end it.
  void end_turn();
  /// Takes turns in this thread until stop().
  void run();
  void stop();  ///< Of run(), which returns once. Thread-safe.
  /// This thread takes no more turns; another one may.
  void disown();
  /// The same between two turns that follow each other without waiting: until the next one, which
  /// may be another thread's, wake() costs no system call.
  void pause();

  /// Whether the calling thread is the one that takes the turns.
  bool here() const {
    return thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  /// How the owner, who is between two turns, is asked to call end_turn(); without it fd() becomes
  /// readable, which costs two system calls. While no thread takes turns.
  void ask_owner(Task ask) { ask_ = std::move(ask); }

  /// Thread-safe: makes sure that a turn ends after this.
  void wake();
  /// Thread-safe: runs `task` in a turn that begins after this.
  void post(Task task);
  /// While it is here, its end_turn is called. On the loop's thread, or before the first turn.
  void add(Source& source);
  /// On the loop's thread, or after the last turn. Its sockets are not watched any more.
  void remove(Source& source);
  /// Thread-safe, like all that follow: waits for EPOLLIN of `socket`.
  void watch(Source& source, int socket);
  /// Whether it waits for EPOLLOUT too.
  void watch_writable(Source& source, int socket, bool wanted);
  void forget(int socket);

 private:
  void turn(int timeout_ms);
  void make_readable();
  void run_tasks();
  void run_timers();
  void set_clock() REQUIRES(mutex_);

  const Watch watch_;
  const os::FileDescriptor epoll_;
  const os::FileDescriptor timer_;
  const os::WakeFd wake_;
  std::atomic<std::thread::id> thread_{};
  std::atomic<bool> woken_{false};  ///< wake_ is called, and no turn has begun since
  std::atomic<bool> stopped_{false};
  Task ask_;
  bool asked_ = false;  ///< of the owner; on its thread alone, like what follows
  bool turning_ = false;
  bool paused_ = false;
  std::vector<Source*> sources_;
  std::vector<Task> running_;  ///< kept for its memory

  Mutex mutex_;
  std::vector<Task> tasks_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Timer::Timed>> timed_ GUARDED_BY(mutex_);
  MonotonicTime clock_ GUARDED_BY(mutex_) = MonotonicTime::max();  ///< when timer_ is due
};

}  // namespace toolway::bus
