#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/executors/mock/mock_answer.h"
#include "tools/specs/reader.h"

namespace toolway::tools::executors::mock {

/// An answer that was not chosen, and why.
struct MockCandidate {
  std::string at;  ///< `file:line`
  std::vector<std::string> why;
};

struct MockChoice {
  const MockAnswer* answer = nullptr;  ///< of the source, which outlives it
  std::chrono::milliseconds delay{0};
  std::uint64_t count = 1;  ///< how often this answer has been given, this time included
};

/// Where a mock has its answers from: a script, or recorded calls. Thread-safe.
class AnswerSource {
 public:
  virtual ~AnswerSource() = default;
  /// Whether it has answers for this tool at all; `name`: qualified.
  virtual bool covers(const std::string& name) const = 0;
  /// Whether `choose` wants the arguments with the defaults of the tool's schema filled in.
  virtual bool fills_defaults() const = 0;
  /// Uses up one answer. Nothing: none fits; `candidates` gets some that are near.
  virtual std::optional<MockChoice> choose(const std::string& name, const Json& arguments,
                                           std::vector<MockCandidate>& candidates) = 0;
  /// What is wrong with its answers for a tool of this spec, as far as that can be known.
  virtual std::vector<Mistake> check(const model::Spec& spec) const = 0;
  /// Where it is written: a file, and the line in it.
  virtual const std::string& origin() const = 0;
  virtual int line() const = 0;
  /// Patterns or names of the tools that it covers, for the log.
  virtual std::vector<std::string> tools() const = 0;
};

/// The nearest ones first, a few of them.
void keep_nearest(std::vector<MockCandidate>& candidates);

}  // namespace toolway::tools::executors::mock
