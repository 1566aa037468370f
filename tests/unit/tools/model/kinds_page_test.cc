#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/paths.h"
#include "tools/model/kind_types.h"
#include "tools/specs/reader.h"

namespace toolway::tools::model {
namespace {

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(TOOLWAY_SOURCE_DIR) + "/" + file).rdbuf();
  return text.str();
}

struct Shown {
  std::string file;
  std::string code;
};

/// The code of the page: each indented block after a line that is a file's name and a colon.
std::vector<Shown> shown_code() {
  std::vector<Shown> all;
  const std::regex names_file("`([a-z_/]+\\.(?:cc|h))`:");
  std::istringstream lines(text_of("docs/kinds.md"));
  std::smatch match;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, names_file)) {
      all.push_back({match[1], ""});
      inside = true;
    } else if (inside && (line.empty() || line.starts_with("    "))) {
      all.back().code += (line.empty() ? "" : line.substr(4)) + "\n";
    } else {
      inside = false;
    }
  }
  for (auto& [file, code] : all) {
    code.erase(0, code.find_first_not_of('\n'));
    code.erase(code.find_last_not_of('\n') + 1);
  }
  return all;
}

/// The parts of a block between its lines `…`.
std::vector<std::string> parts_of(const std::string& code) {
  std::vector<std::string> parts(1);
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" …") == std::string::npos && !line.empty())
      parts.emplace_back();
    else
      parts.back() += line + "\n";
  }
  return parts;
}

/// Blocks of a class's members are shown without the indentation that all of it has.
std::string unindented(const std::string& text) {
  return std::regex_replace(text, std::regex("\n +"), "\n");
}

TEST(KindsPage, ShowsTheCodeThatIsBuilt) {
  const auto all = shown_code();
  EXPECT_GE(all.size(), 7U);
  for (const auto& [file, code] : all) {
    EXPECT_GT(code.size(), 60U) << file;
    const auto whole = unindented("\n" + text_of(file));
    std::size_t from = 0;
    for (const auto& part : parts_of(code)) {
      const auto at = whole.find(unindented("\n" + part), from);
      EXPECT_NE(at, std::string::npos) << file << " has no such text:\n" << part;
      from = std::min(at, whole.size());
    }
  }
}

TEST(KindTypes, AreKnownToSpecsByTheirRegistrationAlone) {
  const auto page = text_of("docs/kinds.md");
  std::string spec = page.substr(page.find("    tools:\n"));
  spec.resize(spec.find("\n\n"));
  const auto document =
      specs::read_specs(std::regex_replace("\n" + spec, std::regex("\n    "), "\n"), "page", {});
  for (const auto& mistake : document.mistakes) ADD_FAILURE() << mistake.text();
  ASSERT_EQ(document.specs.size(), 1U);
  EXPECT_EQ(document.specs[0].spec.kind.name, "template");
  EXPECT_EQ(document.specs[0].spec.pool, "template");
  EXPECT_NE(kind_names().find("template"), std::string::npos);
}

}  // namespace
}  // namespace toolway::tools::model
