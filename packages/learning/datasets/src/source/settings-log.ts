/**
 * Responsibility: logs whose first line states under which settings the others were made, so that a run goes on with what
 * an earlier one has paid for.
 * Not responsible for: what the other lines contain.
 *
 * Invariants:
 * - SETTINGSLOG-1. A file that does not begin like such a log is refused and stays as it is, though its last line is cut off.
 * - SETTINGSLOG-2. A log of other settings is refused with the names of those that differ.
 */

import { existsSync } from "node:fs";
import { LineFile } from "@palimpsest/std/files";
import { z } from "zod";
import { DatasetError } from "../error.js";
import { lineTexts } from "./line-texts.js";

type Settings = Readonly<Record<string, unknown>>;

export interface SettingsLog {
  readonly path: string;
  /** The option that names the file, for messages. */
  readonly field: string;
  readonly log: "answers" | "pass-rates";
  readonly settings: Settings;
  readonly signal: AbortSignal | undefined;
}

const headSchema = z.strictObject({ log: z.string(), settings: z.record(z.string(), z.unknown()) });

/**
 * Opens a log to continue it, or begins it.
 * @throws {DatasetError} BAD_CONFIG if the file is something else or has other settings; UNREADABLE_FILE
 */
export async function openSettingsLog({
  path,
  field,
  log,
  settings,
  signal,
}: SettingsLog): Promise<LineFile> {
  const holds = log.replace("-", " ");
  const refuse = (problem: string) =>
    new DatasetError("BAD_CONFIG", `${field}: "${path}" ${problem}`, { path });
  const beginning = `{"log":"${log}"`;
  const begun = existsSync(path) ? await firstLine(path, signal) : undefined;
  if (begun !== undefined && !begun.startsWith(beginning) && !beginning.startsWith(begun))
    throw refuse(`is not a file of ${holds}; give another path`);
  const file = await LineFile.open(path);
  const head = await firstLine(path, signal);
  if (head === undefined) await file.append({ log, settings });
  else {
    const before = settingsIn(log, head);
    if (before === undefined) throw refuse(`is not a file of ${holds}; give another path`);
    const names = [...new Set([...Object.keys(before), ...Object.keys(settings)])];
    const other = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(settings[name]));
    const differing = other.map(
      (name) => `${name}: there ${shown(before[name])}, here ${shown(settings[name])}`,
    );
    if (other.length > 0)
      throw refuse(
        `contains ${holds} with other settings (${differing.join("; ")}); give another file, or the settings with which it was begun`,
      );
  }
  return file;
}

/** Yields what the lines after the first one contain; undefined for one that is not JSON. */
export async function* entriesOf(
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly line: number; readonly value: unknown }> {
  let isHead = true;
  for await (const { line, text } of lineTexts(path, signal)) {
    if (!isHead) yield { line, value: parsedLine(text) };
    isHead = false;
  }
}

/** Returns the settings that a log's first line states; undefined if it is another line. */
export function settingsIn(log: SettingsLog["log"], line: string): Settings | undefined {
  const { data } = headSchema.safeParse(parsedLine(line));
  return data?.log === log ? data.settings : undefined;
}

/** Parses JSON; returns undefined if the text is not JSON. */
export function parsedLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function firstLine(path: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  for await (const { text } of lineTexts(path, signal)) return text;
  return undefined;
}

const longestShown = 100;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}
