#include "cli/taken_names.hpp"

#include <string>

namespace msda {
namespace {

// Each word between two spaces.
constexpr std::string_view kCpp =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
    "char16_t char32_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast else "
    "enum explicit export extern false float for friend goto if inline int long main mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try typedef "
    "typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq msda "
    "std ";
constexpr std::string_view kPython =
    " False None True and as assert async await break class continue def del elif else except "
    "finally for from global if import in is lambda nonlocal not or pass raise return try while "
    "with yield ";
/// sys.stdlib_module_names of Python 3.11, without those that begin with "_".
constexpr std::string_view kStandardModules =
    " abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 "
    "bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs "
    "codeop collections colorsys compileall concurrent configparser contextlib contextvars copy "
    "copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils "
    "doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch "
    "fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip "
    "hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress "
    "itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math "
    "mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath "
    "nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools "
    "pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd "
    "py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib "
    "resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site "
    "smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse "
    "ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig "
    "syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit "
    "tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types "
    "typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg "
    "winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo ";
/// What an exported package needs beside it.
constexpr std::string_view kPackages =
    " kernels numpy onnx onnxruntime packaging pip pytest setuptools torch transformers triton "
    "wheel ";
/// Files and folders that stand beside it in its folder.
constexpr std::string_view kBeside = " build check checks setup src tests ";

}  // namespace

const char* owner_of_name(std::string_view name, bool is_package) {
  const std::string word = " " + std::string(name) + " ";
  const auto has = [&](std::string_view words) { return words.find(word) != words.npos; };
  if (has(kCpp)) return "C++";
  if (!is_package) return nullptr;
  if (has(kPython) || name.starts_with("__")) return "Python";
  if (has(kStandardModules)) return "Python's standard library";
  if (has(kPackages)) return "another package";
  return has(kBeside) ? "another file of the export" : nullptr;
}

}  // namespace msda
