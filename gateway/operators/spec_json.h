#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "persistence/specs/spec_store.h"
#include "tools/model/registry.h"
#include "tools/specs/spec_diff.h"

/// The answers about specs. Pure; on any thread.
namespace toolway::gateway::operators {

/// Whether the gateway that has `registry` offers exactly this version: to those sessions that are
/// to get it, or, when it is not enabled, to none.
bool in_force(const tools::model::Registry& registry, const persistence::specs::StoredSpec& spec);

/// What is stored of a spec, without its document.
OrderedJson spec_row(const persistence::specs::StoredSpec& spec);
/// `read_up_to`: a revision; what is newer is not in force yet.
OrderedJson spec_list(std::span<const persistence::specs::StoredSpec> specs,
                      const tools::model::Registry& registry, std::int64_t read_up_to);
OrderedJson put_answer(std::span<const persistence::specs::PutSpec> specs,
                       std::span<const persistence::specs::PutOutcome> outcomes);
OrderedJson history_answer(const std::string& name,
                           std::span<const persistence::specs::SpecChange> changes);
OrderedJson diff_answer(const std::string& name, std::int64_t from, std::int64_t to,
                        std::span<const tools::specs::SpecDifference> fields);

}  // namespace toolway::gateway::operators
