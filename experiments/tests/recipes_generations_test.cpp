// The recipes that ship compile for each generation of architectures.
#include <gtest/gtest.h>

#include "conformance/combinations.hpp"
#include "recipe_checks.hpp"

namespace msda {
namespace {

TEST(Recipes, CompileForEveryGenerationOfArchitectures) {
  for (const int capability : kGenerations) {
    compile_all(shipped_recipes(), {in_half("ledger-48")}, device_to_compile_for(capability));
  }
}

}  // namespace
}  // namespace msda
