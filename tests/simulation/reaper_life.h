#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "persistence/reaper/reap_round.h"
#include "tests/simulation/fiber.h"
#include "tests/simulation/lives.h"
#include "tests/simulation/tables.h"

namespace toolway::simulation {

/// The reaper: carries the product's `ReapRound` over the model of the bus and the tables. Its
/// thread waits for each answer; here a fiber does.
class ReaperLife final : public Life {
 public:
  ReaperLife(const Surroundings& around, const std::string& name, const Clock& clock,
             const Tables& tables);
  ~ReaperLife() override { die(); }
  void die() override;

 private:
  struct Killed {};

  void run();
  void round();
  /// False: what is recorded must be read again.
  bool look_at(persistence::reaper::ReapRound& round, persistence::reaper::ReapFacts facts);
  Result<std::optional<persistence::store::RecordedEvent>> last_in_stream(
      const v1::CallRequest& request);
  void act(const persistence::reaper::ReapRound& round, const persistence::reaper::ReapStep& step);
  /// What is recorded of the calls that have not ended.
  void read_record();
  persistence::reaper::QueueState queue_state(const std::string& pool,
                                              std::uint64_t sequence) const;

  template <typename T>
  Result<T> answer(const std::function<void(std::function<void(Result<T>)>)>& ask);
  void wait();
  void resume();

  const Tables& tables_;
  std::unique_ptr<Fiber> fiber_;
  bool killed_ = false;
  std::map<std::string, WallTime> republished_;
  std::map<std::string, persistence::reaper::ReapFacts>
      incomplete_;  ///< as of the record `read_` rows long
  std::size_t read_ = 0;
};

}  // namespace toolway::simulation
