import { createReadStream } from "node:fs";
import { dirname } from "node:path";
import { LineFile, makeFolder, replaceFile } from "@palimpsest/std/files";
import { checkKind, parseInput, parseJson, reasonText } from "@palimpsest/std/input";
import { EvaluationError } from "../error.js";
import { type Trace, traceSchema } from "./trace-schema.js";

const lineOf = (trace: Trace) => `${JSON.stringify(trace)}\n`;

/** Writes a complete trace file, which appears as a whole or not at all. */
export async function writeTraces(path: string, traces: readonly Trace[]): Promise<void> {
  makeFolder(dirname(path));
  await replaceFile(path, traces.map(lineOf).join(""));
}

/** A trace file that grows line by line, with one writer at a time. */
export class TraceFile {
  readonly #file: LineFile;

  private constructor(file: LineFile) {
    this.#file = file;
  }

  /** Opens a file to continue after its existing lines. An incomplete line that a killed process left is removed. */
  static async open(path: string): Promise<TraceFile> {
    makeFolder(dirname(path));
    return new TraceFile(await LineFile.open(path));
  }

  /** Appends a line after those of earlier calls. It is on the disk when the promise resolves. */
  async append(trace: Trace): Promise<void> {
    await this.#file.append(trace);
  }
}

interface Line {
  readonly text: string;
  /** False for the last one of a file that ends without a line's end. */
  readonly isWhole: boolean;
}

/** Yields a file's lines. Those of readline end at U+2028 and U+2029, too, on Node.js 24, and JSON has these in texts. */
async function* linesOf(path: string): AsyncGenerator<Line> {
  let rest = "";
  try {
    for await (const chunk of createReadStream(path, "utf8")) {
      const text = String(chunk);
      rest += text;
      if (!text.includes("\n")) continue;
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield { text: line, isWhole: true };
    }
  } catch (reason) {
    throw new EvaluationError(
      "BAD_TRACE",
      `${path}: cannot be read (${reasonText(reason)}); give a trace file`,
      { cause: reason },
    );
  }
  yield { text: rest, isWhole: false };
}

/**
 * Reads the traces of a file one by one. An incomplete line at its end, which a killed process leaves, is skipped.
 * @throws {EvaluationError} BAD_TRACE naming the line and the field, or when there is no such file
 */
export async function* readTraces(path: string): AsyncGenerator<Trace> {
  checkKind(path, "path of readTraces()", "a path", (problem) => new EvaluationError("BAD_TRACE", problem));
  let number = 0;
  for await (const { text, isWhole } of linesOf(path)) {
    number += 1;
    if (text.trim() === "" || (!isWhole && !isJson(text))) continue;
    yield parseTrace(path, number, text);
  }
}

function parseTrace(path: string, line: number, text: string): Trace {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (reason) {
    throw new EvaluationError(
      "BAD_TRACE",
      `${path}, line ${line}: is not JSON (${reasonText(reason)}); give a trace file with one trace per line`,
    );
  }
  return parseInput(traceSchema, value, (problem) => {
    const version = (value as { readonly version?: unknown } | null)?.version;
    const fix =
      typeof version === "number" && version !== traceSchema.shape.version.value
        ? `has version ${version}, but this program reads version ${traceSchema.shape.version.value}`
        : problem;
    return new EvaluationError("BAD_TRACE", `${path}, line ${line}: ${fix}`);
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
