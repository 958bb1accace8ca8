import { createRandom, type Random } from "@palimpsest/std/random";
import { DatasetError } from "../error.js";
import { type Cast, type CastSizes, drawCast, type WorldSplit } from "./entities.js";
import { type Wordings, wordingOf } from "./wording.js";

/** What a sentence states, as oracles read it. The kind "bait" states nothing that matters. */
export interface WorldEvent {
  readonly kind: string;
}

/** A sentence of a world's text. */
export interface WorldSentence {
  readonly text: string;
  readonly event: WorldEvent;
}

/** A question about the end of a text, from a closed list of answers. */
export interface WorldQuestion {
  /** The right answer: labels of `candidates`, several of them joined by " and ". */
  readonly answer: string;
  /** Every label that an answer may name. */
  readonly candidates: readonly string[];
  /** Other forms of the answer, such as its digits. */
  readonly aliases?: readonly string[];
  /** What kind of answer this is, where classes are balanced and reported apart, such as "known" or "unknown". */
  readonly kind: string;
  /** The words of the text that the question is about, by slot. */
  readonly slots: Readonly<Record<string, string>>;
}

/** How hard a text is. */
export interface Difficulty {
  /** Number of people, or of sights in `link`. */
  readonly cast: number;
  /** Fraction of the sentences that state nothing that matters; from 0 to 1, at which only what the text begins with matters. */
  readonly bait: number;
  /** Fraction of the text, at its end, that states nothing that matters; from 0 to below 1. */
  readonly distance: number;
  /** Number of wordings of each sentence that are used, from 1 to 4; texts for tests use two more. */
  readonly wordings: number;
}

/** What determines a case of a world. */
export interface WorldSetting extends Difficulty {
  readonly seed: number | string;
  readonly split: WorldSplit;
  readonly index: number;
  /** Sentences of the text. */
  readonly length: number;
}

/** Where an oracle found its answer. */
export interface Traced {
  /** `undefined` if the events do not determine an answer. */
  readonly answer: string | undefined;
  /** Indices of the events that it took, ascending. */
  readonly evidence: readonly number[];
}

/** One text with its question. */
export interface WorldCase {
  readonly question: string;
  readonly answer: string;
  /** Other forms of the answer, such as its digits. */
  readonly aliases: readonly string[];
  readonly candidates: readonly string[];
  readonly kind: string;
  /** The words of the text that the question names. */
  readonly asked: readonly string[];
  /** Yields the text's sentences in order, in memory of the size of the cast. Every call yields the same. */
  sentences(): IterableIterator<WorldSentence>;
  /** The first oracle: follows the events forward. Events may be left out; it returns what the rest says. */
  follow(events: Iterable<WorldEvent>): string | undefined;
  /** The second oracle: searches backward from the question. It takes all events. */
  trace(events: readonly WorldEvent[]): Traced;
  /**
   * Returns what a reader has to remember after these first events of the text, in the order "…, answer"; `undefined`
   * while nothing is known, and absent for worlds of which a few words are not enough.
   */
  note?(events: Iterable<WorldEvent>): string | undefined;
}

/** A world: a pure function of its settings to a text with a question whose answer is certain. */
export interface World {
  readonly name: string;
  /** What happens in the text and what is asked, in one line. */
  readonly rule: string;
  readonly defaults: Difficulty;
  open(setting: WorldSetting): WorldCase;
}

/** The events of one text while it is made. */
interface Play<Event extends WorldEvent, Question extends WorldQuestion> {
  /** Returns the event of a sentence, or nothing for bait. It is called once for each sentence, in order. */
  next(index: number): Event | undefined;
  /** Draws the question after the last sentence. */
  ask(): Question;
}

/** How many sentences state something. */
export interface FactPace {
  /** Fraction of the sentences that state nothing that matters. */
  readonly bait: number;
  /** Sentences that may state something, from the start of the text. */
  readonly facts: number;
}

/** What a world is made of. */
export interface WorldRules<Event extends WorldEvent, Question extends WorldQuestion> {
  readonly name: string;
  readonly rule: string;
  readonly defaults: Difficulty;
  sizes(difficulty: Difficulty): CastSizes;
  /** Wordings of the events by their kind, and of "bait" and "question". */
  readonly wordings: Wordings;
  /** Number of sentences with which the text has to begin, in its first half. */
  openings(difficulty: Difficulty): number;
  play(random: Random, cast: Cast, pace: FactPace): Play<Event, Question>;
  follow(events: Iterable<Event>, question: Question): string | undefined;
  trace(events: readonly Event[], question: Question): Traced;
  note?(events: Iterable<Event>, question: Question): string | undefined;
}

const bait: WorldEvent = { kind: "bait" };

/** Makes a world of its rules. */
export function defineWorld<Event extends WorldEvent, Question extends WorldQuestion>(
  rules: WorldRules<Event, Question>,
): World {
  const { name, rule, defaults, wordings } = rules;
  // An oracle is given events of this world only: its caller has them from the same world's sentences.
  const own = (event: WorldEvent): event is Event => event.kind !== bait.kind;
  return {
    name,
    rule,
    defaults,
    open(setting) {
      const { seed, split, index, length } = setting;
      const stream = (part: string) =>
        createRandom(`${seed}/world/${name}/${split}/${length}/${index}/${part}`);
      const cast = drawCast(split, rules.sizes(setting), stream("cast"));
      const facts = Math.floor(length * (1 - setting.distance));
      refuseShort(name, facts, rules.openings(setting), setting);
      const begin = () => rules.play(stream("events"), cast, { bait: setting.bait, facts });
      const played = begin();
      for (let at = 0; at < facts; at++) played.next(at);
      const question = played.ask();
      refuseUnanswered(name, question);
      const say = (kind: string, slots: object, random: Random) =>
        wordingOf(wordings, kind, { split, wordings: setting.wordings }, slots, random);
      return {
        question: say("question", question.slots, stream("question")),
        answer: question.answer,
        aliases: question.aliases ?? [],
        candidates: question.candidates,
        kind: question.kind,
        asked: Object.values(question.slots),
        *sentences() {
          const replayed = begin();
          const random = stream("words");
          for (let at = 0; at < length; at++) {
            const event = at < facts ? replayed.next(at) : undefined;
            const text =
              event === undefined
                ? say("bait", baitSlots(cast, random), random)
                : say(event.kind, event, random);
            yield { text, event: event ?? bait };
          }
        },
        follow: (events) => rules.follow(ownOnly(events, own), question),
        trace(events) {
          const places: number[] = [];
          const kept = events.filter((event, at): event is Event => own(event) && places.push(at) > 0);
          const { answer, evidence } = rules.trace(kept, question);
          return { answer, evidence: evidence.map((at) => places[at] as number) };
        },
        ...(rules.note === undefined
          ? {}
          : { note: (events) => rules.note?.(ownOnly(events, own), question) }),
      };
    },
  };
}

/** An answer that no candidate is would be a mistake of the world, never of its settings. */
function refuseUnanswered(name: string, { answer, candidates }: WorldQuestion): void {
  if (answer.split(" and ").every((label) => candidates.includes(label))) return;
  throw new Error(`the world ${name} has the answer "${answer}", which is none of its candidates`);
}

/** @throws {DatasetError} BAD_CONFIG if the text is too short to begin */
function refuseShort(
  name: string,
  facts: number,
  openings: number,
  { length, distance }: WorldSetting,
): void {
  const least = Math.max(16, 2 * openings);
  if (facts >= least) return;
  throw new DatasetError(
    "BAD_CONFIG",
    `length: ${length} sentences are too short for the world ${name}, of which ${facts} may state something; give at least ${Math.ceil(least / (1 - distance))}`,
  );
}

function* ownOnly<Event extends WorldEvent>(
  events: Iterable<WorldEvent>,
  own: (event: WorldEvent) => event is Event,
): IterableIterator<Event> {
  for (const event of events) if (own(event)) yield event;
}

/** Draws what a sentence of bait is about: the same entities as the facts, so that matching words mislead. */
function baitSlots({ people, things, rooms, sights }: Cast, random: Random): Record<string, string> {
  const person = random.pick(people);
  const slots: Record<string, string> = {
    person,
    other: random.pick(people.filter((one) => one !== person)),
  };
  if (things.length > 0) slots["thing"] = random.pick(things);
  if (rooms.length > 1) {
    const room = random.pick(rooms);
    Object.assign(slots, { room, second: random.pick(rooms.filter((one) => one !== room)) });
  }
  if (sights.length > 0) slots["city"] = random.pick(sights).city;
  return slots;
}
