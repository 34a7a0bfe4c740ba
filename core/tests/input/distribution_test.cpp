#include <gmock/gmock.h>

#include "support/tensors.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Distribution, NamesAreReadBack) {
  for (const auto distribution :
       {Distribution::kUniform, Distribution::kLocal, Distribution::kDirectional,
        Distribution::kClustered, Distribution::kOutside, Distribution::kBorder,
        Distribution::kSame}) {
    EXPECT_EQ(parse_distribution(name_of(distribution)), distribution);
  }
}

TEST(Distribution, UnknownNameGetsTheNearestAndTheList) {
  EXPECT_THAT(usage_error_of([] { parse_distribution("unifrom"); }),
              AllOf(HasSubstr("'unifrom'"), HasSubstr("did you mean 'uniform'"),
                    HasSubstr("clustered, outside, border, same")));
}

}  // namespace
}  // namespace msda
