#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gateway/catalogue/tool_filter.h"
#include "gateway/catalogue/tool_set.h"
#include "gateway/loop/async_semaphore.h"
#include "gateway/loop/made_once.h"
#include "gateway/loop/work_pool.h"

namespace toolway::gateway::catalogue {

using ToolListPtr = std::shared_ptr<const ToolList>;
using ToolSetPtr = std::shared_ptr<const ToolSet>;

/// For a gateway where nothing is switched off.
std::shared_ptr<const proto::Switches> nothing_is_off();

/// Lists of tools, made once per version of the registry, set of namespaces, and format; large ones
/// on the threads of `work`, one at a time, so that documents have the others. A session's list
/// costs what that session sees, however many tools there are. What is switched off is in no list
/// that a model may get. On the io_context's thread; must outlive its coroutines.
class ToolsView {
 public:
  /// What is switched off now; never null.
  using SwitchesNow = std::function<std::shared_ptr<const proto::Switches>()>;
  ToolsView(const tools::model::LiveRegistry& registry, loop::WorkPool& work,
            loop::Executor executor, SwitchesNow switches_now = nothing_is_off)
      : live_(registry),
        work_(work),
        executor_(executor),
        switches_now_(std::move(switches_now)),
        turns_(executor, 1) {}

  // Errors of all: kShuttingDown.

  /// `session_key`: whose versions of tools they are; empty: the stable ones. `grants`: what is not
  /// granted is left out.
  loop::Task<Result<ToolListPtr>> of(
      std::span<const std::string> namespaces,
      tools::exports::Format format = tools::exports::Format::kToolway,
      std::string_view session_key = {}, const extensions::GrantsPtr& grants = {});
  /// Every tool that the filter wants. Only the list of all is kept. The format `toolway`, which
  /// is for operators, also has those that are switched off, marked as such, and candidates.
  loop::Task<Result<ToolListPtr>> all(tools::exports::Format format, ToolFilter filter = {});
  /// The tools of these namespaces with what models call them, including those that are switched
  /// off: a name must not come to mean another tool while its own is off.
  loop::Task<Result<ToolSetPtr>> set_of(std::span<const std::string> namespaces,
                                        const extensions::GrantsPtr& grants = {});

 private:
  /// One set of namespaces, in the versions that some sessions get.
  struct Seen {
    ToolsNow now;
    Tools tools;              ///< of now.registry, in their stable versions
    std::string session_key;  ///< of a session that gets its versions
    std::size_t cost = 0;
    loop::MadeOnce<ToolSet> set;
    std::array<loop::MadeOnce<ToolList>, tools::exports::kFormats> lists;
  };
  using SeenPtr = std::shared_ptr<Seen>;
  /// Forgets what was made from older tools.
  void look();
  void forget();
  SeenPtr seen(std::span<const std::string> namespaces, std::string_view session_key,
               const extensions::GrantsPtr& grants);
  SeenPtr seen_all();
  SeenPtr remember(std::string key, Tools tools, std::string_view session_key);
  loop::Task<Result<ToolSetPtr>> set_of(SeenPtr seen);
  loop::Task<Result<ToolListPtr>> list_of(SeenPtr seen, tools::exports::Format format, Off off);
  loop::Task<Result<ToolListPtr>> make_list(SeenPtr seen, ToolSetPtr set,
                                            tools::exports::Format format, Off off);
  /// The result of `make`: run here, or on another thread when it costs more than a small document.
  template <typename T, typename Make>
  loop::Task<Result<std::shared_ptr<const T>>> made(std::size_t cost, Make make);

  const tools::model::LiveRegistry& live_;
  loop::WorkPool& work_;
  const loop::Executor executor_;
  const SwitchesNow switches_now_;
  loop::AsyncSemaphore turns_;
  ToolsNow now_;
  std::unordered_map<std::string, SeenPtr> seen_;
  std::size_t kept_bytes_ = 0;  ///< of the lists in it
};

}  // namespace toolway::gateway::catalogue
