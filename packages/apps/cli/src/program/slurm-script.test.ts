import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";

const script = fileURLToPath(new URL("../../../../../deploy/slurm/palimpsest.sbatch", import.meta.url));

const srun = `#!/bin/bash
for option; do case $option in --output=*) log=\${option#--output=};; esac; done
SLURMD_NODENAME=one "\${@:$#-2}" >"\${log//%N/one}" 2>&1 &
echo $! >"$work/task"
wait $!
echo "task $?" >>"$work/events"
`;

/** Signals reach the first process of a task alone, as with Slurm's tracking by control groups. */
const scancel = `#!/bin/bash
[ "$*" = "--signal=TERM 7.0" ] && kill $(cat "$work/task")
`;

/** Pauses are noted and not taken, but one in which the job ends lasts as long. */
const sleep = `#!/bin/sh
case $1 in *.*) exec /bin/sleep "$@";; *) echo "pause $1" >>"$work/events";; esac
[ ! -e "$work/ready" ] || until [ -e "$work/stopped" ]; do /bin/sleep 0.02; done
`;

/** A head that lives until it is told to stop; workers that end with one code after the other; a job that lives as long. */
const palimpsest = `#!/bin/bash
case "$1 $2" in
"certs init") mkdir "$4" || exit 1 ;;
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
  fail) touch "$work/ready"; exit 4 ;;
  deaf | alone | told)
    [ $code != alone ] || touch "$work/stopped"
    [ $code != told ] || kill $PPID
    [ $code = told ] || touch "$work/ready"
    cat
    echo "in order" >>"$work/events"
    touch "$work/ready"
    exit 3 ;;
  0) touch "$work/ready" ;;
  esac
  exit "\${code:-9}" ;;
"job submit") until [ -e "$work/ready" ]; do /bin/sleep 0.02; done ;;
"stop "*) [ ! -e "$work/stopped" ] && touch "$work/stopped" ;;
esac
`;

/**
 * Runs the script with a worker whose processes end with these codes.
 * @param isQueuedAgain whether there is what an earlier run of the job has left
 * @returns its exit code, what happened, the worker's log
 */
async function run(codes: string, isQueuedAgain = false) {
  const work = testFolder();
  if (isQueuedAgain) {
    mkdirSync(join(work, "palimpsest-7/certs"), { recursive: true });
    writeFileSync(join(work, "palimpsest-7/stopping"), "");
  }
  writeFileSync(join(work, "codes"), `${codes}\n`);
  writeFileSync(join(work, "events"), "");
  for (const [name, text] of Object.entries({ srun, scancel, sleep, palimpsest }))
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

it("Slurm's script starts a worker again that asks for it or failed, after a pause that grows", async () => {
  const { code, events, log } = await run("75 1 137 4 75 75 0");
  expect(code).toBe(0);
  expect(events).toEqual([
    ...["worker 75", "pause 1", "worker 1", "pause 2", "worker 137", "pause 4", "worker 4", "pause 8"],
    ...["worker 75", "pause 16", "worker 75", "pause 32", "worker 0", "task 0"],
  ]);
  expect(log).toContain("the worker ended with the exit code 137 and is started again in 4 s");
});

it("Slurm's script starts no worker when the job has ended, however the worker ends", async () => {
  for (const last of ["0", "4"])
    expect(await run(`stop ${last}`)).toMatchObject({ code: 0, events: ["worker stop", `task ${last}`] });
});

it("Slurm's script starts no worker when the job ends in the pause after the worker's end", async () => {
  expect(await run("fail 5")).toMatchObject({ code: 0, events: ["worker fail", "pause 1", "task 4"] });
});

it("Slurm's script ends a worker in order that does not hear of the end, because it just joins or its head is gone", async () => {
  for (const last of ["deaf", "alone"])
    expect(await run(`${last} 5`)).toMatchObject({
      code: 0,
      events: [`worker ${last}`, "in order", "task 3"],
    });
});

it("Slurm's script ends a worker in order when its task gets SIGTERM, and starts none after it", async () => {
  expect(await run("told 5")).toMatchObject({ code: 0, events: ["worker told", "in order", "task 3"] });
});

it("Slurm's script runs again for a job that is queued again", async () => {
  const { code, events } = await run("1 0", true);
  expect(code).toBe(0);
  expect(events).toEqual(["worker 1", "pause 1", "worker 0", "task 0"]);
});
