#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <map>
#include <streambuf>

#include "tools/specs/tree_builder.h"
#include "tools/specs/trees.h"
#include "tools/specs/yaml_scalar.h"

namespace toolway::tools::specs {
namespace {

/// Unwinds out of the parser; what is wrong has been reported.
struct Stopped {};

constexpr std::string_view kCorePrefix = "tag:yaml.org,2002:";

class Events final : public YAML::EventHandler {
 public:
  Events(std::string_view text, Mistakes& mistakes)
      : text_(text), mistakes_(mistakes), builder_(mistakes) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0)
      stop(line_of(mark), "the file has several YAML documents; put all specs into one list");
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark&, const std::string&) override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (takes_key()) return stop_at_key(line_of(mark));
    value(nullptr, null_line(mark), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const int line = line_of(mark);
    if (!closed(mark)) stop(line, "not YAML: a quote that is never closed");
    if (takes_key()) return key(tag, text, line, anchor);
    auto scalar = yaml_scalar(tag, text);
    if (!scalar) stop(line, scalar.error());
    value(*std::move(scalar), line, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const int line = line_of(mark);
    if (takes_key()) return stop_at_key(line);
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) stop(line, "this alias refers to something that contains it");
    if (!builder_.put(found->second)) throw Stopped{};
    after_value();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(Located::Shape::kList, "seq", tag, line_of(mark), anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(Located::Shape::kMap, "map", tag, line_of(mark), anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }

  std::optional<Located> take() { return std::move(builder_).take(); }

 private:
  struct Open {
    bool is_map = false;
    bool has_key = false;
    int key_line = 0;
    YAML::anchor_t anchor = YAML::NullAnchor;
  };

  static int line_of(const YAML::Mark& mark) { return mark.line + 1; }
  bool takes_key() const { return !open_.empty() && open_.back().is_map && !open_.back().has_key; }

  [[noreturn]] void stop(int line, std::string what) {
    mistakes_.add(line, std::move(what));
    throw Stopped{};
  }
  [[noreturn]] void stop_at_key(int line) {
    stop(line, "a key must be text; write it in quotes if it looks like something else");
  }

  void key(const std::string& tag, const std::string& text, int line, YAML::anchor_t anchor) {
    if (tag == "?" && text == "<<")
      stop(line, "merge keys (`<<`) are not supported: write the fields out");
    const auto scalar = yaml_scalar(tag, text);
    if (!scalar) stop(line, scalar.error());
    if (!scalar->is_string())
      stop(line, fmt::format("a key must be text: write it in quotes, \"{}\"", text));
    if (anchor != YAML::NullAnchor)
      anchored_[anchor] = {.line = line, .scalar = *scalar, .members = {}};
    builder_.key(text, line);
    open_.back().has_key = true;
    open_.back().key_line = line;
  }

  void value(OrderedJson scalar, int line, YAML::anchor_t anchor) {
    if (!builder_.put(std::move(scalar), line)) throw Stopped{};
    remember(anchor);
    after_value();
  }

  void begin(Located::Shape shape, std::string_view name, const std::string& tag, int line,
             YAML::anchor_t anchor) {
    if (takes_key()) stop_at_key(line);
    if (!tag.empty() && tag != "?" && tag != "!" &&
        tag != std::string(kCorePrefix) + std::string(name)) {
      stop(line, fmt::format("unknown tag {}", in_quotes(tag)));
    }
    if (!builder_.begin(shape, line)) throw Stopped{};
    open_.push_back({.is_map = shape == Located::Shape::kMap, .anchor = anchor});
  }

  void end() {
    builder_.end();
    const auto anchor = open_.back().anchor;
    open_.pop_back();
    remember(anchor);
    after_value();
  }

  void remember(YAML::anchor_t anchor) {
    if (anchor == YAML::NullAnchor) return;
    if (!builder_.spend(builder_.last())) throw Stopped{};
    anchored_[anchor] = builder_.last();
  }

  void after_value() {
    if (!open_.empty()) open_.back().has_key = false;
  }

  /// yaml-cpp takes the end of the text for the end of a quoted scalar.
  bool closed(const YAML::Mark& mark) const {
    auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) return true;
    const char quote = text_[at++];
    for (; at < text_.size(); ++at) {
      if (quote == '"' && text_[at] == '\\') {
        ++at;
      } else if (text_[at] == quote) {
        if (quote == '"' || at + 1 >= text_.size() || text_[at + 1] != quote) return true;
        ++at;
      }
    }
    return false;
  }

  /// For a value that is not there yaml-cpp gives the place of what comes next. It is
  /// after its key, or after the dash: on the last line before that is neither blank nor a comment.
  int null_line(const YAML::Mark& mark) const {
    if (!open_.empty() && open_.back().is_map) return open_.back().key_line;
    const auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    if (at < text_.size() && (text_[at] == '~' || text_[at] == 'n' || text_[at] == 'N'))
      return line_of(mark);
    int line = line_of(mark);
    for (auto end = text_.rfind('\n', at == 0 ? 0 : at - 1);
         end != std::string_view::npos && end > 0;) {
      --line;
      const auto before = text_.rfind('\n', end - 1);
      const auto begin = before == std::string_view::npos ? 0 : before + 1;
      const auto first = text_.find_first_not_of(" \t\r", begin);
      if (first < end && text_[first] != '#') return line;
      end = before;
    }
    return std::max(line, 1);
  }

  const std::string_view text_;
  Mistakes& mistakes_;
  TreeBuilder builder_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Located> anchored_;
  int documents_ = 0;
};

/// A stream over text that is somewhere already.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // the get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

std::string_view line_text(std::string_view text, int line) {
  for (; line > 1; --line) text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  return text.substr(0, text.find('\n'));
}

std::string in_words(const YAML::Exception& error, std::string_view text) {
  const auto line = line_text(text, error.mark.line + 1);
  const auto indentation = line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
  if (indentation.find('\t') != std::string_view::npos)
    return "not YAML: a tab cannot indent, only spaces";
  return "not YAML: " + error.msg;
}

}  // namespace

std::optional<Located> yaml_tree(std::string_view text, Mistakes& mistakes) {
  Events events(text, mistakes);
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
    return events.take();
  } catch (const Stopped&) {
  } catch (const YAML::Exception& error) {
    mistakes.add(std::max(error.mark.line, 0) + 1, in_words(error, text));
  }
  return std::nullopt;
}

}  // namespace toolway::tools::specs
