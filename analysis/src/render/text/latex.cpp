#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/document.hpp"
#include "render/formats.hpp"
#include "render/text/latex.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

// --- What fits ---------------------------------------------------------------------------------

/// Points of a line of `article`, and of what stands in it in \footnotesize: a character of a
/// number, on average, the gap between columns, the least that a column of names can do with.
constexpr double kLine = 345;
constexpr double kCharacter = 4.5;
constexpr double kSeparation = 8;
constexpr double kNames = 62;
/// The same of a column of sentences, and how long a verdict is at most that is none.
constexpr double kSentences = 190;
constexpr std::size_t kLongVerdict = 40;
constexpr std::size_t kRowsOfAPage = 42;
constexpr std::size_t kFloats = 12;

/// Columns of one table of the document, by their place in the section.
using Columns = std::vector<std::size_t>;

std::size_t longest_in(const Section& section, std::size_t column) {
  std::size_t longest = section.columns[column].title.size();
  for (const auto& row : section.rows) longest = std::max(longest, display_width(row[column]));
  return longest;
}

bool is_last_text(const Section& section, std::size_t column) {
  return column + 1 == section.columns.size() && !section.columns[column].number;
}

/// A last column of a word or two, which is not broken.
bool is_verdict(const Section& section, std::size_t column) {
  return is_last_text(section, column) && longest_in(section, column) <= kLongVerdict;
}

/// What a column takes of a line; names and sentences are broken, so that they need no more than
/// their least.
double width_of(const Section& section, std::size_t column) {
  if (!section.columns[column].number && !is_verdict(section, column)) {
    return (is_last_text(section, column) ? kSentences : kNames) + kSeparation;
  }
  return kCharacter * static_cast<double>(longest_in(section, column)) + kSeparation;
}

/// Columns of words that a section begins with say what a row is of: two at most.
std::size_t keys_of(const Section& section) {
  constexpr std::size_t kMost = 2;
  std::size_t count = 1;
  while (count < kMost && count + 1 < section.columns.size() && !section.columns[count].number) {
    ++count;
  }
  return count;
}

/// The keys with as many of the other columns as a line holds, again and again. Columns that say
/// the same as another are left out.
std::vector<Columns> fitted(const Section& section) {
  Columns keys;
  double width_of_keys = 0;
  for (std::size_t key = 0; key < keys_of(section); ++key) {
    keys.push_back(key);
    width_of_keys += width_of(section, key);
  }
  std::vector<Columns> tables{keys};
  double used = width_of_keys;
  for (std::size_t column = keys.size(); column < section.columns.size(); ++column) {
    if (section.columns[column].spare) continue;
    const double width = width_of(section, column);
    if (used + width > kLine && tables.back().size() > keys.size()) {
      tables.push_back(keys);
      used = width_of_keys;
    }
    tables.back().push_back(column);
    used += width;
  }
  return tables;
}

// --- One table ---------------------------------------------------------------------------------

template <class ToText>
std::string latex_row(const Columns& columns, const ToText& to_text) {
  std::vector<std::string> cells;
  for (const std::size_t column : columns) cells.push_back(to_text(column));
  return fmt::format("{} \\\\\n", fmt::join(cells, " & "));
}

std::string column_types(const Section& section, const Columns& columns) {
  std::string types;
  for (const std::size_t column : columns) {
    if (section.columns[column].number) {
      types += 'r';
    } else {
      types += is_verdict(section, column) ? "l" : ">{\\raggedright\\arraybackslash}X";
    }
  }
  return types;
}

/// "tab:ddetr-encoder-warm", once in a document.
std::string label_of(const std::string& title, std::set<std::string>& labels) {
  std::string label = "tab:";
  for (const char c : title) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_plain) label += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!is_plain && label.back() != '-' && label.back() != ':') label += '-';
  }
  while (label.back() == '-') label.pop_back();
  std::string unique = label;
  for (int i = 2; !labels.insert(unique).second; ++i) unique = fmt::format("{}-{}", label, i);
  return unique;
}

/// The footnotes' first lines.
std::string reasons_of(const Section& section) {
  std::string text;
  for (std::size_t i = 0; i < section.reasons.size(); ++i) {
    const std::string& reason = section.reasons[i];
    text += fmt::format("\\par {{[}}{}{{]}} {}\n", i + 1, latex_name(first_line(reason)));
  }
  return text.empty() ? "" : "\\smallskip\\raggedright\n" + text;
}

/// Rows [begin, end) in these columns.
struct Cut {
  const Columns& columns;
  std::size_t begin;
  std::size_t end;
  bool is_first;
  bool is_last;
};

std::string latex_table(const Section& section, const Cut& cut, std::set<std::string>& labels) {
  std::string text = fmt::format(
      "\n\\begin{{table}}[htbp]\n\\footnotesize\\setlength{{\\tabcolsep}}{{4pt}}\n"
      "\\caption{{{}{}.}}\\label{{{}}}\n\\begin{{tabularx}}{{\\textwidth}}{{@{{}}{}@{{}}}}\n"
      "\\toprule\n",
      latex_name(section.title), cut.is_first ? "" : " (continued)",
      label_of(section.title, labels), column_types(section, cut.columns));
  text +=
      latex_row(cut.columns, [&](std::size_t c) { return latex_text(section.columns[c].title); });
  text += "\\midrule\n";
  for (std::size_t r = cut.begin; r < cut.end; ++r) {
    text += latex_row(cut.columns, [&](std::size_t c) {
      const std::string& cell = section.rows[r][c];
      return section.columns[c].number ? latex_text(cell) : latex_name(cell);
    });
  }
  text += "\\bottomrule\n\\end{tabularx}\n";
  if (cut.is_last) text += reasons_of(section);
  return text + "\\end{table}\n";
}

void append_tables(const Section& section, std::set<std::string>& labels, std::string& text) {
  text += "\n" + latex_comment(section.headline);
  const std::vector<Columns> tables = fitted(section);
  const std::size_t rows = section.rows.size();
  bool is_first = true;
  for (const Columns& columns : tables) {
    for (std::size_t begin = 0; begin < std::max<std::size_t>(rows, 1); begin += kRowsOfAPage) {
      const std::size_t end = std::min(rows, begin + kRowsOfAPage);
      const bool is_last = &columns == &tables.back() && end == rows;
      text += latex_table(section, {columns, begin, end, is_first, is_last}, labels);
      is_first = false;
      // LaTeX keeps a few dozen tables at most until there is a page for them.
      if (labels.size() % kFloats == 0) text += "\\clearpage\n";
    }
  }
}

}  // namespace

std::string latex_text(std::string_view text) {
  constexpr std::string_view kEscaped = "&%$#_{}";
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\': result += "\\textbackslash{}"; break;
      case '~': result += "\\textasciitilde{}"; break;
      case '^': result += "\\textasciicircum{}"; break;
      case '<': result += "\\textless{}"; break;
      case '>': result += "\\textgreater{}"; break;
      case '|': result += "\\textbar{}"; break;
      case '"': result += "\\textquotedbl{}"; break;
      case '[':
      case ']':
        // In braces: after "\\" a bracket would be read as its argument.
        result += fmt::format("{{{}}}", c);
        break;
      default:
        if (kEscaped.find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
  }
  return result;
}

std::string latex_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '+' && !result.empty()) result += "\\allowbreak{}";
    result += latex_text({&c, 1});
    if (c == '-' || c == '_' || c == '/' || c == '=' || c == ',') result += "\\allowbreak{}";
  }
  return result;
}

std::string latex_comment(const std::string& text) {
  std::string comment;
  for (const std::string& line : lines_of(text)) comment += fmt::format("% {}\n", line);
  return comment;
}

std::string as_latex(const Document& document) {
  std::string text =
      latex_comment(document.title) + latex_comment(document.context) +
      latex_comment(
          "Needs \\usepackage{booktabs,tabularx} and \\usepackage[T1]{fontenc}; made for the "
          "width of article.");
  if (document.sections.empty()) return text + latex_comment(document.nothing);
  std::set<std::string> labels;
  for (const Section& section : document.sections) append_tables(section, labels, text);
  return text;
}

std::string to_latex(const Report& report) { return as_latex(document_of(report)); }

}  // namespace msda
