// Python callables behind the C entries of msda/external.h: an interpreter in the worker's process.
#pragma once

#include <string>

#include <msda/external.h>

namespace msda {

/// The C functions of one callable; they stay for the life of the process.
struct PythonEntries {
  msda_query_entry* query = nullptr;
  msda_operator_entry* entry = nullptr;
  msda_error_entry* error = nullptr;
  msda_operator_prepare_entry* prepare = nullptr;  ///< null where the callable has no `prepare`
};

/// `callable` is FILE.py:FUNCTION, or PACKAGE.MODULE:FUNCTION after the folder of the experiment,
/// where the module may lie as well. What fails in its import is said by PythonEntries::query.
/// `interpreter` is a name in PATH or a file; its packages are those that the callable sees. One
/// process has one interpreter. Throws Unsupported when there is none, or none with a shared
/// library, and Error when it cannot be started.
PythonEntries open_python(const std::string& callable, const std::string& interpreter);

}  // namespace msda
