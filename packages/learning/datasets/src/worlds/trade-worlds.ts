import type { Random } from "@palimpsest/std/random";
import type { Cast } from "./entities.js";
import { Pace } from "./pace.js";
import { defineWorld, type FactPace, type Traced, type World, type WorldQuestion } from "./world.js";

/** Who has what, and how it changes. Everybody has exactly one thing. */
type TradeEvent =
  | { readonly kind: "owns"; readonly person: string; readonly thing: string }
  | { readonly kind: "swaps"; readonly person: string; readonly other: string }
  /** What `person` has goes to `other`, what that one has to `third`, and what that one has to `person`. */
  | { readonly kind: "passes"; readonly person: string; readonly other: string; readonly third: string };

interface TradeQuestion extends WorldQuestion {
  readonly thing: string;
}

/** Returns for each giver of a trade who gets what the giver had. */
function receivers(event: TradeEvent): readonly (readonly [from: string, to: string])[] {
  if (event.kind === "swaps")
    return [
      [event.person, event.other],
      [event.other, event.person],
    ];
  if (event.kind === "passes")
    return [
      [event.person, event.other],
      [event.other, event.third],
      [event.third, event.person],
    ];
  return [];
}

/** Who has what now, and who had it before; followed forward. */
class Owners {
  readonly thingOf = new Map<string, string>();
  readonly before = new Map<string, string>();

  see(event: TradeEvent): void {
    if (event.kind === "owns") {
      this.thingOf.set(event.person, event.thing);
      return;
    }
    const given = receivers(event).map(([from, to]) => ({ from, to, thing: this.thingOf.get(from) }));
    for (const { from, to, thing } of given) {
      if (thing === undefined) this.thingOf.delete(to);
      else {
        this.thingOf.set(to, thing);
        this.before.set(thing, from);
      }
    }
  }

  ownerOf(thing: string): string | undefined {
    for (const [person, owned] of this.thingOf) if (owned === thing) return person;
    return undefined;
  }
}

class TradePlay {
  readonly owners = new Owners();
  readonly #random: Random;
  readonly #people: readonly string[];
  readonly #pace: Pace<TradeEvent>;

  constructor(random: Random, { people, things }: Cast, pace: FactPace) {
    this.#random = random;
    this.#people = people;
    const owned = people.map(
      (person, at): TradeEvent => ({ kind: "owns", person, thing: things[at] as string }),
    );
    this.#pace = new Pace(random, owned, pace);
  }

  next(index: number): TradeEvent | undefined {
    const event = this.#pace.next(index, () => {
      const [person = "", other = "", third = ""] = this.#random.shuffle(this.#people);
      return this.#people.length > 2 && this.#random.float() < 0.3
        ? { kind: "passes", person, other, third }
        : { kind: "swaps", person, other };
    });
    if (event !== undefined) this.owners.see(event);
    return event;
  }
}

/** Follows what each person has in the end back to who had it at first, until that is the thing. */
function traceBack(
  events: readonly TradeEvent[],
  thing: string,
):
  | { readonly owner: string; readonly steps: readonly { readonly at: number; readonly from: string }[] }
  | undefined {
  const people = new Set(events.flatMap((event) => (event.kind === "owns" ? [event.person] : [])));
  for (const owner of people) {
    const steps: { at: number; from: string }[] = [];
    let person = owner;
    for (let at = events.length - 1; at >= 0; at--) {
      const event = events[at] as TradeEvent;
      if (event.kind === "owns") {
        if (event.person !== person) continue;
        if (event.thing !== thing) break;
        return { owner, steps: [...steps, { at, from: person }] };
      }
      const step = receivers(event).find(([, to]) => to === person);
      if (step === undefined) continue;
      person = step[0];
      steps.push({ at, from: person });
    }
  }
  return undefined;
}

const evidenceOf = (steps: readonly { readonly at: number }[]) => steps.map(({ at }) => at).reverse();

interface Asking {
  note?(owners: Owners, thing: string): string | undefined;
  follow(owners: Owners, thing: string): string | undefined;
  trace(events: readonly TradeEvent[], thing: string): Traced;
  readonly wordings: readonly string[];
}

const now: Asking = {
  note: (owners, thing) => owners.ownerOf(thing),
  follow: (owners, thing) => owners.ownerOf(thing),
  trace(events, thing) {
    const traced = traceBack(events, thing);
    return { answer: traced?.owner, evidence: evidenceOf(traced?.steps ?? []) };
  },
  wordings: [
    "Who has the {thing} in the end?",
    "Which person has the {thing} now?",
    "With whom is the {thing} now?",
    "Whose is the {thing} in the end?",
  ],
};

const nobody = "nobody";

const before: Asking = {
  follow(owners, thing) {
    return owners.ownerOf(thing) === undefined ? undefined : (owners.before.get(thing) ?? nobody);
  },
  trace(events, thing) {
    const traced = traceBack(events, thing);
    if (traced === undefined) return { answer: undefined, evidence: [] };
    // The step before the last is a trade, unless the thing is still with its first owner.
    const answer = traced.steps.length > 1 ? traced.steps[0]?.from : nobody;
    return { answer, evidence: evidenceOf(traced.steps) };
  },
  wordings: [
    "Who had the {thing} just before the one who has it now?",
    "Which person had the {thing} before it came to its present owner?",
    "From whom did the present owner of the {thing} get it?",
    "With whom was the {thing} before it was last given away?",
  ],
};

const tradeWorld = (name: string, rule: string, asking: Asking): World =>
  defineWorld<TradeEvent, TradeQuestion>({
    name,
    rule,
    defaults: { cast: 10, bait: 0.75, distance: 0.1, wordings: 4 },
    sizes: ({ cast }) => ({ people: cast, things: cast, rooms: 0, sights: 0 }),
    openings: ({ cast }) => cast,
    wordings: {
      owns: [
        "{person} has the {thing}.",
        "The {thing} belongs to {person}.",
        "{person} owns the {thing}.",
        "{person} begins with the {thing}.",
        "At first the {thing} is with {person}.",
        "{person} comes along with the {thing}.",
      ],
      swaps: [
        "{person} and {other} swap what they have.",
        "{person} trades with {other}.",
        "{person} and {other} exchange their things.",
        "{person} makes a trade with {other}.",
        "What {person} has goes to {other}, and the other way round.",
        "A trade is made between {person} and {other}.",
      ],
      passes: [
        "{person} hands on to {other}, {other} to {third}, {third} to {person}.",
        "In a ring, {person} gives to {other}, {other} to {third} and {third} to {person}.",
        "Round it goes: {person} to {other}, {other} to {third}, {third} to {person}.",
        "{person} passes on to {other} while {other} passes on to {third} and {third} to {person}.",
        "What {person} has goes to {other}, what {other} has to {third}, and what {third} has to {person}.",
        "Three pass things on: from {person} to {other}, from {other} to {third}, from {third} to {person}.",
      ],
      bait: [
        "{person} talks to {other} about the {thing}.",
        "{person} asks {other} who would like the {thing}.",
        "{person} sings a song about the {thing}.",
        "{other} tells {person} a story about the {thing}.",
        "{person} would like to see the {thing}.",
        "{other} writes to {person} about the {thing}.",
        "The {thing} is on the mind of {person}.",
        "{person} dreams of the {thing} that {other} painted.",
      ],
      question: asking.wordings,
    },
    play(random, cast, pace) {
      const play = new TradePlay(random, cast, pace);
      return {
        next: (index) => play.next(index),
        ask() {
          const thing = random.pick(cast.things);
          const answer = asking.follow(play.owners, thing) ?? "";
          return { kind: "person", answer, candidates: [...cast.people, nobody], thing, slots: { thing } };
        },
      };
    },
    follow(events, { thing }) {
      const owners = new Owners();
      for (const event of events) owners.see(event);
      return asking.follow(owners, thing);
    },
    trace: (events, { thing }) => asking.trace(events, thing),
    ...(asking.note === undefined
      ? {}
      : {
          note(events, { thing }) {
            const owners = new Owners();
            for (const event of events) owners.see(event);
            return asking.note?.(owners, thing);
          },
        }),
  });

/** Worlds in which values move between people whom the question does not name. */
export const tradeWorlds: readonly World[] = [
  tradeWorld("trade", "people trade what they have; who has a thing in the end?", now),
  tradeWorld("before", "people trade what they have; who had a thing before its present owner?", before),
];
