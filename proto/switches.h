#pragma once

#include <map>
#include <string>
#include <string_view>

namespace toolway::proto {

/// Who switched off a tool or a namespace, and why: an entry of the bucket `switches`.
struct Switch {
  std::string reason;  ///< for callers of the tool; may be empty
  std::string by;      ///< an operator's name
  std::string at;      ///< RFC 3339, UTC
};

/// The entry's value: JSON.
std::string encode(const Switch& off);
/// What an entry's value says. A text that cannot be read is a switch, too: its writer meant
/// to switch something off.
Switch decode_switch(std::string_view value);

/// Whether this can be the key of an entry: `namespace`, or `namespace.name`.
bool valid_switch_key(std::string_view key);

/// Everything that is switched off. Immutable once it is shared: safe to read from any thread.
class Switches {
 public:
  /// Takes an entry of the bucket. An empty value: switched on again.
  void take(const std::string& key, std::string_view value);

  /// Why a tool may not run: its own switch, or its namespace's; null: it may.
  const Switch* off(std::string_view ns, std::string_view name) const;
  /// By key, sorted.
  const std::map<std::string, Switch, std::less<>>& all() const { return off_; }

 private:
  std::map<std::string, Switch, std::less<>> off_;
};

/// `tool 'shop.buy' is switched off: being repaired`, for agents and for the call's record.
std::string switched_off(std::string_view ns, std::string_view name, const Switch& off);

}  // namespace toolway::proto
