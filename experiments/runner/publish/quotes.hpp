// Numbers and tables in documents that say which published run they are of.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace msda {

/// The document with what it quotes as the archives in `results` say it now. Two forms:
///
/// - `1.33x<!--= NAME PLACE -->`: NAME.jsonl.zst is the archive and PLACE a path in its report's
///   JSON, or in NAME.json where that was published,
///   "tables[problem=p,mode=warm].rows[arm=a].speedup": names of members, and of a list the one
///   element whose members have these values. The unit, x, %, us, ms or none, scales the value,
///   which is rounded to the digits that stand there. `**a name**<!--= ...-->` is a text.
/// - lines between `<!--quote NAME answer-->` and `<!--end quote-->` are what the terminal says
///   first, after `<!--quote NAME TITLE-->` the table of the section with that title, and after
///   `<!--quote NAME TITLE | PROBLEM PROBLEM-->` its lines of these problems.
///
/// Throws UsageError for a place that is none, EnvironmentError for a run that is not there.
std::string with_quotes(const std::string& document, const std::filesystem::path& results);

/// How many numbers, texts and blocks are quoted.
std::size_t quotes_in(const std::string& document);

/// The documents that quote: README.md and docs/*.md below `root`.
std::vector<std::filesystem::path> quoting_documents(const std::filesystem::path& root);

}  // namespace msda
