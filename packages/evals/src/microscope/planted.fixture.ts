/** Episodes with losses that are known: what a memory agent writes, made by rules. */
import { createRandom } from "@palimpsest/memory/random";
import { type Trace, traceVersion } from "../trace/trace-schema.js";

const names =
  "Tom Anna Ben Clara Dora Emil Fritz Greta Hugo Ines Jonas Karla Leo Mira Nils Olga Paul Rosa".split(" ");
const values =
  "figs plums chess amber copper violins tulips cider maps kites marble cotton pepper lanterns".split(" ");
const places = "Rome Oslo Cadiz Lima Porto Kyoto Quito Turin Bergen Izmir Malmo Leeds".split(" ");

/** Ways to say the same, the first as documents do. */
const likes = [
  (name: string, value: string) => `${name} likes ${value}.`,
  (name: string, value: string) => `${name}: ${value}`,
  (name: string, value: string) => `${name}'s favorite: ${value}.`,
  (name: string, value: string) => `${value} are liked by ${name}.`,
  (name: string, value: string) => `We know that ${name} likes ${value} a lot.`,
];
const comes = [
  (value: string, place: string) => `The best ${value} come from ${place}.`,
  (value: string, place: string) => `${value}: best from ${place}`,
  (value: string, place: string) => `${place} makes the best ${value}.`,
];
const prose = [
  "The meeting was moved to the afternoon.",
  "Nobody had seen the keys since Monday.",
  "It rained for most of the week.",
  "A letter arrived that said little.",
  "The shop at the corner had closed early.",
];

export interface PlantedFact {
  readonly name: string;
  readonly seenAt: number;
  /** First step whose memory has it; undefined: none. */
  readonly entersAt: number | undefined;
  /** First step whose memory has it no more; undefined: it stays. */
  readonly lostAt: number | undefined;
}

export interface PlantedEpisode {
  readonly trace: Trace;
  readonly facts: readonly PlantedFact[];
}

/** An episode of `steps` chunks with two needed facts among others of the same form. */
export function plantedEpisode(seed: number, steps = 8, sections = true): PlantedEpisode {
  const random = createRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[random.below(from.length)] as T;
  const draw = (from: readonly string[], count: number) => {
    const left = [...from];
    return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0] as string);
  };
  const people = draw(names, 9);
  const things = draw(values, 9);
  const [name = "", ...others] = people;
  const [value = "", ...otherThings] = things;
  const [place = "", otherPlace = ""] = draw(places, 2);
  const evidence = [likes[0]?.(name, value) ?? "", comes[0]?.(value, place) ?? ""];
  const distractors = others.map((other, index) => likes[0]?.(other, otherThings[index] ?? "") ?? "");
  distractors.push(comes[0]?.(otherThings[0] ?? "", otherPlace) ?? "");
  const facts = evidence.map((_, index): PlantedFact => {
    const seenAt = random.below(steps);
    const entersAt = random.below(5) === 0 ? undefined : seenAt;
    const mayLose = entersAt !== undefined && entersAt < steps - 1 && random.below(2) === 0;
    const lostAt = mayLose ? (entersAt ?? 0) + 1 + random.below(steps - 1 - (entersAt ?? 0)) : undefined;
    return { name: `${index === 0 ? "first" : "second"} hop`, seenAt, entersAt, lostAt };
  });
  const ways = [pick(likes), pick(comes)];
  const said = (index: number) =>
    index === 0 ? (ways[0]?.(name, value) ?? "") : (ways[1]?.(value, place) ?? "");
  const memorySteps = Array.from({ length: steps }, (_, step) => {
    const read = [...Array.from({ length: 6 }, () => pick(prose)), pick(distractors), pick(distractors)];
    facts.forEach(({ seenAt }, index) => {
      if (seenAt === step) read.splice(random.below(read.length), 0, evidence[index] ?? "");
    });
    const kept = facts.flatMap(({ entersAt, lostAt = steps }, index) =>
      entersAt !== undefined && step >= entersAt && step < lostAt
        ? [step === entersAt ? (evidence[index] ?? "") : said(index)]
        : [],
    );
    const others = Array.from({ length: 3 }, () => pick(distractors));
    const memory = [...others, ...kept].sort(() => random.below(3) - 1).join(pick([" ", "\n", "\n- "]));
    return {
      step,
      documentTokenStart: step * 100,
      documentTokenEnd: (step + 1) * 100,
      ...(sections ? { section: read.join(" ") } : {}),
      memory,
      recalled: "",
    };
  });
  const right = facts.every(({ entersAt, lostAt }) => entersAt !== undefined && lostAt === undefined);
  const trace: Trace = {
    version: traceVersion,
    origin: "eval",
    trajectoryId: `planted-${seed}`,
    agent: "memagent",
    task: {
      id: `task-${seed}`,
      question: `Where does what ${name} likes come from?`,
      answers: [place],
      metadata: { evidence: evidence[0] ?? "", secondEvidence: evidence[1] ?? "" },
    },
    answer: right ? `It is ${place}.` : `It is ${otherPlace}.`,
    reward: { total: right ? 1 : 0, components: { exactMatch: right ? 1 : 0 } },
    droppedDocumentTokens: 0,
    conversations: memorySteps.map(({ step }) => ({
      ...{ kind: "memory" as const, step, promptTokens: 300, sampledTokens: 40 },
      ...{ stopReason: "stop" as const, policyVersion: 0 },
    })),
    memorySteps,
    policyVersionMin: 0,
    policyVersionMax: 0,
    weightsHash: "",
    startedAtMs: 0,
    endedAtMs: 1,
  };
  return { trace, facts };
}
