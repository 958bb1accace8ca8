import { createMetrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { RecentDeaths } from "../base/recent-deaths.js";
import { quiet } from "../testing/fixture.js";
import { ProcessSupervisor } from "./process-supervisor.js";
import type { SupervisedActor } from "./supervised-actor.js";

/** A process that is ready, and ends, when the test says so or when it is stopped. */
class ScriptedProcess implements SupervisedActor {
  readonly pid = 1;
  stopping = false;
  becomeReady: (message?: proto.ActorProcessReady.$Properties) => void = () => undefined;
  end: (reason: string) => void = () => undefined;
  readonly ready = new Promise<proto.ActorProcessReady.$Properties | undefined>((resolve) => {
    this.becomeReady = resolve;
  });
  readonly ended = new Promise<Awaited<SupervisedActor["ended"]>>((resolve) => {
    this.end = (reason) => {
      this.becomeReady();
      resolve({ certificate: { reason }, constructorError: undefined });
    };
  });

  adopt(): void {}

  async stop(_graceMs: number, reason: string): Promise<void> {
    this.stopping = true;
    this.end(reason);
  }
}

function supervise() {
  const processes: ScriptedProcess[] = [];
  const told: string[] = [];
  const deaths = new RecentDeaths(60_000);
  const supervisor = new ProcessSupervisor({
    nodeId: "node-test",
    program: { path: "", flags: [] },
    logDir: "/nowhere",
    logsBytes: 1,
    startTimeoutMs: 1_000,
    environment: {},
    gpus: [],
    prepare: async ({ code }) => {
      if (code?.module === "missing") throw new PalimpsestError("NOT_FOUND", "it is not installed");
      const release = () => undefined;
      return { moduleUrl: "file:///module.js", cwd: undefined, release, retain: () => release };
    },
    session: () => ({}),
    onStarted: ({ actorId, incarnation }) => void told.push(`${actorId}/${incarnation} started`),
    onDied: (death) => {
      deaths.add(death, 0);
      told.push(`${death.actorId}/${death.incarnation} died: ${death.certificate?.reason}`);
    },
    deathOf: (actorId, incarnation) => deaths.of(actorId, incarnation),
    startProcess: () => {
      const made = new ScriptedProcess();
      processes.push(made);
      return made;
    },
    metrics: createMetrics({ component: "test", processMetrics: false }),
    logger: quiet,
  });
  const start = (actorId: string, incarnation = 1, module = "there") =>
    supervisor.start({ incarnation, spec: { actorId, code: { module } } });
  return { supervisor, processes, told, start };
}

test("every start that was accepted ends in one death, after at most one readiness (SUPERVISOR-2)", async () => {
  const { supervisor, processes, told, start } = supervise();
  start("lives");
  start("missing", 1, "missing");
  await expect.poll(() => processes.length).toBe(1);
  processes[0]?.becomeReady({ address: "a:1" });
  await expect.poll(() => told.length).toBe(2);
  // Its next incarnation takes its place, and is stopped before its process is there.
  start("lives", 2);
  supervisor.stop("lives", 0, "not wanted");
  await expect.poll(() => told.length).toBe(4);
  supervisor.stop("lives", 0, "again");
  await supervisor.close(0, "the test is over");
  expect(told.toSorted()).toEqual([
    "lives/1 died: incarnation 2 replaces it",
    "lives/1 started",
    "lives/2 died: not wanted, before its process existed",
    "missing/1 died: it is not installed",
  ]);
  expect(processes).toHaveLength(1);
});

test("after close() nothing runs and nothing is started any more (SUPERVISOR-4)", async () => {
  const { supervisor, processes, told, start } = supervise();
  start("runs");
  await expect.poll(() => processes.length).toBe(1);
  start("starts");
  const closing = supervisor.close(0, "the node ends");
  start("late");
  await closing;
  start("later");
  expect(supervisor.running()).toEqual([]);
  expect(processes.map(({ stopping }) => stopping)).toEqual([true]);
  expect(told.toSorted()).toEqual([
    "runs/1 died: the node ends",
    "starts/1 died: the node ends, before its process existed",
  ]);
});

test("an incarnation that was ordered twice and ended between is not started again; its death is told again (SUPERVISOR-1)", async () => {
  const { supervisor, processes, told, start } = supervise();
  start("once", 2);
  await expect.poll(() => processes.length).toBe(1);
  processes[0]?.end("killed by its client");
  await expect.poll(() => told.length).toBe(1);
  start("once", 2);
  expect(supervisor.running()).toEqual([]);
  expect(told).toEqual([1, 2].map(() => "once/2 died: killed by its client"));
  start("once", 3);
  await expect.poll(() => processes.length).toBe(2);
  await supervisor.close(0, "the test is over");
});
