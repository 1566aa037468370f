#include "cli/switches/operator_bucket.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <mutex>

#include "base/try.h"
#include "bus/answer.h"
#include "cli/process/processes.h"
#include "cli/process/server_urls.h"
#include "cli/stack/stack.h"
#include "proto/audit.h"
#include "proto/subjects.h"

namespace toolway::cli::switches {
namespace {

constexpr std::chrono::seconds kAnswerTimeout{10};
constexpr std::chrono::milliseconds kConnectPatience{2000};

/// Named, or of the `toolway dev` that runs, or where processes look by default.
Result<std::string> nats_of(const FleetNats& options) {
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

}  // namespace

OperatorBucket::OperatorBucket(std::unique_ptr<bus::Bus> bus, std::string url,
                               std::string_view bucket)
    : bus_(std::move(bus)), url_(std::move(url)), entries_(*bus_, std::string(bucket)) {}

Result<std::unique_ptr<OperatorBucket>> OperatorBucket::open(const FleetNats& fleet,
                                                             std::string_view name) {
  ASSIGN_OR_RETURN(auto url, nats_of(fleet));
  auto bus = bus::connect_jetstream(
      {.url = url, .name = "toolway-tools", .connect_timeout = kConnectPatience});
  if (!bus)
    return fail(
        bus.error().code,
        fmt::format("no NATS server answers at {}: start one (toolway dev), name yours with "
                    "--nats or TOOLWAY_NATS_URL, or the directory of a `toolway dev` that runs "
                    "elsewhere with --data",
                    process::without_password(url)));
  auto bucket =
      std::unique_ptr<OperatorBucket>(new OperatorBucket(*std::move(bus), std::move(url), name));
  RETURN_IF_ERROR(bucket->await_connection());
  return bucket;
}

Result<std::vector<bus::Entry>> OperatorBucket::list() {
  return bus::answer_within<std::vector<bus::Entry>>(
      kAnswerTimeout, [this](auto handler) { entries_.list(std::move(handler)); });
}

Result<bus::Entry> OperatorBucket::get(const std::string& key) {
  auto entry = bus::answer_within<bus::Entry>(
      kAnswerTimeout, [&](auto handler) { entries_.get(key, std::move(handler)); });
  if (!entry && entry.error().code == ErrorCode::kNotFound) return bus::Entry{key, "", 0};
  return entry;
}

Result<void> OperatorBucket::put(const bus::Entry& before, const std::string& value) {
  auto written = bus::answer_within<std::uint64_t>(kAnswerTimeout, [&](auto handler) {
    entries_.put(before.key, value, before.revision, std::move(handler));
  });
  RETURN_IF_ERROR(written);
  return {};
}

void OperatorBucket::tell_audit(const v1::AuditRecord& record) {
  const auto told = bus::answer_within<bus::PubAck>(kAnswerTimeout, [&](auto handler) {
    bus_->publish({.subject = proto::audit_subject("cli"),
                   .payload = proto::encode(record),
                   .message_id = record.id()},
                  std::move(handler));
  });
  if (told) return;
  fmt::print(
      stderr,
      "toolway: warning: it is in force, but the audit has no record of it: {}. If the fleet "
      "is older than this program, run `toolway migrate`\n",
      told.error().message);
}

Result<void> OperatorBucket::await_connection() {
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

}  // namespace toolway::cli::switches
