import { createRandom } from "@palimpsest/std/random";
import { fittingSentences } from "@palimpsest/trajectories/text";
import { DatasetError } from "../error.js";

/** The text in which needles are hidden. Its sentences are repeated as often as the length requires. */
export interface HaystackText {
  /** The name that metadata states: "noise", "prose" or the name of a file. */
  readonly name: string;
  /** The sentences in order, each with its line ends, if it has any, and with or without the space before it. */
  readonly sentences: readonly string[];
}

/** Five filler sentences. */
export const noiseText: HaystackText = {
  name: "noise",
  sentences: [
    " The river is slow.",
    " The hills are grey.",
    " The wind is mild.",
    " Now we walk on.",
    " Up we go and down once more.",
  ],
};

/** Longer sentences are split, so that a text without sentence ends can be as short as a task needs. */
const mostCharacters = 2000;

/** Moves the space between two sentences to the later one, and joins what has no text to the one before. */
function withSpaceBefore(sentences: readonly string[]): string[] {
  const found: string[] = [];
  let space = "";
  for (const sentence of sentences) {
    const piece = space + sentence;
    space = piece.endsWith(" ") ? " " : "";
    const text = space === "" ? piece : piece.slice(0, -1);
    if (text.trim() === "" && found.length > 0) found.push((found.pop() ?? "") + text);
    else found.push(text);
  }
  if (space !== "") found.push((found.pop() ?? "") + space);
  return found;
}

/**
 * Splits a user's text at the ends of sentences and lines.
 * @throws {DatasetError} BAD_CONFIG if it has no sentence
 */
export function fileText(name: string, text: string): HaystackText {
  const sentences = text
    .replaceAll("\r\n", "\n")
    .split(/(?<=\n)(?!\n)/)
    .flatMap((line) =>
      withSpaceBefore(fittingSentences(line, (sentence) => sentence.length <= mostCharacters)),
    )
    .filter((sentence) => sentence.trim() !== "");
  if (sentences.length === 0) {
    throw new DatasetError("BAD_CONFIG", `essay: "${name}" contains no sentence; give a file of plain text`);
  }
  return { name, sentences };
}

const slots = {
  who: "the miller|an old sailor|her brother|the gardener|a traveling painter|the schoolmaster|his neighbor|the widow|a young clerk|the ferryman|their aunt|the baker|a tired soldier|the librarian|my grandmother|the carpenter|a stranger|the postman|the doctor|a shepherd",
  did: "walked|waited|returned|wrote|listened|worked|wandered|argued|slept|sang|traveled|paused|laughed|stayed|read|hurried",
  where:
    "by the river|in the market|behind the church|on the long road|near the station|under the trees|at the old inn|along the coast|in the empty hall|across the valley|beside the mill|in the narrow street|above the harbour|outside the town",
  when: "in the morning|after the harvest|before the rain|late at night|during the winter|on a quiet Sunday|at the end of summer|every evening|for three weeks|once a year|until the lamps were lit|soon afterwards",
  thought:
    "that nothing would change|that the summer had been short|that a letter must come|that the house was too large|that people forget quickly|that the road was longer than it looked|that the price was fair|that silence was best|that the bridge would hold|that somebody had been there before",
  why: "because the roof had leaked|because the harvest was poor|because nobody had asked|because the boat was late|because the children were asleep|because the shop had closed|because it had always been so|because the snow lay deep",
} as const;

const patterns = [
  "{who} {did} {where} {when}",
  "{when} {who} {did} {where}",
  "{who} believed {thought}",
  "{when} {who} knew {thought}",
  "{who} {did} {where} {why}",
  "{who} and {who} {did} {where}, and {who} {did} {when}",
  "it was said {when} {thought}",
  "{why}, {who} {did} {where}",
];

/** Returns meaningless prose of 20,000 sentences (about 300,000 tokens). It is the same every time. */
export function generatedProse(): HaystackText {
  kept ??= { name: "prose", sentences: Array.from(proseSentences(20_000)) };
  return kept;
}
let kept: HaystackText | undefined;

function* proseSentences(count: number): IterableIterator<string> {
  const random = createRandom("palimpsest/prose");
  const choices = new Map(Object.entries(slots).map(([slot, texts]) => [slot, texts.split("|")]));
  for (let i = 0; i < count; i++) {
    const text = random
      .pick(patterns)
      .replace(/\{(\w+)\}/g, (_, slot) => random.pick(choices.get(slot) ?? []));
    const lineEnd = random.below(6) === 0 ? "\n" : "";
    yield ` ${text.charAt(0).toUpperCase()}${text.slice(1)}.${lineEnd}`;
  }
}

/** A text that is inserted before the sentence with index `at`, counted from 0. */
export interface Insert {
  readonly at: number;
  readonly text: string;
}

/**
 * Yields the sentences in order with the inserts between them. Each piece begins at the beginning of a word or a line.
 * @param inserts in ascending order of `at`
 */
export function* weave(sentences: Iterable<string>, inserts: readonly Insert[]): IterableIterator<string> {
  let place = 0;
  let next = 0;
  /** Whether the last piece ends a line, or there has been no piece. */
  let lineStart = true;
  const insert = (text: string): string => {
    const piece = lineStart ? (place > 0 ? `${text}\n` : text) : ` ${text}`;
    lineStart = piece.endsWith("\n");
    return piece;
  };
  for (const sentence of sentences) {
    for (let one = inserts[next]; one !== undefined && one.at <= place; one = inserts[++next]) {
      yield insert(one.text);
    }
    const bare = sentence.startsWith(" ") ? sentence.slice(1) : sentence;
    const piece: string = lineStart ? bare : ` ${bare}`;
    lineStart = piece.endsWith("\n");
    place += 1;
    yield piece;
  }
  for (let one = inserts[next]; one !== undefined; one = inserts[++next]) yield insert(one.text);
}
