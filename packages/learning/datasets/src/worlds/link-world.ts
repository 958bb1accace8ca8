import { defineWorld, type World, type WorldQuestion } from "./world.js";

/** Somebody lives beside a sight. */
interface LinkEvent {
  readonly kind: "beside";
  readonly person: string;
  readonly landmark: string;
}

interface LinkQuestion extends WorldQuestion {
  readonly landmark: string;
}

/** A world whose question shares no word with the fact: the link is that a sight stands in a city. */
export const linkWorld: World = defineWorld<LinkEvent, LinkQuestion>({
  name: "link",
  rule: "people sleep beside sights; who lives in the city of one of them?",
  defaults: { cast: 10, bait: 1, distance: 0, wordings: 4 },
  sizes: ({ cast }) => ({ people: cast, things: 0, rooms: 0, sights: cast }),
  openings: ({ cast }) => cast,
  wordings: {
    beside: [
      "{person} sleeps beside {landmark}.",
      "{person} has a bed next to {landmark}.",
      "From the window {person} looks at {landmark}.",
      "The door of {person} opens towards {landmark}.",
      "{person} wakes up each day across from {landmark}.",
      "The house of {person} stands near {landmark}.",
    ],
    bait: [
      "A song about {city} was sung by {person}.",
      "{person} would like to live in {city} one day.",
      "{other} asked {person} whether anybody lives in {city}.",
      "{person} has read that life in {city} is dear.",
      "{person} once spent a week in {city}.",
      "{other} told {person} who used to live in {city}.",
      "{person} bought a map of {city}.",
      "{other} and {person} talked about {city}.",
    ],
    question: [
      "Who lives in {city}?",
      "Which person lives in {city}?",
      "In {city}, who has a place to live?",
      "Which one of them lives in {city}?",
    ],
  },
  play(random, { people, sights }, { facts }) {
    // There is one fact a person, anywhere in the text, so that each depth is as likely. All else is bait.
    const places = new Set<number>();
    while (places.size < people.length) places.add(random.below(facts));
    const left = random.shuffle(people.map((person, at) => ({ person, sight: sights[at] })));
    const asked = random.pick(left);
    return {
      next(index) {
        if (!places.has(index)) return undefined;
        const { person, sight } = left.pop() as (typeof left)[number];
        return { kind: "beside", person, landmark: sight?.landmark ?? "" };
      },
      ask: () => ({
        kind: "person",
        answer: asked.person,
        candidates: people,
        landmark: asked.sight?.landmark ?? "",
        slots: { city: asked.sight?.city ?? "" },
      }),
    };
  },
  follow(events, { landmark }) {
    let answer: string | undefined;
    for (const event of events) if (event.landmark === landmark) answer = event.person;
    return answer;
  },
  trace(events, { landmark }) {
    const at = events.findLastIndex((event) => event.landmark === landmark);
    return { answer: events[at]?.person, evidence: at < 0 ? [] : [at] };
  },
});
