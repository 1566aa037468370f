#pragma once

#include <memory>
#include <string>

#include "gateway/calls/submission.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/follower.h"
#include "tests/simulation/keyed_request.h"

namespace toolway::simulation {

/// A gateway, as far as the bus sees it: it carries the machines of gateway/ over the model of the
/// bus, as coroutines on real timers do in the product.
class GatewayLife final : public Life {
 public:
  GatewayLife(const Surroundings& around, const std::string& name, const Clock& clock,
              Checker& checker)
      : Life(around, name, clock), checker_(checker) {}

  void die() override;
  /// Publishes the call until it is acknowledged or the time to accept it has passed.
  void submit(v1::CallRequest request);
  /// The same under an Idempotency-Key, which may be of an earlier request.
  void submit(v1::CallRequest request, const std::string& key);
  /// Cancels a call at a client's request.
  void cancel(const v1::CallRequest& request, const Tables& tables);
  /// Shows `reader` its session, from where it is.
  void follow(const Tables& tables, Reader& reader);

 private:
  struct Submitted {
    bus::Publication publication;
    gateway::calls::Submission submission;
    std::function<void(Checker::Fate)> then;
  };
  void publish(const v1::CallRequest& request, std::function<void(Checker::Fate)> then);
  void carry(const std::shared_ptr<Submitted>& submitted, const gateway::calls::SubmitStep& step);

  Checker& checker_;
  std::vector<std::shared_ptr<Follower>> followers_;
};

}  // namespace toolway::simulation
