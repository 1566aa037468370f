#include "cli/process/toolset_entries.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "base/json.h"
#include "base/sha256.h"
#include "tools/executors/mcp_client/toolset.h"
#include "tools/model/readable.h"

namespace toolway::cli::process {
namespace {

constexpr std::size_t kMaxKeyShown = 100;
constexpr std::size_t kMaxDigest = 128;

}  // namespace

std::vector<ToolsetEntry> toolset_entries(const tools::model::Toolset& toolset,
                                          const std::string& worker, WallTime at) {
  Sha256 hash;
  std::vector<OrderedJson> parts{OrderedJson::array()};
  std::size_t bytes = 0;
  for (const auto& spec : toolset.specs) {
    hash.add(tools::model::digest(spec));
    auto document = tools::model::to_document(spec);
    const auto size = to_text(document).size();
    if (bytes > 0 && bytes + size > kMaxInEntry) {
      parts.push_back(OrderedJson::array());
      bytes = 0;
    }
    bytes += size;
    parts.back().push_back(std::move(document));
  }
  const auto digest = hash.hex();
  std::vector<ToolsetEntry> entries;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const OrderedJson value{{"server", toolset.source},    {"part", i},
                            {"parts", parts.size()},       {"digest", digest},
                            {"worker_id", worker},         {"at_us", to_unix_us(at)},
                            {"specs", std::move(parts[i])}};
    entries.push_back({fmt::format("{}.{}", toolset.source, i), to_text(value)});
  }
  return entries;
}

Result<ToolsetPart> read_toolset_entry(std::string_view key, std::string_view value) {
  const auto wrong = [key](std::string_view what) {
    return fail(
        ErrorCode::kInvalidSpec,
        fmt::format("entry {} of the bucket toolsets {}",
                    tools::model::readable(std::string(key.substr(0, kMaxKeyShown))), what));
  };
  if (value.size() > kMaxEntryBytes)
    return wrong(fmt::format("has {} bytes; the limit is {}", value.size(), kMaxEntryBytes));
  auto json = parse_ordered_json(value, kMaxJsonDepth + 8);
  if (!json) return wrong("is not JSON: " + json.error().message);
  try {
    ToolsetPart part{json->at("server").get<std::string>(),
                     json->at("part").get<unsigned>(),
                     json->at("parts").get<unsigned>(),
                     json->at("digest").get<std::string>(),
                     {}};
    if (!valid_name(part.server) || part.parts == 0 || part.parts > kMaxParts ||
        part.part >= part.parts || key != fmt::format("{}.{}", part.server, part.part)) {
      return wrong("does not match its name");
    }
    const auto& specs = json->at("specs");
    if (part.digest.size() > kMaxDigest || !specs.is_array()) return wrong("is malformed");
    if (specs.size() > tools::executors::mcp_client::kMaxOffered)
      return wrong(fmt::format("has {} tools; the limit is {}", specs.size(),
                               tools::executors::mcp_client::kMaxOffered));
    for (const auto& document : specs) part.documents.push_back(to_text(document));
    return part;
  } catch (const OrderedJson::exception& error) {
    return wrong(error.what());
  }
}

}  // namespace toolway::cli::process
