#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "tools/model/kinds.h"
#include "tools/templates/argument_template.h"

namespace toolway::tools {

/// Reads the fields of one object of a config, and collects what is wrong with them.
class ConfigFields {
 public:
  /// `what` has these fields, in words: `a retry policy`. No object: a mistake, and no fields.
  ConfigFields(const OrderedJson& object, std::string pointer, std::string what,
               std::vector<SpecMistake>& mistakes);
  /// Reports the fields that were not asked for.
  ~ConfigFields();
  ConfigFields(const ConfigFields&) = delete;
  ConfigFields& operator=(const ConfigFields&) = delete;

  /// Null: not there, or null.
  const OrderedJson* find(const std::string& name);
  std::string at(const std::string& name) const;
  void wrong(const std::string& name, std::string what);

  std::string text(const std::string& name, std::string fallback = {});
  bool flag(const std::string& name, bool fallback);
  std::size_t number(const std::string& name, std::size_t fallback, std::size_t least,
                     std::size_t most);
  std::chrono::milliseconds duration(const std::string& name, std::chrono::milliseconds fallback);
  std::vector<std::string> texts(const std::string& name);
  /// One of `choices`; the first when it is not there.
  std::string choice(const std::string& name, const std::vector<std::string>& choices);

 private:
  const OrderedJson& object_;
  const std::string pointer_;
  const std::string what_;
  std::vector<SpecMistake>& mistakes_;
  std::vector<std::string> known_;
};

/// What the input schema says about placeholders.
class PlaceholderRules {
 public:
  enum class Stands {
    kAlone,   ///< it is all of a value that may be left out or repeated
    kWithin,  ///< it is part of one
    kAlways,  ///< where a value is needed: `{name?}` and `{name*}` are not allowed
    kTyped,   ///< it is all of a JSON value
  };

  PlaceholderRules(const OrderedJson& schema, std::vector<SpecMistake>& mistakes)
      : schema_(schema), mistakes_(mistakes) {}
  void check(const Placeholder& placeholder, const std::string& pointer, Stands stands) const;
  /// `alone`: when the template is nothing but the placeholder.
  ArgumentTemplate read(const OrderedJson& text, const std::string& pointer, Stands alone) const;
  Json defaults() const;

 private:
  const OrderedJson* property(const std::string& name) const;
  bool given_always(const std::string& name, const OrderedJson& described) const;
  void wrong(const std::string& pointer, std::string what) const {
    mistakes_.push_back({pointer, std::move(what)});
  }

  const OrderedJson& schema_;
  std::vector<SpecMistake>& mistakes_;
};

}  // namespace toolway::tools
