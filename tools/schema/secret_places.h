#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "tools/schema/violation.h"

namespace toolway::tools::schema {

/// What a reader sees in place of a secret.
inline constexpr const char* kHidden = "[secret]";
/// A value with more secret places than this is hidden as a whole.
inline constexpr std::size_t kMaxSecretPlaces = 64;

/// Whether a schema marks anything as secret: with `writeOnly` (JSON Schema 2020-12,
/// validation 9.4) or `x-secret`.
bool marks_secrets(const OrderedJson& schema);

/// The places of `value` that `schema` marks as secret, as JSON Pointers; the empty one is the
/// whole. In doubt a place is secret: behind a reference that cannot be followed, in every
/// alternative, under a pattern of names. Takes 10 ms or so at most.
std::vector<std::string> secret_places(const OrderedJson& schema, const Json& value);

/// Takes out of violations what they say of values at these places, or inside them.
void hide(std::vector<Violation>& violations, const std::vector<std::string>& places);
/// Puts `kHidden` there; a place that is not there is passed over.
void hide(Json& value, const std::vector<std::string>& places);
/// The same in the text of an object, whose members keep their order. What is hidden as a whole
/// stays an object: `{"*": "[secret]"}`.
std::string hidden_text(const std::string& object, const std::vector<std::string>& places);

}  // namespace toolway::tools::schema
