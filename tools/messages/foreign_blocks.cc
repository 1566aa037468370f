#include "tools/messages/foreign_blocks.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "tools/messages/blocks.h"
#include "tools/messages/foreign_parts.h"

namespace toolway::tools::messages {
namespace {

using model::ContentBlock;

/// Base64 of a type, from either API.
struct Encoded {
  std::string media_type;
  std::string data;
  const char* member;  ///< of the part, where it was
};

/// RFC 2397: `data:image/png;base64,…`. Nothing: it is another URL.
std::optional<Encoded> of_url(const OrderedJson& part, const char* member) {
  constexpr std::string_view kBegin = "data:";
  constexpr std::string_view kBase64 = ";base64,";
  const auto url = text_member(part, member);
  const auto end = url.find(kBase64);
  if (!url.starts_with(kBegin) || end == std::string::npos) return std::nullopt;
  return Encoded{url.substr(kBegin.size(), end - kBegin.size()), url.substr(end + kBase64.size()),
                 member};
}

std::optional<Encoded> encoded_in(const OrderedJson& part) {
  const auto type = text_member(part, "type");
  if (type == "input_image") return of_url(part, "image_url");
  if (type == "input_file") return of_url(part, "file_data");
  for (const auto& [of, member] : {std::pair("image_url", "url"), std::pair("file", "file_data")}) {
    if (type != of) continue;
    auto found = part.contains(of) ? of_url(part[of], member) : std::nullopt;
    if (found) found->member = of;
    return found;
  }
  const auto source = part.find("source");
  const bool has_source = (type == "image" || type == "document") && source != part.end();
  if (!has_source || text_member(*source, "type") != "base64") return std::nullopt;
  return Encoded{text_member(*source, "media_type"), text_member(*source, "data"), "source"};
}

/// An image that a provider reads from elsewhere.
std::optional<ContentBlock> image_elsewhere(const OrderedJson& part) {
  const auto type = text_member(part, "type");
  std::string url;
  if (type == "input_image") url = text_member(part, "image_url");
  if (type == "image_url" && part.contains(type)) url = text_member(part[type], "url");
  const auto source = part.find("source");
  if (type == "image" && source != part.end() && text_member(*source, "type") == "url")
    url = text_member(*source, "url");
  if (!is_image_url(url)) return std::nullopt;
  return ContentBlock{.type = "image", .uri = std::move(url)};
}

/// A document that is text.
std::optional<ContentBlock> document_in(const OrderedJson& part) {
  const auto source = part.find("source");
  if (text_member(part, "type") != "document" || source == part.end() ||
      text_member(*source, "type") != "text")
    return std::nullopt;
  return ContentBlock{.type = "resource",
                      .text = text_member(*source, "data"),
                      .mime_type = "text/plain",
                      .name = text_member(part, "title")};
}

class ContentReader {
 public:
  ContentReader(Images images, Mistakes& mistakes, const std::string& place)
      : images_(images), mistakes_(mistakes), place_(place) {}

  void add(const OrderedJson& part, std::size_t index) {
    if (!part.is_object()) return add_text(part);
    if (auto document = document_in(part)) {
      content_.push_back(std::move(*document));
    } else if (const auto encoded = encoded_in(part)) {
      add_encoded(part, *encoded, fmt::format("{}/{}/{}", place_, index, encoded->member));
    } else if (auto image = elsewhere(part)) {
      content_.push_back(std::move(*image));
    } else {
      return add_text(part);
    }
    any_ = true;
  }

  /// Whether there is something besides texts.
  bool any() const { return any_; }
  std::vector<ContentBlock> take() { return std::move(content_); }

 private:
  std::optional<ContentBlock> elsewhere(const OrderedJson& part) const {
    if (images_ == Images::kHere) return std::nullopt;
    return image_elsewhere(part);
  }

  /// Texts in a row are one: of the user each on a line of its own, since they are parts that the
  /// client keeps apart.
  void add_text(const OrderedJson& part) {
    auto text = text_of_content(OrderedJson::array({part}));
    if (!content_.empty() && content_.back().type == "text")
      content_.back().text += (images_ == Images::kAlsoElsewhere ? "\n" : "") + text;
    else
      content_.push_back({.type = "text", .text = std::move(text)});
  }

  void add_encoded(const OrderedJson& part, const Encoded& encoded, const std::string& place) {
    auto bytes = from_base64(encoded.data);
    if (!bytes || bytes->empty()) return mistakes_.add({place, "it is not base64"});
    const auto read = block_of(encoded.media_type, *bytes);
    if (const auto* why = std::get_if<NoBlock>(&read))
      return mistakes_.add(
          {place, *why == NoBlock::kTooLarge
                      ? "it is larger than APIs take"
                      : "expected a PNG, JPEG, GIF or WebP image, or a PDF, of its media type"});
    const auto& block = std::get<Block>(read);
    const bool image = block.kind == Block::Kind::kImage;
    const auto type = text_member(part, "type");
    if (image != (type == "image" || type == "input_image" || type == "image_url"))
      return mistakes_.add({place, fmt::format("{} cannot be {}", type, block.media_type)});
    if (block.media_type != encoded.media_type)
      return mistakes_.add({place, fmt::format("it is {}, and not of the media type that it names",
                                               block.media_type)});
    content_.push_back({.type = image ? "image" : "resource",
                        .data = std::move(*bytes),
                        .mime_type = encoded.media_type,
                        .name = image ? std::string() : name_of(part)});
  }

  static std::string name_of(const OrderedJson& part) {
    for (const auto* member : {"filename", "title"})
      if (auto name = text_member(part, member); !name.empty()) return name;
    const auto file = part.find("file");
    return file != part.end() ? text_member(*file, "filename") : "";
  }

  const Images images_;
  Mistakes& mistakes_;
  const std::string& place_;
  std::vector<ContentBlock> content_;
  bool any_ = false;
};

void read_into(CallResult& to, const OrderedJson& content, Images images, Mistakes& mistakes,
               const std::string& place) {
  if (content.is_array()) {
    ContentReader reader(images, mistakes, place);
    for (std::size_t i = 0; i < content.size(); ++i) reader.add(content[i], i);
    if (reader.any() || images == Images::kAlsoElsewhere)
      return add_content(to, reader.take(), images);
  }
  to.text = text_of_content(content);
}

}  // namespace

void read_content(const OrderedJson& content, CallResult& to, Mistakes& mistakes,
                  const std::string& place) {
  read_into(to, content, Images::kHere, mistakes, place);
}

Message read_user_content(const OrderedJson& content, Mistakes& mistakes,
                          const std::string& place) {
  CallResult read;
  read_into(read, content, Images::kAlsoElsewhere, mistakes, place);
  auto message = text_message(Role::kUser, std::move(read.text));
  message.blocks = std::move(read.blocks);
  return message;
}

}  // namespace toolway::tools::messages
