#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/messages/blocks.h"

/// Images and documents for tests: their headers are right, and the rest is nothing.
namespace toolway::tools::messages::test {

inline std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(number >> shift);
  return bytes;
}

/// `bytes`: how many it has at least.
inline std::string png(std::uint32_t width, std::uint32_t height, std::size_t bytes = 0) {
  auto image = "\x89PNG\r\n\x1a\n" + big_endian(13) + "IHDR" + big_endian(width) +
               big_endian(height) + std::string("\x08\x02\0\0\0", 5);
  image.resize(std::max(image.size(), bytes), 'x');
  return image;
}

inline std::string pdf(unsigned pages, std::size_t bytes = 0) {
  std::string document = "%PDF-1.7\n<< /Type /Pages >>\n";
  for (unsigned i = 0; i < pages; ++i) document += "<< /Type /Page >>\n";
  document.resize(std::max(document.size(), bytes), 'x');
  return document;
}

using model::ContentBlock;
inline ContentBlock text_block(std::string text) {
  return {.type = "text", .text = std::move(text)};
}
inline ContentBlock image_block(std::string bytes, std::string media_type = "image/png") {
  return {.type = "image", .data = std::move(bytes), .mime_type = std::move(media_type)};
}
inline ContentBlock pdf_block(std::string bytes, std::string name = "a.pdf") {
  return {.type = "resource",
          .data = std::move(bytes),
          .mime_type = "application/pdf",
          .uri = "file:///a",
          .name = std::move(name)};
}
inline ContentBlock text_document(std::string text, std::string uri = "file:///a.csv") {
  return {
      .type = "resource", .text = std::move(text), .mime_type = "text/csv", .uri = std::move(uri)};
}

inline CallResult returned(std::string call_id, std::vector<ContentBlock> content) {
  CallResult result{.call_id = std::move(call_id), .text = {}};
  add_content(result, std::move(content));
  return result;
}

/// A message of the user.
inline Message shows(std::vector<ContentBlock> content) {
  auto said = returned("", std::move(content));
  Message message{.role = Role::kUser, .text = std::move(said.text)};
  message.blocks = std::move(said.blocks);
  return message;
}

}  // namespace toolway::tools::messages::test
