import { styleText } from "node:util";
import { wordDiff } from "@palimpsest/evals";
import { createLogUpdate } from "log-update";
import { formatSeconds } from "../display/duration.js";
import type { AskStart, AskStep } from "./ask-run.js";

/** Displays, while a document is read, the position in it and the memory as it changes. */
export interface AskScreen {
  start(start: AskStart): void;
  step(step: AskStep): void;
  /** Prints a line that stays. */
  note(text: string): void;
  close(): void;
}

/** Opens a screen that shows a live block on a terminal, and otherwise writes one line per step. */
export function openAskScreen(stream: NodeJS.WriteStream, now = () => performance.now()): AskScreen {
  return stream.isTTY ? liveScreen(stream) : logScreen(stream, now);
}

/** Removes control characters, so that no document can control the terminal. */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ");
}

export const oneLine = (text: string) => harmless(text).replace(/\s+/g, " ").trim();

const percent = (part: number, whole: number) =>
  whole === 0 ? 100 : Math.min(100, Math.floor((100 * part) / whole));

/** Below this a log says no estimate. */
const leastToldSeconds = 10;

/** Estimates the rest from what was read so far; NaN before anything was. */
function secondsLeft({
  seconds,
  begun,
  read,
  total,
}: Readonly<Record<"seconds" | "begun" | "read" | "total", number>>) {
  return read > begun ? (seconds / (read - begun)) * (total - read) : Number.NaN;
}

const cutNote = " (truncated at its token limit)";

function logScreen(stream: NodeJS.WriteStream, now: () => number): AskScreen {
  let total = 0;
  let begun = 0;
  let memory = "";
  let startedAtMs = 0;
  return {
    start: (start) => {
      total = start.documentTokens;
      begun = start.documentTokensRead;
      memory = start.memory;
      startedAtMs = now();
      const from = start.documentTokensRead > 0 ? `, resuming at token ${start.documentTokensRead}` : "";
      stream.write(`reading ${total} tokens${from}\n`);
    },
    step: ({ step, memoryStep, documentTokensRead, truncated }) => {
      if (memoryStep === undefined) return;
      const place = `[${String(percent(documentTokensRead, total)).padStart(3)} %] step ${step + 1}, ${documentTokensRead} tokens read`;
      const recalled = memoryStep.recalled === "" ? "" : `; recalled: ${oneLine(memoryStep.recalled)}`;
      const shown =
        memoryStep.memory === memory ? "memory unchanged" : `memory: ${oneLine(memoryStep.memory)}`;
      memory = memoryStep.memory;
      const left = secondsLeft({
        seconds: (now() - startedAtMs) / 1000,
        begun,
        read: documentTokensRead,
        total,
      });
      const eta = left >= leastToldSeconds ? `, ETA ${formatSeconds(left)}` : "";
      stream.write(`${place}${eta}${recalled}; ${shown}${truncated ? cutNote : ""}\n`);
    },
    note: (text) => stream.write(`${oneLine(text)}\n`),
    close: () => undefined,
  };
}

const barWidth = 24;
const redrawIntervalMs = 100;

function liveScreen(stream: NodeJS.WriteStream): AskScreen {
  // It follows NO_COLOR and FORCE_COLOR.
  const dim = (text: string) => styleText("dim", text, { stream });
  const green = (text: string) => styleText("green", text, { stream });
  const log = createLogUpdate(stream);
  const startedAtMs = performance.now();
  let total = 0;
  let begun = 0;
  let read = 0;
  let memory = "";
  let shown = "";
  let recalled = "";
  let step = 0;
  const lines = () => {
    const seconds = (performance.now() - startedAtMs) / 1000;
    const left = secondsLeft({ seconds, begun, read, total });
    const share = total === 0 ? 1 : read / total;
    const bar = "█".repeat(Math.round(share * barWidth)).padEnd(barWidth, "░");
    const now = read >= total ? "answering" : "reading";
    return [
      `${now.padEnd(9)} ${bar} ${percent(read, total)} %   ${read} of ${total} tokens   ${formatSeconds(seconds)}   ETA ${formatSeconds(left)}`,
      ...(recalled === "" ? [] : [dim(`recalled  ${recalled}`)]),
      ...(shown === "" ? [] : [dim(`memory after step ${step}`), shown]),
    ].join("\n");
  };
  const draw = () => {
    if (total > 0) log(lines());
  };
  const timer = setInterval(draw, redrawIntervalMs);
  timer.unref();
  return {
    start: (start) => {
      total = start.documentTokens;
      begun = start.documentTokensRead;
      read = begun;
      memory = start.memory;
      draw();
    },
    step: ({ memoryStep, documentTokensRead, step: at }) => {
      read = documentTokensRead;
      if (memoryStep !== undefined) {
        const room = Math.max(200, (stream.columns || 80) * ((stream.rows || 24) - 5));
        shown = changes(memory, memoryStep.memory, room, green);
        memory = memoryStep.memory;
        recalled = oneLine(memoryStep.recalled).slice(0, 2 * (stream.columns || 80));
        step = at + 1;
      }
      draw();
    },
    note: (text) => {
      log.clear();
      stream.write(`${oneLine(text)}\n`);
      draw();
    },
    close: () => {
      clearInterval(timer);
      draw();
      log.done();
    },
  };
}

/** Returns the end of a memory, with its new parts marked. */
function changes(
  before: string,
  now: string,
  mostCharacters: number,
  green: (text: string) => string,
): string {
  const cut = now.length > mostCharacters ? now.length - mostCharacters : 0;
  let place = 0;
  const parts = wordDiff(before, now)
    .filter(({ kind }) => kind !== "removed")
    .map(({ kind, text }) => {
      const visible = text.slice(Math.max(0, cut - place));
      place += text.length;
      return kind === "added" && visible !== "" ? green(harmless(visible)) : harmless(visible);
    });
  return `${cut > 0 ? "… " : ""}${parts.join("")}`;
}
