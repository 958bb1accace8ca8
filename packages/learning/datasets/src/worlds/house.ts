import type { Random } from "@palimpsest/std/random";
import type { Cast } from "./entities.js";
import { Pace } from "./pace.js";
import type { Traced, WorldQuestion } from "./world.js";

/** What happens in a house of rooms, people and things. */
export type HouseEvent =
  | { readonly kind: "placed"; readonly person: string; readonly room: string }
  | { readonly kind: "laid"; readonly thing: string; readonly room: string }
  | { readonly kind: "moves"; readonly person: string; readonly room: string }
  | { readonly kind: "takes"; readonly person: string; readonly thing: string }
  | { readonly kind: "drops"; readonly person: string; readonly thing: string }
  | { readonly kind: "gives"; readonly person: string; readonly other: string; readonly thing: string };

/** Shares of the sentences that are no bait, by what happens in them; the rest of them are moves. */
export interface HouseRates {
  readonly takes: number;
  readonly drops: number;
  readonly gives: number;
}

/** The state of a house, followed forward. Of what was left out it knows nothing. */
export class House {
  readonly roomOf = new Map<string, string>();
  /** Who holds a thing. */
  readonly holderOf = new Map<string, string>();
  /** Where a thing lies that nobody holds. */
  readonly lies = new Map<string, string>();
  /** The last two different places of each thing, the latest last. */
  readonly placesOf = new Map<string, readonly string[]>();
  /** Things that were taken, put down or given at least once. */
  readonly touched = new Set<string>();
  /** Who gave each thing away last. */
  readonly giverOf = new Map<string, string>();

  see(event: HouseEvent): void {
    if (event.kind === "placed" || event.kind === "moves") {
      this.roomOf.set(event.person, event.room);
      for (const [thing, holder] of this.holderOf) if (holder === event.person) this.#note(thing);
      return;
    }
    const { thing } = event;
    if (event.kind === "laid") this.lies.set(thing, event.room);
    else if (event.kind === "takes") this.#hold(thing, event.person);
    else if (event.kind === "gives") {
      this.giverOf.set(thing, event.person);
      this.#hold(thing, event.other);
    } else this.#layDown(thing, this.roomOf.get(event.person));
    this.#note(thing);
  }

  /** Returns the room of a thing. */
  placeOf(thing: string): string | undefined {
    const holder = this.holderOf.get(thing);
    return holder === undefined ? this.lies.get(thing) : this.roomOf.get(holder);
  }

  /** Returns the things that a person holds, in the order of the alphabet. */
  heldBy(person: string): string[] {
    return [...this.holderOf].flatMap(([thing, holder]) => (holder === person ? [thing] : [])).sort();
  }

  #hold(thing: string, person: string): void {
    this.lies.delete(thing);
    this.holderOf.set(thing, person);
    this.touched.add(thing);
  }

  #layDown(thing: string, room: string | undefined): void {
    this.holderOf.delete(thing);
    if (room === undefined) this.lies.delete(thing);
    else this.lies.set(thing, room);
    this.touched.add(thing);
  }

  #note(thing: string): void {
    const place = this.placeOf(thing);
    const places = this.placesOf.get(thing) ?? [];
    if (place !== undefined && place !== places.at(-1))
      this.placesOf.set(thing, [...places.slice(-1), place]);
  }
}

/** Draws what happens in a house, one sentence at a time. */
export class HousePlay {
  readonly random: Random;
  readonly cast: Cast;
  readonly house = new House();
  readonly #rates: HouseRates;
  readonly #pace: Pace<HouseEvent>;

  constructor(
    random: Random,
    cast: Cast,
    rates: HouseRates,
    pace: { readonly bait: number; readonly facts: number },
  ) {
    const { people, things, rooms } = cast;
    this.random = random;
    this.cast = cast;
    this.#rates = rates;
    this.#pace = new Pace(
      random,
      [
        ...people.map((person): HouseEvent => ({ kind: "placed", person, room: random.pick(rooms) })),
        ...things.map((thing): HouseEvent => ({ kind: "laid", thing, room: random.pick(rooms) })),
      ],
      pace,
    );
  }

  next(index: number): HouseEvent | undefined {
    const event = this.#pace.next(index, () => this.#happens());
    if (event !== undefined) this.house.see(event);
    return event;
  }

  /** Draws what happens, among what can: things are taken where they lie and given where both are. */
  #happens(): HouseEvent {
    const { random, house, cast } = this;
    const rates = this.#rates;
    const drawn = random.float();
    const held = [...house.holderOf];
    if (drawn < rates.takes) {
      const here = cast.things.flatMap((thing) => {
        const room = house.lies.get(thing);
        return cast.people.flatMap((person) =>
          house.roomOf.get(person) === room ? [{ person, thing }] : [],
        );
      });
      if (here.length > 0) return { kind: "takes", ...random.pick(here) };
    } else if (drawn < rates.takes + rates.drops) {
      const [thing, person] = held.length > 0 ? random.pick(held) : [];
      if (thing !== undefined && person !== undefined) return { kind: "drops", person, thing };
    } else if (drawn < rates.takes + rates.drops + rates.gives) {
      const pairs = held.flatMap(([thing, person]) =>
        cast.people.flatMap((other) =>
          other !== person && house.roomOf.get(other) === house.roomOf.get(person)
            ? [{ person, other, thing }]
            : [],
        ),
      );
      if (pairs.length > 0) return { kind: "gives", ...random.pick(pairs) };
    }
    const person = random.pick(cast.people);
    const room = random.pick(cast.rooms.filter((one) => one !== house.roomOf.get(person)));
    return { kind: "moves", person, room };
  }
}

/** Asks backward: the last event before `end` that fits. */
function lastBefore(
  events: readonly HouseEvent[],
  end: number,
  fits: (event: HouseEvent) => boolean,
): number | undefined {
  for (let at = end - 1; at >= 0; at--) if (fits(events[at] as HouseEvent)) return at;
  return undefined;
}

/** Searches backward for the room of a person, as it was before event `end`. */
export function traceRoom(events: readonly HouseEvent[], person: string, end = events.length): Traced {
  const at = lastBefore(
    events,
    end,
    (event) => (event.kind === "placed" || event.kind === "moves") && event.person === person,
  );
  const event = at === undefined ? undefined : events[at];
  return event !== undefined && "room" in event && at !== undefined
    ? { answer: event.room, evidence: [at] }
    : { answer: undefined, evidence: [] };
}

/** Returns the last event before `end` that handles a thing. */
const lastHandling = (events: readonly HouseEvent[], thing: string, end: number) =>
  lastBefore(events, end, (event) => "thing" in event && event.thing === thing);

/** Searches backward for who holds a thing, as it was before event `end`. */
export function traceHolder(events: readonly HouseEvent[], thing: string, end = events.length): Traced {
  const at = lastHandling(events, thing, end);
  const event = at === undefined ? undefined : events[at];
  if (at === undefined || event === undefined) return { answer: undefined, evidence: [] };
  if (event.kind === "takes") return { answer: event.person, evidence: [at] };
  if (event.kind === "gives") return { answer: event.other, evidence: [at] };
  return { answer: undefined, evidence: [at] };
}

/** Searches backward for the room of a thing, as it was before event `end`. */
export function tracePlace(events: readonly HouseEvent[], thing: string, end = events.length): Traced {
  const at = lastHandling(events, thing, end);
  const event = at === undefined ? undefined : events[at];
  if (at === undefined || event === undefined) return { answer: undefined, evidence: [] };
  if (event.kind === "laid") return { answer: event.room, evidence: [at] };
  // What was put down lies where its holder was at that moment; what is held is where its holder is now.
  const { answer: holder } = traceHolder(events, thing, end);
  const room =
    event.kind === "drops" ? traceRoom(events, event.person, at) : traceRoom(events, holder ?? "", end);
  return { answer: room.answer, evidence: [...new Set([at, ...room.evidence])].sort((a, b) => a - b) };
}

/** A question about a house. */
export interface HouseQuestion extends WorldQuestion {
  readonly person?: string;
  readonly thing?: string;
  readonly room?: string;
}

const placed = [
  "{person} is in the {room}.",
  "{person} waits in the {room}.",
  "The day begins with {person} in the {room}.",
  "{person} woke up in the {room}.",
  "In the {room} stands {person}.",
  "{person} has been in the {room} since the morning.",
];

const moves = [
  "{person} goes to the {room}.",
  "{person} walks into the {room}.",
  "{person} moves over to the {room}.",
  "{person} enters the {room}.",
  "{person} steps into the {room}.",
  "The {room} is where {person} goes next.",
];

/** Wordings of everything that happens in a house, and of its bait. */
export const houseWordings = {
  placed,
  moves,
  laid: [
    "The {thing} lies in the {room}.",
    "Somebody has put the {thing} into the {room}.",
    "The {thing} was left in the {room}.",
    "The {thing} can be found in the {room}.",
    "In the {room} lies the {thing}.",
    "The {thing} is kept in the {room}.",
  ],
  takes: [
    "{person} picks up the {thing}.",
    "{person} takes the {thing}.",
    "{person} gets hold of the {thing}.",
    "The {thing} is picked up by {person}.",
    "{person} grabs the {thing}.",
    "The {thing} goes into the pocket of {person}.",
  ],
  drops: [
    "{person} drops the {thing}.",
    "{person} puts down the {thing}.",
    "{person} leaves the {thing} behind.",
    "The {thing} is put down by {person}.",
    "{person} lets go of the {thing}.",
    "{person} sets the {thing} on the floor.",
  ],
  gives: [
    "{person} gives the {thing} to {other}.",
    "{person} hands the {thing} to {other}.",
    "{other} gets the {thing} from {person}.",
    "{person} passes the {thing} to {other}.",
    "The {thing} changes hands from {person} to {other}.",
    "{other} is given the {thing} by {person}.",
  ],
  bait: [
    "{person} talks to {other} about the {thing}.",
    "{person} asks {other} where the {thing} might be.",
    "{person} dreams of the {room}.",
    "{other} tells {person} a story about the {room}.",
    "{person} sings a song about the {thing}.",
    "A picture of the {room} reminds {person} of the {thing}.",
    "{person} would like to see the {room}.",
    "{other} writes to {person} about the {thing}.",
    "The {thing} is on the mind of {person}.",
    "{person} wonders whether {other} knows the {room}.",
  ],
} as const;
