import type { Random } from "@palimpsest/std/random";
import type { WorldSplit } from "./entities.js";

/**
 * Wordings of each kind of sentence, with {slots}. The first four are for every split, the rest for tests only. Of a
 * question the first two are for every split.
 */
export type Wordings = Readonly<Record<string, readonly string[]>>;

/** Wordings of a kind that are only in texts for tests. */
const testOnly = 2;

/** Draws a wording and fills it in. */
export function wordingOf(
  wordings: Wordings,
  kind: string,
  use: { readonly split: WorldSplit; readonly wordings: number },
  slots: object,
  random: Random,
): string {
  const all = wordings[kind] as readonly string[];
  const open = all.length - testOnly;
  const most = Math.max(1, Math.round((open * use.wordings) / 4));
  // Texts for tests have the open wordings and those that were never trained on.
  const at = use.split === "test" ? random.below(most + testOnly) : random.below(most);
  const template = all[at < most ? at : open + at - most] as string;
  return filled(template, slots as Readonly<Record<string, string>>);
}

/** Templates by their text, taken apart once: literals at even places, slots between them. */
const templates = new Map<string, readonly string[]>();

function filled(template: string, slots: Readonly<Record<string, string>>): string {
  let parts = templates.get(template);
  if (parts === undefined) {
    parts = template.split(/\{(\w+)\}/);
    templates.set(template, parts);
  }
  let text = parts[0] as string;
  for (let at = 1; at < parts.length; at += 2)
    text += (slots[parts[at] as string] ?? "") + (parts[at + 1] as string);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
