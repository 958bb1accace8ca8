/**
 * Responsibility: reconstructs a memory store before and after each tool call of an episode, from the calls and their
 * answers.
 * Not responsible for: records that the episode neither wrote nor read, which a trace does not contain.
 */
import type { TraceToolCall } from "../trace/trace-schema.js";

/** A record that a call changed. */
export interface StoreChange {
  readonly id: string;
  /** Undefined when the record is new or `known` is false. */
  readonly before: string | undefined;
  /** Undefined when the record was deleted. */
  readonly after: string | undefined;
  /** Whether the episode had written or read the record before. */
  readonly known: boolean;
}

/** A tool call, with the memory store before and after it. */
export interface ReplayedCall {
  readonly call: TraceToolCall;
  readonly changes: readonly StoreChange[];
  /** Records that the episode has seen, by id. */
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

/** Replays the calls in order, and returns each with the store before and after it. */
export function replayStore(calls: readonly TraceToolCall[]): ReplayedCall[] {
  let known: ReadonlyMap<string, string> = new Map();
  return calls.map((call) => {
    const before = known;
    const written = new Map(before);
    const touched = effectOf(call, written);
    known = written;
    const changes = touched.map((id) => ({
      id,
      before: before.get(id),
      after: written.get(id),
      known: before.has(id) || call.name === "manage_memory" || written.has(id),
    }));
    return { call, changes, before, after: written };
  });
}

/** Applies the call and returns the records that it changed. */
function effectOf({ name, arguments: text, result }: TraceToolCall, store: Map<string, string>): string[] {
  if (result === undefined || result.startsWith("Error:")) return [];
  const args = fieldsOf(text);
  const one = textOf(args["memory_id"]);
  const content = textOf(args["content"]);
  // Records are in brackets after a heading, or alone when compact tools answer.
  const all = result.split("\n");
  const long = all.filter((line) => line.startsWith("["));
  const lines = (long.length > 0 ? long : all).flatMap(lineOf);
  switch (name) {
    case "manage_memory": {
      const id = textOf(args["operation"]) === "update" ? one : idOf(result);
      if (id !== "") store.set(id, content);
      return id === "" ? [] : [id];
    }
    case "delete_memory":
      store.delete(one);
      return one === "" ? [] : [one];
    case "merge_memory": {
      const ids = Array.isArray(args["memory_ids"]) ? args["memory_ids"].map(textOf) : [];
      for (const id of ids) store.delete(id);
      const [made] = lineOf(result.replace(/^Merged .*? into (?=\[)/s, ""));
      if (made) store.set(made.id, made.content);
      return [...ids, ...(made ? [made.id] : [])];
    }
    case "split_memory":
      store.delete(one);
      for (const { id, content: part } of lines) store.set(id, part);
      return [one, ...lines.map(({ id }) => id)];
    case "search_memory":
    case "sample_memory":
      // The records that were read are known from now on, but the call has changed nothing.
      for (const { id, content: read } of lines) store.set(id, read);
      return [];
    default:
      return [];
  }
}

/** Parses "[id] (score 0.93, semantic) text", or "id text" of compact tools. */
function lineOf(line: string): { readonly id: string; readonly content: string }[] {
  const long = /^\[([^\]\s]+)\](?: \([^)]*\))? (.*)$/s.exec(line);
  const short = long ?? /^([A-Za-z]*[-_]?\d[\w-]*) (.+)$/s.exec(line);
  const [, id = "", content = ""] = short ?? [];
  return id === "" ? [] : [{ id, content }];
}

const idOf = (result: string) => /\[([^\]\s]+)\]/.exec(result)?.[1] ?? (/\s/.test(result) ? "" : result);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
