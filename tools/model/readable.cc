#include "tools/model/readable.h"

#include <utility>

#include "base/json.h"
#include "base/utf8.h"

namespace toolway::tools::model {

std::string readable(std::string text) {
  if (valid_utf8(text)) return text;
  return Json::parse(to_text(Json(std::move(text)))).get<std::string>();
}

}  // namespace toolway::tools::model
