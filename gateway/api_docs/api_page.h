#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

/// The OpenAPI document as a page to read: one page that needs neither another host nor a script.
namespace toolway::gateway::api_docs {

struct ApiPage {
  std::string html;
  /// Content-Security-Policy: nothing but this page's own style.
  std::string policy;
};

/// `document`: OpenAPI 3.1 as YAML; `style`: CSS. Takes milliseconds. Errors: kInternal, when it
/// cannot be read. Pure.
Result<ApiPage> make_api_page(std::string_view document, std::string_view style);

/// What `GET /` says: what this is, and where to read on. Pure.
ApiPage make_front_page(std::string_view version, std::string_view style);

}  // namespace toolway::gateway::api_docs
