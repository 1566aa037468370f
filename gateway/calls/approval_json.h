#pragma once

#include <string>

#include "persistence/store/store_reader.h"
#include "tools/model/registry.h"

namespace toolway::gateway::calls {

/// As far as it is recorded: whether someone may still decide about it.
bool is_waiting(const persistence::store::CallAndLog& held);

/// A held call as those see it who decide about it. Its arguments are shown as its input schema
/// allows (`shown_arguments`); null, when that schema is not known here any more.
void write_approval(std::string& out, const persistence::store::CallAndLog& held,
                    const tools::model::Registry& registry);

/// Arguments in which what the schema marks `writeOnly` or `x-secret` reads `[secret]`. Pure.
Json shown_arguments(Json arguments, const OrderedJson& schema);

}  // namespace toolway::gateway::calls
