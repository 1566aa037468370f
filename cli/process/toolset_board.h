#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "bus/key_value.h"
#include "tools/model/kind_types.h"

namespace toolway::cli::process {

/// Where a worker's kinds put the tools that they have found, until they are taken to the
/// gateways: of each source the last set. Thread-safe; never blocks.
class ToolsetBoard {
 public:
  void put(tools::model::Toolset toolset);
  /// Waits for sets that were not taken yet; none when asked to stop, or after `patience`.
  std::map<std::string, tools::model::Toolset> take(const std::stop_token& stop,
                                                    std::chrono::milliseconds patience);
  /// Hands these out again, unless there are newer ones.
  void put_back(std::map<std::string, tools::model::Toolset> toolsets);
  /// Hands all out again.
  void all_again();

 private:
  Mutex mutex_;
  StoppableCondVar changed_;
  std::map<std::string, tools::model::Toolset> known_ GUARDED_BY(mutex_);  // by source
  std::map<std::string, tools::model::Toolset> fresh_ GUARDED_BY(mutex_);
};

/// Writes what is put on a board into the bucket `toolsets`, from a thread of its own: by compare
/// and set, and only what is not there, or was written a day ago: an entry that is not written for
/// a week leaves the bucket. Tries until it is there.
class ToolsetWriter {
 public:
  /// Both must outlive it.
  ToolsetWriter(bus::Bus& bus, ToolsetBoard& board, const Clock& clock);
  ~ToolsetWriter();

 private:
  void run(const std::stop_token& stop);
  Result<void> write(const tools::model::Toolset& toolset);
  Result<void> write_entry(const std::string& key, const std::string& value,
                           const std::string& digest);

  bus::KeyValue bucket_;
  ToolsetBoard& board_;
  const Clock& clock_;
  const std::string worker_;
  std::unique_ptr<bus::Subscription> connection_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace toolway::cli::process
