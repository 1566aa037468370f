#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "bus/key_value.h"
#include "cli/process/toolset_entries.h"
#include "tools/executors/mcp_client/server_config.h"
#include "tools/loaders/spec_source.h"

namespace toolway::cli::process {

/// The tools that workers found, from the bucket `toolsets`; each server's are a part. Only entries
/// of servers that this gateway was told about count, and of these only what `take_tools` takes.
/// They are read at first and after a reconnect, and watched in between.
class ToolsetSource final : public tools::loaders::SpecSource {
 public:
  /// `bus` must outlive it.
  ToolsetSource(bus::Bus& bus, std::vector<tools::executors::mcp_client::ServerConfig> servers);
  ~ToolsetSource() override;

  tools::loaders::SourceKind kind() const override { return tools::loaders::SourceKind::kToolset; }
  const std::string& name() const override { return name_; }
  std::optional<tools::loaders::SourceState> look(std::stop_token stop) override;
  std::chrono::milliseconds pause() const override;

 private:
  using Known = std::map<std::string, tools::executors::mcp_client::ServerConfig, std::less<>>;
  /// What the bus's threads hand over.
  struct Seen {
    const Known known;
    Mutex mutex;
    std::vector<bus::Entry> entries GUARDED_BY(mutex){};  // not looked at yet
    std::size_t bytes GUARDED_BY(mutex) = 0;              // of them
    bool list GUARDED_BY(mutex) = true;                   // the bucket must be read
    std::set<std::string> strangers GUARDED_BY(mutex){};  // servers that are not known, a few
    void add(const bus::Entry& entry);
  };
  struct Kept {
    std::uint64_t revision = 0;
    std::size_t bytes = 0;
    ToolsetPart part;
  };
  struct Server {
    std::string digest;
    std::shared_ptr<const tools::loaders::SpecPart> good{};
    std::vector<toolway::Mistake> mistakes{};
  };

  /// Why the bucket cannot be read; empty: it can.
  std::string read(const std::stop_token& stop, std::vector<bus::Entry>& entries);
  /// All entries of the servers that are known, and the names of some others. Empty: done.
  std::string read_all(const std::stop_token& stop, std::vector<bus::Entry>& entries);
  void note_strangers();
  bool take(const bus::Entry& entry);
  bool put_together();
  tools::loaders::SourceState state();

  bus::Bus& bus_;
  bus::KeyValue bucket_;
  const std::string name_ = "toolsets";
  const std::shared_ptr<Seen> seen_;
  std::map<std::string, Kept> kept_;                    // by key
  std::map<std::string, Server> servers_;               // by name
  std::map<std::string, toolway::Mistake> unreadable_;  // entries, by key
  std::map<std::string, toolway::Mistake> strangers_;   // servers that are not known, by name
  std::vector<toolway::Mistake> found_;
  std::string away_;
  bool first_ = true;
  std::unique_ptr<bus::Subscription> watch_;
  const std::unique_ptr<bus::Subscription> connection_;  // last: its handler uses seen_
};

}  // namespace toolway::cli::process
