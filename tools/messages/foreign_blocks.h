#pragma once

#include <string>

#include "base/json.h"
#include "base/mistake.h"
#include "tools/messages/message.h"

namespace toolway::tools::messages {

/// Reads the content of a result, or of a message of the user, as the APIs have it, into an empty
/// one: a text, or a list of texts, images and documents. A user's image at a URL is one, too: its
/// provider reads it. What else is not in the content, but at a URL or a provider's, is named. What
/// those APIs refuse is in `mistakes`: other types,
/// data that is not in base64, or is not what its type says, or too large. Pure.
void read_content(const OrderedJson& content, CallResult& to, Mistakes& mistakes,
                  const std::string& place);
Message read_user_content(const OrderedJson& content, Mistakes& mistakes, const std::string& place);

}  // namespace toolway::tools::messages
