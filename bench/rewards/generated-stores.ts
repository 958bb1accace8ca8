import type { MemoryRecord, Task } from "@palimpsest/trajectories";
import { createRandom } from "@palimpsest/trajectories/random";

const people = ["Anna", "Boris", "Clara", "David", "Elena", "Frank", "Greta", "Henry"];
const verbs = ["bought", "lost", "painted", "repaired", "sold", "found", "borrowed", "hid"];
const things = ["bicycle", "violin", "kettle", "lantern", "carpet", "camera", "ladder", "canoe"];
/** Returns a place that no other fact has, so that no place is right by chance. */
const placeOf = (at: number) =>
  `${["Berg", "Tur", "Ly", "Port", "Gh", "Krak", "Malm", "Gr"][at % 8]}${"abcdefghijklmnopqrst"[Math.floor(at / 8)]}en`;

/** Makes a store of 160 dated facts, of which the question's own is missing in every other task. */
export function generatedTask(index: number): Task {
  const random = createRandom(`reward-cheats/${index}`);
  const facts = random.shuffle(
    people.flatMap((person) => verbs.flatMap((verb) => things.map((thing) => ({ person, verb, thing })))),
  );
  const told = facts.slice(0, 160).map((fact, i) => ({ ...fact, place: placeOf(i) }));
  const records = told.map(
    ({ person, verb, thing, place }, i): MemoryRecord => ({
      id: `r${i}`,
      content: `${person} ${verb} an old ${thing} near the market of ${place} and told a friend about it.`,
      memoryType: "episodic",
      dialogueTime: `2023-0${1 + (i % 9)}-1${i % 10}`,
      speaker: person,
      provenance: [`D${1 + Math.floor(i / 20)}:${1 + (i % 20)}`],
      metadata: {},
    }),
  );
  const probe = (at: number, heldOut: boolean) => {
    const { person, verb, thing, place } = told[at] as (typeof told)[number];
    return { question: `Where was it that ${person} ${verb} the ${thing}?`, answers: [place], heldOut };
  };
  const probes = [probe(0, false), ...[40, 80, 120].map((at) => probe(at, true))];
  const { question, answers } = probe(0, false);
  return {
    id: `generated-${index}`,
    question,
    answers,
    document: "",
    metadata: {},
    records: index % 2 === 0 ? records : records.slice(1),
    probes,
  };
}
