#pragma once

#include <string>

#include "base/json.h"

namespace toolway::gateway::api_docs {

/// One operation of an OpenAPI document.
struct Operation {
  const std::string& path;
  const std::string& verb;
  const OrderedJson& item;  ///< what all operations of the path share
  const OrderedJson& operation;
};

/// It as an article: what it is for, what it takes, what it answers, and how to ask with curl.
/// Pure.
std::string operation_html(const OrderedJson& document, const Operation& operation);

}  // namespace toolway::gateway::api_docs
