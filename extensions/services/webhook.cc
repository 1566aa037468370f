#include "extensions/services/webhook.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/base64.h"

namespace toolway::extensions::services {
namespace {

constexpr std::string_view kPrefix = "whsec_";
constexpr std::size_t kMinBytes = 24;
constexpr std::size_t kMaxBytes = 64;

}  // namespace

Result<std::string> webhook_key(std::string_view secret) {
  const auto wrong = [] {
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("the secret must be whsec_ and base64 of {} to {} bytes: make one with "
                            "`echo whsec_$(openssl rand -base64 32)`",
                            kMinBytes, kMaxBytes));
  };
  if (!secret.starts_with(kPrefix)) return wrong();
  auto key = from_base64(secret.substr(kPrefix.size()));
  if (!key || key->size() < kMinBytes || key->size() > kMaxBytes) return wrong();
  return *std::move(key);
}

std::string webhook_signature(std::string_view key, std::string_view id, std::int64_t unix_seconds,
                              std::string_view body) {
  const auto text = fmt::format("{}.{}.{}", id, unix_seconds, body);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return "v1," + base64({reinterpret_cast<const char*>(digest.data()), size});
}

tools::http::HttpHeaders webhook_headers(std::span<const std::string> keys, std::string_view id,
                                         WallTime now, std::string_view body) {
  using std::chrono::seconds;
  const auto at = std::chrono::floor<seconds>(now.time_since_epoch()).count();
  std::string signatures;
  for (const auto& key : keys) {
    if (!signatures.empty()) signatures += ' ';
    signatures += webhook_signature(key, id, at, body);
  }
  return {{"webhook-id", std::string(id)},
          {"webhook-timestamp", std::to_string(at)},
          {"webhook-signature", std::move(signatures)}};
}

}  // namespace toolway::extensions::services
