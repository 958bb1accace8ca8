import type { EvalItem } from "../suite/item.js";
import { labelFinder } from "../worlds/one-of.js";

/** Something besides the document that gives an answer away. */
export interface Leak {
  readonly item: string;
  /** Where it stands, such as "question" or "records[3].id". */
  readonly field: string;
  readonly text: string;
}

const telling =
  /(?:^|[^\p{L}])(?:answers?|gold|golden|evidence|correct|solution|target|truth|support(?:ing)?)(?:[^\p{L}]|$)/iu;

/**
 * Finds what gives answers away outside of the texts that are to be read: the answer in the question, where questions of
 * other answers do not name it too; the answer, or a word such as "answer" or "gold", in what identifies a record; and ids of evidence that
 * are formed otherwise than all others.
 */
export function leaksOf(items: readonly EvalItem[]): Leak[] {
  const groups = new Map<string | number, EvalItem[]>();
  for (const item of items) {
    const own = groups.get(item.group);
    if (own === undefined) groups.set(item.group, [item]);
    else own.push(item);
  }
  return [...groups.values()].flatMap((own) => [...leaksOfQuestions(own), ...own.flatMap(leaksOfRecords)]);
}

function leaksOfQuestions(items: readonly EvalItem[]): Leak[] {
  const labels = [...new Set(items.flatMap(({ answers }) => answers))];
  const named = items.map(({ question }) => new Set(labelFinder(labels)(question)));
  // A label that most questions of other answers name too, such as "yes" in "yes or no", tells nothing.
  const offered = new Set(
    labels.filter((label) => {
      const others = named.filter((_, at) => !items[at]?.answers.includes(label));
      return others.length > 0 && 2 * others.filter((one) => one.has(label)).length > others.length;
    }),
  );
  return items.flatMap(({ id, question, answers }, at) =>
    answers.some((answer) => named[at]?.has(answer) && !offered.has(answer))
      ? [{ item: id, field: "question", text: question }]
      : [],
  );
}

function leaksOfRecords({ id: item, records = [], evidence = [], answers }: EvalItem): Leak[] {
  const namesAnswer = labelFinder(answers);
  const leaks = records.flatMap(({ id, metadata }, at): Leak[] => {
    const told = (text: string) => telling.test(text) || namesAnswer(text).length > 0;
    const fields = Object.entries(metadata).flatMap(([name, value]) =>
      told(name) || (typeof value === "string" && telling.test(value))
        ? [{ item, field: `records[${at}].metadata.${name}`, text: String(value) }]
        : [],
    );
    return [...(told(id) ? [{ item, field: `records[${at}].id`, text: id }] : []), ...fields];
  });
  const forms = (inEvidence: boolean) =>
    new Set(records.flatMap(({ id }) => (evidence.includes(id) === inEvidence ? [formOf(id)] : [])));
  const [gold, rest] = [forms(true), forms(false)];
  const apart = gold.size > 0 && rest.size > 0 && [...gold].every((form) => !rest.has(form));
  const odd = records.findIndex(({ id }) => evidence.includes(id));
  return apart ? [...leaks, { item, field: `records[${odd}].id`, text: records[odd]?.id ?? "" }] : leaks;
}

/** Returns an id with its letters and digits as classes, so that ids that only count up have one form. */
const formOf = (id: string) => id.replace(/\p{N}+/gu, "0");
