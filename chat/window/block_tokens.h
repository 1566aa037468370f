#pragma once

#include "chat/window/pieces.h"
#include "tools/messages/message.h"

namespace toolway::chat::window {

/// Of an image or a PDF in a request, by its pixels or pages; of a document that is text, nothing
/// besides that text. `most` is that of every model but gpt-4o-mini, where a picture may have ten
/// times as many. Pure.
Piece piece_of(const tools::messages::Block& block);

}  // namespace toolway::chat::window
