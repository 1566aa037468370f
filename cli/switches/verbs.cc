#include "cli/switches/verbs.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/nearest_names.h"
#include "base/try.h"
#include "cli/client/reporting.h"
#include "cli/process/file_io.h"
#include "cli/stack/stack.h"
#include "cli/switches/offered_tools.h"
#include "cli/switches/operator_bucket.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"
#include "gateway/wire/json_text.h"
#include "proto/subjects.h"
#include "proto/switches.h"

namespace toolway::cli::switches {
namespace {

constexpr std::size_t kMaxText = 500;

/// Named, or of the `toolway dev` whose NATS it is, or where client verbs look by default.
client::ClientOptions gateway_of(const SwitchOptions& options) {
  auto http = options.http;
  const auto file =
      stack::http_url_file(options.data.empty() ? stack::StackOptions().data : options.data);
  if (http.url.empty() && (options.nats.empty() || !options.data.empty())) {
    auto text = process::read_file(file);
    while (text && text->ends_with('\n')) text->pop_back();
    if (text) http.url = *std::move(text);
  }
  if (http.url.empty()) http.url = client::ClientOptions().url;
  return http;
}

Result<std::unique_ptr<OperatorBucket>> open_bucket(const SwitchOptions& options) {
  return OperatorBucket::open({.nats = options.nats, .data = options.data}, proto::kSwitchesBucket);
}

/// What a second writer's command has done in between.
Result<void> put(OperatorBucket& bucket, const bus::Entry& before, const std::string& value) {
  auto done = bucket.put(before, value);
  if (!done && done.error().code == ErrorCode::kWrongLastSequence) {
    return fail(ErrorCode::kInvalidRequest,
                "another command switched it at the same time: look at "
                "`toolway tools disabled`, then try again");
  }
  return done;
}

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

}  // namespace

std::string os_user() {
  const auto uid = geteuid();
  const auto* found = getpwuid(uid);
  return found != nullptr ? found->pw_name : fmt::format("uid {}", uid);
}

int disable_tool(const SwitchOptions& options) {
  if (auto right = check(options); !right)
    return terminal::report_error(options.view, right.error());
  if (!options.future) {
    const auto gateway = gateway_of(options);
    const auto offered = ask_whether_offered(gateway, options.name);
    if (offered.answer == Offered::Answer::kNo) {
      return terminal::report_error(
          options.view,
          {ErrorCode::kUnknownTool,
           fmt::format(
               "{} Nothing was switched off. --future switches off what is not there yet, --url asks "
               "the gateway of another fleet ({} was asked)",
               offered.text.ends_with('?') ? offered.text : offered.text + ".", gateway.url),
           {}});
    }
    if (offered.answer == Offered::Answer::kNotKnown) {
      fmt::print(stderr, "toolway: warning: cannot tell whether there is a {} {}: {}\n",
                 what(options.name), options.name, offered.text);
    }
  }
  auto bucket = open_bucket(options);
  if (!bucket) return terminal::report_error(options.view, bucket.error());
  auto before = (*bucket)->get(options.name);
  if (!before) return terminal::report_error(options.view, before.error());
  const proto::Switch off{.reason = options.reason,
                          .by = options.by.empty() ? os_user() : options.by,
                          .at = gateway::wire::time_text(SystemClock().wall())};
  if (auto done = put(**bucket, *before, proto::encode(off)); !done)
    return terminal::report_error(options.view, done.error());
  if (options.view.json()) {
    client::print_json(shown(options.name, off));
  } else {
    fmt::print("disabled  {} {}: hidden from sessions, and new calls are rejected\n",
               what(options.name), options.name);
  }
  return terminal::kExitOk;
}

int enable_tool(const SwitchOptions& options) {
  if (auto right = check(options); !right)
    return terminal::report_error(options.view, right.error());
  auto bucket = open_bucket(options);
  if (!bucket) return terminal::report_error(options.view, bucket.error());
  auto before = (*bucket)->list();
  if (!before) return terminal::report_error(options.view, before.error());
  proto::Switches switches;
  bus::Entry own{options.name, "", 0};
  for (const auto& entry : *before) {
    switches.take(entry.key, entry.value);
    if (entry.key == options.name) own = entry;
  }
  if (!switches.all().contains(options.name)) {
    std::vector<std::string> names;
    for (const auto& [key, off] : switches.all()) names.push_back(key);
    const auto near = nearest_names(options.name, names);
    return terminal::report_error(
        options.view,
        {ErrorCode::kUnknownTool,
         fmt::format("{} '{}' is not disabled{}", what(options.name), options.name,
                     near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?"),
         {}});
  }
  if (auto done = put(**bucket, own, ""); !done)
    return terminal::report_error(options.view, done.error());
  const auto ns = options.name.substr(0, options.name.find('.'));
  const bool still_off = ns != options.name && switches.all().contains(ns);
  if (options.view.json()) {
    client::print_json({{"name", options.name}, {"namespace_disabled", still_off}});
    return terminal::kExitOk;
  }
  fmt::print("enabled   {} {}\n", what(options.name), options.name);
  if (still_off)
    fmt::print(stderr, "toolway: namespace {} is still disabled, and this tool with it\n", ns);
  return terminal::kExitOk;
}

int list_disabled(const SwitchOptions& options) {
  auto bucket = open_bucket(options);
  if (!bucket) return terminal::report_error(options.view, bucket.error());
  auto entries = (*bucket)->list();
  if (!entries) return terminal::report_error(options.view, entries.error());
  proto::Switches switches;
  for (const auto& entry : *entries) switches.take(entry.key, entry.value);
  if (options.view.json()) {
    OrderedJson rows = OrderedJson::array();
    for (const auto& [key, off] : switches.all()) rows.push_back(shown(key, off));
    client::print_json({{"disabled", rows}});
    return terminal::kExitOk;
  }
  terminal::Table table{.columns = {{.heading = "NAME"},
                                    {.heading = "REASON", .least = 12},
                                    {.heading = "BY", .least = 8, .rank = 2},
                                    {.heading = "DISABLED", .rank = 1}},
                        .nothing = "nothing is disabled"};
  for (const auto& [key, off] : switches.all())
    table.rows.push_back(
        {.cells = {key, off.reason, off.by, terminal::moment_text(off.at, options.view)}});
  fmt::print("{}", terminal::render(std::move(table), options.view));
  return terminal::kExitOk;
}

}  // namespace toolway::cli::switches
