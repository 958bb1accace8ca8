import { cosine } from "../unit-vector.js";
import { sentences } from "./sentences.js";

/** A part of a memory's text. */
export interface Part {
  readonly text: string;
  readonly speaker?: string;
}

const months = "january|february|march|april|may|june|july|august|september|october|november|december";
const days = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";

/** Expressions of time: dates, months, years, weekdays, and times relative to others. */
const timeWords = new RegExp(
  [
    String.raw`\b\d{4}-\d{2}(-\d{2})?\b`,
    String.raw`\b(\d{1,2}(st|nd|rd|th)? )?(${months})\b( \d{1,2}(st|nd|rd|th)?\b)?(,? \d{4})?`,
    String.raw`\b(19|20)\d{2}\b`,
    String.raw`\b((last|next|this) )?(${days})\b`,
    String.raw`\b(last|next|this) (week|weekend|month|year|summer|winter|spring|autumn|fall|night)\b`,
    String.raw`\b(yesterday|today|tomorrow|tonight|afterwards|later|then)\b`,
    String.raw`\b\w+ (days?|weeks?|months?|years?) (ago|later|before|after)\b`,
  ].join("|"),
  "giu",
);

/** The verb "may" is not a month. */
const timesOf = (sentence: string) =>
  (sentence.match(timeWords) ?? []).filter((found) => found !== "may").map((found) => found.toLowerCase());

/** Begins a new part at each sentence that names another time than the part does. */
export function byTime(text: string): Part[] {
  const parts: { sentences: string[]; times: string }[] = [];
  for (const sentence of sentences(text)) {
    const times = timesOf(sentence).join(" ");
    const current = parts.at(-1);
    if (current === undefined || (times !== "" && current.times !== "" && times !== current.times)) {
      parts.push({ sentences: [sentence], times });
      continue;
    }
    current.sentences.push(sentence);
    if (current.times === "") current.times = times;
  }
  return parts.map((part) => ({ text: part.sentences.join(" ") }));
}

const label = /(?:^|\n|(?<=[.!?…"”']\s))\s*(\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2}): /gu;

/**
 * Returns one part per speaker of lines like "Anna: …", in the order of their first words; text before the first label
 * belongs to the first part.
 */
export function bySpeaker(text: string): Part[] {
  const found = [...text.matchAll(label)];
  const said = new Map<string, string[]>();
  found.forEach((match, i) => {
    const speaker = match[1] as string;
    const start = match.index + match[0].length;
    const before = i === 0 ? text.slice(0, match.index).trim() : "";
    const own = text.slice(start, found[i + 1]?.index ?? text.length).trim();
    said.set(speaker, [...(said.get(speaker) ?? []), ...[before, own].filter((piece) => piece !== "")]);
  });
  return [...said]
    .filter(([, pieces]) => pieces.length > 0)
    .map(([speaker, pieces]) => ({ speaker, text: pieces.join(" ") }));
}

const mostThemes = 5;

/**
 * Splits between adjacent sentences that are least similar: always at the weakest position, and wherever the similarity
 * is below half of the mean. After TextTiling (Hearst, 1997), with sentences as blocks.
 */
export async function byTheme(
  text: string,
  embed: (texts: readonly string[]) => Promise<readonly Int16Array[]>,
): Promise<Part[]> {
  const found = sentences(text);
  if (found.length < 2) return found.map((sentence) => ({ text: sentence }));
  const vectors = await embed(found);
  const seams = vectors.slice(1).map((vector, i) => ({
    at: i + 1,
    likeness: cosine(vectors[i] as Int16Array, vector),
  }));
  const mean = seams.reduce((sum, { likeness }) => sum + likeness, 0) / seams.length;
  const weakest = [...seams].sort((a, b) => a.likeness - b.likeness || a.at - b.at);
  const cuts = weakest
    .filter(({ likeness }, rank) => rank === 0 || likeness < mean / 2)
    .slice(0, mostThemes - 1)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
  return [0, ...cuts].map((start, i) => ({ text: found.slice(start, cuts[i]).join(" ") }));
}
