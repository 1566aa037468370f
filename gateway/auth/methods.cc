#include "gateway/auth/methods.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "gateway/edge/edge.h"

namespace toolway::gateway::auth {

Result<Methods> parse_methods(std::string_view text) {
  Methods methods;
  if (text == "none") return methods;
  std::string_view rest = text;
  for (;;) {
    const auto comma = rest.find(',');
    const auto word = rest.substr(0, comma);
    bool* method = word == "keys" ? &methods.keys : word == "jwt" ? &methods.jwt : nullptr;
    if (method == nullptr || *method)
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("--auth \"{}\" is not none, keys, jwt or keys,jwt", text));
    *method = true;
    if (comma == std::string_view::npos) return methods;
    rest.remove_prefix(comma + 1);
  }
}

Result<Methods> methods_for(std::string_view given, const std::string& host) {
  if (!given.empty()) return parse_methods(given);
  ASSIGN_OR_RETURN(const auto address, edge::listen_address(host));
  if (edge::plain_address(address).is_loopback()) return Methods();
  return fail(
      ErrorCode::kInvalidRequest,
      fmt::format("--http {} can be reached from other machines, so say how callers prove who they "
                  "are: --auth keys, --auth jwt or --auth keys,jwt; or --auth none, if "
                  "each client that reaches it may use it",
                  host));
}

}  // namespace toolway::gateway::auth
