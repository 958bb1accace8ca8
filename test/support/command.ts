import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The command as it is installed, from built code. */
const program = fileURLToPath(new URL("../../packages/apps/cli/bin/palimpsest.js", import.meta.url));

export interface CommandEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Arguments of node that stand before those of the run. Default: the command. */
  readonly program?: readonly string[];
}

/** One run of the palimpsest command. */
export class Command {
  readonly pid: number;
  /** Resolves when the process has ended and all of its output was read. */
  readonly ended: Promise<CommandEnd>;
  readonly #child: ChildProcess;
  #stdout = "";
  #stderr = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    this.ended = once(child, "close").then(([code, signal]) => {
      const [unlike] = /^warning: what --json printed .*$/m.exec(this.#stderr) ?? [];
      if (unlike !== undefined) throw new Error(unlike);
      return {
        code: code as number | null,
        signal: signal as NodeJS.Signals | null,
        stdout: this.#stdout,
        stderr: this.#stderr,
      };
    });
  }

  static start(args: readonly string[], options: CommandOptions): Command {
    const child = spawn(process.execPath, [...(options.program ?? [program]), ...args], {
      cwd: options.cwd,
      env: { ...ownEnvironment(), ...options.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new Command(child);
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Everything that it has printed so far. */
  get output(): string {
    return `${this.#stdout}${this.#stderr}`;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

/** Returns the environment of a person's shell, without the variables of the test runner or of another cluster. */
function ownEnvironment(): Record<string, string> {
  const foreign = /^(PALIMPSEST_|VITEST|NODE_OPTIONS$|NODE_ENV$|NODE_CHANNEL_)/;
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !foreign.test(entry[0]),
    ),
  );
}
