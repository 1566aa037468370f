#include "monitoring/otlp/resource_json.h"

#include <algorithm>

namespace toolway::monitoring::otlp {

OrderedJson string_attribute(std::string_view key, std::string_view value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}

std::string nanoseconds(WallTime time) { return std::to_string(to_unix_us(time) * 1000); }

NamedTexts resource_attributes(const OtlpOptions& options, const std::string& instance) {
  NamedTexts attributes{{"service.namespace", "toolway"},
                        {"service.name", "toolway-" + options.process},
                        {"service.version", TOOLWAY_VERSION},
                        {"service.instance.id", instance}};
  for (const auto& [name, value] : options.attributes) {
    const auto same = std::ranges::find(attributes, name, &NamedTexts::value_type::first);
    if (same != attributes.end())
      same->second = value;
    else
      attributes.emplace_back(name, value);
  }
  return attributes;
}

OrderedJson resource_json(const NamedTexts& attributes) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [name, value] : attributes) list.push_back(string_attribute(name, value));
  return {{"attributes", std::move(list)}};
}

OrderedJson scope_json() { return {{"name", "toolway"}, {"version", TOOLWAY_VERSION}}; }

}  // namespace toolway::monitoring::otlp
