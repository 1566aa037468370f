#include "gateway/operators/spec_json.h"

namespace toolway::gateway::operators {
namespace {

OrderedJson percent(unsigned rollout) { return rollout > 0 ? OrderedJson(rollout) : OrderedJson(); }

OrderedJson or_null(const std::string& text) {
  return text.empty() ? OrderedJson() : OrderedJson(text);
}

OrderedJson document(const std::string& text) {
  if (text.empty()) return {};
  auto parsed = parse_ordered_json(text);
  return parsed ? *std::move(parsed) : OrderedJson();
}

}  // namespace

bool in_force(const tools::model::Registry& registry, const persistence::specs::StoredSpec& spec) {
  if (spec.rollout > 0) {
    const auto* candidate = registry.candidate_of(spec.ns, spec.name);
    if (!spec.enabled) return candidate == nullptr;
    return candidate != nullptr && candidate->percent == spec.rollout &&
           candidate->tool->digest == spec.digest;
  }
  const auto tool = registry.find(spec.ns, spec.name);
  return spec.enabled ? tool != nullptr && tool->digest == spec.digest : tool == nullptr;
}

OrderedJson spec_row(const persistence::specs::StoredSpec& spec) {
  return {{"namespace", spec.ns},
          {"name", spec.name},
          {"kind", spec.kind},
          {"version", spec.version},
          {"digest", spec.digest},
          {"revision", spec.revision},
          {"enabled", spec.enabled},
          {"rollout", percent(spec.rollout)},
          {"created_at", spec.created_at}};
}

OrderedJson spec_list(std::span<const persistence::specs::StoredSpec> specs,
                      const tools::model::Registry& registry, std::int64_t read_up_to) {
  OrderedJson rows = OrderedJson::array();
  for (const auto& spec : specs) {
    rows.push_back(spec_row(spec));
    rows.back()["in_force"] = in_force(registry, spec);
  }
  return {{"specs", std::move(rows)}, {"read_up_to", read_up_to}};
}

OrderedJson put_answer(std::span<const persistence::specs::PutSpec> specs,
                       std::span<const persistence::specs::PutOutcome> outcomes) {
  OrderedJson rows = OrderedJson::array();
  for (std::size_t i = 0; i < specs.size() && i < outcomes.size(); ++i) {
    rows.push_back({{"tool", specs[i].spec.qualified_name()},
                    {"outcome", persistence::specs::name_of(outcomes[i])},
                    {"digest", tools::model::digest(specs[i].spec)},
                    {"rollout", percent(specs[i].rollout)}});
  }
  return {{"specs", std::move(rows)}};
}

OrderedJson history_answer(const std::string& name,
                           std::span<const persistence::specs::SpecChange> changes) {
  OrderedJson rows = OrderedJson::array();
  for (const auto& change : changes) {
    rows.push_back({{"number", change.number},
                    {"what", change.what},
                    {"candidate", change.candidate},
                    {"rollout", percent(change.rollout)},
                    {"version", or_null(change.version)},
                    {"digest", or_null(change.digest)},
                    {"enabled", change.enabled},
                    {"created_at", change.created_at},
                    {"by", change.who},
                    {"note", change.note},
                    {"spec", document(change.document)}});
  }
  return {{"name", name}, {"history", std::move(rows)}};
}

OrderedJson diff_answer(const std::string& name, std::int64_t from, std::int64_t to,
                        std::span<const tools::specs::SpecDifference> fields) {
  OrderedJson rows = OrderedJson::array();
  for (const auto& one : fields)
    rows.push_back({{"field", one.pointer}, {"from", one.from}, {"to", one.to}});
  return {{"name", name}, {"from", from}, {"to", to}, {"fields", std::move(rows)}};
}

}  // namespace toolway::gateway::operators
