#include "tools/specs/entry_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/nearest_names.h"
#include "tools/model/rollout.h"
#include "tools/specs/open_entry.h"
#include "tools/specs/spec_checks.h"
#include "tools/specs/spec_fields.h"

namespace toolway::tools::specs {
namespace {

/// What the code of a native tool decides, and no file.
constexpr std::array<std::string_view, 6> kFixed{
    "input_schema", "output_schema", "pool", "idempotent", "multi_step", "implementation_config"};

std::string native_hint(const model::Spec& wanted, std::span<const model::Spec> natives) {
  std::vector<std::string> names;
  std::vector<std::string> elsewhere;
  for (const auto& native : natives) {
    names.push_back(native.qualified_name());
    if (native.name == wanted.name) elsewhere.push_back(native.qualified_name());
  }
  const auto near = elsewhere.empty() ? nearest_names(wanted.qualified_name(), names) : elsewhere;
  return near.empty() ? "" : fmt::format("; did you mean {}?", quoted_choices(near));
}

}  // namespace

std::optional<ReadSpec> EntryReader::read(const Located& entry, int line) {
  const auto before = mistakes_.count();
  if (!entry.is_map()) {
    mistakes_.add(line, "a tool must be a mapping");
    return std::nullopt;
  }
  Entry opened = open_entry(entry, mistakes_);
  std::shared_ptr<Located> kept;
  if (options_.entries == Entries::kKept) {
    kept = std::make_shared<Located>(
        Located{.shape = Located::Shape::kMap, .line = line, .members = {}});
    for (const auto& field : opened.fields)
      kept->members.push_back({field.name, field.line, *field.value});
  }
  Fields fields(std::move(opened.fields), line, "a tool", mistakes_);
  model::Spec spec;
  const auto named = names_.size();
  read_names(fields, spec);
  if (names_.size() > named) names_.back().candidate = find(entry, "rollout") != nullptr;
  const auto kind = read_kind(fields);
  spec.kind = kind.value_or(model::Kind::kPython);
  spec.pool = spec.kind.name;
  ReadSpec read{.spec = std::move(spec), .line = line, .entry = std::move(kept)};
  if (kind == model::Kind::kNative) {
    read_native(fields, read);
  } else if (kind) {
    read_other(fields, read.spec, opened.whole);
  } else {
    read_adjustable(fields, read.spec, Ranges::kDocumented);
    read_fixed(fields, read.spec);
  }
  check_hints(fields, read.spec);
  fields.flag("enabled", read.enabled);
  fields.whole<unsigned>("rollout", read.rollout, {model::kLeastRollout, model::kMaxRollout},
                         "percent of sessions");
  fields.nothing_else();
  return mistakes_.count() == before ? std::optional(std::move(read)) : std::nullopt;
}

void EntryReader::read_names(Fields& fields, model::Spec& spec) {
  const auto before = mistakes_.count();
  fields.required_text("name", spec.name);
  fields.text("namespace", spec.ns);
  check_names(fields, spec);
  if (mistakes_.count() == before) names_.push_back({spec.qualified_name(), fields.line()});
}

std::optional<model::Kind> EntryReader::read_kind(Fields& fields) {
  const auto before = mistakes_.count();
  std::string name;
  fields.required_text("kind", name);
  if (const auto* type = options_.kinds.find(name)) return type->kind;
  if (mistakes_.count() == before) {
    mistakes_.add(fields.line_of("kind"), fmt::format("there is no kind {}: it must be {}",
                                                      in_quotes(name), options_.kinds.names()));
  }
  return std::nullopt;
}

void EntryReader::read_native(Fields& fields, ReadSpec& read) {
  const auto native = std::find_if(
      options_.natives.begin(), options_.natives.end(),
      [&](const model::Spec& one) { return one.name == read.spec.name && one.ns == read.spec.ns; });
  if (native != options_.natives.end()) {
    read.spec = *native;
  } else if (!read.spec.name.empty()) {
    mistakes_.add(fields.line_of("name"), fmt::format("this build has no native tool {}{}",
                                                      in_quotes(read.spec.qualified_name()),
                                                      native_hint(read.spec, options_.natives)));
  }
  read_adjustable(fields, read.spec, Ranges::kDocumented);
  for (const auto name : kFixed) {
    if (const auto* field = fields.find(name)) {
      mistakes_.add(field->line, fmt::format("`{}` of a native tool comes from its code: remove it",
                                             field->written));
    }
  }
}

void EntryReader::read_other(Fields& fields, model::Spec& spec, bool whole) {
  const auto before = mistakes_.count();
  read_adjustable(fields, spec, Ranges::kDocumented);
  read_fixed(fields, spec);
  check_pool(fields, spec);
  if (!whole) return;
  const bool undescribed =
      spec.kind == model::Kind::kPython && fields.find("input_schema") == nullptr;
  if (undescribed && mistakes_.count() == before) {
    if (!options_.describe) {
      return mistakes_.add(
          fields.line(),
          "a python tool has no `input_schema`: `toolway specs from-python MODULE` writes it");
    }
    auto described = options_.describe(spec);
    if (!described) return mistakes_.add(fields.line(), described.error().message);
    spec = *std::move(described);
  }
  const auto unsized = mistakes_.count();
  check_size(fields, spec);
  if (mistakes_.count() != unsized) return;
  check_schemas(fields, spec);
  check_config(fields, spec, options_.kinds);
}

}  // namespace toolway::tools::specs
