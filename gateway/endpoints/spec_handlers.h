#pragma once

#include <cstdint>
#include <functional>

#include "gateway/loop/async_store.h"
#include "gateway/loop/work_pool.h"
#include "gateway/wire/routed_request.h"
#include "persistence/specs/spec_store.h"
#include "tools/loaders/spec_source.h"
#include "tools/model/live_registry.h"

namespace toolway::gateway::endpoints {

/// What operators' requests about specs need. The store of specs is asked on the threads of the
/// other store, and files are read on those for large documents.
struct SpecsContext {
  loop::AsyncStore& threads;
  persistence::specs::SpecStore* specs;             ///< null: this gateway has none
  const std::function<std::int64_t()>& read_up_to;  ///< a revision of that store
  const tools::loaders::ReadSpecs& read;
  loop::WorkPool& work;
  const tools::model::LiveRegistry& registry;
};

// Errors of all: those of their requests; as SpecStore; store_unavailable when it does not answer
// in time, and what was asked for may be done then.
loop::Task<wire::HttpResult<wire::Response>> list_specs(const SpecsContext& context,
                                                        const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> put_specs(const SpecsContext& context,
                                                       const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> remove_specs(const SpecsContext& context,
                                                          const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> spec_history(const SpecsContext& context,
                                                          const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> spec_diff(const SpecsContext& context,
                                                       const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> roll_spec_back(const SpecsContext& context,
                                                            const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> promote_spec(const SpecsContext& context,
                                                          const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
