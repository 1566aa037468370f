#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/mistake.h"
#include "tools/schema/schema.h"
#include "tools/specs/named_content.h"

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
  std::uint64_t digest = 0;  ///< of all that clients may see of it
  std::size_t bytes = 0;     ///< of the messages, as text
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
  std::uint64_t listed = 0;         ///< a digest of what lists show of it
  std::uint64_t content = 0;        ///< a digest of what reading it gives; never 0
};

/// What spec files offer besides tools. Immutable once read.
struct Offers {
  std::vector<std::shared_ptr<const Prompt>> prompts;
  std::vector<std::shared_ptr<const Resource>> resources;
};

struct Located;

/// What a file of specs says besides tools.
struct ReadOffers {
  Offers offers;
  std::vector<NamedFile> files;  ///< that resources name, also those that are refused
};

/// Reads `prompts` and `resources` of a file of specs; null: the file has none. What has a mistake
/// is left out. `content` reads what resources name; empty: they may not name files.
ReadOffers read_offers(const Located* prompts, const Located* resources, const ReadContent& content,
                       Mistakes& mistakes);

/// The variables of a template, by name, if `uri` is one of its URIs; null: it is not. A URI writes
/// values in unreserved characters and percent-encoded ones, which are decoded and must be UTF-8.
Json match_uri(std::string_view uri_template, std::string_view uri);

}  // namespace toolway::tools::specs
