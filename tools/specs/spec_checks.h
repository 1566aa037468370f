#pragma once

#include "tools/model/kind_types.h"
#include "tools/model/spec.h"
#include "tools/specs/fields.h"

namespace toolway::tools::specs {

/// All values of a schema, however deep; kMaxSchemaValues bounds them.
std::size_t values_in(const OrderedJson& schema);

// What is wrong with one spec that has been read, reported at the lines of `fields`.

/// Name and namespace.
void check_names(Fields& fields, const model::Spec& spec);
/// Hints that contradict each other.
void check_hints(Fields& fields, const model::Spec& spec);
void check_pool(Fields& fields, const model::Spec& spec);
/// Both schemas: they compile, and arguments are an object.
void check_schemas(Fields& fields, const model::Spec& spec);
/// What its kind says of `implementation_config`.
void check_config(Fields& fields, const model::Spec& spec, const model::KindTypes& kinds);
/// It must fit into one message.
void check_size(Fields& fields, const model::Spec& spec);

}  // namespace toolway::tools::specs
