#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/paths.h"
#include "tests/support/temp_dir.h"
#include "tools/messages/export.h"

/// The checker of histories, which is a program of its own.
namespace toolway::tools::messages::test {

using exports::Format;
inline constexpr std::array kFormats{Format::kToolway, Format::kOpenAi, Format::kOpenAiResponses,
                                     Format::kAnthropic};

/// Conversations in all four formats, as files of lines that the checker takes.
class StrictCheck {
 public:
  void add(const History& history) {
    for (const Format format : kFormats) {
      auto text = export_conversation(history, format, exports::format_name(format));
      ASSERT_TRUE(text) << text.error().message;
      add(format, *text);
    }
  }
  void add(Format format, const std::string& text) {
    file_ << exports::format_name(format) << '\t' << text << '\n';
    ++count_;
  }
  std::size_t count() const { return count_; }

  /// What the checker says: `N checked, 0 wrong`, and before it what is wrong.
  std::string verdict() {
    file_.close();
    const auto command =
        std::string("python3 " TOOLWAY_SOURCE_DIR "/tests/chat/strict_check.py --lines ") + path_ +
        " 2>&1";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string said;
    std::array<char, 4096> bytes;
    while (const auto size = fread(bytes.data(), 1, bytes.size(), pipe.get()))
      said.append(bytes.data(), size);
    return said;
  }
  std::string expected() const { return std::to_string(count_) + " checked, 0 wrong\n"; }

 private:
  toolway::test::TempDir directory_;
  const std::string path_ = directory_ / "lines";
  std::ofstream file_{path_};
  std::size_t count_ = 0;
};

}  // namespace toolway::tools::messages::test
