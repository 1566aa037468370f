#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "tools/executors/mock/answer_source.h"
#include "tools/executors/mock/known_secrets.h"
#include "tools/executors/mock/recording.h"

namespace toolway::tools::executors::mock {

/// Recorded calls, by tool and arguments. Calls that were recorded with the same arguments are
/// given in their order, and the last one again and again.
class RecordedAnswers final : public AnswerSource {
 public:
  /// `speed`: 1 as it was, 2 twice as fast, 0 at once. A call's arguments are compared without the
  /// `secrets` in them, as they were recorded.
  RecordedAnswers(std::string origin, std::vector<RecordedFile::Line> recordings, double speed,
                  std::shared_ptr<KnownSecrets> secrets);

  bool covers(const std::string& name) const override { return by_tool_.contains(name); }
  bool fills_defaults() const override { return false; }
  std::optional<MockChoice> choose(const std::string& name, const Json& arguments,
                                   std::vector<MockCandidate>& candidates) override;
  std::vector<Mistake> check(const model::Spec& spec) const override;
  const std::string& origin() const override { return origin_; }
  int line() const override { return 1; }
  std::vector<std::string> tools() const override;

 private:
  struct Recorded {
    int line = 0;
    Json arguments;
    MockAnswer answer;
  };
  struct Series {
    std::vector<Recorded> recorded;
    std::uint64_t given = 0;  // under mutex_
  };
  using ByDigest = std::map<std::string, Series>;

  const std::string origin_;
  const std::shared_ptr<KnownSecrets> secrets_;
  std::map<std::string, ByDigest, std::less<>> by_tool_;  // filled once
  Mutex mutex_;
};

}  // namespace toolway::tools::executors::mock
