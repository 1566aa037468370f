#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/os/private_file.h"
#include "gateway/wire/problem.h"

namespace toolway::gateway::edge {

/// Tells those who know the operator token from others. On the io_context's thread.
class OperatorGuard {
 public:
  /// `file` holds the token, and is read again when it changes; empty: no request is admitted.
  /// Errors: kInvalidRequest, naming the option: it cannot be read, others can read it, or it is
  /// not a token.
  static Result<OperatorGuard> create(std::string file);

  /// Whether the sender of `authorization` (the header of that name) may do what needs
  /// `permission`. Looks at the file's stamp each time. Errors: unauthenticated with a challenge
  /// (RFC 6750 §3), also for a wrong token; permission_denied: this gateway takes none.
  wire::HttpResult<void> admit(std::string_view permission,
                               std::optional<std::string_view> authorization);
  /// Whether a token has this SHA-256, in hex digits, and so is the operator token. Looks at the
  /// file's stamp, too.
  bool knows(std::string_view token_sha256);

 private:
  void look();
  explicit OperatorGuard(std::string file) : file_(std::move(file)) {}
  Result<void> read();

  std::string file_;
  std::optional<os::FileStamp> stamp_;  ///< of the file that was read last
  std::string token_digest_;            ///< empty: that file cannot be used
};

/// The token in a header `Bearer TOKEN`, whose scheme has any case (RFC 6750 §2.1); nothing: it is
/// of another form. Pure.
std::optional<std::string_view> bearer_token_of(std::string_view authorization);

}  // namespace toolway::gateway::edge
