#include "gateway/wire/http_types.h"

#include <boost/beast/http/status.hpp>

namespace toolway::gateway {

std::string_view reason_of(unsigned status) {
  const auto reason =
      boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  return {reason.data(), reason.size()};
}

}  // namespace toolway::gateway
