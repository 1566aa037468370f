#include "gateway/edge/operator_guard.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/bearer_token.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/try.h"

namespace toolway::gateway::edge {
namespace {

constexpr std::string_view kOption = "--operator-token-file";

tl::unexpected<wire::Problem> challenge(std::string message, std::string_view why = {}) {
  wire::Problem problem{.error = Error{ErrorCode::kUnauthenticated, std::move(message)}};
  problem.challenge = "Bearer realm=\"toolway\"";
  if (!why.empty()) problem.challenge += fmt::format(", error=\"{}\"", why);
  return wire::refuse(std::move(problem));
}

}  // namespace

Result<OperatorGuard> OperatorGuard::create(std::string file) {
  OperatorGuard guard(std::move(file));
  if (!guard.file_.empty()) RETURN_IF_ERROR(guard.read());
  return guard;
}

Result<void> OperatorGuard::read() {
  stamp_ = os::stamp_of(file_);
  token_digest_.clear();
  // One more than is taken, and its line end: a longer file is seen to be longer.
  auto text = os::read_private_file(file_, kMaxTokenBytes + 3);
  if (!text)
    return fail(ErrorCode::kInvalidRequest, fmt::format("{}: {}", kOption, text.error().message));
  ASSIGN_OR_RETURN(const auto token, checked_token(*text, fmt::format("{} {}", kOption, file_)));
  token_digest_ = sha256_hex(token);
  return {};
}

wire::HttpResult<void> OperatorGuard::admit(std::string_view permission,
                                            std::optional<std::string_view> authorization) {
  if (file_.empty()) {
    return wire::refuse(
        ErrorCode::kPermissionDenied,
        fmt::format("this gateway takes no requests of operators ({}): start it with {} FILE",
                    permission, kOption));
  }
  look();
  if (token_digest_.empty()) {
    return wire::refuse(
        ErrorCode::kPermissionDenied,
        fmt::format("this gateway cannot use the file of {}: its log says why", kOption));
  }
  const auto token = authorization ? bearer_token_of(*authorization) : std::nullopt;
  if (!token) {
    return challenge(fmt::format(
        "this request needs the permission {}: send the operator token, Authorization: Bearer TOKEN",
        permission));
  }
  if (!same_digest(sha256_hex(*token), token_digest_))
    return challenge("the token is not the operator token of this gateway", "invalid_token");
  return {};
}

void OperatorGuard::look() {
  if (os::stamp_of(file_) == stamp_) return;
  if (auto now = read(); !now)
    spdlog::error("requests of operators are refused: {}", now.error().message);
}

bool OperatorGuard::knows(std::string_view token_sha256) {
  if (file_.empty()) return false;
  look();
  return !token_digest_.empty() && same_digest(token_sha256, token_digest_);
}

std::optional<std::string_view> bearer_token_of(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.size() <= kScheme.size() ||
      !same_word(authorization.substr(0, kScheme.size()), kScheme))
    return std::nullopt;
  const auto token = trimmed(authorization.substr(kScheme.size()), " ");
  if (token.empty() || token.find(' ') != std::string_view::npos) return std::nullopt;
  return token;
}

}  // namespace toolway::gateway::edge
