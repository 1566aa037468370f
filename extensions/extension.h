#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "extensions/limit.h"
#include "extensions/principal.h"
#include "extensions/rule.h"
#include "extensions/service.h"
#include "tools/model/tool.h"

namespace toolway::extensions {

/// What a decision about a call is based on. Lasts as long as the decision.
struct Facts {
  const Principal& caller;
  const tools::model::Spec& spec;
  /// The policy's rules that are about this call, in its order. While the arguments are not looked
  /// at (a worker that takes a call from its queue), only those before the first that needs them.
  std::span<const Rule* const> rules;
};

/// How long a call may wait for approval at most, and where no rule says how long.
inline constexpr std::chrono::seconds kLongestHold = std::chrono::hours(30 * 24);
inline constexpr std::chrono::seconds kUsualHold = std::chrono::hours(24);

/// A call waits until people have approved it.
struct Hold {
  std::vector<std::string> roles{};  ///< of those who may; none: who may `approve:` its tool
  unsigned quorum = 1;               ///< the number that must approve
  std::chrono::seconds expires = kUsualHold;
  bool requester_may_decide = false;

  bool operator==(const Hold&) const = default;
};

/// What an extension says about a call before it runs.
struct Decision {
  std::optional<Error> refusal{};  ///< nothing: the call may run
  std::optional<Hold> hold{};      ///< nothing: it need not wait
  /// What says so: a rule's name, or roles; empty: nothing was said about this call.
  std::string because{};
  /// The call may run if each of these has a token for it. A gateway takes them before it accepts
  /// the call; a worker does not ask again.
  std::vector<Limit> limits{};
  /// The call may run if each of these lets it, or the result may be shown. A gateway asks before
  /// it accepts the call, a worker once the tool has ended.
  std::vector<ServiceAsked> services{};
};

/// Code around the execution of every call, whatever its kind. Pure: it knows no socket, no clock
/// and no process, and decides by the facts alone. Immutable, used by many threads at once.
class Extension {
 public:
  virtual ~Extension() = default;
  /// A gateway asks before it accepts the call, a worker before it runs the tool.
  virtual Decision before(const Facts&) const { return {}; }
  /// A worker asks once the tool has ended, in the opposite order. What it returns is the call's
  /// result; one that breaks the tool's output schema becomes `invalid_result`.
  virtual tools::model::Execution after(const Facts&, tools::model::Execution result) const {
    return result;
  }
};
using ExtensionPtr = std::shared_ptr<const Extension>;

}  // namespace toolway::extensions
