import { Pace } from "./pace.js";
import { defineWorld, type Traced, type World, type WorldQuestion } from "./world.js";

/** How many people are where, and how many go from where to where. Numbers are words from "zero" on. */
type CountEvent =
  | { readonly kind: "begin"; readonly number: string; readonly room: string }
  | { readonly kind: "go"; readonly number: string; readonly room: string; readonly to: string }
  | { readonly kind: "half"; readonly room: string; readonly to: string };

interface CountQuestion extends WorldQuestion {
  readonly room: string;
}

const crowd = 24;
const roomCount = 3;
const numbers = [
  ..."zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split(
    " ",
  ),
  ..."sixteen seventeen eighteen nineteen twenty twenty-one twenty-two twenty-three twenty-four".split(" "),
];
const numberOf = new Map(numbers.map((word, value) => [word, value]));
const value = (word: string) => numberOf.get(word) ?? 0;

/** Moves people between the counts of two rooms. A room of which nothing is known stays so. */
function follow(counts: Map<string, number>, event: CountEvent): void {
  if (event.kind === "begin") {
    counts.set(event.room, value(event.number));
    return;
  }
  const from = counts.get(event.room);
  const to = counts.get(event.to);
  const some = event.kind === "go" ? value(event.number) : Math.floor((from ?? 0) / 2);
  if (from !== undefined) counts.set(event.room, from - some);
  if (to !== undefined) counts.set(event.to, to + some);
}

/**
 * Answers backward: the count in the end is a sum of earlier counts with weights, plus a constant. Each move changes
 * the weights or the constant, until every room's first count is reached.
 */
function trace(events: readonly CountEvent[], room: string): Traced {
  const weights = new Map<string, number>([[room, 1]]);
  const weightOf = (one: string) => weights.get(one) ?? 0;
  let sum = 0;
  let begun = 0;
  const evidence: number[] = [];
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at] as CountEvent;
    if (event.kind === "begin") {
      sum += weightOf(event.room) * value(event.number);
      begun += 1;
      if (weightOf(event.room) !== 0) evidence.push(at);
      continue;
    }
    const [from, to] = [weightOf(event.room), weightOf(event.to)];
    if (from !== to) evidence.push(at);
    if (event.kind === "go") sum += value(event.number) * (to - from);
    else weights.set(event.room, (from + to) / 2);
  }
  return { answer: begun < roomCount ? undefined : numbers[Math.round(sum)], evidence: evidence.reverse() };
}

/** A world of sums: no few sentences hold the answer. */
export const countWorld: World = defineWorld<CountEvent, CountQuestion>({
  name: "count",
  rule: "people go from room to room in numbers and halves; how many are in one in the end?",
  defaults: { cast: 10, bait: 0.8, distance: 0.1, wordings: 4 },
  sizes: ({ cast }) => ({ people: cast, things: 0, rooms: roomCount, sights: 0 }),
  openings: () => roomCount,
  wordings: {
    begin: [
      "At first there are {number} people in the {room}.",
      "The {room} begins with {number} people.",
      "In the morning {number} people are in the {room}.",
      "{number} people are in the {room} when it begins.",
      "It begins with {number} people in the {room}.",
      "The {room} has {number} people at first.",
    ],
    go: [
      "{number} people go from the {room} to the {to}.",
      "{number} people leave the {room} for the {to}.",
      "From the {room}, {number} people walk to the {to}.",
      "{number} of those in the {room} go to the {to}.",
      "The {to} gets {number} people from the {room}.",
      "{number} people move out of the {room} and into the {to}.",
    ],
    half: [
      "Half of those in the {room} go to the {to}.",
      "Half of the people in the {room} leave it for the {to}.",
      "From the {room}, every second one walks to the {to}.",
      "Half of the {room} goes to the {to}.",
      "The {to} gets half of the people from the {room}.",
      "One half of those in the {room} moves into the {to}.",
    ],
    bait: [
      "{person} counts the windows of the {room}.",
      "{person} tells {other} how many people the {room} once had.",
      "{person} would like more people to see the {room}.",
      "{other} and {person} talk about people in the {room}.",
      "{person} sings of the people in the {room}.",
      "A picture of the {room} is shown to {other}.",
      "{person} has heard of a {room} for a hundred people.",
      "The {room} is on the mind of {person}.",
    ],
    question: [
      "How many people are in the {room} in the end?",
      "How many people are in the {room} now?",
      "What is the number of people in the {room} now?",
      "Count the people in the {room}: how many are there in the end?",
    ],
  },
  play(random, cast, pace) {
    const { rooms } = cast;
    const counts = new Map<string, number>();
    const [a = 0, b = 0] = [2 + random.below(9), 2 + random.below(9)];
    const first = [a, b, crowd - a - b];
    const openings = rooms.map(
      (room, at): CountEvent => ({ kind: "begin", number: numbers[first[at] ?? 0] ?? "", room }),
    );
    const pacing = new Pace(random, openings, pace);
    const happens = (): CountEvent => {
      // Of 24 people in three rooms at least two are always together.
      const room = random.pick(rooms.filter((one) => (counts.get(one) ?? 0) >= 2));
      const to = random.pick(rooms.filter((one) => one !== room));
      const here = counts.get(room) ?? 0;
      if (here % 2 === 0 && random.float() < 0.25) return { kind: "half", room, to };
      return { kind: "go", number: numbers[2 + random.below(here - 1)] ?? "", room, to };
    };
    return {
      next(index) {
        const event = pacing.next(index, happens);
        if (event !== undefined) follow(counts, event);
        return event;
      },
      ask() {
        const room = random.pick(rooms);
        const answer = numbers[counts.get(room) ?? 0] ?? "";
        const aliases = [String(counts.get(room) ?? 0)];
        return { kind: "number", answer, aliases, candidates: numbers, room, slots: { room } };
      },
    };
  },
  follow(events, { room }) {
    const counts = new Map<string, number>();
    for (const event of events) follow(counts, event);
    const count = counts.get(room);
    return count === undefined ? undefined : numbers[count];
  },
  trace: (events, { room }) => trace(events, room),
});
