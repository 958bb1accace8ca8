import type { Random } from "@palimpsest/std/random";
import { Pace } from "./pace.js";
import { defineWorld, type Traced, type World, type WorldQuestion } from "./world.js";

/** Where somebody is, is not, or may be. The newest one of a person counts. */
type PresenceEvent =
  | { readonly kind: "here"; readonly person: string; readonly room: string }
  | { readonly kind: "gone"; readonly person: string; readonly room: string }
  | { readonly kind: "either"; readonly person: string; readonly room: string; readonly or: string };

interface PresenceQuestion extends WorldQuestion {
  readonly person: string;
  readonly room: string;
}

/** Answers from the newest event of the person. */
function answerOf(event: PresenceEvent | undefined, room: string): string | undefined {
  if (event === undefined) return undefined;
  if (event.kind === "either") return room === event.room || room === event.or ? "maybe" : "no";
  if (event.kind === "here") return room === event.room ? "yes" : "no";
  // Somebody who has left a room may be in any other.
  return room === event.room ? "no" : "maybe";
}

/** @param kinds what may happen; openings are "here" */
const presenceWorld = (
  name: string,
  rule: string,
  kinds: readonly ("here" | "gone" | "either")[],
  candidates: readonly string[],
): World =>
  defineWorld<PresenceEvent, PresenceQuestion>({
    name,
    rule,
    defaults: { cast: 6, bait: 0.69, distance: 0.1, wordings: 4 },
    sizes: ({ cast }) => ({ people: cast, things: cast, rooms: 10, sights: 0 }),
    openings: ({ cast }) => cast,
    wordings: {
      here: [
        "{person} is in the {room}.",
        "{person} goes to the {room}.",
        "{person} walks into the {room}.",
        "{person} enters the {room}.",
        "{person} steps into the {room}.",
        "The {room} is where {person} goes next.",
      ],
      gone: [
        "{person} is no longer in the {room}.",
        "{person} is not in the {room}.",
        "{person} has left the {room}.",
        "The {room} is without {person} now.",
        "{person} went away from the {room}.",
        "No {person} is in the {room} any more.",
      ],
      either: [
        "{person} is either in the {room} or in the {or}.",
        "{person} is in the {room} or the {or}.",
        "One of the {room} and the {or} has {person} in it.",
        "{person} has gone to the {room} or to the {or}.",
        "It is the {room} or the {or} that {person} is in.",
        "{person} must be in the {room}, or else in the {or}.",
      ],
      bait: [
        "{person} talks to {other} about the {room}.",
        "{person} asks {other} who might be in the {room}.",
        "{person} dreams of the {room}.",
        "{other} tells {person} a story about the {room}.",
        "A picture of the {room} reminds {person} of the {thing}.",
        "{person} would like to see the {room}.",
        "The {room} is on the mind of {person}.",
        "{person} wonders whether {other} knows the {room}.",
      ],
      question: [
        `Is {person} in the {room}: ${candidates.join(", ")}?`,
        `Is {person} in the {room} now? Answer ${candidates.join(" or ")}.`,
        `Would one find {person} in the {room}: ${candidates.join(", ")}?`,
        `Does the {room} have {person} in it? Answer ${candidates.join(" or ")}.`,
      ],
    },
    play(random, { people, rooms }, pace) {
      const newest = new Map<string, PresenceEvent>();
      const happens = (): PresenceEvent => {
        const [person, [room = "", or = ""]] = [random.pick(people), random.shuffle(rooms)];
        const kind = random.pick(kinds);
        return kind === "either" ? { kind, person, room, or } : { kind, person, room };
      };
      const openings = people.map(
        (person): PresenceEvent => ({ kind: "here", person, room: random.pick(rooms) }),
      );
      const pacing = new Pace(random, openings, pace);
      return {
        next(index) {
          const event = pacing.next(index, happens);
          if (event !== undefined) newest.set(event.person, event);
          return event;
        },
        ask() {
          const answer = random.pick(candidates);
          const [person, room] = asked(random, people, rooms, newest, candidates, answer);
          const right = answerOf(newest.get(person), room) ?? "";
          return { kind: right, answer: right, candidates, person, room, slots: { person, room } };
        },
      };
    },
    follow(events, { person, room }) {
      let newest: PresenceEvent | undefined;
      for (const event of events) if (event.person === person) newest = event;
      return answerOf(newest, room);
    },
    trace(events, { person, room }): Traced {
      const at = events.findLastIndex((event) => event.person === person);
      return { answer: answerOf(events[at], room), evidence: at < 0 ? [] : [at] };
    },
  });

/** Draws a person and a room with this answer, or, if there is none, with any answer that may be given. */
function asked(
  random: Random,
  people: readonly string[],
  rooms: readonly string[],
  newest: ReadonlyMap<string, PresenceEvent>,
  candidates: readonly string[],
  answer: string,
): readonly [person: string, room: string] {
  const all = people.flatMap((person) =>
    rooms.map((room) => ({ person, room, answer: answerOf(newest.get(person), room) ?? "" })),
  );
  const fitting = all.filter((one) => one.answer === answer);
  const { person, room } = random.pick(
    fitting.length > 0 ? fitting : all.filter((one) => candidates.includes(one.answer)),
  );
  return [person, room];
}

/** Abilities 9 and 10 of bAbI: what is said not to be so, and what is not certain. */
export const presenceWorlds: readonly World[] = [
  presenceWorld("babi-9", "negation: is somebody in a room?", ["here", "gone"], ["yes", "no"]),
  presenceWorld(
    "babi-10",
    "uncertainty: is somebody in a room, or may that be?",
    ["here", "gone", "either"],
    ["yes", "no", "maybe"],
  ),
];
