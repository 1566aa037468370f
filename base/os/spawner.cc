#include "base/os/spawner.h"

#include <pthread.h>

#include <csignal>
#include <deque>
#include <thread>

#include "base/mutex.h"

namespace toolway::os {
namespace {

struct Job {
  const std::function<void()>* task;
  bool done = false;
};

struct Spawner {
  Mutex mutex;
  CondVar changed;
  std::deque<Job*> jobs GUARDED_BY(mutex);

  Spawner() {
    // Signals of the process are for the threads that expect them, so this one
    // is born with all of them blocked.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { run(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void run() {
    MutexLock lock(mutex);
    for (;;) {
      changed.wait(lock, [this]() REQUIRES(mutex) { return !jobs.empty(); });
      Job* job = jobs.front();
      jobs.pop_front();
      (*job->task)();
      job->done = true;
      changed.notify_all();
    }
  }
};

}  // namespace

void on_spawner_thread(const std::function<void()>& task) {
  // Never destroyed: its thread must outlive every child, to the end of the process.
  static Spawner* const spawner = new Spawner;
  Job job{.task = &task};
  MutexLock lock(spawner->mutex);
  spawner->jobs.push_back(&job);
  spawner->changed.notify_all();
  spawner->changed.wait(lock, [&job] { return job.done; });
}

}  // namespace toolway::os
