#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/model/secrets.h"

namespace toolway::tools::executors::mcp_client {

/// A text in which `{secret:NAME}` means a secret: what a server gets in its environment
/// or its headers. Braces that are nothing of the kind are themselves. Immutable.
class SecretText {
 public:
  SecretText() = default;
  /// Errors: kInvalidSpec (a secret without a name, or of another form).
  static Result<SecretText> parse(std::string_view text);
  /// Nothing but one secret. Errors: kInvalidSpec.
  static Result<SecretText> of_secret(std::string_view name);

  /// Looks the secrets up, now. Errors: kNotFound, naming the one that is not there, or empty.
  Result<std::string> render(const model::Secrets& secrets) const;
  bool holds_secret() const { return !names_.empty(); }
  const std::vector<std::string>& secret_names() const { return names_; }

 private:
  std::vector<std::string> literals_{""};  // one more than there are names
  std::vector<std::string> names_;
};

}  // namespace toolway::tools::executors::mcp_client
