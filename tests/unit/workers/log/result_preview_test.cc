#include "workers/log/result_preview.h"

#include <gtest/gtest.h>

#include <random>

#include "workers/log/completion.h"

namespace toolway::workers::log {
namespace {

/// Whether `cut` is what preview_of says: items a prefix and whole, members whole or cut.
bool is_beginning_of(const Json& cut, const Json& whole) {
  if (cut.type() != whole.type()) return false;
  if (whole.is_string())
    return whole.get_ref<const std::string&>().starts_with(cut.get_ref<const std::string&>());
  if (whole.is_array()) {
    for (std::size_t i = 0; i < cut.size(); ++i) {
      if (i >= whole.size() || cut[i] != whole[i]) return false;
    }
    return true;
  }
  if (whole.is_object()) {
    auto of_whole = whole.begin();
    for (auto it = cut.begin(); it != cut.end(); ++it, ++of_whole) {
      if (of_whole == whole.end() || it.key() != of_whole.key()) return false;
      if (!is_beginning_of(it.value(), of_whole.value())) return false;
    }
    return true;
  }
  return cut == whole;
}

class RandomJson {
 public:
  explicit RandomJson(unsigned seed) : random_(seed) {}
  Json value(int depth) {
    switch (below(depth == 0 ? 5U : 7U)) {
      case 0: return nullptr;
      case 1: return below(2) == 1;
      case 2: return static_cast<std::int64_t>(random_()) - 1'000'000'000;
      case 3: return 0.1 * below(1000);
      case 4: return text();
      case 5: {
        Json list = Json::array();
        for (unsigned i = below(12); i > 0; --i) list.push_back(value(depth - 1));
        return list;
      }
      default: {
        Json object = Json::object();
        for (unsigned i = below(12); i > 0; --i) object[text()] = value(depth - 1);
        return object;
      }
    }
  }
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

 private:
  std::string text() {
    static const std::vector<std::string> kPieces{"a",    "\"", "\\", "\n", std::string(1, '\x01'),
                                                  "\x7f", "é",  "€",  "𝄞",  std::string(1, '\0')};
    std::string text;
    for (unsigned i = below(40); i > 0; --i) text += kPieces[below(10)];
    return text;
  }
  std::mt19937 random_;
};

TEST(ResultPreview, IsValidAndABeginningAndSmallEnoughWhateverTheValue) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomJson random(seed);
    const Json whole = random.value(4);
    const std::size_t size = whole.dump().size();
    EXPECT_EQ(text_size(whole, SIZE_MAX), size);
    EXPECT_EQ(text_size(whole, size), size);
    if (size > 0 && (whole.is_structured() || whole.is_string())) {
      EXPECT_GT(text_size(whole, size - 1), size - 1) << whole.dump();
      const std::size_t cap = 2 + random.below(static_cast<unsigned>(size));
      const Json cut = preview_of(whole, cap);
      EXPECT_LE(cut.dump().size(), cap) << whole.dump();
      EXPECT_TRUE(is_beginning_of(cut, whole)) << cap << "\n" << cut << "\n" << whole;
      EXPECT_EQ(Json::parse(cut.dump()), cut);
      if (cap >= size) {
        EXPECT_EQ(cut, whole);
      }
    }
  }
}

TEST(ResultPreview, CutsAListAtWholeItems) {
  const Json list{"one", "two", {{"three", 3}}, "four"};
  EXPECT_EQ(preview_of(list, 13), Json({"one", "two"}));
  EXPECT_EQ(preview_of(list, 12), Json({"one"}));
  EXPECT_EQ(preview_of(list, 6), Json::array());
}

TEST(ResultPreview, CutsLargeMembersAndKeepsSmallOnesWhole) {
  const Json object{{"name", "report"},
                    {"rows", Json::array({1, 2, 3, 4, 5, 6, 7, 8, 9})},
                    {"text", std::string(1000, 'x')},
                    {"total", 9}};
  const Json cut = preview_of(object, 200);
  EXPECT_EQ(cut["name"], "report");
  EXPECT_EQ(cut["rows"].size(), 9U);
  EXPECT_EQ(cut["total"], 9);
  EXPECT_EQ(cut.dump().size(), 200U);
}

TEST(ResultPreview, CutsAStringBetweenCharacters) {
  EXPECT_EQ(preview_of("ab€€", 7), Json("ab€"));
  EXPECT_EQ(preview_of("ab€€", 6), Json("ab"));
  EXPECT_EQ(preview_of("a\n\n", 5), Json("a\n"));
}

TEST(Ending, SaysWhatTravelsInTheCompletionAndWhatApart) {
  tools::model::ResultForm form{.inline_bytes = 1000, .max_bytes = 100'000};
  const auto small = ending_of(Json(std::string(998, 'x')), form);
  EXPECT_TRUE(small.large.empty());
  EXPECT_FALSE(small.completed.has_blob());
  EXPECT_EQ(small.completed.result().size(), 1000U);

  const auto large = ending_of(Json(std::vector<int>(1000, 7)), form);
  EXPECT_EQ(large.large.size(), 2001U);
  EXPECT_EQ(large.completed.blob().items(), 1000U);
  EXPECT_EQ(Json::parse(large.completed.result()), Json(std::vector<int>(499, 7)));

  const auto too_large = ending_of(Json(std::string(100'000, 'x')), form);
  EXPECT_EQ(too_large.completed.outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(too_large.completed.error().code(), "result_too_large");
  EXPECT_NE(too_large.completed.error().message().find("100002 bytes"), std::string::npos);
}

TEST(Ending, NeverPutsMoreIntoACompletionThanAMessageTakes) {
  const tools::model::ResultForm form{.inline_bytes = 8 * 1024 * 1024};
  EXPECT_TRUE(ending_of(Json(std::string(kMaxInlineResult - 2, 'x')), form).large.empty());
  const auto over = ending_of(Json(std::string(kMaxInlineResult, 'x')), form);
  EXPECT_FALSE(over.large.empty());
  EXPECT_EQ(over.completed.result().size(), kMaxPreview);
}

}  // namespace
}  // namespace toolway::workers::log
