#include "base/net/curl_handles.h"

#include <mutex>

namespace toolway::net {

void set_up_curl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

void append(CurlList& list, const std::string& line) {
  if (auto* longer = curl_slist_append(list.get(), line.c_str())) {
    list.release();
    list.reset(longer);
  }
}

void set_common_options(CURL* easy, const std::string& ca_file) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // A slow look-up that no transfer waits for must delay neither other transfers nor the process'
  // end.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  if (!ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file.c_str());
    curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, ca_file.c_str());
  }
}

}  // namespace toolway::net
