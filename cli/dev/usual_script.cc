#include "cli/dev/usual_script.h"

namespace toolway::cli::dev {

std::string_view usual_script() {
  return R"yaml(# Answers messages while no key of a provider is set. Write your own: docs/chat.md, "Scripts".
turns:
  - when: files
    replies:
      - text: Let me look.
        calls:
          - tool: filesystem.list_directory
            arguments: {path: "."}
      - text: 'The directory has {{result/total}} entries: {{result/entries/*/name}}.'
        word_ms: 20
  - when: time
    replies:
      - calls:
          - tool: time.get_current_time
            arguments: {timezone: UTC}
      - text: 'It is {{result/iso8601}}.'
  - replies:
      - text: >-
          Hello. A script answers here, since no key of a provider is set. It knows messages with the words
          "files" and "time". For a model, set ANTHROPIC_API_KEY or OPENAI_API_KEY and start again.
)yaml";
}

}  // namespace toolway::cli::dev
