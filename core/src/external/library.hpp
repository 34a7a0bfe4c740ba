// The entries of one external kernel: of a loaded library, or of a Python callable.
#pragma once

#include <filesystem>
#include <string>

#include <msda/external.h>

namespace msda {

class ExternalLibrary {
 public:
  /// Loads the library, which stays loaded for the life of the process. Throws Error when it cannot
  /// be loaded, with the loader's reason, or lacks the symbol.
  ExternalLibrary(const std::filesystem::path& file, const std::string& symbol);
  /// The same of a Python callable (python.hpp), whose signature is msda-c-2.
  static ExternalLibrary python(const std::string& callable, const std::string& interpreter);

  /// What the library says of the problem; zeros without a query entry. Throws Error for another
  /// ABI, and Unsupported with the library's refusal.
  msda_answer query(const msda_problem& problem) const;
  /// Throws Error that names the entry and the code unless `code` is 0. `companion` is "" for the
  /// entry itself.
  void check(int code, const char* companion) const;

  /// As msda_entry or msda_operator_entry: the arm says which signature it has.
  template <class Entry>
  Entry* entry() const {
    return reinterpret_cast<Entry*>(entry_);
  }
  /// Null when there is none, as those that follow.
  template <class Entry>
  Entry* prepare_entry() const {
    return reinterpret_cast<Entry*>(prepare_entry_);
  }
  msda_query_entry* query_entry = nullptr;
  msda_release_entry* release_entry = nullptr;
  msda_error_entry* error_entry = nullptr;

 private:
  ExternalLibrary() = default;

  std::string subject_;  ///< of messages: "external library libmine.so"
  std::string symbol_;   ///< empty of a Python callable
  void* entry_ = nullptr;
  void* prepare_entry_ = nullptr;
};

}  // namespace msda
