#pragma once

namespace toolway::extensions {

/// What becomes of a call when an extension cannot decide about it.
enum class OnFailure {
  kClosed,  ///< it is refused
  kOpen,    ///< it runs without that extension
};

}  // namespace toolway::extensions
