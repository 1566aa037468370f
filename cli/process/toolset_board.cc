#include "cli/process/toolset_board.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>

#include "base/json.h"
#include "base/mutex.h"
#include "base/pause.h"
#include "base/try.h"
#include "bus/answer.h"
#include "cli/process/toolset_entries.h"
#include "proto/subjects.h"

namespace toolway::cli::process {
namespace {

constexpr std::chrono::seconds kBoardPatience{10};
constexpr std::chrono::seconds kRetryAfter{1};
constexpr std::chrono::hours kLookInterval{1};
constexpr std::chrono::hours kWriteAgain{24};

/// Whether an entry is so old that it has to be written again, or it leaves the bucket. By its
/// writer's clock: a day more or less does no harm.
bool is_old(const std::string& value, WallTime now) {
  const auto json = parse_json(value, kMaxJsonDepth + 8);
  return json && from_unix_us(json->value("at_us", std::int64_t{0})) + kWriteAgain < now;
}

std::string this_process() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("{}:{}", host.data(), getpid());
}

}  // namespace

void ToolsetBoard::put(tools::model::Toolset toolset) {
  const MutexLock lock(mutex_);
  known_[toolset.source] = toolset;
  const auto source = toolset.source;
  fresh_[source] = std::move(toolset);
  changed_.notify_all();
}

std::map<std::string, tools::model::Toolset> ToolsetBoard::take(
    const std::stop_token& stop, std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, stop, patience, [this]() REQUIRES(mutex_) { return !fresh_.empty(); });
  if (stop.stop_requested()) return {};
  return std::exchange(fresh_, {});
}

void ToolsetBoard::put_back(std::map<std::string, tools::model::Toolset> toolsets) {
  const MutexLock lock(mutex_);
  fresh_.merge(toolsets);
  changed_.notify_all();
}

void ToolsetBoard::all_again() {
  const MutexLock lock(mutex_);
  for (const auto& [source, toolset] : known_) fresh_.emplace(source, toolset);
  changed_.notify_all();
}

ToolsetWriter::ToolsetWriter(bus::Bus& bus, ToolsetBoard& board, const Clock& clock)
    : bucket_(bus, std::string(proto::kToolsetsBucket)),
      board_(board),
      clock_(clock),
      worker_(this_process()),
      // NATS may have come back without what it had.
      connection_(bus.on_connection([this](bus::Connection now) {
        if (now == bus::Connection::kConnected) board_.all_again();
      })),
      thread_([this](std::stop_token stop) { run(stop); }) {}

ToolsetWriter::~ToolsetWriter() {
  connection_.reset();
  thread_.request_stop();
}

void ToolsetWriter::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto toolsets = board_.take(stop, kLookInterval);
    if (toolsets.empty()) board_.all_again();
    std::map<std::string, tools::model::Toolset> failed;
    for (auto& [source, toolset] : toolsets) {
      if (stop.stop_requested()) return;
      const auto written = write(toolset);
      if (written) continue;
      spdlog::warn("cannot tell the gateways about the tools of MCP server {}; trying again: {}",
                   source, written.error().message);
      failed.emplace(source, std::move(toolset));
    }
    if (failed.empty()) continue;
    board_.put_back(std::move(failed));
    pause(kRetryAfter, stop);
  }
}

Result<void> ToolsetWriter::write(const tools::model::Toolset& toolset) {
  const auto entries = toolset_entries(toolset, worker_, clock_.wall());
  const auto digest = read_toolset_entry(entries.front().key, entries.front().value)->digest;
  // The first part last: it makes the set complete.
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    RETURN_IF_ERROR(write_entry(entry->key, entry->value, digest));
  }
  return {};
}

Result<void> ToolsetWriter::write_entry(const std::string& key, const std::string& value,
                                        const std::string& digest) {
  const auto there = bus::answer_within<bus::Entry>(
      kBoardPatience, [&](auto handler) { bucket_.get(key, std::move(handler)); });
  if (!there && there.error().code != ErrorCode::kNotFound) return fail(there.error());
  if (there) {
    // Another worker has found the same.
    const auto known = read_toolset_entry(key, there->value);
    if (known && known->digest == digest && !is_old(there->value, clock_.wall())) return {};
  }
  const auto put = bus::answer_within<std::uint64_t>(kBoardPatience, [&](auto handler) {
    bucket_.put(key, value, there ? there->revision : 0, std::move(handler));
  });
  RETURN_IF_ERROR(put);
  return {};
}

}  // namespace toolway::cli::process
