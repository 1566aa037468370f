#pragma once

#include <memory>
#include <stop_token>

#include "base/clock.h"
#include "extensions/chain/policy_board.h"
#include "extensions/services/service_desk.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/registry.h"

namespace toolway::workers::call {

/// A result that services are asked about. What is referred to must outlive it.
struct ResultAsked {
  std::shared_ptr<extensions::services::ServiceDesk> desk;  ///< null: this process may ask none
  const v1::CallRequest& call;
  const tools::model::RegisteredTool& tool;
  const extensions::Policy& policy;
  const Clock& clock;
  unsigned attempt = 1;
};

/// What a service made of the result.
struct AskedResult {
  tools::model::Execution result;
  bool changed = false;
  std::string failure{};  ///< why it could not say; empty: it did
  std::chrono::nanoseconds took{};
};

/// Asks one; blocks. When it cannot say, its rule decides: the result stays, or becomes an error.
AskedResult ask_about_result(const ResultAsked& asked, const extensions::ServiceAsked& service,
                             tools::model::Execution result, std::stop_token stop);

}  // namespace toolway::workers::call
