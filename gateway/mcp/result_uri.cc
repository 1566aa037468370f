#include "gateway/mcp/result_uri.h"

#include <fmt/format.h>

#include "base/ids.h"

namespace toolway::gateway::mcp {
namespace {

constexpr std::string_view kBefore = "toolway://calls/";
constexpr std::string_view kAfter = "/result";

}  // namespace

std::string result_uri(std::string_view call_id) {
  return fmt::format("{}{}{}", kBefore, call_id, kAfter);
}

std::optional<std::string> call_of_result(std::string_view uri) {
  if (!uri.starts_with(kBefore) || !uri.ends_with(kAfter)) return std::nullopt;
  if (uri.size() < kBefore.size() + kAfter.size()) return std::nullopt;
  const auto id = uri.substr(kBefore.size(), uri.size() - kBefore.size() - kAfter.size());
  if (!CallId::parse(id)) return std::nullopt;
  return std::string(id);
}

}  // namespace toolway::gateway::mcp
