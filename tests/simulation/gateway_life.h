#pragma once

#include <memory>
#include <string>

#include "gateway/calls/answer_plan.h"
#include "gateway/calls/submission.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/follower.h"
#include "tests/simulation/keyed_request.h"

namespace toolway::simulation {

/// Whether a gateway holds the calls that must wait for approval.
enum class Holds { kAsItMust, kForgets };

/// A gateway, as far as the bus sees it: it carries the machines of gateway/ over the model of the
/// bus, as coroutines on real timers do in the product.
class GatewayLife final : public Life {
 public:
  GatewayLife(const Surroundings& around, const std::string& name, const Clock& clock,
              Checker& checker, Holds holds = Holds::kAsItMust)
      : Life(around, name, clock), checker_(checker), holds_(holds) {}

  void die() override;
  /// Publishes the call until it is acknowledged or the time to accept it has passed.
  void submit(v1::CallRequest request);
  /// The same under an Idempotency-Key, which may be of an earlier request.
  void submit(v1::CallRequest request, const std::string& key);
  /// The same for who waits for the answer.
  void submit(v1::CallRequest request, const std::string& key, std::function<void(KeyAnswer)> told,
              MayStart may_start = MayStart::kYes);
  /// Cancels a call at a client's request.
  void cancel(const v1::CallRequest& request, const Tables& tables);
  /// Answers what its tool asks.
  void answer(const v1::CallRequest& request, gateway::calls::Answers answers,
              const Tables& tables);
  /// Decides about a held call at someone's request, as far as the store has it.
  void decide(const std::string& call_id, v1::Vote vote, const Tables& tables);
  /// Publishes a held call past its approval: no gateway does.
  void forge(const v1::CallRequest& request);
  /// Shows `reader` its session, from where it is.
  void follow(const Tables& tables, Reader& reader);

 private:
  struct Submitted {
    bus::Publication publication;
    gateway::calls::Submission submission;
    std::function<void(Checker::Fate)> then;
  };
  void publish(v1::CallRequest request, std::function<void(Checker::Fate)> then);
  void carry(const std::shared_ptr<Submitted>& submitted, const gateway::calls::SubmitStep& step);

  void resume(v1::CallRequest request, const v1::CallEvent& answered);
  void release(const v1::CallRequest& request, const v1::CallEvent& approved);
  v1::CallRequest stamped(v1::CallRequest request) const;

  Checker& checker_;
  const Holds holds_;
  std::vector<std::shared_ptr<Follower>> followers_;
};

}  // namespace toolway::simulation
