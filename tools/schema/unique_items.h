#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tools/schema/schema_work.h"

namespace toolway::tools::schema {

/// Whether no two items of a jsoncons array are equal, as JSON Schema means it: 1 is 1.0, and
/// the order of an object's keys does not matter. Each item is written in one form that equal
/// values share; these are sorted: n log n comparisons, whatever the items are.
template <typename Value>
class UniqueItems {
 public:
  static bool hold(const Value& array) {
    UniqueItems items;
    for (const auto& item : array.array_range()) {
      const std::size_t begin = items.form_.size();
      items.write(item);
      items.places_.push_back({0, begin, items.form_.size() - begin});
      SchemaWork::spend(1 + (items.form_.size() - begin) / 256);
    }
    return items.all_differ();
  }

 private:
  struct Place {
    std::uint64_t mark;  ///< equal for equal items; spares most comparisons
    std::size_t begin;
    std::size_t size;
  };

  std::string_view text(const Place& place) const {
    return std::string_view(form_).substr(place.begin, place.size);
  }

  bool all_differ() {
    for (Place& place : places_) {
      // Quick to spread numbers; that the hash is weak costs comparisons, never the answer.
      std::uint64_t mark = 0xcbf29ce484222325;
      for (const char c : text(place))
        mark = (mark ^ static_cast<unsigned char>(c)) * 0x100000001b3;
      place.mark = mark;
    }
    const auto less = [this](const Place& a, const Place& b) {
      return a.mark != b.mark ? a.mark < b.mark : text(a) < text(b);
    };
    std::sort(places_.begin(), places_.end(), less);
    const auto same = [this](const Place& a, const Place& b) {
      return a.mark == b.mark && text(a) == text(b);
    };
    return std::adjacent_find(places_.begin(), places_.end(), same) == places_.end();
  }

  void write_bits(char kind, std::uint64_t bits) {
    form_.push_back(kind);
    char bytes[sizeof bits];
    std::memcpy(bytes, &bits, sizeof bits);
    form_.append(bytes, sizeof bits);
  }

  void write_text(std::string_view text) {
    write_bits('s', text.size());
    form_ += text;
  }

  void write_double(double value) {
    constexpr double kBeyond = 18446744073709551616.0;  // 2^64: no integer of ours is as large
    if (value >= 0 && value < kBeyond &&
        value == static_cast<double>(static_cast<std::uint64_t>(value))) {
      write_bits('+', static_cast<std::uint64_t>(value));
    } else if (value < 0 && value > -kBeyond &&
               -value == static_cast<double>(static_cast<std::uint64_t>(-value))) {
      write_bits('-', static_cast<std::uint64_t>(-value));
    } else {
      write_bits('d', std::bit_cast<std::uint64_t>(value));
    }
  }

  void write(const Value& value) {
    if (value.is_object()) {
      write_bits('{', value.size());
      for (const auto& member : value.object_range()) {  // sorted by key
        write_text(member.key());
        write(member.value());
      }
    } else if (value.is_array()) {
      write_bits('[', value.size());
      for (const auto& item : value.array_range()) write(item);
    } else if (value.is_string()) {
      write_text(value.as_string_view());
    } else if (value.is_bool()) {
      form_.push_back(value.template as<bool>() ? 't' : 'f');
    } else if (value.is_double()) {
      write_double(value.template as<double>());
    } else if (value.is_uint64()) {
      write_bits('+', value.template as<std::uint64_t>());
    } else if (value.is_int64()) {
      write_bits('-', 0 - static_cast<std::uint64_t>(value.template as<std::int64_t>()));
    } else {
      form_.push_back('0');
    }
  }

  std::string form_;
  std::vector<Place> places_;
};

}  // namespace toolway::tools::schema
