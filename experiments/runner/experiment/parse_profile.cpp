// What a profiler counts: the key `profile`.

#include <fmt/format.h>

#include "pattern.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

constexpr const char* kSectionPattern = "^[A-Za-z][A-Za-z0-9_]*$";

/// A list of different names like `pattern`, each called `element`.
Form<std::vector<std::string>> names_like(std::string words, const std::string& element,
                                          const std::string& pattern) {
  Form<std::vector<std::string>> form;
  static_cast<Shape&>(form) =
      form::list_of(std::move(words), {{"type", "string"}, {"pattern", pattern}});
  form.schema["uniqueItems"] = true;
  form.read = [=](const YamlNode& node, std::vector<std::string>& values) {
    UniqueNames seen(element);
    for (const YamlNode& entry : node.as_list(element)) {
      values.push_back(parse_like(entry, pattern, element));
      seen.add(values.back(), entry.place());
    }
  };
  form.write = [](const std::vector<std::string>&) { return std::string(); };
  return form;
}

const Settings<ProfileSettings>& profile_settings() {
  using P = ProfileSettings;
  static const Settings<P> settings{
      setting("metrics", &P::metrics,
              names_like("a list of names such as `dram__bytes.sum`", "metric", kMetricPattern),
              "what Nsight Compute counts; the metrics of claims are counted too")
          .otherwise("[these](profiling.md#counters-of-every-cell)"),
      setting("sections", &P::sections,
              names_like("a list of names such as `SourceCounters`", "section", kSectionPattern),
              "sections for Nsight Compute's own window")};
  return settings;
}

}  // namespace

Keys keys::profile() { return profile_settings().keys(); }

ProfileSettings parse_profile(const YamlNode& node) {
  ProfileSettings settings;
  profile_settings().read(node.as_map(), settings);
  return settings;
}

std::string parse_like(const YamlNode& node, const std::string& pattern, std::string_view what) {
  std::string text = node.as_text();
  if (!Pattern(pattern).matches(text)) {
    node.fail(fmt::format("'{}' is no name of a {}", shortened(text), what));
  }
  return text;
}

}  // namespace msda
