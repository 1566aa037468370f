#include "persistence/reaper/durable_upkeep.h"

#include <algorithm>

#include "base/try.h"
#include "bus/answer.h"
#include "bus/topology.h"

namespace toolway::persistence::reaper {

Result<std::vector<std::string>> missing_durables(bus::StreamReader& bus,
                                                  const bus::Layout& layout) {
  std::vector<std::string> missing;
  for (const auto& stream : bus::topology(layout)) {
    if (stream.durables.empty()) continue;
    ASSIGN_OR_RETURN(auto names, bus::answer_of<std::vector<std::string>>(
                                     [&](auto handler) { bus.durables(stream.name, handler); }));
    for (const auto& durable : stream.durables) {
      if (std::find(names.begin(), names.end(), durable.name) == names.end()) {
        missing.push_back(stream.name + "/" + durable.name);
      }
    }
  }
  return missing;
}

Result<std::optional<std::string>> provisioned_layout(ElectedConnection& connection) {
  ASSIGN_OR_RETURN(auto rows, connection.ask("SELECT layout FROM stream_layout"));
  if (rows.empty()) return std::optional<std::string>();
  return std::optional(rows.front().get<std::string>("layout"));
}

}  // namespace toolway::persistence::reaper
