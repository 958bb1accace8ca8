/** Reports the surroundings of its process: variables, the working folder, and an npm package. */
import { readFileSync, statSync } from "node:fs";
import { type ActorContext, taskContext } from "@palimpsest/client";

export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The content of notes.txt in the working folder. */
  readonly notes: string;
  readonly notesMode: number;
  /** The greeting of the package; empty if it cannot be imported. */
  readonly greeting: string;
  readonly pid: number;
}

export async function look(...names: string[]): Promise<Surroundings> {
  // The name is a variable, because the compiler does not know the package, which nodes install.
  const greeter = "greeter";
  const found = await import(greeter).catch(() => undefined);
  return {
    variables: Object.fromEntries(names.map((name) => [name, process.env[name]])),
    cwd: process.cwd(),
    notes: textOf("notes.txt"),
    notesMode: modeOf("notes.txt"),
    greeting: typeof found?.greet === "function" ? String(found.greet()) : "",
    pid: process.pid,
  };
}

/** Runs `look` in a child task of the task that calls it. */
export async function lookFromTask(...names: string[]): Promise<Surroundings> {
  const cluster = await taskContext().connect();
  return await cluster.task(look, { from: new URL(import.meta.url) }, { resources: {} })(...names);
}

export class Probe {
  #context: ActorContext | undefined;

  start(context: ActorContext): void {
    this.#context = context;
  }

  look(...names: string[]): Promise<Surroundings> {
    return look(...names);
  }

  /** Calls an actor that this one spawns. */
  async lookFromChild(environment: Record<string, string>, ...names: string[]): Promise<Surroundings> {
    const cluster = await this.#context?.connect();
    const child = cluster?.actor(Probe, { from: new URL(import.meta.url) }, { environment });
    return (await (await child?.spawn())?.look(...names)) as Surroundings;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
}
