import { type Tool as AnyTool, toolSet } from "@palimpsest/memory";
import { unlessAborted, withDeadline } from "@palimpsest/std";
import { z } from "zod";
import { callback, checkArgument } from "./agent-parts.js";
import { AgentError } from "./error.js";
import { type LineForm, verbOf } from "./tools/line-calls.js";

/** Context of a tool call, in addition to its arguments. */
export interface ToolContext {
  /** Returns a number in [0, 1), which is the same if the run is repeated. */
  readonly random: () => number;
  /** Aborts when the episode is canceled. */
  readonly signal?: AbortSignal;
}

/** A tool that any agent can give its model, created by `defineTool`. */
export interface Tool extends AnyTool<ToolContext> {
  /** The forms in which a line of words calls the tool. If it is empty, only "<tool_call>" calls the tool. */
  readonly lineForms: readonly LineForm[];
}

/** The definition of a tool by its author. */
export interface ToolSpec<Schema extends z.ZodObject> {
  /** Starts with a letter, then letters, digits, "_" and "-", at most 64; it is unique among an agent's tools. */
  readonly name: string;
  /** Description for the model. */
  readonly description: string;
  /** Schema of the arguments: the model gets it as JSON schema, and its calls are validated against it. */
  readonly parameters: Schema;
  /**
   * The form in which a line calls the tool, such as `{ form: "weather CITY", read: (city) => ({ city }) }`. Default,
   * if one text is all that the tool requires: the name and that text.
   */
  readonly line?: Omit<LineForm, "tool">;
  /**
   * Executes a call. It must do the same for the same arguments, otherwise an episode cannot be repeated.
   * @returns the text that the model reads; a result above the agent's limit is truncated
   */
  run(args: z.output<Schema>, context: ToolContext): string | Promise<string>;
  /**
   * Timeout of a call, ms. A call that takes longer is aborted, and fails as if `run` had thrown. Default: the time
   * that an attempt at the episode may take (`queues.rolloutTimeoutMs`), so that a tool that hangs delays its whole
   * group.
   */
  readonly timeoutMs?: number;
  /**
   * Returns what the model reads of an error that `run` throws, or undefined if the model did not cause it, in which
   * case the episode fails with the error. Default: the message of every error. Aborts and `AgentError`s are always
   * rethrown.
   */
  explainError?(reason: unknown): string | undefined;
}

/** One day in ms; Node's timers are limited to less than 25 days. */
const longestMs = 86_400_000;

const specSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.custom<object>((value) => value instanceof z.ZodObject, {
    error: "must be a schema, such as z.strictObject({ city: z.string() })",
  }),
  line: z.strictObject({ form: z.string().min(1), read: callback }).optional(),
  run: callback,
  timeoutMs: z.int().min(1).max(longestMs).optional(),
  explainError: callback.optional(),
});

/**
 * Defines a tool of your own.
 * @throws {AgentError} BAD_CONFIG for an invalid name or timeout, a missing description, or a schema that JSON schema
 *   cannot express
 */
export function defineTool<Schema extends z.ZodObject>(spec: ToolSpec<Schema>): Tool {
  checkArgument(specSchema, spec, "defineTool()");
  const { name, description, parameters, line, timeoutMs, explainError = messageOf } = spec;
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name))
    throw wrong(name, 'name: must begin with a letter and have at most 64 letters, digits, "_" and "-"');
  if (description.trim() === "")
    throw wrong(name, "description: is empty; tell the model what the tool does");
  const tool: Tool = {
    name,
    description,
    schema: parameters,
    lineForms: line ? [{ ...line, tool: name }] : oneTextForm(name, parameters),
    async call(args, context) {
      const given = await parameters.parseAsync(args);
      const text: unknown = await inTime(context, timeoutMs, async (within) => await spec.run(given, within));
      if (typeof text !== "string")
        throw wrong(name, `run: returned a value of type ${typeof text}; return a string`);
      return text;
    },
    refusal(reason, { signal }) {
      if (reason instanceof AgentError || signal?.aborted) return undefined;
      return explainError(reason)?.replace(/\.\s*$/, "");
    },
  };
  checkSchema(tool);
  return tool;
}

/** Runs work under the signal, combined with a second one that aborts after the timeout. */
async function inTime<T>(
  context: ToolContext,
  timeoutMs: number | undefined,
  work: (context: ToolContext) => Promise<T>,
): Promise<T> {
  const { signal } = context;
  const late = () => new Error(`the call took longer than ${timeoutMs} ms`);
  return await withDeadline(
    { ...(timeoutMs === undefined ? {} : { timeoutMs }), signals: [signal], late },
    (either) => unlessAborted(either, work({ ...context, signal: either })),
  );
}

const wrong = (name: string, problem: string) =>
  new AgentError("BAD_CONFIG", `tool ${name.slice(0, 80)}: ${problem}`);

const messageOf = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));

/** Converts the schema to JSON schema, as for the model, so that unsupported types are reported at the definition. */
function checkSchema(tool: Tool): void {
  try {
    toolSet([tool]).definitions;
  } catch (reason) {
    throw wrong(
      tool.name,
      `parameters: ${messageOf(reason)}; use JSON types: strings, numbers, arrays, objects`,
    );
  }
}

/** Returns the form "NAME TEXT" if a single text is all that the tool requires, otherwise no form. */
function oneTextForm(name: string, parameters: z.ZodObject): readonly LineForm[] {
  const required = Object.entries(parameters.shape).filter(([, schema]) => !accepts(schema, undefined));
  const [only, ...more] = required;
  if (only === undefined || more.length > 0 || accepts(only[1], 0)) return [];
  const [field] = only;
  return [{ tool: name, form: `${name} ${field.toUpperCase()}`, read: (rest) => ({ [field]: rest }) }];
}
const accepts = (schema: unknown, value: unknown) =>
  schema instanceof z.ZodType && schema.safeParse(value).success;

/**
 * Returns the line forms of the calls of a list of tools.
 * @throws {AgentError} BAD_CONFIG if a tool has none, or two start with the same verb
 */
export function lineFormsOf(tools: readonly Tool[]): readonly LineForm[] {
  const verbs = new Map<string, string>();
  for (const { name, lineForms } of tools) {
    if (lineForms.length === 0)
      throw wrong(
        name,
        "line: is missing, and no line format can be derived from parameters that are not a single text; set `line`, or use callForm: hermes",
      );
    for (const form of lineForms) {
      const other = verbs.get(verbOf(form));
      if (other !== undefined)
        throw wrong(
          name,
          `line: begins with "${verbOf(form)}", like that of tool ${other}; give it another first word`,
        );
      verbs.set(verbOf(form), name);
    }
  }
  return tools.flatMap(({ lineForms }) => lineForms);
}
