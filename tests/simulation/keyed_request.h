#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bus/key_value.h"
#include "gateway/calls/idempotency.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/node_bus.h"

namespace toolway::simulation {

/// Publishes a call; told how that went.
using PublishCall = std::function<void(const v1::CallRequest&, std::function<void(Checker::Fate)>)>;

/// What became of a request with a key.
struct KeyAnswer {
  enum class What {
    kAccepted,      ///< `call` is its call
    kNeverStarted,  ///< and never will be
    kFailed,        ///< it can be asked again
  };
  What what = What::kFailed;
  v1::CallRequest call{};
};
/// Whether a request may start a call, or gives its key up.
enum class MayStart { kYes, kNo };

/// One request with an Idempotency-Key at a gateway: the real decisions and records
/// (gateway/calls/idempotency.h) over the real bucket (bus/key_value.h), in the order of
/// gateway/calls/call_keys.cc, whose coroutines run on real timers and so cannot run here.
class KeyedRequest : public std::enable_shared_from_this<KeyedRequest> {
 public:
  /// `planned`: the call if the key is free.
  KeyedRequest(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
               const Clock& clock, Checker& checker, std::string key, v1::CallRequest planned);

  /// `told`: once, unless its process dies; may be empty.
  void begin(PublishCall publish, std::function<void(KeyAnswer)> told = {},
             MayStart may_start = MayStart::kYes);

 private:
  void read();
  void met(const Result<bus::Entry>& found);
  void obey();
  void claim();
  void settle();
  void look_up();
  void known(const char* by);
  void give_up();
  /// What it wanted to write was not stored: another was faster, or NATS does not answer.
  void read_again(const Error& error);
  void tell(KeyAnswer::What what);
  void publish();
  void note(v1::IdempotencyRecord::State state);

  const Surroundings around_;
  const std::shared_ptr<Process> process_;
  NodeBus& bus_;
  const Clock& clock_;
  Checker& checker_;
  bus::KeyValue keys_;
  const std::string key_;
  v1::CallRequest plan_;
  PublishCall publish_;
  std::function<void(KeyAnswer)> told_;
  MayStart may_start_ = MayStart::kYes;
  gateway::calls::KeyEntry entry_;
  gateway::calls::KeyStep step_ = gateway::calls::KeyStep::kClaim;
  v1::IdempotencyRecord written_;  ///< the note that was written last
  int tries_ = 0;                  ///< that were not stored
};

}  // namespace toolway::simulation
