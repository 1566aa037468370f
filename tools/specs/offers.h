#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/mistake.h"
#include "tools/schema/schema.h"

namespace toolway::tools::specs {

/// What a prompt is filled with.
struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
  std::vector<std::string> values;  ///< that completion proposes
};

/// What a prompt asks the user first; the members of the answer fill it as its arguments do.
struct PromptQuestion {
  std::string key;
  std::string message;
  OrderedJson schema{};  ///< of the answer: an object with properties of primitive types
  std::shared_ptr<const schema::CompiledSchema> answer{};  ///< of `schema`
};

/// A text for a model, with places for arguments.
struct Prompt {
  std::string ns = "default";
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  std::vector<PromptQuestion> asks;
  /// As the Model Context Protocol writes them, with `{{name}}` in their strings
  /// (templates/double_braces.h).
  Json messages;
};

/// A text or bytes by a URI, or by all URIs of a template.
struct Resource {
  std::string ns = "default";
  std::string uri;  ///< of a template: RFC 6570, level 1: `{name}` alone
  bool is_template = false;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  std::string text;                 ///< of a template: with `{{name}}`
  std::string blob;                 ///< base64, instead of `text`; empty: none
  std::vector<std::string> values;  ///< that completion proposes for a template's variables
};

/// What spec files offer besides tools. Immutable once read.
struct Offers {
  std::vector<Prompt> prompts;
  std::vector<Resource> resources;
};

struct Located;

/// Reads `prompts` and `resources` of a file of specs; null: the file has none. What has a mistake
/// is left out.
void read_offers(const Located* prompts, const Located* resources, Mistakes& mistakes,
                 Offers& offers);
/// The same of a whole text. Its other mistakes are not told: `read_specs` does that.
Offers offers_of(std::string_view text, std::string_view origin);

/// The variables of a template, by name, if `uri` is one of its URIs; null: it is not. Values are
/// as the URI writes them: unreserved characters and percent-encoded ones.
Json match_uri(std::string_view uri_template, std::string_view uri);

}  // namespace toolway::tools::specs
