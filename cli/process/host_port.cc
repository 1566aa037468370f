#include "cli/process/host_port.h"

#include <fmt/format.h>

#include "base/text.h"

namespace toolway::cli::process {

std::string HostPort::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Result<HostPort> parse_host_port(const std::string& text) {
  const auto wrong = [&] {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("\"{}\" is not HOST:PORT, for example 127.0.0.1:8080", text));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return wrong();
  HostPort result{.host = text.substr(0, colon)};
  if (!parse_number(std::string_view(text).substr(colon + 1), result.port)) return wrong();
  if (result.host.size() > 2 && result.host.front() == '[' && result.host.back() == ']')
    result.host = result.host.substr(1, result.host.size() - 2);
  else if (result.host.find(':') != std::string::npos)
    return wrong();
  if (result.host.empty()) result.host = "127.0.0.1";
  return result;
}

}  // namespace toolway::cli::process
