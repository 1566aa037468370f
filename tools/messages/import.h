#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/exports/format.h"
#include "tools/messages/history.h"

/// Conversations that came from elsewhere. Pure.
namespace toolway::tools::messages {

/// What becomes of a conversation with mistakes that can be mended.
enum class Mended {
  kRefuse,
  kOffer,  ///< refused, and the error says that it can be mended
  kRepair
};

struct Imported {
  History history;
  std::vector<std::string> repairs;  ///< what was changed to make it valid
};

/// Reads what `export_conversation` writes, and what such APIs take: an object with the messages,
/// or their list. `provider`: whose own forms are in it. Errors: kMalformedJson; kInvalidRequest
/// naming up to ten mistakes: fields that are wrong, and, without `kRepair`, calls without
/// results, results without calls, ids that come twice and contents that no API takes.
Result<Imported> import_conversation(std::string_view text, exports::Format format, Mended mended,
                                     std::string_view provider);

}  // namespace toolway::tools::messages
