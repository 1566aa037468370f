#include "extensions/builtin/redact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_pointer.h"
#include "tools/schema/secret_places.h"

namespace toolway::extensions::builtin {
namespace {

constexpr std::string_view kField = "redact";

struct Places final : Action {
  std::string text() const override {
    return fmt::format("hides {} of the result", fmt::join(pointers, ", "));
  }
  std::vector<std::string> pointers;
};

ActionPtr read_places(const tools::specs::NamedMember& field, Mistakes& mistakes) {
  auto places = std::make_shared<Places>();
  const auto before = mistakes.count();
  if (field.value->is_list()) {
    for (const auto& item : field.value->members) {
      const auto* pointer = item.value.scalar.get_ptr<const std::string*>();
      if (pointer == nullptr || !valid_pointer(*pointer))
        mistakes.add(item.line, "a place must be a JSON Pointer, such as /token or /users/*/email");
      else
        places->pointers.push_back(*pointer);
    }
  }
  if (places->pointers.empty() && mistakes.count() == before)
    mistakes.add(field.line, "`redact` must be a list of JSON Pointers into the result");
  return mistakes.count() == before ? places : nullptr;
}

class Redact final : public Extension {
 public:
  tools::model::Execution after(const Facts& facts, tools::model::Execution result) const override {
    for (const Rule* rule : facts.rules) {
      const auto* places = static_cast<const Places*>(rule->action(kField));
      if (places == nullptr) continue;
      Json& shown = result ? *result : result.error().details;
      for (const auto& pointer : places->pointers) hide(shown, pointer);
    }
    return result;
  }
};

}  // namespace

void hide(Json& value, std::string_view pointer) {
  if (pointer.empty()) {
    value = tools::schema::kHidden;
    return;
  }
  const auto end = std::min(pointer.find('/', 1), pointer.size());
  const std::string step(pointer.substr(0, end));
  const auto rest = pointer.substr(end);
  if (step == "/*" && value.is_structured()) {
    for (auto& inside : value) hide(inside, rest);
  } else if (value_at(value, step) != nullptr) {
    hide(value.at(Json::json_pointer(step)), rest);
  }
}

ExtensionType redact_type() {
  static constexpr std::string_view kActions[]{kField};
  return {.name = "redact",
          .priority = Priority::kNormal,
          .actions = {kField},
          .read = &read_places,
          .make = [](const PolicyPtr& policy) -> ExtensionPtr {
            if (!asks_for(*policy, kActions)) return nullptr;
            return std::make_shared<const Redact>();
          }};
}

}  // namespace toolway::extensions::builtin
