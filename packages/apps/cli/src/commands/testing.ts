import { Command } from "commander";

const streams = ["stdout", "stderr"] as const;

/** Runs commands for tests, in this process, and captures their output. */
export class CommandRun {
  /** The output of the last command. */
  stdout = "";
  stderr = "";
  readonly #add: readonly ((program: Command) => void)[];
  readonly #writes = { stdout: process.stdout.write, stderr: process.stderr.write };

  /** @param add adds commands to a program */
  constructor(...add: ((program: Command) => void)[]) {
    this.#add = add;
  }

  /** Captures all output from now on. Call it in `beforeEach`. */
  begin(): void {
    process.exitCode = undefined;
    for (const stream of streams) {
      process[stream].write = (text: string | Uint8Array) => {
        this[stream] += typeof text === "string" ? text : Buffer.from(text).toString();
        return true;
      };
    }
  }

  /** Restores the previous state. Call it in `afterEach`. */
  end(): void {
    process.exitCode = undefined;
    for (const stream of streams) process[stream].write = this.#writes[stream];
  }

  /** @returns standard output. @throws the command's error; CommanderError if the arguments are invalid */
  async run(...words: string[]): Promise<string> {
    this.stdout = "";
    this.stderr = "";
    process.exitCode = undefined;
    const program = new Command("palimpsest");
    for (const add of this.#add) add(program);
    strict(program);
    await program.parseAsync(words, { from: "user" });
    return this.stdout;
  }
}

/** Makes invalid arguments throw, at every depth, instead of ending the process. */
function strict(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  for (const each of command.commands) strict(each);
}
