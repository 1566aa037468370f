#pragma once

#include <string>

#include "base/json.h"

/// JSON Schemas of an OpenAPI document as HTML. Pure.
namespace toolway::gateway::api_docs {

/// The type in a few words: `array of Call`, `string or null`, a link for what has a name of its
/// own.
std::string type_html(const OrderedJson& schema);

/// The members of an object, of objects in it and of what it is made of, each with its type and
/// what is said about it; nothing for a schema without members.
std::string members_html(const OrderedJson& schema);

/// The schema's first example, or none.
const OrderedJson* example_of(const OrderedJson& schema);

/// An example, as a block of code.
std::string example_html(const OrderedJson& example);

/// The last part of `#/components/schemas/Call`.
std::string ref_name(const OrderedJson& node);

}  // namespace toolway::gateway::api_docs
