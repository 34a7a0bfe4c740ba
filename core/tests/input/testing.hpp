// What the tests of inputs and of the reference share.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <msda/error.hpp>

#include "input/elements.hpp"
#include "input/input.hpp"

namespace msda {

/// A fresh directory for one test, removed with it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() / ("msda-" + std::to_string(::getpid()) + "-" +
                                                      test->test_suite_name() + "-" + test->name());
    std::filesystem::create_directories(path_);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Sets or, with nullptr, unsets an environment variable for one scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() { set(old_ ? old_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::optional<std::string> old_;
};

/// The message of the UsageError that body throws; "" when it throws none.
inline std::string usage_error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

inline Bytes make_tensor(DType type, const std::vector<float>& numbers) {
  Bytes tensor(numbers.size() * size_of(type));
  store_floats(type, numbers, tensor.data(), 0);
  return tensor;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

inline std::vector<std::string> files_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    names.push_back(file.path().filename().string());
  }
  return names;
}

/// Awkward on purpose: nothing is a multiple of anything.
inline Problem small_problem() {
  Problem problem;
  problem.name = "small";
  problem.batch = 2;
  problem.queries = 7;
  problem.heads = 3;
  problem.channels = 5;
  problem.points = 3;
  problem.levels = {{6, 9}, {3, 5}, {1, 1}};
  return problem;
}

}  // namespace msda
