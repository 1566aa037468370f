#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/bench/kinds/local_server.h"
#include "cli/bench/kinds/mcp_under_test.h"
#include "cli/stack/stack.h"

/// What `toolway bench --kind` measures: a tool of a kind that does nothing, next to the bare
/// mechanism that runs it.
namespace toolway::cli::bench::kinds {

/// The spec of the tool and what it needs, in a directory that lasts as long as this.
class KindUnderTest {
 public:
  /// `python`, `command`, `http`, `mcp-stdio`, `mcp-http`. Errors: kInvalidRequest for another
  /// kind.
  static Result<std::unique_ptr<KindUnderTest>> create(const std::string& kind);
  ~KindUnderTest();
  KindUnderTest(const KindUnderTest&) = delete;
  KindUnderTest& operator=(const KindUnderTest&) = delete;

  void add_to(stack::StackOptions& stack) const;
  /// The body of a call of it.
  OrderedJson call() const;
  /// Calls at once in a closed loop, unless the user says.
  unsigned concurrency() const;

  /// The server that the tool of `http` asks; null for other kinds.
  LocalServer* server() const { return server_.get(); }

  struct Bare {
    std::string what;        ///< the bare mechanism, in words
    double calls_per_s = 0;  ///< several at once
    double p50_ms = 0;       ///< of one at a time
  };
  /// Runs the mechanism alone, without bus, HTTP and store, for some seconds.
  Result<Bare> measure_bare() const;

 private:
  explicit KindUnderTest(std::string kind, std::filesystem::path directory)
      : kind_(std::move(kind)), directory_(std::move(directory)) {}
  const std::string kind_;
  const std::filesystem::path directory_;
  std::unique_ptr<LocalServer> server_;
  std::unique_ptr<McpUnderTest> mcp_;  ///< when it is of kind mcp
};

}  // namespace toolway::cli::bench::kinds
