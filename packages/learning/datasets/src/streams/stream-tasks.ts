import { parseInput } from "@palimpsest/std/input";
import { createRandom, type Random } from "@palimpsest/std/random";
import type { Probe, Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { generatedTasks, type TaskSet } from "../tasks/task-set.js";
import { drawCast, worldSplits } from "../worlds/entities.js";
import { reportWordings } from "../worlds/withdraw-world.js";
import { wordingOf } from "../worlds/wording.js";
import { spreadLength } from "../worlds/world-tasks.js";

const turns = z.int().min(1).max(1_000_000);
const form = z.string().min(1);

const formsSchema = z.strictObject({
  tell: form.describe("statement of a new fact, with {subject} and {value}"),
  takeBack: form.describe("statement after which nothing is known of {subject}"),
  chat: form.describe("sentence with the words {subject} and {value} that states no fact"),
  current: form.describe("question about the value of {subject}"),
  past: form.describe("question about the value that {subject} had before"),
  multi: form.describe("question about the values of {subject} and of {other}"),
});
type Forms = z.output<typeof formsSchema>;

/** Settings of streams of turns that are told to a writer, and of the questions that it never sees. */
export const streamConfigSchema = z
  .strictObject({
    count: z.int().min(1).default(1).describe("number of streams"),
    seed: z
      .union([z.int(), z.string()])
      .default(0)
      .describe("the same seed and settings give the same streams"),
    split: z.enum(worldSplits).default("train").describe("which things and rooms are used"),
    turns: z
      .union([
        turns,
        z
          .strictObject({ min: turns, max: turns })
          .refine((range) => range.min <= range.max, "min must not be greater than max"),
      ])
      .describe("turns per stream; from a range they are drawn for each stream"),
    told: z.int().min(2).max(64).default(8).describe("subjects that a stream has facts about"),
    unsaid: z.int().min(1).max(64).default(4).describe("subjects of which a stream never speaks"),
    chats: z.number().min(0).max(0.9).default(0.5).describe("fraction of the turns that state no fact"),
    takenBack: z
      .number()
      .min(0)
      .max(0.9)
      .default(0.1)
      .describe("fraction of the turns that take a fact back"),
    probes: z.int().min(4).max(256).default(16).describe("hidden questions per stream"),
    subjects: z.array(form).optional().describe("what facts are about; absent: the things of the worlds"),
    values: z
      .array(form)
      .min(2)
      .optional()
      .describe("what is said of a subject; absent: the rooms of the worlds"),
    forms: formsSchema
      .optional()
      .describe("one wording of each sentence; absent: the wordings of the worlds"),
  })
  .refine(({ subjects, told, unsaid }) => (subjects?.length ?? 12) >= told + unsaid, {
    error: "told and unsaid: are more than the subjects; give more subjects, or smaller numbers",
  });

/** Settings of streams; fields with defaults may be absent. */
export type StreamConfigInput = z.input<typeof streamConfigSchema>;
type StreamConfig = z.output<typeof streamConfigSchema>;

/** What a question asks for; the categories of probes. */
export const streamCategories = ["current", "past", "multi", "unknown"] as const;
type StreamCategory = (typeof streamCategories)[number];

/** Questions of each category among eight: half current, an eighth past and multi, a quarter unknown. */
const pattern: readonly StreamCategory[] = [
  "current",
  "unknown",
  "current",
  "past",
  "current",
  "multi",
  "current",
  "unknown",
];

/**
 * Opens streams, each generated when it is opened. A task's document has one turn per line: a fact, a fact that takes
 * the place of an earlier one, one that is taken back, or talk with the same words. All probes are held out, and the
 * question is empty. Metadata: `kind` and `dataSource` ("stream"), `turns`, `subjects` and `candidates` (joined by
 * " | "), and `events`: a letter for each turn, "f" for a fact, "t" for one that is taken back, "c" for talk.
 * @throws {DatasetError} BAD_CONFIG
 */
export function openStreamTasks(input: StreamConfigInput): TaskSet {
  const config = parseInput(
    streamConfigSchema,
    input,
    (problem, cause) => new DatasetError("BAD_CONFIG", `stream settings: ${problem}`, {}, cause),
  );
  return generatedTasks(config.count, (index) => streamTask(config, index));
}

function streamTask(config: StreamConfig, index: number): Task {
  const { seed, split } = config;
  const length = spreadLength(config.turns, index);
  const random = createRandom(`${seed}/stream/${split}/${length}/${index}`);
  const diary = new Diary(config, random);
  const document = Array.from({ length }, () => diary.turn()).join("\n");
  return {
    id: `stream-${split}-${length}-${seed}-${index}`,
    question: "",
    answers: [],
    document,
    metadata: {
      kind: "stream",
      dataSource: "stream",
      turns: length,
      subjects: diary.subjects.join(" | "),
      candidates: diary.values.join(" | "),
      events: diary.events.join(""),
    },
    probes: diary.probes(),
  };
}

/** What has been told of a subject since it was last taken back. */
interface Known {
  readonly value: string;
  readonly former?: string;
}

/** One stream while it is told. */
class Diary {
  readonly values: readonly string[];
  readonly subjects: readonly string[];
  /** One letter for each turn that was told. */
  readonly events: ("f" | "t" | "c")[] = [];
  readonly #config: StreamConfig;
  readonly #random: Random;
  readonly #people: readonly string[];
  readonly #told: readonly string[];
  readonly #known = new Map<string, Known>();
  readonly #takenBack = new Set<string>();

  constructor(config: StreamConfig, random: Random) {
    const { split, told, unsaid } = config;
    const cast = drawCast(split, { people: 4, things: 12, rooms: 10, sights: 0 }, random);
    this.#config = config;
    this.#random = random;
    this.#people = cast.people;
    this.values = random.shuffle(config.values ?? cast.rooms);
    this.subjects = random.shuffle(config.subjects ?? cast.things).slice(0, told + unsaid);
    this.#told = this.subjects.slice(0, told);
  }

  /** Returns the next turn. The first one states a fact. */
  turn(): string {
    const { chats, takenBack } = this.#config;
    const random = this.#random;
    const drawn = random.float();
    const known = [...this.#known.keys()];
    if (known.length > 0 && drawn < chats) {
      this.events.push("c");
      return this.#say("chat", { subject: random.pick(this.#told), value: random.pick(this.values) });
    }
    if (known.length > 0 && drawn < chats + takenBack) {
      const subject = random.pick(known);
      this.#known.delete(subject);
      this.#takenBack.add(subject);
      this.events.push("t");
      return this.#say("takeBack", { subject });
    }
    const subject = random.pick(this.#told);
    const former = this.#known.get(subject)?.value;
    const value = random.pick(this.values.filter((one) => one !== former));
    this.#known.set(subject, former === undefined ? { value } : { value, former });
    this.#takenBack.delete(subject);
    this.events.push("f");
    return this.#say("tell", { subject, value });
  }

  /** Draws the questions about what was told so far. Where a category has none, one about a current value is asked. */
  probes(): Probe[] {
    const known = this.#random.shuffle([...this.#known.keys()]);
    const changed = known.filter((subject) => this.#known.get(subject)?.former !== undefined);
    const silent = this.#random.shuffle([...this.#takenBack, ...this.subjects.slice(this.#told.length)]);
    const valueNow = (subject: string) => this.#known.get(subject)?.value as string;
    const others = (subject: string) => known.filter((other) => valueNow(other) !== valueNow(subject));
    const several = known.filter((subject) => others(subject).length > 0);
    const asked: Record<StreamCategory, readonly string[]> = {
      current: known,
      past: changed,
      multi: several,
      unknown: silent,
    };
    const taken = { current: 0, past: 0, multi: 0, unknown: 0 };
    return Array.from({ length: this.#config.probes }, (_, at): Probe => {
      const wanted = pattern[at % pattern.length] as StreamCategory;
      const usual = asked[wanted].length > 0 ? wanted : "current";
      const category = asked[usual].length > 0 ? usual : "unknown";
      const from = asked[category];
      const subject = from[taken[category]++ % from.length] as string;
      const about = (form: keyof Forms, answers: readonly string[], other = ""): Probe => ({
        question: this.#say(form, { subject, other }),
        answers,
        category,
        heldOut: true,
      });
      if (category === "unknown") return about("current", []);
      if (category === "past") return about("past", [this.#known.get(subject)?.former as string]);
      if (category === "current") return about("current", [valueNow(subject)]);
      const other = this.#random.pick(others(subject));
      return about("multi", [`${valueNow(subject)} and ${valueNow(other)}`], other);
    });
  }

  #say(kind: keyof Forms, slots: { subject: string; value?: string; other?: string }): string {
    const { forms, split } = this.#config;
    const { subject, value = "", other = "" } = slots;
    if (forms !== undefined)
      return forms[kind]
        .replaceAll("{subject}", subject)
        .replaceAll("{value}", value)
        .replaceAll("{other}", other);
    const random = this.#random;
    const [person, someone] = random.shuffle(this.#people);
    const named = { thing: subject, room: value, second: other, person, other: someone };
    return wordingOf(wordings, kind, { split, wordings: 4 }, named, random);
  }
}

/** The wordings of the world `withdraw`, with what a stream has beside them. */
const wordings = {
  tell: reportWordings.report,
  chat: reportWordings.bait,
  takeBack: [
    "The report about the {thing} is withdrawn.",
    "Forget what was reported of the {thing}.",
    "Nobody knows any more where the {thing} is.",
    "The last report about the {thing} does not hold any more.",
    "What was said of the {thing} is taken back.",
    "It turns out that the {thing} is nowhere to be found.",
  ],
  current: [
    "In which room is the {thing} now?",
    "Where is the {thing}?",
    "Which room has the {thing} in the end?",
    "Where could one find the {thing} at the end?",
  ],
  past: [
    "In which room was the {thing} before it came to where it is now?",
    "Where was the {thing} before?",
    "Which room had the {thing} just before the present one?",
    "Where did the {thing} come from last?",
  ],
  multi: [
    "In which rooms are the {thing} and the {second}?",
    "Where are the {thing} and the {second} now?",
    "Which rooms have the {thing} and the {second}?",
    "Where could one find the {thing}, and where the {second}?",
  ],
};
