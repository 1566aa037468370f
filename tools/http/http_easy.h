#pragma once

#include "base/net/curl_handles.h"
#include "tools/http/http_transfer.h"

namespace toolway::tools::http {

/// What libcurl points into while a transfer is on its way.
struct EasyLists {
  net::CurlList headers{};
  net::CurlList resolved{};
};

/// Makes `easy` carry `transfer`, which must outlive the transfer.
EasyLists prepare(CURL* easy, HttpTransfer& transfer);

/// How a transfer ended, in our words: libcurl's own may quote the URL.
HttpEnd end_of(CURLcode code, CURL* easy, const HttpTransfer& transfer);

}  // namespace toolway::tools::http
