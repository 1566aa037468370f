#include "workers/pool/spec_lookup.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <new>
#include <string>
#include <utility>

#include "proto/subjects.h"

namespace toolway::workers::pool {

SpecLookup::SpecLookup(std::shared_ptr<call::WorkerContext> context, Found found)
    : context_(std::move(context)),
      found_(std::move(found)),
      specs_(context_->bus, std::string(proto::kSpecsBucket)) {}

void SpecLookup::find(bus::Delivery delivery, v1::CallRequest request) {
  const auto key = proto::spec_bucket_key(request.spec_digest());
  if (!key) {
    const auto tool = context_->tools.learn(
        request, fail(ErrorCode::kSpecUnavailable, "the call does not name its spec by digest"));
    return found_(std::move(delivery), std::move(request), tool);
  }
  auto held = std::make_shared<Fetching>(Fetching{std::move(delivery), std::move(request)});
  specs_.get(*key, [this, context = context_, held](Result<bus::Entry> answer) {
    const threads::GateLock entered(context->gate);
    if (!entered) return;
    call::ToolEntryPtr tool;
    try {
      tool = fetched(*held, std::move(answer));
    } catch (const std::bad_alloc&) {
      spdlog::error("out of memory for the spec of a call, which is delivered again");
    }
    found_(std::move(held->delivery), std::move(held->request), tool);
  });
}

call::ToolEntryPtr SpecLookup::fetched(const Fetching& fetching, Result<bus::Entry> answer) {
  if (!answer && answer.error().code != ErrorCode::kNotFound) return nullptr;
  Result<std::string> document =
      answer ? Result<std::string>(std::move(answer->value))
             : fail(ErrorCode::kSpecUnavailable,
                    fmt::format("the spec that admitted this call ({}) can no longer be found",
                                fetching.request.spec_digest()));
  return context_->tools.learn(fetching.request, document);
}

}  // namespace toolway::workers::pool
