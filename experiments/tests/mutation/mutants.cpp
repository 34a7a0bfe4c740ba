#include "mutation/mutants.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include <msda/error.hpp>

namespace msda {
namespace {

std::string text_of(const YAML::Node& node, const char* key) {
  return node[key] ? node[key].as<std::string>() : "";
}

const UnitHeader* find_header(const Unit& unit, const std::string& file) {
  const auto found = std::find_if(unit.headers.begin(), unit.headers.end(),
                                  [&](const UnitHeader& header) { return header.path == file; });
  return found == unit.headers.end() ? nullptr : &*found;
}

/// The files that a text includes with <...>.
std::vector<std::string> included_by(const std::string& text) {
  constexpr std::string_view kInclude = "#include <";
  std::vector<std::string> files;
  for (std::size_t at = text.find(kInclude); at != std::string::npos;
       at = text.find(kInclude, at + 1)) {
    const std::size_t begin = at + kInclude.size();
    files.push_back(text.substr(begin, text.find('>', begin) - begin));
  }
  return files;
}

}  // namespace

std::vector<Mutant> read_mutants(const std::filesystem::path& path) {
  std::vector<Mutant> mutants;
  try {
    for (const YAML::Node& file : YAML::LoadFile(path.string())) {
      for (const YAML::Node& edit : file["edits"]) {
        mutants.push_back({edit["what"].as<std::string>(), file["file"].as<std::string>(),
                           edit["find"].as<std::string>(), edit["replace"].as<std::string>(),
                           text_of(edit, "first"), text_of(edit, "equivalent")});
      }
    }
  } catch (const YAML::Exception& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
  return mutants;
}

void apply(const Mutant& mutant, Unit& unit) {
  const UnitHeader* header = find_header(unit, mutant.file);
  if (header == nullptr) throw Error(fmt::format("no device header {}", mutant.file));
  std::string& text = unit.headers[static_cast<std::size_t>(header - unit.headers.data())].text;
  const std::size_t at = text.find(mutant.find);
  if (at == std::string::npos || text.find(mutant.find, at + 1) != std::string::npos) {
    throw Error(fmt::format("{}, '{}': the text to edit is there {}: {}", mutant.file, mutant.what,
                            at == std::string::npos ? "no more" : "more than once", mutant.find));
  }
  text.replace(at, mutant.find.size(), mutant.replace);
}

bool includes(const Unit& unit, const std::string& file) {
  std::set<std::string> seen;
  std::vector<std::string> next = included_by(unit.text);
  while (!next.empty()) {
    const std::string one = next.back();
    next.pop_back();
    if (!seen.insert(one).second) continue;
    if (const UnitHeader* header = find_header(unit, one)) {
      for (std::string& more : included_by(header->text)) next.push_back(std::move(more));
    }
  }
  return seen.contains(file);
}

}  // namespace msda
