// What may stand in experiment files, for editors that complete and check YAML, and for readers.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "plugin/registry.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {

/// Draft 7. Names of variants, parameters with their types and ranges, and presets come from what
/// is there. What a schema cannot say (which variants go together, which arms claims may name) is
/// left to `msda validate`.
nlohmann::json experiment_schema(const Registry& registry);

/// The keys of one kind of map under its name.
struct KeyTable {
  const char* document;  ///< that has the table, in docs/
  const char* title;
  Keys keys;
};

/// All maps of an experiment file, in the order of the documents.
std::vector<KeyTable> key_tables();
/// The tables as the documents have them, each under its title.
std::string tables_as_markdown();

}  // namespace msda
