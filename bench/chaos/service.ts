/** A process that is restarted two seconds after its end, as a service manager would do it. */
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import type { Host } from "./host.js";

const restartDelayMs = 2_000;

export interface ServiceOptions {
  readonly host: Host;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The file that receives everything it prints. */
  readonly logFile: string;
  /** If false, it is not restarted, and `ended` says so. */
  readonly restart?: boolean;
}

export class Service {
  readonly host: Host;
  readonly #options: ServiceOptions;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #output = "";
  starts = 0;

  constructor(options: ServiceOptions) {
    this.host = options.host;
    this.#options = options;
    this.#start();
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The last 64 KiB of its output. */
  get output(): string {
    return this.#output;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.running) this.#child?.kill(signal);
  }

  /** Ends it without a restart. */
  close(signal: NodeJS.Signals = "SIGKILL"): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.signal("SIGCONT");
    this.signal(signal);
  }

  #start(): void {
    const { host, program, args, environment, logFile, restart = true } = this.#options;
    const command = host.commandLine(program, args);
    this.starts++;
    const child = spawn(command.program, command.args, {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    const keep = (chunk: Buffer) => {
      appendFileSync(logFile, chunk);
      this.#output = (this.#output + chunk.toString()).slice(-65_536);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    child.once("exit", (code, signal) => {
      keep(Buffer.from(`[bench] ended with ${signal ?? code}\n`));
      if (restart && !this.#closed) this.#timer = setTimeout(() => this.#start(), restartDelayMs);
    });
  }
}
