// The entries of one external kernel in a loaded library.
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
  std::string file_name_;
  std::string symbol_;
  void* entry_ = nullptr;
  void* prepare_entry_ = nullptr;
};

}  // namespace msda
