#pragma once

#include <string>

#include "base/json.h"
#include "base/mistake.h"
#include "tools/templates/argument_template.h"

namespace toolway::tools::templates {

/// What the input schema says about placeholders.
class PlaceholderRules {
 public:
  enum class Stands {
    kAlone,   ///< it is all of a value that may be left out or repeated
    kWithin,  ///< it is part of one
    kAlways,  ///< where a value is needed: `{name?}` and `{name*}` are not allowed
    kTyped,   ///< it is all of a JSON value
  };

  PlaceholderRules(const OrderedJson& schema, Mistakes& mistakes)
      : schema_(schema), mistakes_(mistakes) {}
  void check(const Placeholder& placeholder, const std::string& pointer, Stands stands) const;
  /// `alone`: when the template is nothing but the placeholder.
  ArgumentTemplate read(const OrderedJson& text, const std::string& pointer, Stands alone) const;
  /// The properties' own values, for what is not given.
  Json defaults() const;
  /// How the schema describes a property; null: it has none of that name.
  const OrderedJson* property(const std::string& name) const;
  /// Whether it is required, or has a default.
  bool given_always(const std::string& name, const OrderedJson& described) const;

 private:
  void wrong(const std::string& pointer, std::string what) const {
    mistakes_.add({pointer, std::move(what)});
  }

  const OrderedJson& schema_;
  Mistakes& mistakes_;
};

}  // namespace toolway::tools::templates
