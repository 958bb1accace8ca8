import { Arguments } from "./arguments.js";
import { TemplateFailure } from "./failure.js";
import { makeRange } from "./list-filters.js";
import { textOf } from "./print.js";
import type { Run } from "./run.js";
import { formatTime } from "./time.js";
import { Callable, Dict, iterate, type Keywords, Namespace, type Value } from "./values.js";

/** What Python prints for those of the functions that are classes there. */
const classes = new Map([
  ["dict", "<class 'dict'>"],
  ["namespace", "<class 'jinja2.utils.Namespace'>"],
  ["cycler", "<class 'jinja2.utils.Cycler'>"],
  ["joiner", "<class 'jinja2.utils.Joiner'>"],
]);

/** The functions of Jinja and of `transformers` that every template has. */
export function globalFunctions(run: Run): ReadonlyMap<string, Value> {
  const functions: Readonly<Record<string, (positional: readonly Value[], keywords: Keywords) => Value>> = {
    raise_exception: (positional, keywords) => {
      const given = new Arguments("raise_exception()", ["message"], positional, keywords);
      throw new TemplateFailure(textOf(given.value("message"), run));
    },
    strftime_now: (positional, keywords) => {
      const given = new Arguments("strftime_now()", ["format"], positional, keywords);
      return formatTime(run.now(), given.text("format"));
    },
    range: makeRange,
    dict: (positional, keywords) => dictOf(positional, keywords),
    namespace: (positional, keywords) => {
      const namespace = new Namespace();
      for (const [key, value] of dictOf(positional, keywords).entries()) {
        namespace.fields.set(textOf(key, run), value);
      }
      return namespace;
    },
    cycler: (items) => cycler(items),
    joiner: (positional, keywords) => {
      const given = new Arguments("joiner()", ["sep?"], positional, keywords);
      let used = false;
      return new Callable("joiner", () => {
        const text = used ? given.or("sep", ", ") : "";
        used = true;
        return text;
      });
    },
    lipsum: () => {
      throw new TemplateFailure("lipsum() writes random text, which a prompt must not have; remove it");
    },
  };
  return new Map(
    Object.entries(functions).map(([name, call]) => [name, new Callable(classes.get(name) ?? name, call)]),
  );
}

function dictOf(positional: readonly Value[], keywords: Keywords): Dict {
  const dict = new Dict();
  const [first, ...others] = positional;
  if (others.length > 0)
    throw new TemplateFailure(`dict expected at most 1 argument, got ${positional.length}`);
  if (first instanceof Dict) for (const [key, value] of first.entries()) dict.set(key, value);
  else if (first !== undefined) {
    for (const pair of iterate(first)) {
      const [key, value, ...more] = iterate(pair);
      if (key === undefined || value === undefined || more.length > 0) {
        throw new TemplateFailure("dictionary update sequence elements must have length 2");
      }
      dict.set(key, value);
    }
  }
  for (const [key, value] of keywords) dict.set(key, value);
  return dict;
}

function cycler(items: readonly Value[]): Value {
  if (items.length === 0) throw new TemplateFailure("at least one item has to be provided");
  let at = 0;
  const namespace = new Namespace();
  const show = () => namespace.fields.set("current", items[at] ?? null);
  const move = (to: number) => {
    const value = items[at] ?? null;
    at = to % items.length;
    show();
    return value;
  };
  namespace.fields.set("next", new Callable("next", () => move(at + 1)));
  namespace.fields.set(
    "reset",
    new Callable("reset", () => {
      move(0);
      return null;
    }),
  );
  show();
  return namespace;
}
