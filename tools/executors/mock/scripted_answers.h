#pragma once

#include <random>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "tools/executors/mock/answer_source.h"

namespace toolway::tools::executors::mock {

/// Which of several answers that fit is given.
enum class MockOrder {
  kSequence,    ///< the first one that is not used up
  kRoundRobin,  ///< each in turn
};

/// What a file of mocks says about a tool, or the tools of a pattern.
struct MockScript {
  std::string tool;  ///< a pattern (tools/matching/tool_pattern.h)
  std::string origin;
  int line = 0;
  MockOrder order = MockOrder::kSequence;
  std::uint64_t seed = 1;  ///< of the delays
  std::vector<MockAnswer> answers;
  std::vector<int> result_lines;  ///< of each answer's result, or the answer's own
  std::vector<std::vector<std::string>>
      named;  ///< JSON Pointers of the arguments that each answer's templates name
};

class ScriptedAnswers final : public AnswerSource {
 public:
  explicit ScriptedAnswers(MockScript script);

  bool covers(const std::string& name) const override;
  bool fills_defaults() const override { return true; }
  std::optional<MockChoice> choose(const std::string& name, const Json& arguments,
                                   std::vector<MockCandidate>& candidates) override;
  std::vector<Mistake> check(const model::Spec& spec) const override;
  const std::string& origin() const override { return script_.origin; }
  int line() const override { return script_.line; }
  std::vector<std::string> tools() const override { return {script_.tool}; }

 private:
  std::chrono::milliseconds draw(const MockAnswer& answer) REQUIRES(mutex_);

  const MockScript script_;
  Mutex mutex_;
  std::vector<std::uint64_t> given_ GUARDED_BY(mutex_);
  std::size_t next_ GUARDED_BY(mutex_) = 0;  // of the round
  std::mt19937_64 random_ GUARDED_BY(mutex_);
};

/// Which arguments the tool does not have, as pointers; none when its schema lets any in.
std::vector<std::string> unknown_arguments(const OrderedJson& input_schema,
                                           const std::vector<std::string>& pointers);

}  // namespace toolway::tools::executors::mock
