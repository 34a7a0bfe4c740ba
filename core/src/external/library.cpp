#include "external/library.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "external/python.hpp"

namespace msda {
namespace {

std::string subject_of(const std::filesystem::path& file) {
  return "external library " + (file.has_filename() ? file.filename() : file).string();
}

/// Resolving all symbols now turns a missing one into an error here, not an abort in a measurement.
/// Its code may be anywhere by the end (threads, exit handlers), so it is never unloaded.
void* open_library(const std::filesystem::path& file) {
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle != nullptr) return handle;
  const char* reason = ::dlerror();
  throw Error(fmt::format("{}: not a loadable shared library: {}", subject_of(file),
                          reason != nullptr ? reason : "no reason"));
}

template <class Entry>
Entry* find_entry(void* handle, const std::string& symbol) {
  return reinterpret_cast<Entry*>(::dlsym(handle, symbol.c_str()));
}

}  // namespace

ExternalLibrary::ExternalLibrary(const std::filesystem::path& file, const std::string& symbol)
    : subject_(subject_of(file)), symbol_(symbol) {
  void* handle = open_library(file);
  entry_ = ::dlsym(handle, symbol.c_str());
  if (entry_ == nullptr) {
    throw Error(
        fmt::format("{}: no symbol {}: export it with C linkage (extern \"C\") and "
                    "default visibility",
                    subject_, symbol));
  }
  query_entry = find_entry<msda_query_entry>(handle, symbol + "_query");
  prepare_entry_ = ::dlsym(handle, (symbol + "_prepare").c_str());
  release_entry = find_entry<msda_release_entry>(handle, symbol + "_release");
  error_entry = find_entry<msda_error_entry>(handle, symbol + "_error");
}

ExternalLibrary ExternalLibrary::python(const std::string& callable,
                                        const std::string& interpreter) {
  const PythonEntries entries = open_python(callable, interpreter);
  ExternalLibrary library;
  library.subject_ = "Python callable " + std::filesystem::path(callable).filename().string();
  library.entry_ = reinterpret_cast<void*>(entries.entry);
  library.prepare_entry_ = reinterpret_cast<void*>(entries.prepare);
  library.query_entry = entries.query;
  library.error_entry = entries.error;
  return library;
}

msda_answer ExternalLibrary::query(const msda_problem& problem) const {
  msda_answer answer{};
  answer.size = sizeof(answer);
  if (query_entry == nullptr) return answer;
  check(query_entry(&problem, &answer), "_query");
  if (answer.abi != MSDA_EXTERNAL_ABI) {
    throw Error(
        fmt::format("{}: {} is for ABI {}, this program has ABI {}: rebuild it with this "
                    "program's msda/external.h",
                    subject_, symbol_, answer.abi, MSDA_EXTERNAL_ABI));
  }
  if (answer.refusal != nullptr && *answer.refusal != '\0') throw Unsupported(answer.refusal);
  return answer;
}

void ExternalLibrary::check(int code, const char* companion) const {
  if (code == 0) return;
  const char* text = error_entry != nullptr ? error_entry(code) : nullptr;
  if (symbol_.empty()) throw Error(fmt::format("{}: {}", subject_, text));
  throw Error(fmt::format("{}: {}{} returned {}{}{}", subject_, symbol_, companion, code,
                          text != nullptr ? ": " : "", text != nullptr ? text : ""));
}

}  // namespace msda
