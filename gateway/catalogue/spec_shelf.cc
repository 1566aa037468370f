#include "gateway/catalogue/spec_shelf.h"

#include <fmt/format.h>

#include "proto/subjects.h"

namespace toolway::gateway::catalogue {
namespace {

/// The bucket keeps an entry for 48 h, twice as long as a call may wait (bus/topology.cc).
constexpr std::chrono::hours kRewriteInterval{12};
/// What is not called for this long is forgotten here, too.
constexpr std::size_t kMaxKnown = 100'000;

}  // namespace

loop::Task<Result<void>> SpecShelf::put(const tools::model::RegisteredTool& tool) {
  const auto now = clock_.monotonic();
  const auto found = written_.find(tool.digest);
  if (found != written_.end() && now - found->second < kRewriteInterval) co_return Result<void>();
  const auto key = proto::spec_bucket_key(tool.digest);
  if (!key) co_return fail(ErrorCode::kInternal, "a digest of an unexpected form: " + tool.digest);
  // The same digest is the same text: no compare-and-set is needed.
  bus::Publication publication{.subject = proto::bucket_subject(proto::kSpecsBucket, *key),
                               .payload = to_text(tools::model::to_document(tool.spec()))};
  const std::string digest = tool.digest;
  const auto stored = co_await bus_.publish(std::move(publication));
  if (!stored) {
    // Not sent, or sent in vain: either way the call was not sent.
    co_return fail(ErrorCode::kBusUnavailable,
                   fmt::format("the call's spec could not be stored: {}", stored.error().message));
  }
  if (written_.size() >= kMaxKnown) written_.clear();
  written_[digest] = now;
  co_return Result<void>();
}

}  // namespace toolway::gateway::catalogue
