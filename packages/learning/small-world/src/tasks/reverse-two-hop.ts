import { DatasetError, generatedTasks, type TaskSet } from "@palimpsest/datasets";
import { parseInput } from "@palimpsest/std/input";
import { createRandom, type Random } from "@palimpsest/std/random";
import type { Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { rulerConfigSchema } from "./ruler-config.js";

const { names, values, places, fillers, likesSentence, originSentence, twoHopQuestion } =
  rulerConfigSchema.shape;
const segmentsPerDocument = z.int().min(3);

/** Settings of two-hop questions whose second fact comes first in the document. */
export const reverseTwoHopConfigSchema = z
  .strictObject({
    count: z.int().min(1).default(1).describe("number of tasks"),
    seed: z
      .union([z.int(), z.string()])
      .default(0)
      .describe("the same seed and settings give the same tasks"),
    segments: z
      .union([
        segmentsPerDocument,
        z
          .strictObject({ min: segmentsPerDocument, max: segmentsPerDocument })
          .refine((range) => range.min <= range.max, "min must not be greater than max"),
      ])
      .describe("segments per document; from a range it is drawn uniformly for each task"),
    segmentSentences: z
      .int()
      .min(2)
      .default(2)
      .describe("sentences per segment, of which exactly one states where something is from"),
    nameAfter: z
      .number()
      .min(0)
      .max(1)
      .default(0.6)
      .describe("least fraction of the segments that precede the one with the name"),
    gap: z
      .int()
      .min(1)
      .default(2)
      .describe(
        "least distance in segments from the fact about the origin to the fact about the name; 2: at least one segment is between them",
      ),
    fillerFraction: z
      .number()
      .min(0)
      .max(1)
      .default(0.2)
      .describe("fraction of the other sentences that state no fact"),
    names,
    values,
    places,
    fillers,
    likesSentence,
    originSentence,
    question: twoHopQuestion.describe("question, with {name}"),
  })
  .refine(
    ({ segments, values }) => values.length >= (typeof segments === "number" ? segments : segments.max),
    {
      error: "values: must have at least one value for each segment; add values or lower segments",
      path: ["values"],
    },
  );

export type ReverseTwoHopConfigInput = z.input<typeof reverseTwoHopConfigSchema>;
type ReverseTwoHopConfig = z.output<typeof reverseTwoHopConfigSchema>;

/**
 * Generates questions such as "Where is what ben likes from?" whose document states the origin long before the name.
 * When " tea from peru." is read, nothing shows that tea will matter, and there are as many such facts as segments. So
 * an agent that overwrites its memory must either keep them all or recall an earlier memory. Each thing has one origin,
 * and the name, thing and place of the answer occur nowhere else. Task i depends on the seed and i only.
 *
 * @throws {DatasetError} BAD_CONFIG
 */
export function reverseTwoHopTasks(input: ReverseTwoHopConfigInput): Task[] {
  const { count, make } = taskMaker(input);
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Returns the same tasks as `reverseTwoHopTasks`, each generated when it is opened.
 *  @throws {DatasetError} BAD_CONFIG */
export function openReverseTwoHopTasks(input: ReverseTwoHopConfigInput): TaskSet {
  const { count, make } = taskMaker(input);
  return generatedTasks(count, make);
}

function taskMaker(input: ReverseTwoHopConfigInput): {
  readonly count: number;
  make(index: number): Task;
} {
  const config = parseInput(
    reverseTwoHopConfigSchema,
    input,
    (problem, cause) => new DatasetError("BAD_CONFIG", `reverse-two-hop settings: ${problem}`, {}, cause),
  );
  const { segments, seed, count } = config;
  // If the shortest document has room for both facts, all documents have.
  firstNamePlace(config, typeof segments === "number" ? segments : segments.min);
  return {
    count,
    make: (index) => taskOf(config, index, createRandom(`${seed}/reverse-two-hop/${index}`)),
  };
}

function taskOf(config: ReverseTwoHopConfig, index: number, random: Random): Task {
  const { segments: length, segmentSentences } = config;
  const segments =
    typeof length === "number" ? length : length.min + random.below(length.max - length.min + 1);
  const [originAt, nameAt] = twoSegments(config, segments, random);
  const name = random.pick(config.names);
  const things = random.shuffle(config.values).slice(0, segments);
  const value = things[originAt] as string;
  const place = random.pick(config.places);
  const likes = sentence(config.likesSentence, { name, value });
  const origin = sentence(config.originSentence, { value, place });
  const otherPlaces = config.places.filter((other) => other !== place);
  const others = {
    names: config.names.filter((other) => other !== name),
    values: config.values.filter((other) => other !== value),
  };

  const document = things.flatMap((thing, at) => {
    const sentences = Array.from({ length: segmentSentences }, () => otherSentence(config, others, random));
    const slots = random.shuffle(sentences.map((_, slot) => slot));
    sentences[slots[0] as number] =
      at === originAt
        ? origin
        : sentence(config.originSentence, { value: thing, place: random.pick(otherPlaces) });
    if (at === nameAt) sentences[slots[1] as number] = likes;
    return sentences;
  });
  return {
    id: `reverse-two-hop-${config.seed}-${index}`,
    question: sentence(config.question, { name }),
    answers: [place],
    document: document.join(""),
    metadata: {
      kind: "reverse-two-hop",
      dataSource: "reverse-two-hop",
      sentences: document.length,
      segments,
      evidence: likes,
      secondEvidence: origin,
      evidenceSegment: nameAt,
      secondEvidenceSegment: originAt,
    },
  };
}

/** Draws the segments of the origin and of the name's fact. */
function twoSegments(config: ReverseTwoHopConfig, segments: number, random: Random): [number, number] {
  const first = firstNamePlace(config, segments);
  const nameAt = first + random.below(segments - first);
  return [random.below(nameAt - config.gap + 1), nameAt];
}

/** Returns the first segment in which the name's fact may be. @throws {DatasetError} BAD_CONFIG if there is none */
function firstNamePlace({ gap, nameAfter }: ReverseTwoHopConfig, segments: number): number {
  const first = Math.max(gap, Math.ceil(nameAfter * segments));
  if (first >= segments) {
    throw new DatasetError(
      "BAD_CONFIG",
      `segments: ${segments} leave no segment for the fact about the name with nameAfter ${nameAfter} and gap ${gap}; give more segments`,
    );
  }
  return first;
}

function otherSentence(
  config: ReverseTwoHopConfig,
  others: { readonly names: readonly string[]; readonly values: readonly string[] },
  random: Random,
): string {
  if (config.fillerFraction > 0 && random.float() < config.fillerFraction) return random.pick(config.fillers);
  return sentence(config.likesSentence, {
    name: random.pick(others.names),
    value: random.pick(others.values),
  });
}

const sentence = (template: string, slots: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (whole, slot: string) => slots[slot] ?? whole);
