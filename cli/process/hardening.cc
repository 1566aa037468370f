#include "cli/process/hardening.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace toolway::cli::process {

void close_to_other_processes() { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void wipe_environment(const std::vector<std::string_view>& prefixes) {
  char** kept = environ;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    const bool secret = equals != std::string_view::npos &&
                        std::any_of(prefixes.begin(), prefixes.end(),
                                    [&](auto prefix) { return text.starts_with(prefix); });
    if (!secret) {
      *kept++ = *entry;
      continue;
    }
    explicit_bzero(*entry + equals + 1, text.size() - equals - 1);
  }
  *kept = nullptr;
}

void wipe_passwords(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    char* text = argv[i];
    for (char* scheme = std::strstr(text, "://"); scheme != nullptr;
         scheme = std::strstr(text, "://")) {
      text = scheme + 3;
      const auto length = std::strcspn(text, "/,?# ");
      // The last one: a password may have an @ in it.
      const auto at = std::string_view(text, length).rfind('@');
      if (at != std::string_view::npos) std::fill_n(text, at, 'x');
    }
  }
}

void wipe_messages(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "talk") return;
  for (int i = 2; i < argc; ++i) std::fill_n(argv[i], std::strlen(argv[i]), 'x');
}

}  // namespace toolway::cli::process
