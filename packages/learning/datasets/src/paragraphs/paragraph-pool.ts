import type { Paragraph } from "../questions/source-question.js";
import { SubstringIndex } from "./substring-index.js";

/** Returns the text of a paragraph inside a context: its title, then its text. */
export const paragraphText = ({ title, text }: Paragraph): string =>
  title === "" ? text : `${title}\n${text}`;

/**
 * Distinct paragraphs in an order that depends on nothing but the paragraphs. Contexts are filled up from a pool, and
 * the indices of an indexed context point into it.
 */
export class ParagraphPool {
  /** The distinct paragraphs, each as title and text, sorted by code units. */
  readonly texts: readonly string[];
  readonly titles: readonly string[];
  readonly #places = new Map<string, number>();
  readonly #byTitle = new Map<string, number[]>();
  /** The index of the texts in lower case, built at the first query. */
  #index: SubstringIndex | undefined;

  constructor(paragraphs: Iterable<Paragraph>) {
    const distinct = new Map<string, string>();
    for (const paragraph of paragraphs) {
      if (paragraph.text !== "") distinct.set(paragraphText(paragraph), paragraph.title);
    }
    this.texts = [...distinct.keys()].sort((a, b) => (a < b ? -1 : 1));
    this.titles = this.texts.map((text) => distinct.get(text) ?? "");
    for (const [place, text] of this.texts.entries()) {
      this.#places.set(text, place);
      const title = this.titles[place] ?? "";
      if (title === "") continue;
      const same = this.#byTitle.get(title);
      if (same) same.push(place);
      else this.#byTitle.set(title, [place]);
    }
  }

  placeOf(text: string): number | undefined {
    return this.#places.get(text);
  }

  /**
   * Returns the indices of the question's own paragraphs and of others with the same titles, neither of which are drawn
   * as distractors.
   */
  kin(paragraphs: readonly Paragraph[]): ReadonlySet<number> {
    const places = new Set<number>();
    for (const paragraph of paragraphs) {
      const own = this.#places.get(paragraphText(paragraph));
      if (own !== undefined) places.add(own);
      for (const place of this.#byTitle.get(paragraph.title) ?? []) places.add(place);
    }
    return places;
  }

  /**
   * Returns the indices of the paragraphs that contain one of the texts. The title is searched too, and case is
   * ignored.
   */
  holding(texts: readonly string[]): ReadonlySet<number> {
    this.#index ??= new SubstringIndex(this.texts.map((text) => text.toLowerCase()));
    const places = new Set<number>();
    for (const text of texts) {
      for (const place of this.#index.holding(text.toLowerCase())) places.add(place);
    }
    return places;
  }
}
