#include "workers/threads/loop_leader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <thread>
#include <utility>

#include "tests/support/awaiting.h"
#include "workers/threads/thread_executor.h"

namespace toolway::workers::threads {
namespace {

using toolway::test::Awaited;

class Work final : public Job {
 public:
  enum class Of : std::uint8_t { kBuild, kOtherProcess };
  explicit Work(std::function<void()> work, Of of = Of::kBuild) : work_(std::move(work)), of_(of) {}
  void run() override { work_(); }
  bool quick() const override { return true; }
  bool native() const override { return of_ == Of::kBuild; }

 private:
  const std::function<void()> work_;
  const Of of_;
};

class Host final : public JobHost {
 public:
  void run_here(Job& job) override { job.run(); }
  void run_elsewhere(std::shared_ptr<Job>) override { elsewhere.callback()(1); }
  Awaited<int> elsewhere;
};

/// Says that it runs, and spins until it is released.
class Spin {
 public:
  void operator()() const {
    running_.callback()(std::this_thread::get_id());
    while (!*released_) {
    }
  }
  std::optional<std::thread::id> running() const { return running_.next(); }
  void release() const { *released_ = true; }

 private:
  mutable Awaited<std::thread::id> running_;
  std::shared_ptr<std::atomic<bool>> released_ = std::make_shared<std::atomic<bool>>(false);
};

class LoopLeaderTest : public testing::Test {
 protected:
  LoopLeaderTest() { turns_.start(); }
  ~LoopLeaderTest() override {
    if (leader_) leader_->end();
  }
  void start(LoopLeaderOptions options = {}) {
    options.spawner = [this](std::function<void()> body) {
      if (left_.fetch_sub(1) <= 0) return false;
      ++spawned_;
      return spawn_thread(std::move(body));
    };
    leader_ = LoopLeader::start(turns_, clock_, std::move(options));
    ASSERT_NE(leader_, nullptr);
  }
  template <typename Answer>
  Answer on_loop(std::function<Answer()> question) {
    Awaited<Answer> answer;
    turns_.loop().post(
        [question = std::move(question), told = answer.callback()] { told(question()); });
    const auto told = answer.next();
    EXPECT_TRUE(told) << "the loop is held up";
    return told.value_or(Answer());
  }
  /// Hands all over in one turn. Returns how many were taken.
  int take(std::vector<std::function<void()>> all) {
    return on_loop<int>([this, all = std::move(all)] {
      int taken = 0;
      for (const auto& work : all)
        taken += leader_->take(std::make_shared<Work>(work), host_) ? 1 : 0;
      return taken;
    });
  }
  void take_for_sure(const std::function<void()>& work) {
    const auto give_up = std::chrono::steady_clock::now() + toolway::test::kPatience;
    while (take({work}) == 0 && std::chrono::steady_clock::now() < give_up)
      std::this_thread::yield();
  }
  std::thread::id loops_thread() {
    return on_loop<std::thread::id>([] { return std::this_thread::get_id(); });
  }

  const SystemClock clock_;
  std::atomic<bool> counted_ = false;  ///< a job has run, and no turn has begun since
  std::atomic<int> jobs_counted_ = 0;
  bus::LoopThread turns_{{.begins = [this] { counted_ = false; },
                          .ended = [this] { jobs_counted_ += counted_ ? 1 : 0; }}};
  std::atomic<int> left_ = 1000;
  std::atomic<int> spawned_ = 0;
  const std::shared_ptr<Host> host_ = std::make_shared<Host>();
  std::shared_ptr<LoopLeader> leader_;
};

TEST_F(LoopLeaderTest, QuickJobsRunOnTheThreadOfTheLoopInTheirOrder) {
  LoopLeaderOptions options;
  options.budget = std::chrono::hours(1);
  options.longest_absence = std::chrono::hours(1);
  start(options);
  Awaited<std::pair<int, std::thread::id>> ran;
  std::thread::id in_turn;
  const auto job = [told = ran.callback()](int number) {
    return [told, number] { told({number, std::this_thread::get_id()}); };
  };
  on_loop<int>([&] {
    in_turn = std::this_thread::get_id();
    return 0;
  });
  EXPECT_EQ(take({job(1), job(2), job(3)}), 3);
  for (int number = 1; number <= 3; ++number) EXPECT_EQ(ran.next(), std::pair(number, in_turn));
}

TEST_F(LoopLeaderTest, AJobIsNotPartOfATurn) {
  start();
  Awaited<int> ran;
  take_for_sure([this, told = ran.callback()] {
    counted_ = true;
    told(1);
  });
  EXPECT_TRUE(ran.next());
  for (int turn = 0; turn < 3; ++turn) loops_thread();
  EXPECT_EQ(jobs_counted_, 0);
}

TEST_F(LoopLeaderTest, OtherThreadsHandItNothing) {
  start();
  EXPECT_FALSE(leader_->take(std::make_shared<Work>([] {}), host_));
}

TEST_F(LoopLeaderTest, AJobThatSpinsHoldsUpNeitherTheLoopNorOtherJobs) {
  start();
  const Spin spin;
  Awaited<int> ran;
  ASSERT_EQ(take({spin, [told = ran.callback()] { told(1); }}), 2);
  // Its turns continue, on another thread, with the job that came together with it.
  const auto busy = spin.running();
  ASSERT_TRUE(busy);
  EXPECT_NE(loops_thread(), *busy);
  EXPECT_TRUE(host_->elsewhere.next());
  // A third thread follows after a while, and the loop's one runs jobs again.
  take_for_sure([told = ran.callback()] { told(2); });
  EXPECT_EQ(ran.next(), 2);
  // A second one that spins is left alone as well.
  const Spin second;
  take_for_sure(second);
  EXPECT_TRUE(second.running());
  EXPECT_NE(loops_thread(), std::thread::id());
  spin.release();
  second.release();
}

TEST_F(LoopLeaderTest, AJobMayWaitForTheLoopAndItsThreadFollowsThen) {
  LoopLeaderOptions options;
  options.new_follower_after = std::chrono::hours(1);
  start(options);
  for (int i = 0; i < 20; ++i) {
    Awaited<int> done;
    take_for_sure([this, told = done.callback()] { told(on_loop<int>([] { return 1; })); });
    EXPECT_EQ(done.next(), 1);
  }
  EXPECT_EQ(spawned_, 2);
}

TEST_F(LoopLeaderTest, WhatDoesNotFitBetweenTwoTurnsGoesElsewhere) {
  LoopLeaderOptions options;
  options.budget = std::chrono::microseconds(0);
  start(options);
  EXPECT_EQ(take({[] { FAIL(); }, [] { FAIL(); }}), 2);
  EXPECT_TRUE(host_->elsewhere.next());
  EXPECT_TRUE(host_->elsewhere.next());
}

TEST_F(LoopLeaderTest, WithoutAThreadThatFollowsNothingIsTaken) {
  left_ = 1;
  LoopLeaderOptions options;
  options.new_follower_after = std::chrono::milliseconds(0);
  start(options);
  EXPECT_EQ(take({[] {}}), 0);
  left_ = 1;
  Awaited<int> ran;
  EXPECT_EQ(take({[told = ran.callback()] { told(1); }}), 1);
  EXPECT_EQ(ran.next(), 1);
}

TEST_F(LoopLeaderTest, WithoutAnyThreadTheTurnsStayWhereTheyAre) {
  const auto before = loops_thread();
  LoopLeaderOptions options;
  options.spawner = [](const auto&) { return false; };
  EXPECT_EQ(LoopLeader::start(turns_, clock_, std::move(options)), nullptr);
  EXPECT_NE(loops_thread(), std::thread::id());
  EXPECT_NE(before, std::thread::id());
}

TEST_F(LoopLeaderTest, TheTurnsAreGivenBackWhileAJobSpins) {
  LoopLeaderOptions options;
  options.longest_absence = std::chrono::hours(1);
  start(options);
  const Spin spin;
  take_for_sure(spin);
  const auto busy = spin.running();
  std::exchange(leader_, nullptr)->end();
  EXPECT_NE(loops_thread(), busy);
  spin.release();
}

TEST_F(LoopLeaderTest, AnExecutorThatStopsWaitsForAJobThatTheLeaderRuns) {
  start();
  Timer timer(clock_);
  const auto executor =
      std::make_shared<ThreadExecutor>(clock_, timer, ThreadExecutorOptions{.leader = leader_});
  const Spin spin;
  Awaited<int> stopped;
  std::atomic<bool> released = false;
  on_loop<int>([&] {
    executor->submit(std::make_shared<Work>(spin));
    return 0;
  });
  const auto busy = spin.running();
  EXPECT_EQ(executor->threads(), 1U);
  std::jthread stopping([&] {
    executor->stop(toolway::test::kPatience);
    stopped.callback()(released ? 1 : 0);
  });
  EXPECT_NE(loops_thread(), busy);
  released = true;
  spin.release();
  EXPECT_EQ(stopped.next(), 1);
  EXPECT_EQ(executor->threads(), 0U);
}

TEST_F(LoopLeaderTest, WhatWaitsForAnotherProcessRunsOnAThreadHoweverQuickItIs) {
  start();
  Timer timer(clock_);
  const auto executor =
      std::make_shared<ThreadExecutor>(clock_, timer, ThreadExecutorOptions{.leader = leader_});
  Awaited<std::thread::id> ran;
  const auto loops = on_loop<std::thread::id>([&] {
    executor->submit(std::make_shared<Work>(
        [told = ran.callback()] { told(std::this_thread::get_id()); }, Work::Of::kOtherProcess));
    return std::this_thread::get_id();
  });
  const auto on = ran.next();
  ASSERT_TRUE(on);
  EXPECT_NE(*on, loops);
  executor->stop(toolway::test::kPatience);
}

}  // namespace
}  // namespace toolway::workers::threads
