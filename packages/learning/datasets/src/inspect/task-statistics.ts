import { createRandom } from "@palimpsest/std/random";
import type { Task } from "@palimpsest/trajectories";
import { goldDocumentsOf } from "../paragraphs/evidence-places.js";
import type { CountTokens } from "../tasks/count-tokens.js";
import { kolmogorovSmirnov, type Uniformity } from "./kolmogorov.js";

/** Order statistics of a number over tasks. */
export interface Spread {
  readonly least: number;
  readonly median: number;
  readonly mean: number;
  readonly p95: number;
  readonly most: number;
}

/** Positions of gold documents within their contexts. */
interface GoldPlaces extends Uniformity {
  readonly documents: number;
  /** Mean position: 0 is the beginning, 1 the end, and 0.5 the mean of uniform positions. */
  readonly meanPlace: number;
  /** Share of the gold documents in each tenth of the context. */
  readonly tenths: readonly number[];
}

/** What a file of tasks contains, in tasks, characters and, with a tokenizer, tokens. */
export interface TaskStatistics {
  readonly tasks: number;
  readonly characters: Spread;
  /** Tokens per document; present if a tokenizer was given. */
  readonly tokens?: Spread;
  readonly questionCharacters: Spread;
  readonly answers: {
    /** Number of answers per task. */
    readonly aliases: Spread;
    readonly characters: Spread;
    readonly yesOrNo: number;
    /** Number of tasks of which an answer is a number, true or false. */
    readonly numbers: number;
    /** Number of answers of which `normalize` leaves nothing, such as "A" or "+"; present if it was given. */
    readonly emptied?: number;
    /** Number of tasks whose document contains an answer word for word, ignoring case. */
    readonly inDocument: number;
  };
  readonly records?: Spread;
  readonly probes?: Spread;
  /**
   * Number of tasks by the values of each metadata field. Fields with more than `mostGroups` distinct values are left
   * out.
   */
  readonly groups: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly goldPlaces?: GoldPlaces;
}

const mostGroups = 24;
/** Fields whose values belong to single items, so that counting tasks by them says nothing. */
const ungrouped = new Set(["goldDocuments", "minDistance", "evidence", "lengthTokens"]);

/** Collects statistics about tasks that are added one by one and not kept. */
export class TaskCensus {
  readonly #countTokens: CountTokens | undefined;
  readonly #normalize: ((answer: string) => string) | undefined;
  readonly #characters: number[] = [];
  readonly #tokens: number[] = [];
  readonly #questions: number[] = [];
  readonly #aliases: number[] = [];
  readonly #answerCharacters: number[] = [];
  readonly #records: number[] = [];
  readonly #probes: number[] = [];
  readonly #places: number[] = [];
  readonly #groups = new Map<string, Map<string, number>>();
  #yesOrNo = 0;
  #numbers = 0;
  #inDocument = 0;
  #emptied = 0;

  /** @param options.normalize the form in which a metric compares answers */
  constructor(
    options: {
      readonly countTokens?: CountTokens | undefined;
      readonly normalize?: (answer: string) => string;
    } = {},
  ) {
    this.#countTokens = options.countTokens;
    this.#normalize = options.normalize;
  }

  add({ question, answers, document, metadata, records, probes }: Task): void {
    this.#characters.push(document.length);
    if (this.#countTokens) this.#tokens.push(this.#countTokens(document));
    this.#questions.push(question.length);
    this.#aliases.push(answers.length);
    for (const answer of answers) this.#answerCharacters.push(answer.length);
    const normalize = this.#normalize;
    if (normalize) this.#emptied += answers.filter((answer) => normalize(answer) === "").length;
    const lower = answers.map((answer) => answer.toLowerCase());
    if (lower.some((answer) => answer === "yes" || answer === "no")) this.#yesOrNo += 1;
    if (lower.some((answer) => /^(true|false|[-+]?\d[\d,]*(\.\d+)?)$/.test(answer))) this.#numbers += 1;
    const text = document.toLowerCase();
    if (lower.some((answer) => text.includes(answer))) this.#inDocument += 1;
    if (records) this.#records.push(records.length);
    if (probes) this.#probes.push(probes.length);
    for (const [field, value] of Object.entries(metadata)) {
      if (!ungrouped.has(field)) this.#count(field, String(value));
    }
    this.#place(metadata);
  }

  statistics(): TaskStatistics {
    const random = createRandom("places");
    // A position among n documents represents an interval of length 1/n. Drawing a point within it makes the test
    // exact.
    const uniform = this.#places.map((at, i) => at + random.float() * (this.#widths[i] ?? 0));
    return {
      tasks: this.#characters.length,
      characters: spread(this.#characters),
      ...(this.#countTokens ? { tokens: spread(this.#tokens) } : {}),
      questionCharacters: spread(this.#questions),
      answers: {
        aliases: spread(this.#aliases),
        characters: spread(this.#answerCharacters),
        yesOrNo: this.#yesOrNo,
        numbers: this.#numbers,
        ...(this.#normalize ? { emptied: this.#emptied } : {}),
        inDocument: this.#inDocument,
      },
      ...(this.#records.length > 0 ? { records: spread(this.#records) } : {}),
      ...(this.#probes.length > 0 ? { probes: spread(this.#probes) } : {}),
      groups: this.#smallGroups(),
      ...(uniform.length > 0
        ? { goldPlaces: { ...goldPlaces(uniform), ...kolmogorovSmirnov(uniform) } }
        : {}),
    };
  }

  readonly #widths: number[] = [];

  #place(metadata: Task["metadata"]): void {
    const numDocs = metadata["numDocs"];
    if (typeof numDocs !== "number" || numDocs < 1) return;
    for (const place of goldDocumentsOf(metadata)) {
      this.#places.push((place - 1) / numDocs);
      this.#widths.push(1 / numDocs);
    }
  }

  #count(field: string, value: string): void {
    let group = this.#groups.get(field);
    if (group === undefined) {
      group = new Map();
      this.#groups.set(field, group);
    }
    // One value more than the limit is enough to know that the field has too many.
    if (group.size <= mostGroups || group.has(value)) group.set(value, (group.get(value) ?? 0) + 1);
  }

  #smallGroups(): Record<string, Record<string, number>> {
    const groups: Record<string, Record<string, number>> = {};
    for (const [field, counts] of this.#groups) {
      if (counts.size > mostGroups) continue;
      groups[field] = Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
    }
    return groups;
  }
}

function goldPlaces(places: readonly number[]) {
  const tenths = new Array<number>(10).fill(0);
  for (const place of places) {
    const tenth = Math.min(9, Math.floor(place * 10));
    tenths[tenth] = (tenths[tenth] ?? 0) + 1 / places.length;
  }
  return {
    documents: places.length,
    meanPlace: places.reduce((sum, place) => sum + place, 0) / places.length,
    tenths,
  };
}

function spread(values: readonly number[]): Spread {
  if (values.length === 0) return { least: 0, median: 0, mean: 0, p95: 0, most: 0 };
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
  return {
    least: sorted[0] as number,
    median: at(0.5),
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    p95: at(0.95),
    most: sorted.at(-1) as number,
  };
}
