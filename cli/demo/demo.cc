#include "cli/demo/demo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "cli/client/follow.h"
#include "cli/client/reporting.h"
#include "cli/demo/demo_input.h"
#include "cli/demo/held_call.h"
#include "cli/demo/packs.h"
#include "cli/demo/recorded_calls.h"
#include "cli/demo/show_metrics.h"
#include "cli/demo/tour.h"
#include "cli/stack/own_stack.h"
#include "cli/terminal/bar.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"

namespace toolway::cli::demo {
namespace {

using Steady = std::chrono::steady_clock;

class Demo {
 public:
  Demo(stack::Stack& stack, Tour& tour, const DemoInput& input)
      : stack_(stack), tour_(tour), input_(input) {}

  int run() {
    open();
    single_call();
    parallel_calls();
    multi_step_call();
    bad_arguments();
    unknown_tool();
    tools_from_specs();
    models_message();
    show_held_call(tour_, stack_.url());
    for (const auto& pack : demo_packs()) pack.show(tour_);
    rows();
    show_metrics(tour_, stack_.description()["metrics"]);
    return tour_.finish();
  }

 private:
  void open() {
    tour_.heading("A session, and the tools it sees");
    std::vector<std::string> namespaces{"examples", "filesystem", "time"};
    for (const auto& pack : demo_packs()) namespaces.push_back(pack.ns);
    const auto answer =
        tour_.ask("POST", "/v1/sessions", {{"session_id", "demo"}, {"namespaces", namespaces}});
    tour_.check(answer.status == 201, fmt::format("POST /v1/sessions answers {}", answer.status));
    const auto tools = await_found_tools();
    std::vector<std::vector<std::string>> table;
    for (const auto& tool : tools)
      table.push_back(
          {"  " + client::cell(tool, "namespace") + "." + client::cell(tool, "name"),
           client::cell(tool, "kind") + (tool.value("multi_step", false) ? ", multi-step" : ""),
           terminal::shorten(client::cell(tool, "description"), 70)});
    fmt::print("{}", terminal::render_table({"  TOOL", "KIND", "DESCRIPTION"}, table));
    tour_.check(table.size() >= 12, fmt::format("{} tools of the namespaces {}", table.size(),
                                                fmt::join(namespaces, ", ")));
  }

  /// The session's tools, once those of the MCP servers are among them: a worker offers them when
  /// the server has started, which takes some seconds on a busy machine.
  OrderedJson await_found_tools() {
    constexpr std::chrono::seconds kDemoTimeout{60};
    for (const auto deadline = Steady::now() + kDemoTimeout;;) {
      auto tools = tour_.ask("GET", fmt::format("{}/tools", Tour::kSession))
                       .json()
                       .value("tools", OrderedJson::array());
      const auto offered = [&](const DemoPack& pack) {
        return pack.found_later.empty() || std::ranges::any_of(tools, [&](const OrderedJson& tool) {
                 return client::cell(tool, "name") == pack.found_later;
               });
      };
      if (std::ranges::all_of(demo_packs(), offered) || Steady::now() > deadline) return tools;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  void single_call() {
    tour_.heading("One call, waited for");
    const auto began = Steady::now();
    const auto answer =
        tour_.ask("POST", std::string(Tour::kSession) + "/calls",
                  {{"tool", "get_current_time"}, {"arguments", {{"timezone", "Europe/Berlin"}}}},
                  {{"Prefer", "wait=30"}});
    const std::chrono::duration<double, std::milli> took = Steady::now() - began;
    const auto call = answer.json();
    fmt::print("  get_current_time(Europe/Berlin) = {}\n", client::cell(call, "result"));
    tour_.remember(call);
    tour_.check(answer.status == 200 && client::cell(call, "outcome") == "succeeded",
                fmt::format("succeeded, {:.1f} ms from request to result", took.count()));
  }

  void parallel_calls() {
    tour_.heading("Three calls at once, as a model makes them in one turn");
    OrderedJson calls = OrderedJson::array();
    calls.push_back({{"tool", "get_current_time"},
                     {"arguments", {{"timezone", "Asia/Tokyo"}}},
                     {"tool_call_id", "call_1"}});
    calls.push_back({{"tool", "filesystem.list_directory"},
                     {"arguments", {{"path", "."}}},
                     {"tool_call_id", "call_2"}});
    calls.push_back({{"tool", "filesystem.read_file"},
                     {"arguments", {{"path", "notes.txt"}}},
                     {"tool_call_id", "call_3"}});
    const auto answer = tour_.ask("POST", std::string(Tour::kSession) + "/calls:batch",
                                  {{"calls", calls}}, {{"Prefer", "wait=30"}});
    const auto body = answer.json();
    const auto results = body.value("calls", OrderedJson::array());
    std::size_t succeeded = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      tour_.remember(results[i]);
      succeeded += client::cell(results[i], "outcome") == "succeeded" ? 1 : 0;
      fmt::print("  {} {} = {}\n", client::cell(results[i], "tool_call_id"),
                 client::cell(results[i], "tool"),
                 terminal::shorten(client::cell(results[i], "result"), 90));
    }
    tour_.check(succeeded == 3,
                fmt::format("{} of 3 succeeded, each under its own tool_call_id", succeeded));
    tour_.check(
        results.size() == 3 &&
            client::cell(results[2], "result").find("Every one is recorded.") != std::string::npos,
        "read_file returned what is in the file");
  }

  void draw_bar(double progress, double total, const std::string& text) const {
    constexpr unsigned kWidth = 40;
    fmt::print("{}  {} {}  {}{}", tour_.style().coloured() ? "\r\x1b[K" : "",
               tour_.style()(terminal::Colour::kCyan, terminal::bar(progress, total, kWidth)),
               terminal::percent(progress, total), text, tour_.style().coloured() ? "" : "\n");
    std::fflush(stdout);
  }

  void multi_step_call() {
    tour_.heading("A multi-step call over a real file of 384 MB, followed live");
    const auto answer = tour_.ask("POST", std::string(Tour::kSession) + "/calls",
                                  {{"tool", "hash_file"}, {"arguments", {{"path", "large.bin"}}}});
    const auto accepted = answer.json();
    tour_.check(answer.status == 202 && client::cell(accepted, "status") == "streaming",
                "accepted as streaming");
    tour_.remember(accepted);
    std::set<double> steps;
    bool grows = true;
    bool started = false;
    OrderedJson completed;
    const auto followed = client::follow_events(
        tour_.client(), "/v1/calls/" + client::cell(accepted, "call_id") + "/events", "0",
        [&](const tools::http::SseEvent& event) {
          auto parsed = parse_ordered_json(event.data);
          if (!parsed) return false;
          if (event.type == "started") started = true;
          if (event.type == "progress") {
            const double progress = parsed->value("progress", 0.0);
            grows = grows && (steps.empty() || progress > *steps.rbegin());
            steps.insert(progress);
            const auto& total = (*parsed)["total"];
            draw_bar(progress, total.is_number() ? total.get<double>() : 0,
                     client::cell(*parsed, "message"));
          }
          if (event.type == "completed") completed = *parsed;
          return event.type != "completed";
        });
    if (tour_.style().coloured()) fmt::print("\n");
    const auto digest = client::cell(
        completed.is_object() ? completed.value("result", OrderedJson()) : OrderedJson(), "digest");
    fmt::print("  {}\n", digest);
    tour_.check(started && followed && client::cell(completed, "outcome") == "succeeded",
                "started, and succeeded");
    tour_.check(grows && steps.size() >= 3,
                fmt::format("its progress moved {} times, always forward", steps.size()));
    tour_.check(!digest.empty() && digest.ends_with(input_.digest),
                "the digest matches sha256sum's");
  }

  void bad_arguments() {
    tour_.heading("Arguments that do not match the schema are refused, with the reason");
    const auto answer =
        tour_.ask("POST", std::string(Tour::kSession) + "/calls",
                  {{"tool", "get_current_time"}, {"arguments", {{"timezone", 42}}}});
    const auto problem = answer.json();
    fmt::print("  {} {}: {}\n", answer.status, client::cell(problem, "code"),
               client::cell(problem, "detail"));
    tour_.check(answer.status == 422 && client::cell(problem, "code") == "invalid_arguments" &&
                    client::cell(problem, "detail").find("/timezone") != std::string::npos,
                "422 invalid_arguments, naming /timezone");
  }

  void unknown_tool() {
    tour_.heading("A tool that does not exist is refused, with the nearest names");
    const auto answer =
        tour_.ask("POST", std::string(Tour::kSession) + "/calls",
                  {{"tool", "get_curent_time"}, {"arguments", OrderedJson::object()}});
    const auto problem = answer.json();
    const auto suggestions = problem.is_object() ? client::cell(problem, "suggestions") : "";
    fmt::print("  {} {}: {}\n  nearest: {}\n", answer.status, client::cell(problem, "code"),
               client::cell(problem, "detail"), suggestions);
    tour_.check(client::cell(problem, "code") == "unknown_tool" && answer.status >= 400 &&
                    answer.status < 500 &&
                    suggestions.find("get_current_time") != std::string::npos,
                "unknown_tool, and get_current_time is among the suggestions");
  }

  OrderedJson call_example(const std::string& tool, const OrderedJson& arguments) {
    return tour_.call("examples." + tool, arguments);
  }

  void tools_from_specs() {
    tour_.heading("Tools from specs (examples/tools): Python functions, and commands in a sandbox");
    tour_.check(
        client::cell(call_example("calculate_sum", {{"numbers", {1, 2, 3.5}}}), "result") == "6.5",
        "a Python function returned 6.5");
    const auto zones = call_example("zones_by_country", {{"country", "DE"}});
    tour_.check(client::cell(zones, "outcome") == "succeeded",
                "a Python generator read the machine's time zone table");
    const std::string hostile = "; rm -rf / $(reboot) *";
    call_example("write_file", {{"path", "notes.txt"}, {"content", hostile}});
    tour_.check(
        client::cell(call_example("file_reader", {{"path", "notes.txt"}}), "result") == hostile,
        "the session's workspace kept the file from call to call, and no shell saw its text");
    const auto shadow = call_example("execute_command", {{"line", "cat /etc/shadow"}});
    tour_.remember_as_failed(shadow);
    tour_.check(client::cell(shadow, "outcome") == "failed", "the sandbox has no /etc/shadow");
    const auto large = call_example("execute_command", {{"argv", {"seq", "1", "200000"}}});
    const auto href =
        large.contains("result_ref") ? client::cell(large["result_ref"], "href") : std::string();
    const auto whole = tour_.client().request("GET", href);
    tour_.check(whole && whole->status == 200 && whole->body.size() > 1'000'000,
                fmt::format("a result of {} bytes: a preview in the completion, the whole at {}",
                            whole ? whole->body.size() : 0, href));
  }

  void models_message() {
    tour_.heading("A model's own message with two calls, one of them broken");
    const OrderedJson calls = {
        {{"id", "call_a"},
         {"type", "function"},
         {"function",
          {{"name", "examples__calculate_sum"}, {"arguments", R"({"numbers": [20, 22]})"}}}},
        {{"id", "call_b"},
         {"type", "function"},
         {"function",
          {{"name", "examples__calculate_sum"}, {"arguments", R"({"numbers": [20, )"}}}}};
    const auto answer = tour_
                            .ask("POST", std::string(Tour::kSession) + "/tool_calls?format=openai",
                                 {{"role", "assistant"}, {"tool_calls", calls}})
                            .json();
    const auto messages = answer.value("messages", OrderedJson::array());
    for (const auto& message : messages)
      fmt::print("  {}\n", terminal::shorten(to_text(message), 150));
    for (const auto& call : answer.value("calls", OrderedJson::array())) tour_.remember(call);
    tour_.check(
        messages.size() == 2 && client::cell(messages[0], "content") == "42" &&
            client::cell(messages[1], "content").starts_with("tool_error: "),
        "one message per call, to append to the conversation: a result, and an error the model can read");
  }

  void rows() {
    tour_.heading("The same calls in Postgres");
    Result<std::vector<CallRow>> found;
    const auto recorded = [&] {
      return found && static_cast<std::size_t>(
                          std::count_if(found->begin(), found->end(), [&](const CallRow& row) {
                            const auto* outcome =
                                tour_.had_to_fail(row.call_id) ? "failed" : "succeeded";
                            return tour_.calls().contains(row.call_id) && row.outcome == outcome;
                          })) == tour_.calls().size();
    };
    // Recording follows completion by some milliseconds.
    for (const auto deadline = Steady::now() + std::chrono::seconds(10);
         Steady::now() < deadline;) {
      found = recorded_calls(stack_.postgres_url(), "demo");
      if (recorded()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (!found) return tour_.check(false, found.error().message);
    std::vector<std::vector<std::string>> table;
    std::int64_t events = 0;
    for (const auto& row : *found) {
      events += row.events;
      table.push_back(
          {"  " + row.call_id, row.tool, row.outcome, std::to_string(row.events), row.took});
    }
    fmt::print("{}", terminal::render_table(
                         {"  CALL", "TOOL", "OUTCOME", "EVENTS", "SUBMITTED TO COMPLETED"}, table));
    tour_.check(
        tour_.calls().size() >= 12 && found->size() == tour_.calls().size() && recorded(),
        fmt::format("{} rows for {} calls, each with its outcome; the refused ones left none",
                    found->size(), tour_.calls().size()));
    tour_.check(events > 0, fmt::format("{} events of the multi-step calls are recorded", events));
  }

  stack::Stack& stack_;
  Tour& tour_;
  const DemoInput& input_;
};

/// Errors: kInvalidRequest, naming each that is missing.
Result<void> check_directories(const DemoOptions& options) {
  std::vector<std::string> missing;
  std::vector<std::string_view> give;
  const auto look = [&](const char* what, const std::string& directory, const char* option) {
    std::error_code ignored;
    if (std::filesystem::is_directory(directory, ignored)) return;
    missing.push_back(fmt::format("no {} in '{}'", what, directory));
    give.emplace_back(option);
  };
  look("example tools", options.examples, "--examples DIR");
  look("packs", options.packs, "--packs DIR");
  if (missing.empty()) return {};
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("{}: run it where the repository is, or give {}",
                          fmt::join(missing, ", and "), fmt::join(give, " and ")));
}

}  // namespace

int run_demo(DemoOptions options, const terminal::Style& style) {
  // Before the input, which takes seconds to make.
  if (const auto there = check_directories(options); !there)
    return client::report_error(there.error());
  process::StopSignals signals;
  auto input = DemoInput::make();
  if (!input) return client::report_error(input.error());
  options.stack.root = input->root;
  DemoStage stage{.stack = options.stack, .packs = options.packs, .directory = input->beside()};
  for (const auto& pack : demo_packs()) {
    if (auto prepared = pack.prepare(stage); !prepared)
      return client::report_error(prepared.error());
  }
  options.stack.specs.push_back(options.examples);
  options.stack.python_path.push_back(options.examples);
  fmt::print("Starting nats-server, Postgres, gateway, worker and collector …\n");
  std::fflush(stdout);
  const auto began = Steady::now();
  auto own = stack::OwnStack::start(options.stack, signals);
  if (!own) return client::report_error(own.error());
  const std::chrono::duration<double> took = Steady::now() - began;
  auto& stack = (*own)->stack();
  fmt::print("Ready after {:.1f} s: {}\n", took.count(), stack.url());
  auto client = client::HttpClient::create({.url = stack.url(), .user = "demo"});
  if (!client) return client::report_error(client.error());
  int status = terminal::kExitInternal;
  std::thread tour([&] {
    Tour shared(**client, style);
    status = Demo(stack, shared, *input).run();
    signals.wake();
  });
  if (signals.wait()) {
    // The tour may wait for an answer that never comes now, so it is left where it is.
    (*own)->abandon();
    std::error_code ignored;
    for (const auto& server : stage.servers) server->signal(SIGKILL);
    for (const auto& directory : {input->root, input->beside()})
      std::filesystem::remove_all(directory, ignored);
    fmt::print("\nInterrupted. Stopped what was started.\n");
    std::fflush(stdout);
    std::_Exit(terminal::kExitInternal);
  }
  tour.join();
  own->reset();
  fmt::print("Stopped what was started.\n");
  return status;
}

}  // namespace toolway::cli::demo
