#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/replace.hpp>

#include <msda/plugin.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/taken_names.hpp"
#include "compose/skeleton.hpp"
#include "files/write.hpp"
#include "nearest.hpp"
#include "runner/experiment/experiment.hpp"
#include "runner/supervise/shell_words.hpp"
#include "version.hpp"

namespace msda::embedded::templates {
extern const EmbeddedSource kSources[];
}

namespace msda {
namespace {

namespace fs = std::filesystem;

/// What stands in the templates between two @.
using Placeholders = std::map<std::string, std::string>;

/// One file of a new variant.
struct NewFile {
  std::string from;  ///< the template
  std::string to;    ///< relative to the variant's folder
};

struct NewVariant {
  Placeholders words;
  std::vector<NewFile> files;
  std::string device;    ///< on which it is tried first
  std::string contract;  ///< header that says what is asked of it; "" for none
};

std::string_view template_text(std::string_view name) {
  for (const EmbeddedSource* file = embedded::templates::kSources; file->path != nullptr; ++file) {
    if (name == file->path) return file->text;
  }
  throw Error(fmt::format("no template {}", name));
}

std::string filled(std::string text, const Placeholders& words) {
  for (const auto& [word, value] : words) boost::replace_all(text, "@" + word + "@", value);
  return text;
}

/// "MyOrder" of "my-order".
std::string class_name(const std::string& name) {
  std::string result;
  bool upper = true;
  for (const char c : name) {
    if (c != '-')
      result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '-';
  }
  return result;
}

void check_name(const std::string& name, const Registry& registry) {
  constexpr std::size_t kLongest = 100;  // files are named after it
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  const bool begins = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  if (!begins || name.back() == '-' || !std::all_of(name.begin(), name.end(), legal)) {
    throw UsageError(fmt::format(
        "new-variant: '{}' is no name for a variant: lower-case letters, digits and '-', a letter "
        "first",
        name));
  }
  if (name.size() > kLongest) {
    throw UsageError(fmt::format("new-variant: the name has {} letters; at most {} are allowed",
                                 name.size(), kLongest));
  }
  // `verify all`, and "none" and the others in experiments.
  if (constexpr std::array kTaken = {"all", "external", "levels", "none"};
      std::ranges::find(kTaken, name) != kTaken.end()) {
    throw UsageError(
        fmt::format("new-variant: '{}' means something else to commands and experiments", name));
  }
  if (const char* owner = owner_of_name(boost::replace_all_copy(name, "-", "_"), false)) {
    throw UsageError(fmt::format(
        "new-variant: '{}' belongs to {}: the variant's namespace has its name", name, owner));
  }
  if (name == "best" || shipped_recipes(registry).contains(name)) {
    throw UsageError(fmt::format(
        "new-variant: there is a recipe '{}' already, which nobody could use any more", name));
  }
  for (const Plugin& plugin : registry.plugins()) {
    if (plugin.name == name) {
      throw UsageError(fmt::format("new-variant: there is a variant '{}' already: {}", name,
                                   plugin.file.string()));
    }
  }
}

/// The first skeleton of the operator that has the slot. One whose only slot is the kernel is
/// --kernel's.
const Skeleton& skeleton_of(const Operator& op, const std::string& slot) {
  std::vector<std::string> names;
  for (const Skeleton& candidate : skeletons()) {
    if (candidate.slots.size() == 1 || &operator_of(candidate.name) != &op) continue;
    if (candidate.find(slot) != nullptr) return candidate;
    for (const std::string& name : candidate.slot_names()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  if (names.empty()) {
    throw UsageError(fmt::format("new-variant: the operator '{}' has no skeleton", op.name()));
  }
  throw UsageError(fmt::format("new-variant: no slot '{}'{}; there are: {}", slot,
                               suggestion(slot, names), fmt::join(names, ", ")));
}

NewVariant for_slot(const Operator& op, const std::string& slot) {
  const Skeleton& skeleton = skeleton_of(op, slot);
  const SkeletonSlot& filled = *skeleton.find(slot);
  NewVariant variant;
  const std::string header = boost::replace_all_copy(filled.name, "-", "_") + ".cuh";
  variant.contract = contract_header(skeleton, filled);
  // A default of an operator's own may need more of its headers than the contract.
  const std::string included = op.sources() == nullptr ? variant.contract : skeleton.header;
  variant.words = {{"slot", filled.name},          {"header", header},
                   {"Member", filled.member},      {"Default", filled.policy},
                   {"skeleton", skeleton.name},    {"contract", included},
                   {"DEVICE", " DEVICE " + header}};
  variant.files = {{"slot/plugin.cpp.in", "plugin.cpp"},
                   {"slot/policy.cuh.in", "device/" + header}};
  variant.device = "simt:1:races";
  return variant;
}

NewVariant for_kernel(const Operator& op, const std::string& kind) {
  if (op.name() != kDefaultOperator) {
    throw UsageError(fmt::format(
        "new-variant: --kernel writes kernels of the operator '{}'; for '{}' begin with "
        "a copy of a variant that 'msda list variants' shows",
        kDefaultOperator, op.name()));
  }
  NewVariant variant;
  variant.words["DEVICE"] = "";
  if (kind == "cpu") {
    variant.files = {{"kernel-cpu/plugin.cpp.in", "plugin.cpp"}};
    variant.device = "cpu";
    return variant;
  }
  if (kind != "cuda") {
    throw UsageError(fmt::format("new-variant: no kernels for '{}'{}; there are cpu and cuda", kind,
                                 suggestion(kind, {"cpu", "cuda"})));
  }
  variant.words["DEVICE"] = " DEVICE kernel.cuh";
  variant.files = {{"kernel-cuda/plugin.cpp.in", "plugin.cpp"},
                   {"kernel-cuda/kernel.cuh.in", "device/kernel.cuh"}};
  variant.device = "simt:1:races";
  variant.contract = "msda/skeleton/whole.cuh";
  return variant;
}

/// Where the folder goes, and whether the sources of MSDA Lab lie around it.
struct NewFolder {
  fs::path folder;
  bool in_tree;
};

NewFolder folder_for(const Arguments& arguments, const std::string& name) {
  if (const auto output = arguments.find("output")) return {*output, false};
  if (fs::exists("variants/CMakeLists.txt")) return {fs::path("variants") / name, true};
  return {name, false};
}

/// Where a device header lies among the sources: "backward/dots.cuh" is one of an operator.
std::string in_tree(const std::string& header) {
  const auto slash = header.find('/');
  const std::string owner = header.substr(0, slash);
  if (owner == "msda") return "core/device/" + header;
  return fmt::format("core/src/operators/{}/device{}", owner, header.substr(slash));
}

std::string next_steps(const NewVariant& variant, const std::string& name, const NewFolder& place,
                       const Operator& op) {
  std::string text;
  if (place.in_tree) {
    const std::string verify =
        fmt::format("  ./msda verify {}{}", name,
                    op.name() == kDefaultOperator ? "" : fmt::format(" --operator {}", op.name()));
    text = fmt::format("{} --device {}\n", verify, variant.device);
    if (variant.device != "cpu") text += fmt::format("{} --evidence\n", verify);
  } else {
    text = fmt::format(
        "  cmake -S {0} -B {1} -DCMAKE_PREFIX_PATH=PREFIX   # where MSDA Lab is installed\n"
        "  cmake --build {1}\n"
        "  ctest --test-dir {1} --output-on-failure\n",
        shell_word(place.folder.string()), shell_word((place.folder / "build").string()));
  }
  if (!variant.contract.empty()) {
    text += fmt::format(
        "What is asked of it: {}\n",
        place.in_tree ? in_tree(variant.contract) : "PREFIX/share/msda/device/" + variant.contract);
  }
  return text;
}

void add_common(NewVariant& variant, const std::string& name, const NewFolder& place,
                const Operator& op) {
  variant.words["name"] = name;
  variant.words["identifier"] = boost::replace_all_copy(name, "-", "_");
  variant.words["Class"] = class_name(name);
  variant.words["device"] = variant.device;
  variant.words["operator"] = op.name();
  variant.words["version"] = kVersion;
  variant.files.push_back(
      {place.in_tree ? "in-tree.cmake.in" : "outside.cmake.in", "CMakeLists.txt"});
  variant.files.push_back({"README.md.in", "README.md"});
}

/// The names of the files that are there then.
std::vector<std::string> write_files(const NewVariant& variant, const fs::path& folder) {
  std::vector<std::string> written;
  for (const NewFile& file : variant.files) {
    const fs::path target = folder / file.to;
    ensure_directory(target.parent_path());
    write_atomically(target, filled(std::string(template_text(file.from)), variant.words));
    written.push_back(file.to);
  }
  return written;
}

}  // namespace

int new_variant_command(const std::vector<std::string>& words) {
  Arguments arguments(
      {"new-variant NAME --slot SLOT | --kernel cpu|cuda [OPTION...]",
       "Writes the folder of a new variant, which builds and is right as it stands: an "
       "optimization that fills its slot as the default does, or a whole kernel of plain loops. At "
       "the root of the sources it goes to variants/NAME, elsewhere it is a project of its own for "
       "an installed package, with a test.",
       "  msda new-variant my-order --slot order\n"
       "  msda new-variant my-kernel --kernel cuda --output ../my-kernel\n"});
  arguments.option("slot", "SLOT", "an optimization that fills this slot");
  arguments.option("kernel", "DEVICE", "a whole kernel: cpu or cuda");
  add_operator_option(arguments, kDefaultOperator);
  arguments.option("output", "DIR", "a project of its own in DIR");
  add_force_option(arguments);
  arguments.plugin_option();
  arguments.words("NAME", 1, 1);
  if (!arguments.parse(words)) return 0;
  const std::string& name = arguments.words().front();
  const auto slot = arguments.find("slot");
  const auto kernel = arguments.find("kernel");
  if (slot.has_value() == kernel.has_value()) {
    throw UsageError("new-variant: give either --slot or --kernel");
  }
  check_name(name, load_registry(arguments));
  const Operator* const named = operator_option(arguments);
  const Operator& op = named != nullptr ? *named : find_operator(kDefaultOperator);
  NewVariant variant = slot ? for_slot(op, *slot) : for_kernel(op, *kernel);
  const NewFolder place = folder_for(arguments, name);
  require_room(arguments, place.folder);

  add_common(variant, name, place, op);
  const std::vector<std::string> written = write_files(variant, place.folder);
  fmt::print("{}: {}\nNext:\n{}", place.folder.string(), fmt::join(written, ", "),
             next_steps(variant, name, place, op));
  return 0;
}

}  // namespace msda
