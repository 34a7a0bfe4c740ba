#include <fmt/format.h>

#include <msda/plugin.hpp>

#include "export/parts.hpp"

namespace msda::embedded::exports {
extern const EmbeddedSource kSources[];
}
namespace msda::embedded::external {
extern const EmbeddedSource kSources[];
}
namespace msda::embedded::licence {
extern const EmbeddedSource kSources[];
}
namespace msda::embedded::launcher {
extern const EmbeddedSource kSources[];
}

namespace msda {

std::string template_text(std::string_view name) {
  for (const EmbeddedSource* file = embedded::exports::kSources; file->path != nullptr; ++file) {
    if (name == file->path) return file->text;
  }
  throw Error(fmt::format("no template {}", name));
}

std::string licence_text() { return embedded::licence::kSources[0].text; }

std::string external_header() { return embedded::external::kSources[0].text; }

std::vector<UnitHeader> launcher_headers() {
  std::vector<UnitHeader> headers = device_headers();
  for (const EmbeddedSource* file = embedded::launcher::kSources; file->path != nullptr; ++file) {
    headers.push_back({file->path, file->text});
  }
  return headers;
}

std::string filled(std::string_view file, const Words& words) {
  std::string text = template_text(file);
  for (const auto& [word, value] : words) {
    const std::string mark = "@" + word + "@";
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

}  // namespace msda
