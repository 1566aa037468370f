#include "cli/switches/verbs.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdio>

#include "base/clock.h"
#include "base/try.h"
#include "cli/client/reporting.h"
#include "cli/stack/operator_reach.h"
#include "cli/switches/switch_desk.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"
#include "gateway/wire/json_text.h"
#include "proto/switches.h"

namespace toolway::cli::switches {
namespace {

constexpr std::size_t kMaxText = 500;

Result<void> check(const SwitchOptions& options) {
  if (!proto::valid_switch_key(options.name)) {
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format("'{}' is neither a namespace nor a tool, `namespace.name`", options.name));
  }
  if (options.reason.size() > kMaxText || options.by.size() > kMaxText) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("--reason and --by may have at most {} bytes each", kMaxText));
  }
  return {};
}

const char* what(const std::string& key) {
  return key.find('.') == std::string::npos ? "namespace" : "tool";
}

OrderedJson shown(const std::string& key, const proto::Switch& off) {
  return {{"name", key}, {"reason", off.reason}, {"by", off.by}, {"at", off.at}};
}

/// Does `run(desk)`, and over NATS when no gateway answers and the servers are known: a switch must
/// work while none does.
template <typename Run>
auto run_at_desk(const SwitchOptions& options, Run run)
    -> decltype(run(std::declval<SwitchDesk&>())) {
  ASSIGN_OR_RETURN(const auto desk, open_switches(options));
  auto done = run(*desk);
  const bool silent = !done && (done.error().code == ErrorCode::kBusUnavailable ||
                                done.error().code == ErrorCode::kTimeout);
  if (!silent || (!options.http.url.empty() && options.data.empty())) return done;
  ASSIGN_OR_RETURN(const auto bucket, switches_on_nats(options));
  return run(*bucket);
}

}  // namespace

Result<std::unique_ptr<SwitchDesk>> open_switches(const SwitchOptions& options) {
  if (!options.nats.empty()) return switches_on_nats(options);
  auto on_nats = options;
  on_nats.nats = options.nats_by_environment;
  if (!on_nats.nats.empty() && options.data.empty() && !stack::takes_operators(options.http))
    return switches_on_nats(on_nats);
  const auto gateways = stack::operator_gateways(options.http, options.data);
  if (!gateways.empty()) return switches_over_http(gateways.front());
  return switches_on_nats(on_nats);
}

std::string os_user() {
  const auto uid = geteuid();
  const auto* found = getpwuid(uid);
  return found != nullptr ? found->pw_name : fmt::format("uid {}", uid);
}

int disable_tool(const SwitchOptions& options) {
  if (auto right = check(options); !right)
    return terminal::report_error(options.view, right.error());
  const proto::Switch wanted{.reason = options.reason,
                             .by = options.by.empty() ? os_user() : options.by,
                             .at = gateway::wire::time_text(SystemClock().wall())};
  const auto off = run_at_desk(options, [&](SwitchDesk& desk) {
    return desk.switch_off(options.name, wanted, options.future);
  });
  if (!off) return terminal::report_error(options.view, off.error());
  if (options.view.json()) {
    client::print_json(shown(options.name, *off));
  } else {
    fmt::print("disabled  {} {}: hidden from sessions, and new calls are rejected\n",
               what(options.name), options.name);
  }
  return terminal::kExitOk;
}

int enable_tool(const SwitchOptions& options) {
  if (auto right = check(options); !right)
    return terminal::report_error(options.view, right.error());
  const auto on =
      run_at_desk(options, [&](SwitchDesk& desk) { return desk.switch_on(options.name); });
  if (!on) return terminal::report_error(options.view, on.error());
  const auto ns = options.name.substr(0, options.name.find('.'));
  if (options.view.json()) {
    client::print_json({{"name", options.name}, {"namespace_disabled", on->namespace_disabled}});
    return terminal::kExitOk;
  }
  fmt::print("enabled   {} {}\n", what(options.name), options.name);
  if (on->namespace_disabled)
    fmt::print(stderr, "toolway: namespace {} is still disabled, and this tool with it\n", ns);
  return terminal::kExitOk;
}

int list_disabled(const SwitchOptions& options) {
  const auto switches = run_at_desk(options, [](SwitchDesk& desk) { return desk.all(); });
  if (!switches) return terminal::report_error(options.view, switches.error());
  if (options.view.json()) {
    OrderedJson rows = OrderedJson::array();
    for (const auto& [key, off] : switches->all()) rows.push_back(shown(key, off));
    client::print_json({{"disabled", rows}});
    return terminal::kExitOk;
  }
  terminal::Table table{.columns = {{.heading = "NAME"},
                                    {.heading = "REASON", .least = 12},
                                    {.heading = "BY", .least = 8, .rank = 2},
                                    {.heading = "DISABLED", .rank = 1}},
                        .nothing = "nothing is disabled"};
  for (const auto& [key, off] : switches->all())
    table.rows.push_back(
        {.cells = {key, off.reason, off.by, terminal::moment_text(off.at, options.view)}});
  fmt::print("{}", terminal::render(std::move(table), options.view));
  return terminal::kExitOk;
}

}  // namespace toolway::cli::switches
