#include "mcp/http_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/base64.h"
#include "base/text.h"
#include "mcp/fields.h"

namespace toolway::mcp {
namespace {

constexpr std::size_t kDeepest = 32;

/// Looks through a schema for the annotation, where it is allowed and where it is not.
class Search {
 public:
  void look(const OrderedJson& schema, std::vector<std::string>& path, bool reachable) {
    if (!wrong_.empty() || path.size() > kDeepest) return;
    if (schema.is_array()) {
      for (const auto& item : schema) look(item, path, false);
      return;
    }
    if (!schema.is_object()) return;
    if (const auto found = schema.find("x-mcp-header"); found != schema.end())
      annotated(schema, *found, path, reachable);
    for (const auto& [key, inside] : schema.items()) {
      if (key == "properties" && inside.is_object()) {
        for (const auto& [name, property] : inside.items()) {
          path.push_back(name);
          look(property, path, reachable);
          path.pop_back();
        }
      } else if (key != "enum" && key != "const" && key != "default" && key != "examples") {
        look(inside, path, false);
      }
    }
  }

  Result<std::vector<MirroredParameter>> take() && {
    if (!wrong_.empty()) return fail(ErrorCode::kInvalidSpec, std::move(wrong_));
    return std::move(found_);
  }

 private:
  void annotated(const OrderedJson& schema, const OrderedJson& name,
                 const std::vector<std::string>& path, bool reachable) {
    const auto type = schema.find("type");
    const bool primitive =
        type != schema.end() && (*type == "string" || *type == "integer" || *type == "boolean");
    if (!name.is_string() || !is_http_token(name.get_ref<const std::string&>())) {
      wrong_ = "an `x-mcp-header` is not a header name";
    } else if (!reachable || path.empty()) {
      wrong_ = "an `x-mcp-header` is at a place that has no single value";
    } else if (!primitive) {
      wrong_ =
          fmt::format("`x-mcp-header` of '{}': only strings, integers and booleans can be headers",
                      path.back());
    } else if (!names_.insert(lowered(name.get<std::string>())).second) {
      wrong_ =
          fmt::format("`x-mcp-header` of '{}': another parameter has the same one", path.back());
    } else {
      found_.push_back({path, "Mcp-Param-" + name.get<std::string>()});
    }
  }

  std::vector<MirroredParameter> found_;
  std::set<std::string> names_;
  std::string wrong_;
};

}  // namespace

Result<std::vector<MirroredParameter>> mirrored_parameters(const OrderedJson& input_schema) {
  Search search;
  std::vector<std::string> path;
  search.look(input_schema, path, true);
  return std::move(search).take();
}

Headers mirrored_headers(std::span<const MirroredParameter> parameters, const Json& arguments) {
  Headers headers;
  for (const auto& parameter : parameters) {
    const Json* value = &arguments;
    for (const auto& name : parameter.path) {
      value = value == nullptr ? nullptr : member(*value, name.c_str());
    }
    if (value == nullptr || value->is_null() || value->is_structured()) continue;
    headers.emplace_back(
        parameter.header,
        header_value(value->is_string() ? value->get<std::string>() : value->dump()));
  }
  return headers;
}

Headers request_headers(Revision revision, std::string_view method, const Json& params) {
  Headers headers;
  // `initialize` is what agrees on a revision.
  if (method != "initialize") headers.emplace_back("MCP-Protocol-Version", revision_name(revision));
  if (rules_of(revision).opening != Opening::kEachRequest) return headers;
  headers.emplace_back("Mcp-Method", header_value(method));
  if (method == "tools/call") {
    if (const auto* name = member(params, "name"); name != nullptr && name->is_string()) {
      headers.emplace_back("Mcp-Name", header_value(name->get<std::string>()));
    }
  }
  return headers;
}

std::string header_value(std::string_view value) {
  const bool plain = std::all_of(value.begin(), value.end(),
                                 [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); });
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  const bool padded = !value.empty() && (is_space(value.front()) || is_space(value.back()));
  const bool looks_encoded = value.starts_with("=?base64?") && value.ends_with("?=");
  if (plain && !padded && !looks_encoded) return std::string(value);
  return fmt::format("=?base64?{}?=", base64(value));
}

std::optional<std::string> header_text(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  const bool encoded = value.size() >= kBegin.size() + kEnd.size() && value.starts_with(kBegin) &&
                       value.ends_with(kEnd);
  if (!encoded) return std::string(value);
  value.remove_prefix(kBegin.size());
  value.remove_suffix(kEnd.size());
  return from_base64(value);
}

bool valid_session_id(std::string_view id) {
  return !id.empty() && id.size() <= 1024 &&
         std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace toolway::mcp
