import { createEmbedder, embedderConfigSchema, MemoryStore, StoreBases } from "@palimpsest/memory";
import type { MemoryRecord, Probe, Task } from "@palimpsest/trajectories";
import { words } from "@palimpsest/trajectories/text";
import { z } from "zod";
import type { RewardDependencies } from "./dependencies.js";
import { RewardError } from "./error.js";
import { lineTokens, retrievedRecords } from "./memupdate/retrieved-lines.js";
import { storeStates } from "./memupdate/store-states.js";
import type { ScoredEpisode, TrajectoryReward } from "./reward-kind.js";

const penalty = (value: number, text: string) => z.number().min(0).max(1).default(value).describe(text);

/** Settings of a reward for stores that are written while a stream is told. */
export const streamRewardSchema = z.strictObject({
  name: z
    .literal("stream")
    .describe("how much better the store answers hidden questions about a stream than an empty one does"),
  retrievedTokens: z
    .int()
    .min(1)
    .max(100_000)
    .default(96)
    .describe("tokens (of 4 bytes) that are retrieved for a question, where the last record is cut"),
  budgetTokens: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "size in tokens (of 4 bytes) above which a store earns nothing; null: 5 % of the stream, from 256 to 2048",
    ),
  sizePrice: penalty(0.2, "share of the gain that a store as large as its budget costs"),
  faultPenalty: penalty(0.1, "penalty for one fault in every turn"),
  recordWords: z.int().min(1).default(24).describe("words of the longest record that is no fault"),
  embedder: embedderConfigSchema
    .prefault({ kind: "hashed" })
    .describe("embedder of the search that retrieves records"),
  denseWeight: penalty(0.2, "weight of the embedding similarity in that search's score; BM25 has the rest"),
});
type StreamRewardConfig = z.output<typeof streamRewardSchema>;

/** Turns in which the words of a record stand together if the stream supports it. */
const supportTurns = 3;
/** Fraction of a record's words that these turns, or its former version, must have. */
const supportShare = 0.8;

/**
 * Asks the store of a stream its hidden questions. A scripted reader takes the values that the retrieved records name
 * beside what is asked about; for past values, those of former versions and of older records. A question earns the
 * fraction of all values, found or right, that are both, so that a stale value beside the right one costs half, and a
 * list earns next to nothing; where nothing is known, finding nothing is right. The gain is the mean above that of an
 * empty store, at least 0, and at most the share of questions that have an answer.
 *
 *     reward = gain · (1 − sizePrice · size / budget) − faultPenalty · faults / turns
 *
 * Faults are calls that were malformed, failed or refused, and records that are too long or that no few turns support.
 * Components: `gain`, the mean of each category of questions, `stale` (fraction of the questions about current values
 * for which the reader found one that no longer holds), `size` (as a fraction of the budget), `records`, `faults`.
 * @throws {RewardError} NO_STORE; BAD_CONFIG for tasks that name no subjects and candidates
 */
export function streamReward(
  config: StreamRewardConfig,
  { embedder }: RewardDependencies = {},
): TrajectoryReward {
  const bases = new StoreBases(embedder ?? createEmbedder(config.embedder));
  return async (task, episode, { signal } = {}) => {
    const { before, after, diff } = storeStates(task, episode);
    const store = new MemoryStore(await bases.baseOf(before, signal));
    await store.apply(diff, signal);
    const order = new Map(after.map(({ id }, at) => [id, at]));
    const known = knownOf(task);
    const asked: AskedProbe[] = [];
    for (const probe of task.probes ?? []) {
      const hits = await retrievedRecords(store, probe.question, {
        mostTokens: config.retrievedTokens,
        labelTokens: 0,
        denseWeight: config.denseWeight,
      });
      const read = hits.map(({ record, line }) => ({ ...record, content: line }));
      read.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
      asked.push(askedOf(probe, read, known));
    }
    const turns = turnsOf(task);
    const budget = config.budgetTokens ?? budgetOf(task.document);
    const size = after.reduce((sum, record) => sum + sizeOf(record), 0) / budget;
    const empty = meanOf(asked, ({ wanted }) => (wanted.length === 0 ? 1 : 0));
    const above = Math.max(0, meanOf(asked, ({ score }) => score) - empty);
    const gain = size > 1 ? 0 : above;
    const faults = faultyCalls(episode) + faultyRecords(after, turns, config.recordWords);
    return {
      reward:
        gain * (1 - config.sizePrice * Math.min(1, size)) -
        config.faultPenalty * Math.min(1, faults / turns.length),
      components: {
        gain,
        ...byCategory(asked),
        stale: meanOf(
          asked.filter(({ category }) => category === "current"),
          ({ stale }) => (stale ? 1 : 0),
        ),
        size,
        records: after.length,
        faults,
      },
    };
  };
}

/** What a task's text is about: the words that a scripted reader knows. */
interface Known {
  readonly subjects: readonly string[];
  readonly candidates: readonly string[];
  readonly turns: readonly ReadonlySet<string>[];
}

/** @throws {RewardError} BAD_CONFIG */
function knownOf(task: Task): Known {
  const listOf = (name: string) =>
    String(task.metadata[name] ?? "")
      .split(" | ")
      .filter((one) => one !== "");
  const [subjects, candidates] = [listOf("subjects"), listOf("candidates")];
  if (subjects.length > 0 && candidates.length > 0)
    return { subjects, candidates, turns: turnsOf(task).map((turn) => new Set(words(turn))) };
  throw new RewardError(
    "BAD_CONFIG",
    `reward.name: is stream, but the metadata of task ${task.id} has no subjects and candidates, by which its reader finds values; use data.source stream, or the reward memupdate`,
  );
}

const turnsOf = ({ document }: Task) => document.split("\n");

/** A question with what the reader found. */
interface AskedProbe {
  readonly category: string;
  readonly wanted: readonly string[];
  /** Fraction of all values, found or right, that are both; 1 where nothing is right and nothing was found. */
  readonly score: number;
  /** Whether a value was found that stood beside the subject in some turn and is not right. */
  readonly stale: boolean;
}

/** @param read the retrieved records, the oldest first */
function askedOf(
  { question, answers, category = "current" }: Probe,
  read: readonly MemoryRecord[],
  { subjects, candidates, turns }: Known,
): AskedProbe {
  const wanted = (answers[0] ?? "").split(" and ").filter((value) => value !== "");
  const asked = named(question, subjects);
  const found = new Set<string>();
  for (const subject of asked) {
    const about = read.filter(({ content }) => named(content, [subject]).length > 0);
    const texts = about.map(({ content }) => content);
    const past = [...texts.slice(0, -1), ...about.flatMap(formerOf)];
    for (const text of category === "past" ? past : texts)
      for (const value of named(text, candidates)) found.add(value);
  }
  const right = wanted.filter((value) => found.has(value)).length;
  const all = new Set([...wanted, ...found]).size;
  const wrong = [...found].filter((value) => !wanted.includes(value));
  const stood = (value: string) =>
    turns.some((turn) => holds(turn, value) && asked.some((subject) => holds(turn, subject)));
  return { category, wanted, score: all === 0 ? 1 : right / all, stale: wrong.some(stood) };
}

/** Returns the version of a record before its last update. */
const formerOf = ({ metadata: { former } }: MemoryRecord): string[] =>
  typeof former === "string" ? [former] : [];

const holds = (text: ReadonlySet<string>, name: string) => words(name).every((word) => text.has(word));

/** Returns the names that a text has, word by word. */
function named(text: string, names: readonly string[]): string[] {
  const said = new Set(words(text));
  return names.filter((name) => holds(said, name));
}

/** A record's former version takes room as its text does. */
const sizeOf = (record: MemoryRecord) =>
  [record.content, ...formerOf(record)].reduce((sum, text) => sum + lineTokens(text), 0);

const budgetOf = (document: string) => Math.min(2048, Math.max(256, Math.ceil(lineTokens(document) / 20)));

function faultyCalls({ counters = {} }: ScoredEpisode): number {
  const { malformed_calls = 0, failed_calls = 0, refused_calls = 0 } = counters;
  return malformed_calls + failed_calls + refused_calls;
}

/** Counts the records that are too long, or of which no three turns in a row have four fifths of the words. */
function faultyRecords(
  records: readonly MemoryRecord[],
  turns: readonly string[],
  mostWords: number,
): number {
  const said = turns.map((turn) => words(turn));
  const near = said.map((_, at) => new Set(said.slice(Math.max(0, at - supportTurns + 1), at + 1).flat()));
  const supports = (text: ReadonlySet<string>, own: readonly string[]) =>
    own.filter((word) => text.has(word)).length >= supportShare * own.length;
  const faulty = records.filter((record) => {
    const texts = [record.content, ...formerOf(record)].map((text) => words(text));
    return texts.some((own) => own.length > mostWords || !near.some((text) => supports(text, own)));
  });
  return faulty.length;
}

function byCategory(asked: readonly AskedProbe[]): Record<string, number> {
  const categories = new Set(asked.map(({ category }) => category));
  return Object.fromEntries(
    [...categories].map((category) => {
      const own = asked.filter((probe) => probe.category === category);
      return [category, meanOf(own, ({ score }) => score)];
    }),
  );
}

function meanOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0) / Math.max(1, items.length);
}
