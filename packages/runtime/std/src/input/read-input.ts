/**
 * Reads what users give: options of functions, recipes, files, flags, arguments of tools. What a schema refuses is told by
 * the field, what it must be, its value, and the name that was probably meant. Schemas are read by their structure, so that
 * this module loads no zod: actors' processes start faster without it.
 */
import type { z } from "zod";
import { closestWord } from "./closest-word.js";
import { shownValue } from "./shown-value.js";

export interface InputProblem {
  readonly path: readonly PropertyKey[];
  /** What is wrong with the field, with its value. */
  readonly message: string;
  /** The keys that the schema does not know, if that is the problem. */
  readonly unknownKeys?: readonly string[];
}

export interface InputNames {
  /** Today's names of keys by their former names. */
  readonly former?: Readonly<Record<string, string>>;
  /** What messages call fields, such as the flags that they come from. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What messages call the whole value. Default: nothing. */
  readonly whole?: string;
}

const maxProblems = 5;
const mostNames = 30;

/** Returns the parsed value, or what is wrong with it, at most five problems. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  names: InputNames = {},
):
  | { readonly data: z.output<Schema> }
  | { readonly problems: readonly InputProblem[]; readonly error: z.ZodError } {
  const parsed = schema.safeParse(value, { error: sentenceOf });
  if (parsed.success) return { data: parsed.data };
  const issues = parsed.error.issues.flatMap(innerIssues);
  // A mistyped name explains what is missing, so that it is told in any case.
  const mistyped = issues.filter(({ code }) => code === "unrecognized_keys");
  const told = new Set([...new Set([...mistyped, ...issues])].slice(0, maxProblems));
  const problems = issues
    .filter((issue) => told.has(issue))
    .map((issue) => problemOf(issue, schema, value, names));
  return { problems, error: parsed.error };
}

/**
 * Parses a value that a user gave.
 * @param refuse makes the error from one line that names every wrong field
 * @throws what refuse returns
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  refuse: (problem: string, cause: z.ZodError) => Error,
  names: InputNames = {},
): z.output<Schema> {
  const read = readInput(schema, value, names);
  if ("data" in read) return read.data;
  throw refuse(problemsLine(read.problems, names), read.error);
}

/** Joins problems to one line, each with the path of its field. */
export function problemsLine(
  problems: readonly InputProblem[],
  { fields = {}, whole = "" }: InputNames = {},
): string {
  return problems
    .map(({ path, message }) => {
      const field = path.length === 0 ? whole : pathText(path);
      return field === "" ? message : `${fields[field] ?? field}: ${message}`;
    })
    .join(" | ");
}

/** Formats the path of a field, such as `messages[0].role`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${String(key)}`))
    .join("");
}

/** Says which keys are unknown, and which were probably meant. */
export function unknownKeys(
  keys: readonly string[],
  known: Iterable<string>,
  former: InputNames["former"] = {},
): string {
  const names = [...known];
  const more = keys.length > maxProblems ? [`${keys.length - maxProblems} more unknown keys`] : [];
  const meant = keys.slice(0, maxProblems).map((key) => {
    const renamed = Object.hasOwn(former, key) ? former[key] : undefined;
    return renamed !== undefined && names.includes(renamed) ? renamed : closestWord(key, names);
  });
  const rest = meant.flatMap((word, index) => (word === undefined ? [shownValue(keys[index])] : []));
  const [noun, it] = rest.length === 1 ? ["key", "it"] : ["keys", "them"];
  const others =
    names.length === 0
      ? ""
      : `, or use one of ${names.slice(0, mostNames).join(", ")}${names.length > mostNames ? ", …" : ""}`;
  return [
    ...meant.flatMap((word, index) =>
      word === undefined ? [] : [`unknown key ${shownValue(keys[index])}; did you mean "${word}"?`],
    ),
    ...(rest.length === 0 ? [] : [`unknown ${noun} ${rest.join(", ")}; leave ${it} out${others}`]),
    ...more,
  ].join("; ");
}

function problemOf(issue: Issue, schema: unknown, value: unknown, names: InputNames): InputProblem {
  const { path } = issue;
  if (issue.code === "unrecognized_keys") {
    // A key that another alternative of a union knows is of no use here.
    const known = knownKeys(schema, path).filter((key) => !issue.keys.includes(key));
    return { path, message: unknownKeys(issue.keys, known, names.former), unknownKeys: issue.keys };
  }
  const [inner] = issue.code === "invalid_key" ? issue.issues : [];
  if (inner !== undefined) return { path, message: `is a key that ${inner.message}` };
  // A message of this form names the value itself.
  if (/^(?:is|are|has|have) /.test(issue.message)) return { path, message: issue.message };
  // So does the message of a coded error.
  const [, coded] = /^\[[A-Z_]+\] (.+)$/s.exec(issue.message) ?? [];
  if (coded !== undefined) return { path, message: coded };
  const given = path.reduce(at, value);
  return {
    path,
    message: `${issue.message}; it is ${shownValue(given, String(path.at(-1)))}${meant(issue, given)}`,
  };
}

function meant(issue: Issue, given: unknown): string {
  const choices = choicesOf(issue).flatMap((choice) => (typeof choice === "string" ? [choice] : []));
  const closest = typeof given === "string" ? closestWord(given, choices) : undefined;
  return closest === undefined ? "" : `; did you mean "${closest}"?`;
}

type Issue = z.core.$ZodIssue;

/** Says what is expected of a value, if its schema has no sentence of its own. */
function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${issue.input === Number.POSITIVE_INFINITY ? "a finite number" : (nouns[issue.expected] ?? issue.expected)}`;
    case "invalid_value":
      return oneOf(issue.values);
    case "invalid_union":
      return "options" in issue && Array.isArray(issue.options) ? oneOf(issue.options) : undefined;
    case "too_small":
      if (entries[issue.origin] === undefined)
        return `must be ${issue.inclusive === false ? "above" : "at least"} ${issue.minimum}`;
      return issue.minimum === 1
        ? "must not be empty"
        : `must have at least ${counted(issue.origin, issue.minimum)}`;
    case "too_big":
      if (entries[issue.origin] === undefined)
        return `must be ${issue.inclusive === false ? "below" : "at most"} ${issue.maximum}`;
      return `must have at most ${counted(issue.origin, issue.maximum)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return issue.format === "regex" ? `must match ${issue.pattern}` : `must be a valid ${issue.format}`;
    default:
      return undefined;
  }
}

const entries: Readonly<Record<string, string>> = {
  array: "entr",
  map: "entr",
  set: "entr",
  string: "character",
};

function counted(origin: string, size: number | bigint): string {
  const endings = entries[origin] === "entr" ? ["y", "ies"] : ["", "s"];
  return `${size} ${entries[origin]}${endings[Number(size) === 1 ? 0 : 1]}`;
}

const oneOf = (values: readonly unknown[]) =>
  `must be ${values.map((value) => (value === undefined ? "left out" : shownValue(value))).join(" or ")}`;

const nouns: Readonly<Record<string, string>> = {
  array: "a list",
  bigint: "a whole number",
  boolean: "true or false",
  date: "a Date",
  function: "a function",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a text",
  tuple: "a list",
  nonoptional: "given",
  undefined: "absent",
};

function choicesOf(issue: Issue): readonly z.core.util.Primitive[] {
  if (issue.code === "invalid_value") return issue.values;
  return issue.code === "invalid_union" && "options" in issue && Array.isArray(issue.options)
    ? issue.options
    : [];
}

/**
 * For a union, returns the problems of the alternative that the value matches best. If it matches none from the start, the
 * alternatives are one problem.
 */
function innerIssues(issue: Issue): Issue[] {
  // A union with a sentence of its own needs no other.
  if (issue.code !== "invalid_union" || issue.errors.length === 0 || issue.message !== "Invalid input")
    return [issue];
  const alternatives = issue.errors.map((inner) => inner.flatMap(innerIssues));
  const isOther = (issues: readonly Issue[]) =>
    issues.some(
      ({ path, code }) => path.length === 0 && (code === "invalid_type" || code === "invalid_value"),
    );
  const [closest] = alternatives
    .filter((issues) => !isOther(issues))
    .reverse()
    .sort((a, b) => a.length - b.length);
  if (closest !== undefined)
    return closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  const sentences = new Set(
    alternatives.flat().flatMap(({ message }) => message.replace(/^must be /, "").split(", or ")),
  );
  const values = alternatives.flat().flatMap(choicesOf);
  return [
    { code: "invalid_value", path: issue.path, message: `must be ${[...sentences].join(", or ")}`, values },
  ];
}

/** Returns the field names that a schema accepts at a path, over all alternatives of a union; empty if it declares none. */
function knownKeys(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  let here = layersOf(schema);
  for (const step of path) here = here.flatMap((layer) => layersOf(inside(layer, step)));
  return [...new Set(here.flatMap((layer) => Object.keys(record(at(at(layer, "def"), "shape")))))];
}

/** Returns a schema and, below it, the schemas that its defaults, unions and transforms wrap. */
export function layersOf(schema: unknown): unknown[] {
  if (schema === undefined) return [];
  const def = at(schema, "def");
  const options = at(def, "options");
  const wrapped = [
    at(def, "innerType"),
    at(def, "in"),
    at(def, "left"),
    at(def, "right"),
    ...(Array.isArray(options) ? options : []),
  ];
  return [schema, ...wrapped.flatMap(layersOf)];
}

function inside(schema: unknown, step: PropertyKey): unknown {
  const def = at(schema, "def");
  return at(at(def, "shape"), step) ?? at(def, "element") ?? at(def, "valueType");
}

const record = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});

/** Returns a field of whatever has fields. */
function at(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
