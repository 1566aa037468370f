#include "cli/bench/kinds/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "base/os/child.h"
#include "base/os/file_io.h"
#include "base/try.h"
#include "tools/executors/command/sandbox.h"
#include "tools/executors/kind_types.h"
#include "tools/executors/python/python_kind.h"
#include "tools/http/http_engine.h"
#include "tools/model/local_context.h"
#include "tools/specs/reader.h"

namespace toolway::cli::bench::kinds {
namespace {

using Steady = std::chrono::steady_clock;
constexpr std::chrono::seconds kFor{3};

constexpr std::string_view kPythonSpec = R"(tools:
  - name: no_op
    namespace: bench
    kind: python
    description: Does nothing.
    idempotent: true
    input_schema: {type: object}
    implementation_config: {module: toolway_bench, function_name: no_op}
)";
constexpr std::string_view kPythonModule = "def no_op():\n    return None\n";

/// `{}` is where the server listens.
constexpr std::string_view kHttpSpec = R"(tools:
  - name: no_op
    namespace: bench
    kind: http
    description: Does nothing.
    idempotent: true
    input_schema: {{type: object}}
    implementation_config: {{url: "{}", allow_addresses: [127.0.0.1]}}
)";

constexpr std::string_view kCommandSpec = R"(tools:
  - name: no_op
    namespace: bench
    kind: command
    description: Does nothing.
    idempotent: true
    input_schema: {type: object}
    implementation_config: {argv: ["/bin/true"]}
)";

bool write_file(const std::filesystem::path& file, std::string_view text) {
  return static_cast<bool>(std::ofstream(file) << text);
}

struct Once {
  std::string error{};  ///< empty: it worked
};

/// Runs `once` again and again on that many threads.
Result<KindUnderTest::Bare> repeat(std::string what, unsigned threads,
                                   const std::function<Once()>& once) {
  std::vector<double> alone_ms;
  for (const auto end = Steady::now() + kFor; Steady::now() < end;) {
    const auto began = Steady::now();
    if (const auto result = once(); !result.error.empty())
      return fail(ErrorCode::kToolFailed, result.error);
    alone_ms.push_back(std::chrono::duration<double, std::milli>(Steady::now() - began).count());
  }
  std::atomic<std::uint64_t> count = 0;
  const auto began = Steady::now();
  {
    std::vector<std::jthread> running;
    for (unsigned i = 0; i < threads; ++i) {
      running.emplace_back([&] {
        while (Steady::now() - began < kFor) {
          if (once().error.empty()) ++count;
        }
      });
    }
  }
  const std::chrono::duration<double> took = Steady::now() - began;
  std::nth_element(alone_ms.begin(),
                   alone_ms.begin() + static_cast<std::ptrdiff_t>(alone_ms.size() / 2),
                   alone_ms.end());
  return KindUnderTest::Bare{.what = std::move(what),
                             .calls_per_s = static_cast<double>(count) / took.count(),
                             .p50_ms = alone_ms[alone_ms.size() / 2]};
}

Result<KindUnderTest::Bare> bare_python(const std::filesystem::path& directory, unsigned at_once) {
  ASSIGN_OR_RETURN(auto kind,
                   tools::executors::python::make_python_kind(
                       {.path = {directory.string()}, .processes = at_once, .warm = at_once}));
  auto document =
      tools::specs::read_specs(kPythonSpec, "bench", {.kinds = tools::executors::kind_types()});
  ASSIGN_OR_RETURN(auto tool, kind->make(std::move(document.specs.front().spec)));
  return repeat("the pool of interpreters alone", at_once, [&]() -> Once {
    tools::model::LocalContext context;
    tools::model::ProgressTo nowhere({});
    const auto result = tool->execute(Json::object(), context, nowhere);
    return {result ? "" : result.error().message};
  });
}

/// Bubblewrap as the sandbox starts it, except for what the worker hands it in files: the
/// filter of system calls, the environment, the signal to continue.
Result<os::ChildOptions> bare_sandbox(const std::filesystem::path& directory) {
  ASSIGN_OR_RETURN(auto sandbox,
                   tools::executors::command::Sandbox::create({.directory = directory}));
  ASSIGN_OR_RETURN(
      auto launch,
      sandbox->prepare("default", {.argv = {"/bin/true"}, .environment = {}, .directory = "/"}));
  os::ChildOptions child = launch.child;
  child.files.clear();
  child.argv.clear();
  const auto& words = launch.child.argv;
  constexpr std::string_view kFiles[] = {"--json-status-fd", "--block-fd", "--seccomp", "--args"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::find(std::begin(kFiles), std::end(kFiles), words[i]) != std::end(kFiles)) {
      ++i;
    } else {
      child.argv.push_back(words[i]);
    }
  }
  return child;
}

Result<KindUnderTest::Bare> bare_command(const std::filesystem::path& directory, unsigned at_once) {
  ASSIGN_OR_RETURN(auto child_options, bare_sandbox(directory));
  return repeat("bubblewrap alone", at_once, [&]() -> Once {
    auto child = os::Child::start(child_options);
    if (!child) return {child.error().message};
    const auto end = (*child)->wait(std::chrono::seconds(10));
    return {end && end->signal == 0 && end->status == 0 ? "" : "bwrap did not end well"};
  });
}

/// Takes an answer and forgets it.
class Nowhere final : public tools::http::HttpReceiver {
 public:
  Want on_head(const tools::http::HttpHead&) override { return Want::kMore; }
  Want on_body(std::string_view) override { return Want::kMore; }
};

Result<KindUnderTest::Bare> bare_http(const std::string& url, unsigned at_once) {
  ASSIGN_OR_RETURN(auto engine, tools::http::HttpEngine::start());
  ASSIGN_OR_RETURN(auto policy, tools::http::AddressPolicy::create({"127.0.0.1"}));
  const tools::http::HttpRequest request{
      .url = url,
      .addresses = std::make_shared<const tools::http::AddressPolicy>(std::move(policy))};
  return repeat("the HTTP engine alone", at_once, [&]() -> Once {
    Nowhere nowhere;
    const auto end = engine->run(request, nowhere, {});
    return {end.why == tools::http::HttpEnd::Why::kComplete ? "" : end.message};
  });
}

Result<KindUnderTest::Bare> bare_mcp(const McpUnderTest& under_test) {
  constexpr unsigned kAtOnce = 64;
  ASSIGN_OR_RETURN(auto connected, under_test.connect());
  return repeat("the connection to the MCP server alone", kAtOnce, [&link = *connected]() -> Once {
    const auto result = link.call({.call = {.name = "no_op"}});
    return {result ? "" : result.error().message};
  });
}

}  // namespace

Result<std::unique_ptr<KindUnderTest>> KindUnderTest::create(const std::string& kind) {
  const bool mcp = kind == "mcp-stdio" || kind == "mcp-http";
  if (kind != "python" && kind != "command" && kind != "http" && !mcp) {
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format("--kind takes native, python, command, http, mcp-stdio or mcp-http, not '{}'",
                    kind));
  }
  ASSIGN_OR_RETURN(const auto directory, os::make_temporary_directory("toolway-bench"));
  // As root, commands run as another user, which has to pass through.
  std::error_code ignored;
  std::filesystem::permissions(directory, std::filesystem::perms{0711}, ignored);
  std::unique_ptr<KindUnderTest> made(new KindUnderTest(kind, directory));
  if (mcp) {
    ASSIGN_OR_RETURN(
        made->mcp_, McpUnderTest::create(
                        kind == "mcp-http" ? McpUnderTest::Over::kHttp : McpUnderTest::Over::kStdio,
                        directory));
    return made;
  }
  const bool python = kind == "python";
  std::string spec(python ? kPythonSpec : kCommandSpec);
  if (kind == "http") {
    ASSIGN_OR_RETURN(made->server_, LocalServer::start());
    spec = fmt::format(kHttpSpec, made->server_->url());
  }
  if (!write_file(made->directory_ / "bench.yaml", spec) ||
      (python && !write_file(made->directory_ / "toolway_bench.py", kPythonModule))) {
    return fail(ErrorCode::kInternal, fmt::format("cannot write to {}", directory));
  }
  return made;
}

KindUnderTest::~KindUnderTest() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void KindUnderTest::add_to(stack::StackOptions& stack) const {
  stack.specs.push_back((directory_ / "bench.yaml").string());
  if (kind_ == "python") stack.python_path.push_back(directory_.string());
  if (mcp_) stack.settings.push_back(mcp_->setting());
}

OrderedJson KindUnderTest::call() const {
  return {{"tool", "bench.no_op"}, {"arguments", OrderedJson::object()}};
}

unsigned KindUnderTest::concurrency() const { return kind_ == "command" ? 16 : 64; }

Result<KindUnderTest::Bare> KindUnderTest::measure_bare() const {
  const unsigned at_once = 2 * std::max(1U, std::thread::hardware_concurrency());
  if (kind_ == "http") return bare_http(server_->url(), 64);
  if (mcp_) return bare_mcp(*mcp_);
  return kind_ == "python" ? bare_python(directory_, at_once) : bare_command(directory_, at_once);
}

}  // namespace toolway::cli::bench::kinds
