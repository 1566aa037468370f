#pragma once

#include <memory>
#include <string>

#include "cli/replay/options.h"
#include "cli/replay/recorded_session.h"
#include "cli/stack/own_stack.h"

namespace toolway::cli::replay {

/// The session's tools as specs for a stack whose workers mock each of them: names, schemas and
/// limits are the recorded ones. Those that every gateway has are left out. What was approved
/// then needs no approval now. Pure.
std::string specs_text(const OrderedJson& tools, const std::vector<std::string>& builtin);
/// What was recorded, as answers of mocks (docs/mock.md, Recorded calls). Pure.
std::string answers_text(std::span<const RecordedCall> calls);

/// A stack of this replay's own, gone with it, on which mocks answer for the tools of `session`.
class MockedStack {
 public:
  /// Returns when it answers. Errors: as of Stack::start; kInternal (temporary files).
  static Result<std::unique_ptr<MockedStack>> start(const RecordedSession& session,
                                                    const ReplayOptions& options,
                                                    process::StopSignals& signals);
  ~MockedStack();
  MockedStack(const MockedStack&) = delete;
  MockedStack& operator=(const MockedStack&) = delete;

  std::string url() const { return own_->stack().url(); }
  /// What gateway, worker and collector have in memory together, in KB (VmRSS).
  double resident_kb() const;
  /// Ends everything at once, for a way out that runs no destructors. Thread-safe.
  void abandon();

 private:
  explicit MockedStack(std::string directory) : directory_(std::move(directory)) {}

  const std::string directory_;  // of the mocks' and specs' files
  std::unique_ptr<stack::OwnStack> own_;
};

}  // namespace toolway::cli::replay
