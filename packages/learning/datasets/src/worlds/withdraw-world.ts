import { defineWorld, type Traced, type World, type WorldQuestion } from "./world.js";

/** Reports of where things are, and withdrawals of the report before. */
type ReportEvent =
  | { readonly kind: "report"; readonly thing: string; readonly room: string }
  | { readonly kind: "withdrawal" };

interface ReportQuestion extends WorldQuestion {
  readonly thing: string;
}

const unknown = "unknown";

/** What is known of each thing; a withdrawal takes back the newest report, and with it what was known before. */
class Reports {
  readonly roomOf = new Map<string, string>();
  #newest: string | undefined;

  see(event: ReportEvent): void {
    if (event.kind === "report") {
      this.roomOf.set(event.thing, event.room);
      this.#newest = event.thing;
    } else if (this.#newest !== undefined) {
      this.roomOf.delete(this.#newest);
      this.#newest = undefined;
    }
  }

  /** Whether the newest report still stands, so that it can be withdrawn. */
  get standing(): boolean {
    return this.#newest !== undefined;
  }
}

/** Answers backward: the thing's last report, unless a withdrawal comes before the next report of anything. */
function trace(events: readonly ReportEvent[], thing: string): Traced {
  const at = events.findLastIndex((event) => event.kind === "report" && event.thing === thing);
  const event = events[at];
  if (event?.kind !== "report") return { answer: unknown, evidence: [] };
  const withdrawn = events[at + 1]?.kind === "withdrawal";
  return withdrawn ? { answer: unknown, evidence: [at, at + 1] } : { answer: event.room, evidence: [at] };
}

/** How reports are worded, and talk with the same words. */
export const reportWordings = {
  report: [
    "A report puts the {thing} in the {room}.",
    "It is reported that the {thing} is in the {room}.",
    "By a new report the {thing} lies in the {room}.",
    "The {room} has the {thing}, says a report.",
    "According to a report, the {thing} stands in the {room}.",
    "A report names the {room} as the place of the {thing}.",
  ],
  withdrawal: [
    "The last report is withdrawn.",
    "Forget the last report.",
    "Nobody trusts the last report any more.",
    "What was reported last is taken back, and its place is not known.",
    "The newest report does not hold any more.",
    "The last report turns out to be a guess.",
  ],
  bait: [
    "{person} talks to {other} about the {thing}.",
    "{person} asks {other} whether the {room} is large.",
    "{person} would like to see the {thing} in the {room} one day.",
    "{person} sings a song about the {thing}.",
    "{other} tells {person} a story about the {thing}.",
    "A picture of the {room} reminds {person} of the {thing}.",
    "The {thing} is on the mind of {person}.",
    "{person} wonders whether the {room} is known to {other}.",
  ],
};

/** A world in which half of the questions have no answer, since what answered them was taken back. */
export const withdrawWorld: World = defineWorld<ReportEvent, ReportQuestion>({
  name: "withdraw",
  rule: "reports say where things are, and the last report may be withdrawn; where is a thing, if that is known?",
  defaults: { cast: 10, bait: 0.65, distance: 0.1, wordings: 4 },
  sizes: ({ cast }) => ({ people: cast, things: 12, rooms: 10, sights: 0 }),
  openings: () => 0,
  wordings: {
    ...reportWordings,
    question: [
      "In which room is the {thing}, or is that unknown?",
      "Where is the {thing} now, if it is not unknown?",
      "Which room has the {thing} in the end, or is it unknown?",
      "Is the place of the {thing} unknown, or which room is it?",
    ],
  },
  play(random, cast, { bait }) {
    const reports = new Reports();
    return {
      next() {
        if (random.float() < bait) return undefined;
        const event: ReportEvent =
          reports.standing && random.float() < 0.29
            ? { kind: "withdrawal" }
            : { kind: "report", thing: random.pick(cast.things), room: random.pick(cast.rooms) };
        reports.see(event);
        return event;
      },
      ask() {
        const known = random.float() < 0.5;
        const asked = cast.things.filter((thing) => reports.roomOf.has(thing) === known);
        const thing = random.pick(asked.length > 0 ? asked : cast.things);
        const answer = reports.roomOf.get(thing) ?? unknown;
        return {
          kind: answer === unknown ? unknown : "known",
          answer,
          candidates: [...cast.rooms, unknown],
          thing,
          slots: { thing },
        };
      },
    };
  },
  follow(events, { thing }) {
    const reports = new Reports();
    for (const event of events) reports.see(event);
    return reports.roomOf.get(thing) ?? unknown;
  },
  trace: (events, { thing }) => trace(events, thing),
});
