#include "tools/messages/foreign_blocks.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "tests/unit/tools/messages/blocks.h"
#include "tools/messages/blocks.h"
#include "tools/messages/message_json.h"
#include "tools/messages/request_blocks.h"

namespace toolway::tools::messages {
namespace {

using test::pdf;
using test::png;

struct ReadContent {
  CallResult result;
  std::string wrong;  ///< the first mistake
};

ReadContent content_read(const OrderedJson& content) {
  Mistakes mistakes;
  ReadContent made;
  read_content(content, made.result, mistakes, "/content");
  if (mistakes.count() > 0) made.wrong = std::move(mistakes).take().front().text();
  return made;
}

ReadContent read(const std::vector<OrderedJson>& parts) { return content_read(parts); }

OrderedJson anthropic(std::string_view type, std::string_view media_type, std::string_view data) {
  return {{"type", type},
          {"source", {{"type", "base64"}, {"media_type", media_type}, {"data", data}}}};
}

OrderedJson responses(std::string_view type, const char* member, std::string_view url) {
  return {{"type", type}, {member, url}};
}

TEST(ForeignBlocks, OfMessages) {
  auto document = anthropic("document", "application/pdf", base64(pdf(3)));
  document["title"] = "report.pdf";
  const auto [result, wrong] =
      read({{{"type", "text"}, {"text", "a"}},
            {{"type", "text"}, {"text", "b"}},
            anthropic("image", "image/png", base64(png(2, 3))),
            {{"type", "document"},
             {"title", "notes"},
             {"source", {{"type", "text"}, {"media_type", "text/plain"}, {"data", "It is."}}}},
            document});
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(result.text,
            "ab\n[image image/png, 29 bytes]\n[resource text/plain notes] It is.\n"
            "[resource application/pdf report.pdf, 82 bytes]");
  ASSERT_EQ(result.blocks.size(), 3u);
  EXPECT_EQ(result.blocks[2].pages, 3u);
  EXPECT_EQ(misplaced(BlockText(result)), "");
}

TEST(ForeignBlocks, OfResponses) {
  auto file = responses("input_file", "file_data", "data:application/pdf;base64," + base64(pdf(1)));
  file["filename"] = "a.pdf";
  const auto [result, wrong] =
      read({responses("input_image", "image_url", "data:image/png;base64," + base64(png(2, 3))),
            {{"type", "input_text"}, {"text", "x"}},
            file});
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(result.text,
            "[image image/png, 29 bytes]\nx\n[resource application/pdf a.pdf, 46 bytes]");
  EXPECT_EQ(result.blocks.size(), 2u);
}

TEST(ForeignBlocks, OfChatCompletions) {
  const auto image = "data:image/png;base64," + base64(png(2, 3));
  const auto file = "data:application/pdf;base64," + base64(pdf(1));
  Mistakes mistakes;
  const auto message = read_user_content(
      OrderedJson::array(
          {{{"type", "text"}, {"text", "Look:"}},
           {{"type", "image_url"}, {"image_url", {{"url", image}, {"detail", "low"}}}},
           {{"type", "file"}, {"file", {{"filename", "a.pdf"}, {"file_data", file}}}},
           {{"type", "image_url"}, {"image_url", {{"url", "https://a.example/b.png"}}}},
           {{"type", "file"}, {"file", {{"file_id", "f"}}}},
           {{"type", "image_url"}}}),
      mistakes, "/content");
  EXPECT_EQ(mistakes.count(), 0u);
  EXPECT_EQ(message.role, Role::kUser);
  EXPECT_EQ(message.text,
            "Look:\n[image image/png, 29 bytes]\n[resource application/pdf a.pdf, 46 bytes]\n"
            "[image https://a.example/b.png]\n[file]\n[image_url]");
  ASSERT_EQ(message.blocks.size(), 3u);
  EXPECT_EQ(message.blocks[2].url, "https://a.example/b.png");
  EXPECT_EQ(misplaced(BlockText(message)), "");
}

/// A user's image at a URL, in the form of any of the APIs.
Message read_elsewhere(const OrderedJson& part) {
  Mistakes mistakes;
  auto message = read_user_content(OrderedJson::array({part}), mistakes, "/content");
  EXPECT_EQ(mistakes.count(), 0U);
  EXPECT_EQ(misplaced(BlockText(message)), "");
  return message;
}

TEST(ForeignBlocks, OfTheUserAtAUrlAreReadByTheProvider) {
  const std::string url = "https://a.example/b.png?sig=%5B1%5D";
  const OrderedJson parts[]{responses("input_image", "image_url", url),
                            {{"type", "image_url"}, {"image_url", {{"url", url}}}},
                            {{"type", "image"}, {"source", {{"type", "url"}, {"url", url}}}}};
  const exports::ModelApi apis[]{exports::ModelApi::kOpenAiResponses, exports::ModelApi::kOpenAi,
                                 exports::ModelApi::kAnthropic};
  const std::string sent[]{R"([{"type":"input_image","image_url":"URL","detail":"high"}])",
                           R"([{"type":"image_url","image_url":{"url":"URL","detail":"high"}}])",
                           R"([{"type":"image","source":{"type":"url","url":"URL"}}])"};
  for (const auto& part : parts) {
    const auto message = read_elsewhere(part);
    EXPECT_EQ(message.text, "[image " + url + "]");
    for (std::size_t api = 0; api < 3; ++api) {
      auto wanted = sent[api];
      wanted.replace(wanted.find("URL"), 3, url);
      EXPECT_EQ(to_text(user_content(message, apis[api], request_blocks({&message}, apis[api]))),
                wanted);
    }
    Mistakes mistakes;
    const auto json = message_json(message);
    EXPECT_EQ(to_text(message_json(read_message(json, mistakes, ""))), to_text(json));
    EXPECT_EQ(mistakes.count(), 0U);
  }
}

TEST(ForeignBlocks, AtOtherThanAUrlAreNamed) {
  for (const std::string& url :
       {std::string("ftp://a.example/b.png"), std::string("file:///etc/passwd"),
        std::string("https://a.example/a b"), std::string("https://a.example/\"/"),
        "https://a.example/" + std::string(8192, 'x'), std::string()}) {
    EXPECT_EQ(read_elsewhere(responses("input_image", "image_url", url)).text, "[input_image]");
    auto json = message_json(read_elsewhere(responses("input_image", "image_url", "https://a")));
    json["blocks"][0]["url"] = url;
    Mistakes mistakes;
    read_message(json, mistakes, "");
    EXPECT_EQ(mistakes.count(), 1U) << url;
  }
}

TEST(ForeignBlocks, WithoutOneTheTextIsAsBefore) {
  EXPECT_EQ(content_read("text").result.text, "text");
  EXPECT_EQ(read({{{"type", "text"}, {"text", "a"}}, {{"type", "image"}}, "b"}).result.text,
            "a[image][]");
  EXPECT_EQ(content_read(nullptr).result.text, "");
  EXPECT_EQ(read({responses("input_image", "image_url", "https://a.example/b.png")}).result.text,
            "[input_image]");
  EXPECT_EQ(read({OrderedJson{{"type", "image"}, {"source", {{"type", "url"}, {"url", "x"}}}}})
                .result.text,
            "[image]");
}

TEST(ForeignBlocks, TextsOfTheUserAreOnLinesOfTheirOwn) {
  const auto said = [](const OrderedJson& content) {
    Mistakes mistakes;
    auto text = read_user_content(content, mistakes, "").text;
    EXPECT_EQ(mistakes.count(), 0U);
    return text;
  };
  const OrderedJson before{{"type", "text"}, {"text", "before"}};
  const OrderedJson after{{"type", "text"}, {"text", "after"}};
  EXPECT_EQ(said(OrderedJson::array({before, after})), "before\nafter");
  EXPECT_EQ(said(OrderedJson::array(
                {before, after, anthropic("image", "image/png", base64(png(2, 3))), after})),
            "before\nafter\n[image image/png, 29 bytes]\nafter");
  EXPECT_EQ(said(OrderedJson::array({before})), "before");
  EXPECT_EQ(said("before"), "before");
  EXPECT_EQ(said(OrderedJson::array()), "");
}

TEST(ForeignBlocks, SayWhatIsWrong) {
  const auto image = base64(png(2, 3));
  EXPECT_EQ(read({anthropic("image", "image/png", "%%%")}).wrong,
            "/content/0/source: it is not base64");
  EXPECT_EQ(read({anthropic("image", "image/png", "")}).wrong,
            "/content/0/source: it is not base64");
  EXPECT_EQ(read({"", anthropic("image", "image/gif", image)}).wrong,
            "/content/1/source: it is image/png, and not of the media type that it names");
  EXPECT_NE(read({anthropic("image", "image/png", base64("hello"))}).wrong.find("expected a PNG"),
            std::string::npos);
  EXPECT_NE(read({anthropic("image", "image/bmp", base64("BM"))}).wrong, "");
  EXPECT_NE(read({anthropic("document", "text/html", image)}).wrong, "");
  EXPECT_EQ(read({anthropic("image", "application/pdf", base64(pdf(1)))}).wrong,
            "/content/0/source: image cannot be application/pdf");
  EXPECT_EQ(read({anthropic("document", "image/png", image)}).wrong,
            "/content/0/source: document cannot be image/png");
  EXPECT_EQ(read({anthropic("image", "image/png", base64(png(1, 1, kMaxBlockBytes + 1)))}).wrong,
            "/content/0/source: it is larger than APIs take");
  EXPECT_NE(read({responses("input_image", "image_url", "data:image/png;base64,%")}).wrong, "");
  EXPECT_NE(read({responses("input_file", "file_data", "data:image/png;base64," + image)}).wrong,
            "");
}

}  // namespace
}  // namespace toolway::tools::messages
