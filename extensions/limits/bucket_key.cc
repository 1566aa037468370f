#include "extensions/limits/bucket_key.h"

#include <fmt/format.h>

#include "base/sha256.h"

namespace toolway::extensions::limits {
namespace {

std::string part_of(Per per, const v1::CallRequest& call) {
  switch (per) {
    case Per::kTenant: return call.tenant_id();
    case Per::kUser: return fmt::format("{}\n{}", call.tenant_id(), call.user_id());
    case Per::kKey:
      if (call.principal().key_id().empty()) return part_of(Per::kUser, call);
      return "key\n" + call.principal().key_id();
    case Per::kSession: return call.session_key();
    case Per::kTool: return fmt::format("{}.{}", call.labels().namespace_(), call.labels().tool());
  }
  return {};
}

}  // namespace

void BucketKey::add(std::string_view part) { parts_ += fmt::format("{}:{}", part.size(), part); }

std::string BucketKey::text() const {
  Sha256 digest;
  digest.add(parts_);
  return digest.hex(16);
}

std::string bucket_key(const Limit& limit, const v1::CallRequest& call) {
  BucketKey key(limit);
  for (const Per per : limit.per) key.add(part_of(per, call));
  return key.text();
}

}  // namespace toolway::extensions::limits
