#pragma once

#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <string>

#include "gateway/loop/async_bus.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::calls {

/// One call, whose last event may be looked at: by the one owner, that is told. Destroyed, it is
/// not looked at.
struct CallLook final
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>,
      std::enable_shared_from_this<CallLook> {
  std::string subject;                             ///< of its events
  std::function<void(const v1::CallEvent&)> told;  ///< not called when nothing can be read
  bool asked = false;                              ///< until it was looked at
  loop::Timer* done = nullptr;                     ///< cancelled then
};

/// Looks at the last events of calls that are waited for, since live ones may be missed. Thousands
/// wait, so only a few questions to NATS are open at once; the others wait for their turn. On the
/// io_context's thread; must outlive its coroutines.
class CallLooks {
 public:
  static constexpr std::size_t kAtOnce = 32;

  CallLooks(loop::AsyncBus& bus, loop::Executor executor) : bus_(bus), executor_(executor) {}

  /// In its turn; nothing more when it is asked already.
  void ask(CallLook& look);
  /// The same, and returns once it was looked at, or after `patience`.
  loop::Task<void> ask(CallLook& look, std::chrono::milliseconds patience);

 private:
  loop::Task<void> run();

  loop::AsyncBus& bus_;
  loop::Executor executor_;
  std::size_t open_ = 0;
  boost::intrusive::list<CallLook, boost::intrusive::constant_time_size<false>> waiting_;
};

}  // namespace toolway::gateway::calls
