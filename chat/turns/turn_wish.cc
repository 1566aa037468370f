#include "chat/turns/turn_wish.h"

#include <string_view>

#include "base/json.h"
#include "tools/builtin/turn_spec.h"

namespace toolway::chat::turns {

namespace turn = tools::builtin::turn;

TurnWish turn_wish(const std::string& arguments) {
  const auto json = parse_json(arguments);
  if (!json || !json->is_object()) return {.alone = true};
  const auto text = [&](std::string_view name) {
    const auto found = json->find(std::string(name));
    return found != json->end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  return {.alone = turn::stands_alone(*json), .on_busy = text(turn::kOnBusy)};
}

}  // namespace toolway::chat::turns
