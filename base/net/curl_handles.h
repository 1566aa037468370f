#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

/// What all uses of libcurl share. Files that include this one link libcurl themselves.
namespace toolway::net {

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using EasyHandle = std::unique_ptr<CURL, FreeEasy>;

struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using MultiHandle = std::unique_ptr<CURLM, FreeMulti>;

struct FreeCurlList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, FreeCurlList>;

/// Sets libcurl up for the process, once; before the first handle is made. Thread-safe.
void set_up_curl();

/// Without memory for it, `list` stays as it is.
void append(CurlList& list, const std::string& line);

/// The options of every transfer: http and https only, no signals, certificates verified, TLS 1.2
/// at least. `ca_file`: certificates to trust instead of the system's; empty: those.
void set_common_options(CURL* easy, const std::string& ca_file);

}  // namespace toolway::net
