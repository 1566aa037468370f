// Switches in their bucket on NATS.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <mutex>
#include <vector>

#include "base/nearest_names.h"
#include "base/try.h"
#include "bus/answer.h"
#include "bus/jetstream_bus.h"
#include "bus/key_value.h"
#include "cli/process/processes.h"
#include "cli/process/server_urls.h"
#include "cli/stack/stack.h"
#include "cli/switches/offered_tools.h"
#include "cli/switches/switch_desk.h"
#include "proto/subjects.h"

namespace toolway::cli::switches {
namespace {

constexpr std::chrono::seconds kSwitchPatience{10};
constexpr std::chrono::milliseconds kConnectPatience{2000};

/// Named, or of the `toolway dev` that runs, or where processes look by default.
Result<std::string> nats_of(const SwitchOptions& options) {
  if (!options.nats.empty() && options.data.empty()) return options.nats;
  const auto file =
      stack::nats_url_file(options.data.empty() ? stack::StackOptions().data : options.data);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    if (options.data.empty()) return process::ProcessOptions().nats;
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("no `toolway dev` is running on {}", options.data));
  }
  return stack::first_line_of(file);
}

/// Named, or of the `toolway dev` whose NATS it is, or where client verbs look by default.
client::ClientOptions gateway_of(const SwitchOptions& options) {
  auto http = options.http;
  const auto file =
      stack::http_url_file(options.data.empty() ? stack::StackOptions().data : options.data);
  if (http.url.empty() && (options.nats.empty() || !options.data.empty())) {
    http.url = stack::first_line_of(file);
  }
  if (http.url.empty()) http.url = client::ClientOptions().url;
  return http;
}

/// The bucket, asked and waited for: a verb does one thing at a time.
class Bucket {
 public:
  static Result<std::unique_ptr<Bucket>> open(const SwitchOptions& options) {
    ASSIGN_OR_RETURN(auto url, nats_of(options));
    auto bus = bus::connect_jetstream(
        {.url = url, .name = "toolway-tools", .connect_timeout = kConnectPatience});
    if (!bus)
      return fail(
          bus.error().code,
          fmt::format("no NATS server answers at {}: start one (toolway dev), or name yours "
                      "with --nats or TOOLWAY_NATS_URL",
                      process::without_password(url)));
    auto bucket = std::unique_ptr<Bucket>(new Bucket(*std::move(bus), std::move(url)));
    RETURN_IF_ERROR(bucket->await_connection());
    return bucket;
  }

  Result<std::vector<bus::Entry>> list() {
    return bus::answer_within<std::vector<bus::Entry>>(
        kSwitchPatience, [this](auto handler) { entries_.list(std::move(handler)); });
  }
  /// What is there under `key`; revision 0: nothing ever was.
  Result<bus::Entry> get(const std::string& key) {
    auto entry = bus::answer_within<bus::Entry>(
        kSwitchPatience, [&](auto handler) { entries_.get(key, std::move(handler)); });
    if (!entry && entry.error().code == ErrorCode::kNotFound) return bus::Entry{key, "", 0};
    return entry;
  }
  Result<void> put(const bus::Entry& before, const std::string& value) {
    auto written = bus::answer_within<std::uint64_t>(kSwitchPatience, [&](auto handler) {
      entries_.put(before.key, value, before.revision, std::move(handler));
    });
    if (written) return {};
    if (written.error().code == ErrorCode::kWrongLastSequence) {
      return fail(ErrorCode::kInvalidRequest,
                  "another command switched it at the same time: look at "
                  "`toolway tools disabled`, then try again");
    }
    return fail(written.error());
  }

 private:
  Bucket(std::unique_ptr<bus::Bus> bus, std::string url)
      : bus_(std::move(bus)),
        url_(std::move(url)),
        entries_(*bus_, std::string(proto::kSwitchesBucket)) {}

  Result<void> await_connection() {
    const auto promise = std::make_shared<std::promise<void>>();
    auto connected = promise->get_future();
    const auto told = std::make_shared<std::once_flag>();
    const auto report = [promise, told] { std::call_once(*told, [&] { promise->set_value(); }); };
    const auto watching = bus_->on_connection([report](bus::Connection now) {
      if (now == bus::Connection::kConnected) report();
    });
    if (bus_->connection() == bus::Connection::kConnected) report();
    if (connected.wait_for(kConnectPatience) == std::future_status::ready) return {};
    return fail(ErrorCode::kBusUnavailable,
                fmt::format("NATS does not answer at {}: name it with --nats or "
                            "TOOLWAY_NATS_URL",
                            process::without_password(url_)));
  }

  const std::unique_ptr<bus::Bus> bus_;
  const std::string url_;
  bus::KeyValue entries_;
};

class NatsSwitches final : public SwitchDesk {
 public:
  NatsSwitches(std::unique_ptr<Bucket> bucket, client::ClientOptions gateway)
      : bucket_(std::move(bucket)), gateway_(std::move(gateway)) {}

  Result<proto::Switches> all() override {
    ASSIGN_OR_RETURN(const auto entries, bucket_->list());
    proto::Switches switches;
    for (const auto& entry : entries) switches.take(entry.key, entry.value);
    return switches;
  }

  Result<proto::Switch> switch_off(const std::string& name, const proto::Switch& off,
                                   bool future) override {
    if (!future) RETURN_IF_ERROR(check_offered(name));
    ASSIGN_OR_RETURN(const auto before, bucket_->get(name));
    RETURN_IF_ERROR(bucket_->put(before, proto::encode(off)));
    return off;
  }

  Result<SwitchedOn> switch_on(const std::string& name) override {
    ASSIGN_OR_RETURN(const auto entries, bucket_->list());
    proto::Switches switches;
    bus::Entry own{name, "", 0};
    for (const auto& entry : entries) {
      switches.take(entry.key, entry.value);
      if (entry.key == name) own = entry;
    }
    if (!switches.all().contains(name)) {
      std::vector<std::string> names;
      for (const auto& [key, off] : switches.all()) names.push_back(key);
      const auto near = nearest_names(name, names);
      return fail(ErrorCode::kUnknownTool,
                  fmt::format("{} '{}' is not disabled{}", what(name), name,
                              near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?"));
    }
    RETURN_IF_ERROR(bucket_->put(own, ""));
    const auto ns = name.substr(0, name.find('.'));
    return SwitchedOn{.namespace_disabled = ns != name && switches.all().contains(ns)};
  }

 private:
  static const char* what(const std::string& key) {
    return key.find('.') == std::string::npos ? "namespace" : "tool";
  }

  Result<void> check_offered(const std::string& name) const {
    const auto offered = ask_whether_offered(gateway_, name);
    if (offered.answer == Offered::Answer::kNo) {
      return fail(
          ErrorCode::kUnknownTool,
          fmt::format(
              "{} Nothing was switched off. --future switches off what is not there yet, --url asks "
              "the gateway of another fleet ({} was asked)",
              offered.text.ends_with('?') ? offered.text : offered.text + ".", gateway_.url));
    }
    if (offered.answer == Offered::Answer::kNotKnown) {
      fmt::print(stderr, "toolway: warning: cannot tell whether there is a {} {}: {}\n", what(name),
                 name, offered.text);
    }
    return {};
  }

  const std::unique_ptr<Bucket> bucket_;
  const client::ClientOptions gateway_;
};

}  // namespace

Result<std::unique_ptr<SwitchDesk>> switches_on_nats(const SwitchOptions& options) {
  ASSIGN_OR_RETURN(auto bucket, Bucket::open(options));
  return std::make_unique<NatsSwitches>(std::move(bucket), gateway_of(options));
}

}  // namespace toolway::cli::switches
