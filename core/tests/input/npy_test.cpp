#include "input/npy.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "input/npy_header.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Npy : public testing::Test {
 protected:
  std::filesystem::path file() const { return directory_.path() / "array.npy"; }

  /// An .npy file with any version, header text and data.
  void write(char major, const std::string& header, const std::string& data) const {
    std::string text = "\x93NUMPY";
    text += {major, 0, static_cast<char>(header.size()), 0};
    if (major > 1) text += {0, 0};
    write_text(file(), text + header + data);
  }

  void write_header(const std::string& header, std::size_t data_bytes) const {
    write(1, header + "\n", std::string(data_bytes, '\0'));
  }

  std::string error() const {
    std::string message = usage_error_of([&] { read_npy(file()); });
    EXPECT_THAT(message, HasSubstr("array.npy"));
    return message;
  }

  TemporaryDirectory directory_;
};

TEST_F(Npy, ReadsWhatItWrites) {
  const Bytes data = make_tensor(DType::kFloat16, {1, 2, 3, 4, 5, 6});
  write_npy(file(), DType::kFloat16, {2, 3}, data);
  const NpyArray array = read_npy(file());
  EXPECT_EQ(array.type, NpyType(DType::kFloat16));
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_EQ(array.data, data);
}

TEST_F(Npy, WritesTheBytesThatNumpyWrites) {
  write_npy(file(), kNpyInt64, {2}, Bytes(16));
  std::string expected("\x93NUMPY\x01\x00v\x00", 10);
  expected += "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }";
  expected.resize(127, ' ');
  expected += '\n';
  EXPECT_EQ(read_text(file()), expected + std::string(16, '\0'));
}

TEST_F(Npy, TwoOpaqueBytesAreBrainFloat) {
  // As ml_dtypes saves them, and as NumPy saves what is viewed as "V2".
  for (const char* descr : {"<V2", "|V2"}) {
    write_header(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (3,), }}", descr),
                 6);
    EXPECT_EQ(read_npy(file()).type, NpyType(DType::kBFloat16));
  }
  write_npy(file(), DType::kBFloat16, {1}, make_tensor(DType::kBFloat16, {-2}));
  EXPECT_THAT(read_text(file()), HasSubstr("'descr': '<V2'"));
  EXPECT_THAT(read_text(file()), testing::EndsWith("\xC0"));
}

TEST_F(Npy, ReadsVersions2And3) {
  for (const char major : {'\2', '\3'}) {
    write(major, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", std::string(8, '\0'));
    EXPECT_THAT(read_npy(file()).shape, ElementsAre(2));
  }
}

TEST_F(Npy, TakesKeysInAnyOrderAndNoShapeAtAll) {
  write_header("{\"shape\": (), 'fortran_order': False, 'descr': '<f4'}", 4);
  EXPECT_TRUE(read_npy(file()).shape.empty());
}

TEST_F(Npy, RefusesWhatIsNotNpy) {
  write_text(file(), "PK\x03\x04 a zip archive");
  EXPECT_THAT(error(), HasSubstr("not an .npy file"));
  write_text(file(), "\x93NUM");
  EXPECT_THAT(error(), HasSubstr("truncated"));
  write_text(file(), "");
  EXPECT_THAT(error(), HasSubstr("truncated"));
}

TEST_F(Npy, RefusesAnotherVersion) {
  write(4, "{}", "");
  EXPECT_THAT(error(), AllOf(HasSubstr("version 4.0"), HasSubstr("expected 1.0, 2.0 or 3.0")));
}

TEST_F(Npy, RefusesATruncatedHeader) {
  write_text(file(), std::string("\x93NUMPY\x01\x00\xff\x00{'descr'", 18));
  EXPECT_THAT(error(), HasSubstr("truncated"));
}

TEST_F(Npy, RefusesDataOfAnotherLength) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  write_header(header, 23);
  EXPECT_THAT(error(), AllOf(HasSubstr("truncated"), HasSubstr("23 bytes"), HasSubstr("needs 24"),
                             HasSubstr("(2, 3)")));
  write_header(header, 25);
  EXPECT_THAT(error(), AllOf(HasSubstr("longer"), HasSubstr("25 bytes"), HasSubstr("needs 24")));
}

TEST_F(Npy, RefusesOtherElementTypes) {
  write_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", 8);
  EXPECT_THAT(error(),
              AllOf(HasSubstr("'<f8' found"), HasSubstr("'<f4', '<f2', '<V2' (bf16) or '<i8'")));
  write_header("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4);
  EXPECT_THAT(error(), HasSubstr("big-endian"));
}

TEST_F(Npy, RefusesFortranOrder) {
  write_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", 8);
  EXPECT_THAT(error(), AllOf(HasSubstr("Fortran"), HasSubstr("expected C order")));
}

TEST_F(Npy, RefusesAShapeThatOverflows) {
  write_header("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 0);
  EXPECT_THAT(error(), HasSubstr("63 bits"));
}

TEST(NpyHeader, RefusesMalformedDictionaries) {
  for (const char* header : {
           "",
           "{",
           "[1, 2]",
           "{'descr' '<f4'}",
           "{'descr': '<f4}",
           "{'descr': <f4}",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': [1]}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
           "{'descr': '<f4', 'fortran_order': False}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
           "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
       }) {
    EXPECT_THAT(usage_error_of([&] { parse_npy_header(header); }),
                HasSubstr("malformed .npy header: expected"))
        << header;
  }
}

}  // namespace
}  // namespace msda
