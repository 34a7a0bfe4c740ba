// What of a YAML file would be read otherwise than it looks, refused before anything is read of it.
#pragma once

#include <string>

namespace msda {

/// Throws UsageError "file:line:column: ..." where the text is not UTF-8 or has control characters,
/// and at a second document, a tag, a merge key, an alias inside its own anchor, deep nesting, and
/// more values than an experiment has. Throws YAML::Exception where the text is not YAML.
void check_yaml(const std::string& text, const std::string& file);

}  // namespace msda
