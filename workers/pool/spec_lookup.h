#pragma once

#include <functional>
#include <memory>

#include "bus/key_value.h"
#include "workers/call/worker_context.h"

namespace toolway::workers::pool {

/// Fetches the specs of calls, by digest, that a worker does not know yet. Thread-safe.
class SpecLookup {
 public:
  /// A call with its tool, which may be one that says why there is none; null: the bucket cannot be
  /// read now.
  using Found = std::function<void(bus::Delivery, v1::CallRequest, const call::ToolEntryPtr&)>;
  SpecLookup(std::shared_ptr<call::WorkerContext> context, Found found);

  /// `found` runs inside the gate, if that is still open: on the bus's thread, or at once when the
  /// call names no digest.
  void find(bus::Delivery delivery, v1::CallRequest request);

 private:
  /// A call whose spec is being fetched.
  struct Fetching {
    bus::Delivery delivery;
    v1::CallRequest request;
  };
  /// Null: no answer, or an answer that is none: to be asked for again.
  call::ToolEntryPtr fetched(const Fetching& fetching, Result<bus::Entry> answer);

  const std::shared_ptr<call::WorkerContext> context_;
  const Found found_;
  bus::KeyValue specs_;
};

}  // namespace toolway::workers::pool
