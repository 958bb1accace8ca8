import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { describe, expect, it } from "vitest";
import { html } from "./html.js";

const texts = [
  "a & b",
  "<b>",
  'say "hi"',
  "it's",
  "`x`",
  "&lt;",
  "</p>",
  "\"><img src=x onerror='1'>",
  "' x='",
];

describe("html", () => {
  it("puts every text into elements and quoted attributes as it is", () => {
    for (const text of texts) {
      const page = parseFragment(html`<p title="${text}" class='${text}'>${text}</p>`.markup);
      expect(page.childNodes).toHaveLength(1);
      const paragraph = page.childNodes[0] as DefaultTreeAdapterTypes.Element;
      expect(paragraph.attrs.map(({ value }) => value)).toEqual([text, text]);
      expect(paragraph.childNodes).toEqual([expect.objectContaining({ nodeName: "#text", value: text })]);
    }
  });

  it("takes pieces and lists of them as they are, and leaves nothing out of numbers and of what is absent", () => {
    const items = ["<", 2].map((item) => html`<li>${item}</li>`);
    expect(html`<ul>${items}</ul>${undefined}${0}`.markup).toBe("<ul><li>&lt;</li><li>2</li></ul>0");
  });
});
