import { reportFailure } from "./display/failure.js";
import { printableLine } from "./display/printable.js";
import { knowSize } from "./display/terminal-size.js";
import { mistypedVariables } from "./program/mistyped-variables.js";
import { makeProgram } from "./program/whole-program.js";

async function run(): Promise<void> {
  knowSize([process.stdout, process.stderr]);
  for (const line of mistypedVariables(process.env)) process.stderr.write(`${printableLine(line)}\n`);
  try {
    const program = await makeProgram(process.argv[2]);
    await program.parseAsync();
  } catch (reason) {
    process.exitCode = reportFailure(reason);
  }
}

// The promise is not awaited, because this module is also bundled as CommonJS, which has no top-level await.
void run();
