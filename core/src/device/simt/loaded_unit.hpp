// A unit that was compiled for the host, loaded into the process.
#pragma once

#include <memory>
#include <string>

#include <msda/launch.cuh>

#include "device/simt/launch.hpp"
#include "jit/compiler.hpp"

namespace msda::simt {

class LoadedUnit {
 public:
  /// Throws EnvironmentError with the loader's words.
  explicit LoadedUnit(Module module);

  const Module& module() const { return module_; }
  const Image& image() const { return image_; }
  /// By name expression, as the unit was asked for it.
  void (*kernel(const std::string& name_expression) const)(const void*);
  void (*attach() const)(const void*);
  LaunchPlan plan() const;

 private:
  void* symbol(const char* name) const;

  Module module_;
  std::unique_ptr<void, int (*)(void*)> library_;
  Image image_;
};

}  // namespace msda::simt
