#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/executors/mock/answer_source.h"
#include "tools/executors/mock/mock_tool.h"
#include "tools/executors/mock/recorder.h"
#include "tools/model/registry.h"
#include "tools/model/secrets.h"

namespace toolway::tools::executors::mock {

/// Whether tools without a mock run as usual, or not at all.
enum class Unmocked { kRun, kRefused };

struct MockOptions {
  std::vector<std::string> files{};  ///< scripts (YAML, JSON) and recordings (.ndjson, .jsonl); the
                                     ///< first that covers a call answers it
  double speed = 1;                  ///< of recordings: 1 as they were, 0 at once
  Unmocked unmocked = Unmocked::kRun;
  std::string record{};  ///< file that gets what runs for real; empty: none
  /// The secrets whose values a recording must not hold.
  std::shared_ptr<const model::Secrets> secrets = std::make_shared<const model::Secrets>();
};

/// Sits between the specs of a worker's tools and what runs them: a tool that has a mock is
/// not run, and what is run may be recorded. Owned by the worker process, shared by its pools;
/// thread-safe.
class Mocks {
 public:
  /// Reads the files and opens the recording. Errors: kInvalidSpec with all mistakes, a line each;
  /// kInvalidRequest (a file that cannot be read or written).
  static Result<std::shared_ptr<Mocks>> create(MockOptions options,
                                               MockEffects effects = MockEffects::real());

  /// The tool that answers instead of the one of this spec; null: the real one runs.
  std::shared_ptr<const model::Tool> instead_of(const model::Spec& spec) const;
  /// The same tool, with its executions recorded when recording is on.
  std::shared_ptr<const model::Tool> recorded(std::shared_ptr<const model::Tool> tool) const;
  /// A tool of the build, as above; its schemas are checked from outside when a mock replaces it.
  model::RegisteredToolPtr over(model::RegisteredToolPtr native) const;

  /// What is wrong with the answers for tools of these specs: results that break the output schema
  /// …
  std::vector<Mistake> check(std::span<const model::Spec> specs) const;
  /// Whether it replaces any tool, or only records.
  bool answers() const { return !sources_.empty() || refuses_others(); }
  bool refuses_others() const { return options_.unmocked == Unmocked::kRefused; }
  /// Lines for the worker's log that must not be overlooked.
  std::vector<std::string> warnings() const;

 private:
  Mocks(MockOptions options, MockEffects effects)
      : options_(std::move(options)), effects_(std::move(effects)) {}

  const MockOptions options_;
  const MockEffects effects_;
  std::vector<std::shared_ptr<AnswerSource>> sources_;
  std::shared_ptr<Recorder> recorder_;  ///< null: nothing is recorded
};

/// Where the answers of files come from, and what is wrong with the files.
struct MockFiles {
  std::vector<std::shared_ptr<AnswerSource>> sources;
  std::vector<Mistake> mistakes;
};
/// `secrets`: used to find what recorded arguments hold in place of the worker's secrets.
MockFiles read_mock_files(const std::vector<std::string>& files, double speed,
                          std::shared_ptr<KnownSecrets> secrets);

}  // namespace toolway::tools::executors::mock
