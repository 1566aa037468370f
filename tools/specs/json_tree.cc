#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/specs/tree_builder.h"
#include "tools/specs/trees.h"

namespace toolway::tools::specs {
namespace {

/// Walks over the text for the parser, and knows the line of the character that was read
/// last. (The parser reads one beyond a number, to see that it has ended: what it read is
/// therefore not counted yet.)
struct Cursor {
  int line = 1;
  bool at_line_end = false;
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Cursor* cursor) : at_(at), cursor_(cursor) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (cursor_->at_line_end) ++cursor_->line;
    cursor_->at_line_end = *at_ == '\n';
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Cursor* cursor_;
};

/// The reader's own words, without its exception number and position.
std::string reason(const std::string& what) {
  const auto column = what.find("column ");
  const auto colon = column == std::string::npos ? column : what.find(": ", column);
  if (colon != std::string::npos) return what.substr(colon + 2);
  const auto bracket = what.find("] ");
  return bracket == std::string::npos ? what : what.substr(bracket + 2);
}

class Events final : public nlohmann::json_sax<OrderedJson> {
 public:
  Events(const Cursor& cursor, Mistakes& mistakes)
      : cursor_(cursor), mistakes_(mistakes), builder_(mistakes) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    return builder_.begin(Located::Shape::kMap, cursor_.line);
  }
  bool start_array(std::size_t) override {
    return builder_.begin(Located::Shape::kList, cursor_.line);
  }
  bool key(string_t& text) override {
    builder_.key(std::move(text), cursor_.line);
    return true;
  }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    mistakes_.add(cursor_.line, "not JSON: " + reason(error.what()));
    return false;
  }

  std::optional<Located> take() { return std::move(builder_).take(); }

 private:
  bool put(OrderedJson value) { return builder_.put(std::move(value), cursor_.line); }
  bool end() {
    builder_.end();
    return true;
  }

  const Cursor& cursor_;
  Mistakes& mistakes_;
  TreeBuilder builder_;
};

}  // namespace

std::optional<Located> json_tree(std::string_view text, Mistakes& mistakes) {
  Cursor cursor;
  Events events(cursor, mistakes);
  const char* begin = text.data();
  const bool complete = OrderedJson::sax_parse(
      CountingIterator(begin, &cursor), CountingIterator(begin + text.size(), &cursor), &events);
  return complete ? events.take() : std::nullopt;
}

}  // namespace toolway::tools::specs
