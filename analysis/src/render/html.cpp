#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "json_line.hpp"
#include "render/figures.hpp"
#include "render/layout.hpp"
#include "render/web.hpp"

namespace msda {
namespace {

constexpr const char* kNoVega =
    "This program was built without the Vega library (Debian's libjs-vega), so that the report has "
    "tables only.";

/// Text as content of an element or as an attribute in double quotes.
std::string html_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

/// JSON that can stand in a script element: no '<', so neither an end tag nor a comment.
std::string script_json(const nlohmann::json& json) {
  const std::string text = json_line(json);
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

/// A name such as "+shared-metadata+smem-levels" may break between its parts.
std::string breakable(const std::string& html) {
  std::string result;
  for (const char c : html) {
    if (c == '+' || c == '/' || c == '_') result += "<wbr>";
    result += c;
  }
  return result;
}

std::string cell(const char* tag, const Column& column, const std::string& content) {
  return fmt::format("<{}{}>{}</{}>", tag, column.number ? " class=\"number\"" : "", content, tag);
}

std::string table_html(const Layout& layout) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
  for (const Column& column : layout.columns) {
    text += cell("th", column,
                 fmt::format("<button type=\"button\">{}</button>", html_text(column.title)));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < layout.rows.size(); ++i) {
    text += fmt::format("<tr data-verdict=\"{}\">", html_text(layout.verdicts[i]));
    for (std::size_t j = 0; j < layout.columns.size(); ++j) {
      const Column& column = layout.columns[j];
      const std::string content = html_text(layout.rows[i][j]);
      text += cell("td", column, column.number ? content : breakable(content));
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

std::string reasons_html(const std::vector<std::string>& reasons) {
  if (reasons.empty()) return "";
  std::string text = "<ol class=\"reasons\">\n";
  for (const std::string& reason : reasons) {
    text += fmt::format("<li><pre>{}</pre></li>\n", html_text(shortened(reason)));
  }
  return text + "</ol>\n";
}

std::string figure_html(const Figure& figure) {
  return fmt::format(
      "<figure><figcaption><h3>{}</h3><p class=\"caption\">{}</p></figcaption>"
      "<div id=\"{}\"></div></figure>\n",
      html_text(figure.title), html_text(figure.caption), figure.id);
}

std::string figures_html(const std::vector<Figure>& figures, std::size_t section) {
  std::string text;
  for (const Figure& figure : figures) {
    if (figure.section == section) text += figure_html(figure);
  }
  return text.empty() ? "" : "<div class=\"figures\">\n" + text + "</div>\n";
}

std::string section_html(const Layout& layout, std::size_t index,
                         const std::vector<Figure>& figures) {
  std::string text = fmt::format("<section class=\"result\" id=\"t{}\">\n<h2>{}</h2>\n<p>{}</p>\n",
                                 index + 1, html_text(layout.title), html_text(layout.headline));
  text += table_html(layout) + reasons_html(layout.reasons);
  for (const std::string& remark : layout.remarks) {
    text += fmt::format("<p class=\"remark\">{}</p>\n", html_text(remark));
  }
  return text + figures_html(figures, index) + "</section>\n";
}

/// The layouts that answer, those of effects first: they say most of an ablation.
std::vector<std::size_t> answering(const std::vector<Layout>& layouts) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (layouts[i].answers) order.push_back(i);
  }
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return layouts[i].effects != nullptr; });
  return order;
}

/// The answer in words: the first layout's large, then the others as a list.
std::string answer_html(const Report& report, const Document& document) {
  const std::vector<Layout>& layouts = document.layouts;
  if (layouts.empty()) return fmt::format("<p class=\"lead\">{}</p>", kNoTables);
  const auto entry = [&](std::size_t i) {
    return fmt::format("<a href=\"#t{}\">{}</a>{}", i + 1, html_text(layouts[i].title),
                       html_text(layouts[i].headline));
  };
  const std::vector<std::size_t> order = answering(layouts);
  std::string text = fmt::format("<p class=\"lead\">{}</p>\n", entry(order.front()));
  if (order.size() > 1) {
    text += "<ul>\n";
    for (std::size_t i = 1; i < order.size(); ++i) {
      text += fmt::format("<li>{}</li>\n", entry(order[i]));
    }
    text += "</ul>\n";
  }
  for (const std::string& note : document.notes) {
    text += fmt::format("<p class=\"note\">Note: {}</p>\n", html_text(note));
  }
  if (!has_vega()) text += fmt::format("<p class=\"note\">{}</p>\n", kNoVega);
  if (has_vega() && report.tables.size() > kMostFigureTables) {
    text += fmt::format("<p class=\"note\">Figures are drawn for the first {} of {} tables.</p>\n",
                        kMostFigureTables, report.tables.size());
  }
  return text;
}

/// Puts values for "{{name}}"; what a value holds is not looked at again.
std::string filled(std::string_view form, const std::map<std::string_view, std::string>& values) {
  std::string text;
  for (;;) {
    const std::size_t begin = form.find("{{");
    text += form.substr(0, begin);
    if (begin == std::string_view::npos) return text;
    const std::size_t end = form.find("}}", begin);
    text += values.at(form.substr(begin + 2, end - begin - 2));
    form.remove_prefix(end + 2);
  }
}

}  // namespace

std::string to_html(const Report& report) {
  const Document document = document_of(report);
  const std::vector<Layout>& layouts = document.layouts;
  const std::vector<Figure> figures = has_vega() ? figures_of(layouts) : std::vector<Figure>{};
  std::string sections;
  for (std::size_t i = 0; i < layouts.size(); ++i) sections += section_html(layouts[i], i, figures);
  nlohmann::json specifications = nlohmann::json::object();
  for (const Figure& figure : figures) specifications[figure.id] = figure.specification;
  return filled(web_file("report.html"), {{"title", html_text(document.title)},
                                          {"context", html_text(document.context)},
                                          {"answer", answer_html(report, document)},
                                          {"sections", std::move(sections)},
                                          {"legend", html_text(document.legend)},
                                          {"figures", script_json(specifications)},
                                          {"style", std::string(web_file("style.css"))},
                                          {"vega", vega_elements()},
                                          {"script", std::string(web_file("script.js"))}});
}

}  // namespace msda
