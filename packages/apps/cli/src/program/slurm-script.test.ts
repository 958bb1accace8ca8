import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";

const script = fileURLToPath(new URL("../../../../../deploy/slurm/palimpsest.sbatch", import.meta.url));

const srun = `#!/bin/bash
for option; do case $option in --output=*) log=\${option#--output=};; esac; done
SLURMD_NODENAME=one exec "\${@:$#-2}" >"\${log//%N/one}" 2>&1
`;

/** Pauses are noted and not taken. */
const sleep = `#!/bin/sh
case $1 in *.*) exec /bin/sleep "$@";; *) echo "pause $1" >>"$work/events";; esac
`;

/** A head that lives until it is told to stop; workers that end with one code after the other; a job that lives as long. */
const palimpsest = `#!/bin/bash
case "$1 $2" in
"head start")
  mkdir -p "\${@: -1}"
  echo '{"address": "one:7420"}' >"\${@: -1}/head.json"
  until [ -e "$work/stopped" ]; do /bin/sleep 0.02; done ;;
"worker join")
  read -r code rest <"$work/codes"
  echo "$rest" >"$work/codes"
  echo "worker \${code:-none}" >>"$work/events"
  case $code in
  stop) touch "$work/ready"; until [ -e "$work/stopped" ]; do /bin/sleep 0.02; done; exit \${rest:-0} ;;
  0) touch "$work/ready" ;;
  esac
  exit "\${code:-9}" ;;
"job submit") until [ -e "$work/ready" ]; do /bin/sleep 0.02; done ;;
"stop "*) touch "$work/stopped" ;;
esac
`;

/** Runs the script with a worker whose processes end with these codes. @returns its exit code, what happened, the worker's log */
async function run(codes: string) {
  const work = testFolder();
  writeFileSync(join(work, "codes"), `${codes}\n`);
  writeFileSync(join(work, "events"), "");
  for (const [name, text] of Object.entries({ srun, sleep, palimpsest }))
    writeFileSync(join(work, name), text, { mode: 0o755 });
  const child = spawn("bash", [script, "recipe.yaml"], {
    cwd: work,
    detached: true,
    stdio: "ignore",
    env: {
      ...{ PATH: `${work}:${process.env["PATH"]}`, work, TMPDIR: work },
      ...{ SLURM_JOB_ID: "7", SLURM_JOB_NUM_NODES: "1", SLURM_CPUS_ON_NODE: "2", SLURMD_NODENAME: "one" },
    },
  });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {
      // All have ended.
    }
  });
  const [code] = (await once(child, "exit")) as [number | null];
  const read = (path: string) => readFileSync(join(work, path), "utf8");
  return {
    code,
    events: read("events").trim().split("\n"),
    log: read("palimpsest-7/logs/worker-one.log"),
  };
}

it("Slurm's script starts a worker again at once that asks for it, and one that failed after a pause that grows", async () => {
  const { code, events, log } = await run("75 1 137 4 75 1 0");
  expect(code).toBe(0);
  expect(events).toEqual([
    ...["worker 75", "worker 1", "pause 1", "worker 137", "pause 2", "worker 4", "pause 4"],
    ...["worker 75", "worker 1", "pause 8", "worker 0"],
  ]);
  expect(log).toContain("the worker ended with the exit code 137 and is started again in 2 s");
});

it("Slurm's script starts no worker when the job has ended, however the worker ends", async () => {
  for (const last of ["0", "4"]) {
    const { code, events } = await run(`stop ${last}`);
    expect([code, events[0], events.filter((event) => event.startsWith("worker"))]).toEqual([
      0,
      "worker stop",
      ["worker stop"],
    ]);
  }
});
