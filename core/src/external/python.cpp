#include "external/python.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <msda/embedded_source.hpp>
#include <msda/error.hpp>

#include "json_text.hpp"
#include "process/command.hpp"

namespace msda::embedded::python {
extern const EmbeddedSource kSources[];
}

namespace msda {
namespace {

/// What the interpreter says of itself: its shared library may have several names.
constexpr const char* kAsk = R"(
import json, os, sys, sysconfig
folders = [sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")]
names = [sysconfig.get_config_var("INSTSONAME") or "", sysconfig.get_config_var("LDLIBRARY") or "",
         "libpython%d.%d.so.1.0" % sys.version_info[:2], "libpython%d.%d.so" % sys.version_info[:2]]
multiarch = sysconfig.get_config_var("MULTIARCH")
if multiarch: folders.append(os.path.join("/usr/lib", multiarch))
found = [os.path.join(f, n) for f in folders for n in names if ".so" in n]
print(json.dumps({
    "library": next((f for f in found if os.path.isfile(f)), ""),
    "name": "libpython%d.%d.so" % sys.version_info[:2],
    "home": sys.base_prefix, "prefix": sys.prefix, "executable": sys.executable, "path": sys.path[1:]}))
)";

nlohmann::json ask(const std::string& interpreter) {
  const bool is_file = interpreter.find('/') != std::string::npos;
  if (is_file ? !std::filesystem::exists(interpreter) : !find_in_path(interpreter)) {
    throw Unsupported(fmt::format("there is no Python interpreter {}", interpreter));
  }
  const CommandResult result = execute_command({interpreter, "-c", kAsk});
  nlohmann::json answer = parse_json_or_discard(result.output);
  if (result.exit_code != 0 || !answer.is_object()) {
    throw Error(fmt::format("{} does not say where its library lies: {}", interpreter,
                            result.output.empty() ? "no output" : result.output));
  }
  if (answer["library"].get<std::string>().empty()) {
    throw Unsupported(
        fmt::format("{} has no shared library {}: install it, or name an interpreter that has one",
                    answer["executable"].get<std::string>(), answer["name"].get<std::string>()));
  }
  return answer;
}

/// The functions of Python's C API that are called from here; all else is done by Python itself.
class Interpreter {
 public:
  explicit Interpreter(const std::string& name) : name_(name) {
    const nlohmann::json self = ask(name);
    const auto file = self["library"].get<std::string>();
    // Extension modules look their symbols up among the global ones.
    library_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    if (library_ == nullptr) throw Error(fmt::format("{}: {}", file, ::dlerror()));
    start(self);
  }

  const std::string& name() const { return name_; }

  /// Throws Error when the code raises; the traceback is on standard error.
  void run(const std::string& code) const {
    const int lock = function<int()>("PyGILState_Ensure")();
    const int failed = function<int(const char*)>("PyRun_SimpleString")(code.c_str());
    function<void(int)>("PyGILState_Release")(lock);
    if (failed != 0) throw Error(fmt::format("{} cannot host Python callables", name_));
  }

 private:
  template <class Signature>
  Signature* function(const char* symbol) const {
    void* const found = ::dlsym(library_, symbol);
    if (found == nullptr) throw Error(fmt::format("{}: no symbol {}", name_, symbol));
    return reinterpret_cast<Signature*>(found);
  }

  /// The library takes its standard modules from PYTHONHOME, and the rest is what the interpreter
  /// itself has: the packages of a virtual environment among them.
  void start(const nlohmann::json& self) const {
    const char* const before = std::getenv("PYTHONHOME");
    const std::optional<std::string> kept = before ? std::optional(before) : std::nullopt;
    ::setenv("PYTHONHOME", self["home"].get<std::string>().c_str(), 1);
    constexpr int kLeaveSignals = 0;
    function<void(int)>("Py_InitializeEx")(kLeaveSignals);
    if (kept) {
      ::setenv("PYTHONHOME", kept->c_str(), 1);
    } else {
      ::unsetenv("PYTHONHOME");
    }
    function<void*()>("PyEval_SaveThread")();
    // JSON's texts and lists are Python's, too.
    run(fmt::format(
        "import sys\nsys.path[:] = {}\nsys.executable = {}\nsys.prefix = "
        "sys.exec_prefix = {}\n",
        json_text(self["path"]), json_text(self["executable"]), json_text(self["prefix"])));
    run(embedded::python::kSources[0].text);
  }

  std::string name_;
  void* library_ = nullptr;
};

const Interpreter& interpreter_of_process(const std::string& name) {
  static const Interpreter kOnly(name);
  if (kOnly.name() != name) {
    throw Unsupported(fmt::format("the process runs {} already, and cannot run {} beside it",
                                  kOnly.name(), name));
  }
  return kOnly;
}

}  // namespace

PythonEntries open_python(const std::string& callable, const std::string& interpreter) {
  PythonEntries entries;
  static_assert(sizeof(entries) == 4 * sizeof(void*));
  interpreter_of_process(interpreter)
      .run(fmt::format("open_callable({}, {}, {})", reinterpret_cast<std::uintptr_t>(&entries),
                       reinterpret_cast<std::uintptr_t>(callable.data()), callable.size()));
  return entries;
}

}  // namespace msda
