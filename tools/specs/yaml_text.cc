#include "tools/specs/yaml_text.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace toolway::tools::specs {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Whether a reader cannot take it for anything else than this text.
bool plain(std::string_view text) {
  constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no",
                                         "on",   "off",   "y",    "n"};
  if (text.empty() || !is_letter(text.front()) || text.back() == ' ') return false;
  if (std::find(std::begin(kWords), std::end(kWords), lowered(text)) != std::end(kWords))
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') ||
           std::string_view(" .-/()").find(c) != std::string_view::npos;
  });
}

void emit(YAML::Emitter& out, const OrderedJson& value) {
  switch (value.type()) {
    case OrderedJson::value_t::object:
      if (value.empty()) out << YAML::Flow;
      out << YAML::BeginMap;
      for (const auto& [key, member] : value.items()) {
        out << YAML::Key << (plain(key) ? YAML::Auto : YAML::DoubleQuoted) << key << YAML::Value;
        emit(out, member);
      }
      out << YAML::EndMap;
      return;
    case OrderedJson::value_t::array: {
      // A list of words fits on a line.
      const bool words = std::all_of(value.begin(), value.end(),
                                     [](const auto& item) { return item.is_primitive(); });
      if (words) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const auto& item : value) emit(out, item);
      out << YAML::EndSeq;
      return;
    }
    case OrderedJson::value_t::string: {
      const auto& text = value.get_ref<const std::string&>();
      out << (plain(text) ? YAML::Auto : YAML::DoubleQuoted) << text;
      return;
    }
    case OrderedJson::value_t::null: out << YAML::Null; return;
    default: out << YAML::Auto << value.dump(); return;
  }
}

}  // namespace

std::string yaml_text(const OrderedJson& document) {
  YAML::Emitter out;
  emit(out, document);
  return std::string(out.c_str()) + "\n";
}

}  // namespace toolway::tools::specs
