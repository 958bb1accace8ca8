import { defineWorld, type World, type WorldQuestion } from "./world.js";

/** One room lies on a side of another. */
interface MapEvent {
  readonly kind: "side";
  readonly room: string;
  readonly side: string;
  readonly other: string;
}

interface MapQuestion extends WorldQuestion {
  /** The room that is asked about, and the side; `forward` asks what it lies beside, else what lies beside it. */
  readonly room: string;
  readonly side: string;
  readonly forward: boolean;
}

const sides = ["north", "south", "east", "west"];
const pairs = 5;

const answers = (event: MapEvent, { room, side, forward }: MapQuestion): string | undefined => {
  if (event.side !== side) return undefined;
  if (forward) return event.room === room ? event.other : undefined;
  return event.other === room ? event.room : undefined;
};

/** Facts of two rooms and a side: ability 4 of bAbI. Each room is in one fact. */
export const mapWorld: World = defineWorld<MapEvent, MapQuestion>({
  name: "babi-4",
  rule: "facts of two: which room lies on a side of another?",
  defaults: { cast: 6, bait: 1, distance: 0, wordings: 4 },
  sizes: ({ cast }) => ({ people: cast, things: cast, rooms: 2 * pairs, sights: 0 }),
  openings: () => pairs,
  wordings: {
    side: [
      "The {room} is {side} of the {other}.",
      "The {room} lies to the {side} of the {other}.",
      "To the {side} of the {other} there is the {room}.",
      "One goes {side} from the {other} to the {room}.",
      "On its {side} side the {other} has the {room}.",
      "The {other} has the {room} to its {side}.",
    ],
    bait: [
      "{person} talks to {other} about the {room}.",
      "{person} asks {other} whether the {room} is larger than the {second}.",
      "{person} walks from the {room} to the {second}.",
      "{other} tells {person} a story about the {room}.",
      "A picture of the {room} reminds {person} of the {thing}.",
      "{other} likes the {room} more than the {second}.",
      "The {room} is on the mind of {person}.",
      "{person} sings of the {room} and its north, south, east and west.",
    ],
    question: ["{asked}?", "{asked}? Name the room.", "Of all rooms, {asked}?", "Tell the room: {asked}?"],
  },
  play(random, { rooms }, { facts }) {
    const places = new Set<number>();
    while (places.size < pairs) places.add(random.below(facts));
    const all = Array.from(
      { length: pairs },
      (_, at): MapEvent => ({
        kind: "side",
        room: rooms[2 * at] ?? "",
        side: random.pick(sides),
        other: rooms[2 * at + 1] ?? "",
      }),
    );
    const left = random.shuffle(all);
    const { room, side, other } = random.pick(all);
    const forward = random.float() < 0.5;
    return {
      next: (index) => (places.has(index) ? left.pop() : undefined),
      ask: () => ({
        kind: "room",
        answer: forward ? other : room,
        candidates: rooms,
        room: forward ? room : other,
        side,
        forward,
        slots: {
          asked: forward ? `the ${room} is ${side} of which room` : `which room is ${side} of the ${other}`,
          room: forward ? room : other,
        },
      }),
    };
  },
  follow(events, question) {
    let answer: string | undefined;
    for (const event of events) answer = answers(event, question) ?? answer;
    return answer;
  },
  trace(events, question) {
    const at = events.findLastIndex((event) => answers(event, question) !== undefined);
    const event = events[at];
    return { answer: event && answers(event, question), evidence: at < 0 ? [] : [at] };
  },
});
