#pragma once

#include <curl/curl.h>

#include <memory>

#include "tools/http/http_transfer.h"

namespace toolway::tools {

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using EasyHandle = std::unique_ptr<CURL, FreeEasy>;

struct FreeHeaderList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeHeaderList>;

/// Sets libcurl up for the process, once.
void set_up_curl();

/// What libcurl points into while a transfer is on its way.
struct EasyLists {
  HeaderList headers{};
  HeaderList resolved{};
};

/// Makes `easy` carry `transfer`, which must outlive the transfer.
EasyLists prepare(CURL* easy, HttpTransfer& transfer);

/// How a transfer ended, in our words: libcurl's own may quote the URL.
HttpEnd end_of(CURLcode code, CURL* easy, const HttpTransfer& transfer);

}  // namespace toolway::tools
