// The recipes that ship compile for each generation of architectures, and for Hopper in both kinds
// of problems: in the encoder a pixel of one head is a part of a row, at ledger-48 it is the whole.
#include <gtest/gtest.h>

#include "conformance/combinations.hpp"
#include "support/recipe_checks.hpp"

namespace msda {
namespace {

TEST(Recipes, CompileForHopper) {
  compile_all(shipped_recipes(), {in_half("ddetr-encoder")}, device_to_compile_for(90));
}

TEST(Recipes, CompileForEveryGenerationOfArchitectures) {
  for (const int capability : kGenerations) {
    compile_all(shipped_recipes(), {in_half("ledger-48")}, device_to_compile_for(capability));
  }
}

}  // namespace
}  // namespace msda
