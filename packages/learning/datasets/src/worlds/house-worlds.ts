import {
  House,
  type HouseEvent,
  HousePlay,
  type HouseQuestion,
  type HouseRates,
  houseWordings,
  traceHolder,
  tracePlace,
  traceRoom,
} from "./house.js";
import { defineWorld, type Traced, type World } from "./world.js";

/** What is asked of a house in the end. */
interface Asking {
  /** Draws a question; it is asked of a house in which anything of the kind can be asked. */
  ask(play: HousePlay): HouseQuestion;
  /** Answers it of a house that was followed forward. */
  follow(house: House, question: HouseQuestion): string | undefined;
  /** What is to be remembered of the house so far. */
  note?(house: House, question: HouseQuestion): string | undefined;
  /** Answers it backward. */
  trace(events: readonly HouseEvent[], question: HouseQuestion): Traced;
  readonly wordings: readonly string[];
}

const nothing = "nothing";
const nowhere = "nowhere";
const placeBefore = (places: readonly string[]) => places.at(-2) ?? nowhere;
const listed = (labels: readonly string[]) => (labels.length === 0 ? nothing : labels.join(" and "));
const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const yesOrNo = (right: boolean) => (right ? "yes" : "no");

/** Prefers things that moved, since the rest can be found where they were laid. */
const anyThing = ({ house, cast, random }: HousePlay) =>
  random.pick(house.touched.size > 0 ? [...house.touched] : cast.things.slice());

const whereThing: Asking = {
  ask(play) {
    const thing = anyThing(play);
    const answer = play.house.placeOf(thing) ?? "";
    return { kind: "room", answer, candidates: play.cast.rooms, thing, slots: { thing } };
  },
  follow: (house, { thing = "" }) => house.placeOf(thing),
  note(house, { thing = "" }) {
    const [holder, room] = [house.holderOf.get(thing), house.placeOf(thing)];
    return holder === undefined || room === undefined ? room : `${holder} ${room}`;
  },
  trace: (events, { thing = "" }) => tracePlace(events, thing),
  wordings: [
    "In which room is the {thing}?",
    "Where is the {thing} now?",
    "Which room has the {thing} in the end?",
    "Where would one find the {thing}?",
  ],
};

const wherePerson: Asking = {
  ask({ random, cast, house }) {
    const person = random.pick(cast.people);
    const answer = house.roomOf.get(person) ?? "";
    return { kind: "room", answer, candidates: cast.rooms, person, slots: { person } };
  },
  follow: (house, { person = "" }) => house.roomOf.get(person),
  trace: (events, { person = "" }) => traceRoom(events, person),
  wordings: [
    "In which room is {person}?",
    "Where is {person} now?",
    "Which room is {person} in, in the end?",
    "Where would one find {person}?",
  ],
};

const whereBefore: Asking = {
  ask({ random, cast, house }) {
    const moved = [...house.placesOf].filter(([, places]) => places.length > 1);
    const [thing, places] = random.pick(moved.length > 0 ? moved : [...house.placesOf]);
    const room = places.at(-1) ?? "";
    const answer = placeBefore(places);
    return { kind: "room", answer, candidates: [...cast.rooms, nowhere], thing, slots: { thing, room } };
  },
  follow: (house, { thing = "" }) => placeBefore(house.placesOf.get(thing) ?? []),
  trace(events, { thing = "" }) {
    const { answer: now, evidence } = tracePlace(events, thing);
    for (let end = events.length - 1; end > 0; end--) {
      const before = tracePlace(events, thing, end);
      if (before.answer === undefined) break;
      if (before.answer === now) continue;
      const all = new Set([...before.evidence, end, ...evidence]);
      return { answer: before.answer, evidence: [...all].sort((a, b) => a - b) };
    }
    return { answer: nowhere, evidence };
  },
  wordings: [
    "In which room was the {thing} before the {room}?",
    "Where was the {thing} before it came to the {room}?",
    "Which room had the {thing} just before the {room} had it?",
    "From which room did the {thing} come to the {room}?",
  ],
};

const whoGave: Asking = {
  ask(play) {
    const { random, cast, house } = play;
    const given = [...house.giverOf.keys()];
    const thing = given.length > 0 ? random.pick(given) : anyThing(play);
    const answer = house.giverOf.get(thing) ?? "nobody";
    return { kind: "person", answer, candidates: [...cast.people, "nobody"], thing, slots: { thing } };
  },
  follow: (house, { thing = "" }) => house.giverOf.get(thing) ?? "nobody",
  trace(events, { thing = "" }) {
    const at = events.findLastIndex((event) => event.kind === "gives" && event.thing === thing);
    const event = events[at];
    return event?.kind === "gives"
      ? { answer: event.person, evidence: [at] }
      : { answer: "nobody", evidence: [] };
  },
  wordings: [
    "Who gave away the {thing} last?",
    "Who was the last to give the {thing} to somebody?",
    "From whom did somebody last get the {thing}?",
    "Which person last gave the {thing} away?",
  ],
};

const isThere: Asking = {
  ask({ random, cast, house }) {
    const person = random.pick(cast.people);
    const at = house.roomOf.get(person) ?? "";
    const room = random.float() < 0.5 ? at : random.pick(cast.rooms.filter((one) => one !== at));
    const answer = yesOrNo(room === at);
    return { kind: answer, answer, candidates: ["yes", "no"], person, room, slots: { person, room } };
  },
  follow(house, { person = "", room }) {
    const at = house.roomOf.get(person);
    return at === undefined ? undefined : yesOrNo(at === room);
  },
  trace(events, { person = "", room }) {
    const { answer, evidence } = traceRoom(events, person);
    return { answer: answer === undefined ? undefined : yesOrNo(answer === room), evidence };
  },
  wordings: [
    "Is {person} in the {room}, yes or no?",
    "Yes or no: is {person} in the {room} now?",
    "Would one find {person} in the {room}, yes or no?",
    "Yes or no: does the {room} have {person} in it?",
  ],
};

/** Traces every thing to its holder. */
function heldBackward(events: readonly HouseEvent[], person: string): { held: string[]; evidence: number[] } {
  const things = new Set(events.flatMap((event) => ("thing" in event ? [event.thing] : [])));
  const traced = [...things].map((thing) => ({ thing, ...traceHolder(events, thing) }));
  const held = traced.filter(({ answer }) => answer === person);
  return {
    held: held.map(({ thing }) => thing).sort(),
    evidence: held.flatMap(({ evidence }) => evidence).sort((a, b) => a - b),
  };
}

/** Half of the questions are about somebody who holds something. */
function anyHolder({ random, house, cast }: HousePlay): string {
  const holders = [...new Set(house.holderOf.values())];
  return random.float() < 0.7 && holders.length > 0 ? random.pick(holders) : random.pick(cast.people);
}

const howMany: Asking = {
  ask(play) {
    const person = anyHolder(play);
    const held = play.house.heldBy(person).length;
    const answer = numbers[held] ?? "";
    const candidates = numbers.slice(0, play.cast.things.length + 1);
    return { kind: "number", answer, aliases: [String(held)], candidates, person, slots: { person } };
  },
  follow: (house, { person = "" }) => numbers[house.heldBy(person).length],
  trace(events, { person = "" }) {
    const { held, evidence } = heldBackward(events, person);
    return { answer: numbers[held.length], evidence };
  },
  wordings: [
    "How many things does {person} hold?",
    "What is the number of things that {person} holds now?",
    "How many things are in the hands of {person} in the end?",
    "Count the things that {person} has: how many?",
  ],
};

const whichOnes: Asking = {
  ask(play) {
    const person = anyHolder(play);
    const answer = listed(play.house.heldBy(person));
    return { kind: "list", answer, candidates: [...play.cast.things, nothing], person, slots: { person } };
  },
  follow: (house, { person = "" }) => listed(house.heldBy(person)),
  trace(events, { person = "" }) {
    const { held, evidence } = heldBackward(events, person);
    return { answer: listed(held), evidence };
  },
  wordings: [
    "What does {person} hold?",
    "Which things does {person} hold now?",
    "Name everything in the hands of {person}.",
    "What would {person} have to put down?",
  ],
};

const houseWorld = (name: string, rule: string, rates: HouseRates, asking: Asking): World =>
  defineWorld<HouseEvent, HouseQuestion>({
    name,
    rule,
    defaults: { cast: 6, bait: 0.69, distance: 0.1, wordings: 4 },
    sizes: ({ cast }) => ({ people: cast, things: cast, rooms: 10, sights: 0 }),
    wordings: { ...houseWordings, question: asking.wordings },
    openings: ({ cast }) => 2 * cast,
    play(random, cast, pace) {
      const play = new HousePlay(random, cast, rates, pace);
      return { next: (index) => play.next(index), ask: () => asking.ask(play) };
    },
    follow(events, question) {
      const house = new House();
      for (const event of events) house.see(event);
      return asking.follow(house, question);
    },
    trace: (events, question) => asking.trace(events, question),
    ...(asking.note === undefined
      ? {}
      : {
          note(events, question) {
            const house = new House();
            for (const event of events) house.see(event);
            return asking.note?.(house, question);
          },
        }),
  });

const carrying: HouseRates = { takes: 0.23, drops: 0.13, gives: 0 };
const giving: HouseRates = { takes: 0.2, drops: 0.1, gives: 0.15 };

/** Worlds of people who walk through a house and carry things: `carry`, and abilities 1 to 3 and 5 to 8 of bAbI. */
export const houseWorlds: readonly World[] = [
  houseWorld(
    "carry",
    "people walk with things; in which room is a thing that was carried?",
    carrying,
    whereThing,
  ),
  houseWorld("babi-1", "one fact: in which room is somebody?", carrying, wherePerson),
  houseWorld("babi-2", "two facts: in which room is something?", giving, whereThing),
  houseWorld("babi-3", "three facts: in which room was something before?", carrying, whereBefore),
  houseWorld("babi-5", "facts of three: who gave something away?", giving, whoGave),
  houseWorld("babi-6", "yes or no: is somebody in a room?", carrying, isThere),
  houseWorld("babi-7", "counting: how many things does somebody hold?", giving, howMany),
  houseWorld("babi-8", "lists: what does somebody hold?", giving, whichOnes),
];
