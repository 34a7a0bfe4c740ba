#include "evidence/counts.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include <msda/error.hpp>

#include "evidence/sass.hpp"
#include "files/exposure.hpp"
#include "files/read.hpp"
#include "files/write.hpp"
#include "hash.hpp"
#include "jit/cache_entry.hpp"
#include "json_text.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kNumbers = "numbers";
constexpr const char* kIdle = "idle";

std::optional<Counts> read_counts(const fs::path& file) {
  const auto text = read_text_if_there(file);
  if (!text) return std::nullopt;
  try {
    if (!own_exposure(file).empty()) return std::nullopt;
    const json kept = parse_json(*text);
    return Counts{kept.at(kNumbers).get<Numbers>(), kept.at(kIdle).get<std::vector<std::string>>()};
  } catch (const json::exception&) {
    return std::nullopt;
  } catch (const EnvironmentError&) {
    return std::nullopt;  // somebody removes it
  }
}

}  // namespace

Counts kept_counts(const fs::path& file, const std::function<Counts()>& make) {
  if (auto kept = read_counts(file)) return *std::move(kept);
  Counts made = make();
  const json text = {{kNumbers, made.numbers}, {kIdle, made.idle}};
  try {
    write_atomically(file, json_text(text, 1), Durable::kNo);
  } catch (const EnvironmentError&) {  // NOLINT(bugprone-empty-catch): it costs time only
  }
  return made;
}

Numbers sass_numbers(const Module& module, const std::string& symbol) {
  try {
    return kept_counts(module.directory / ("sass-" + hash_hex(symbol) + ".json"),
                       [&] {
                         const auto code = disassemble(module.directory / kCubin);
                         if (!code) throw EnvironmentError("no disassembler");
                         return Counts{count_sass(*code, symbol), {}};
                       })
        .numbers;
  } catch (const EnvironmentError&) {
    return {};
  }
}

}  // namespace msda
