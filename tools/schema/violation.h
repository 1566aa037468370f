#pragma once

#include "base/mistake.h"

namespace toolway::tools::schema {

/// One way in which a document does not match its schema: with a keyword.
using Violation = Mistake;

}  // namespace toolway::tools::schema
