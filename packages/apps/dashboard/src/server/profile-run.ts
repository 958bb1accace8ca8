/**
 * Responsibility: takes profiles of the cluster for the pages, one at a time, and keeps the last one.
 * Not responsible for: profiling a process (it does so itself), or which callers may (the head's own RPC refuses).
 *
 * Invariants:
 * - DASHPROFILE-1. At most one profile is taken at a time; a second request is refused with who began the first, and when it ends.
 * - DASHPROFILE-2. A kept profile has at most `mostKeptCalls` calls. What smaller ones took is counted for their callers.
 */
import {
  callTree,
  fieldsOf,
  headService,
  jobsService,
  type LocalCaller,
  newId,
  PalimpsestError,
  type ProfileReading,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { largestCalls, type ProfiledProcess } from "../analysis/call-tree.js";
import { profileFile } from "../analysis/profile-file.js";
import { mostProcesses, processesOf } from "../analysis/profiled-processes.js";
import type { ProfileRequest, ProfileState } from "../api/profiles.js";
import type { DashboardCluster } from "./cluster-routes.js";
import { type MetricsPage, withPhases } from "./process-phases.js";

const mostKeptCalls = 50_000;
/** Time for the answers, beside that of the profile. */
const answerMs = 5_000;
const rowsAtOnce = 5_000;
const mostProblems = 50;

const none: Omit<ProfileState, "nowMs"> = {
  ...{ id: "", state: "none", kind: "cpu", what: "", seconds: 0 },
  ...{ startedAtMs: 0, processes: 0, problem: "" },
};

/** The processes that are profiled, and the actors whose phases are measured beside them. */
interface Found {
  readonly targets: readonly string[];
  readonly pages: readonly MetricsPage[];
}

export class ProfileRun {
  readonly #cluster: DashboardCluster;
  #state = none;
  #file: Buffer | undefined;

  constructor(cluster: DashboardCluster) {
    this.#cluster = cluster;
  }

  get state(): ProfileState {
    return { ...this.#state, nowMs: Date.now() };
  }

  /** The last profile as a file. @throws {PalimpsestError} NOT_FOUND */
  file(id: string): Buffer {
    if (this.#file === undefined || id !== this.#state.id)
      throw new PalimpsestError(
        "NOT_FOUND",
        `profile ${id} is not kept: only the last one is, once it is done; take another`,
      );
    return this.#file;
  }

  /**
   * Starts a profile, which goes on after the answer.
   * @throws {PalimpsestError} PERMISSION_DENIED, ALREADY_EXISTS while another one is taken, NOT_FOUND, INVALID_ARGUMENT
   */
  async start(request: ProfileRequest, caller: LocalCaller): Promise<ProfileState> {
    const { calls } = this.#cluster;
    calls.admit(headService.getStack, caller);
    const { state, what, startedAtMs, seconds } = this.#state;
    if (state === "running") {
      const leftMs = startedAtMs + seconds * 1000 + answerMs - Date.now();
      throw new PalimpsestError(
        "ALREADY_EXISTS",
        `${what} is being profiled, and one profile is taken at a time: it ends in at most ${Math.max(1, Math.ceil(leftMs / 1000))} s`,
      );
    }
    const { target, job, kind } = request;
    const began = {
      ...({ id: newId("request"), state: "running", kind, seconds: request.seconds } as const),
      ...{ what: target || (job === "" ? "the cluster" : `job ${job}`), startedAtMs: Date.now() },
      ...{ processes: 0, problem: "" },
    };
    const before = this.#state;
    // It stands before anything is awaited, so that no second one begins meanwhile (DASHPROFILE-1).
    this.#state = began;
    let found: Found;
    try {
      found = await this.#find(request, caller);
    } catch (reason) {
      this.#state = before;
      throw reason;
    }
    this.#file = undefined;
    this.#state = { ...began, processes: found.targets.length };
    void this.#take(request, found, caller).catch((reason: unknown) => {
      this.#state = { ...this.#state, state: "failed", problem: PalimpsestError.from(reason).rawMessage };
    });
    return this.state;
  }

  async #find({ target, job }: ProfileRequest, caller: LocalCaller): Promise<Found> {
    const { calls } = this.#cluster;
    const actors: proto.ActorInfo.$Properties[] = [];
    for (let pageToken: string | undefined = ""; pageToken !== undefined; ) {
      const request = { limit: rowsAtOnce, pageToken, jobId: job };
      const page: proto.ListActorsResponse.$Properties = await calls.unary(
        headService.listActors,
        request,
        caller,
      );
      actors.push(...(page.actors ?? []).filter(({ state }) => state === proto.ActorState.ACTOR_STATE_ALIVE));
      pageToken = page.nextPageToken || undefined;
    }
    const rows = actors.map((actor) => {
      const { nodeId, pid, metricsAddress: address } = fieldsOf(proto.ActorInfo, actor);
      const { actorId, role, name } = fieldsOf(proto.ActorSpec, actor.spec ?? {});
      return { nodeId, pid, actorId, role: role || "actor", name, address };
    });
    if (target !== "") {
      const pages = rows.filter(({ actorId, name, pid }) => [actorId, name, String(pid)].includes(target));
      return { targets: [target], pages };
    }
    // A job without actors has a driver, and one that does not exist has none.
    if (job !== "" && rows.length === 0) await calls.unary(jobsService.get, { jobId: job }, caller);
    const { nodes } = await calls.unary(headService.listNodes, { limit: rowsAtOnce }, caller);
    const alive = (nodes ?? []).filter(({ state }) => state === proto.NodeState.NODE_STATE_ALIVE);
    const targets = processesOf(
      rows,
      alive.map(({ nodeId }) => nodeId ?? ""),
      job,
    );
    if (targets.length === 0 || targets.length > mostProcesses)
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${targets.length} processes run there; choose between 1 and ${mostProcesses}: one of them, or a job`,
      );
    return { targets, pages: rows };
  }

  async #take(
    { kind, seconds }: ProfileRequest,
    { targets, pages }: Found,
    caller: LocalCaller,
  ): Promise<void> {
    const { calls, credentials } = this.#cluster;
    const profileMs = Math.round(seconds * 1000);
    const what = { timeoutMs: profileMs + answerMs, profileMs, heap: kind === "heap" };
    const access = { authorization: caller.authorization ?? "", tls: credentials.tls };
    const { result: answers, phases } = await withPhases(pages, access, () =>
      Promise.allSettled(
        targets.map((target) => calls.unary(headService.getStack, { ...what, target }, caller)),
      ),
    );
    const processes: ProfiledProcess[] = [];
    const problems: string[] = [];
    for (const [at, answer] of answers.entries()) {
      if (answer.status === "rejected") {
        problems.push(`${targets[at]}: ${PalimpsestError.from(answer.reason).rawMessage}`);
        continue;
      }
      const { title, pid, problem, profile } = fieldsOf(proto.StackReport, answer.value);
      const reading: ProfileReading = fieldsOf(proto.Profile, profile ?? {});
      if (problem === "") processes.push({ title, pid, calls: callTree(reading) });
      else problems.push(`${title}: ${problem}`);
    }
    if (processes.length === 0)
      throw new PalimpsestError("UNAVAILABLE", problems[0] ?? "no process gave a profile: retry");
    const { startedAtMs } = this.#state;
    const file = profileFile({
      ...{ kind, startedAtMs, seconds, phases, problems: problems.slice(0, mostProblems) },
      processes: largestCalls(processes, mostKeptCalls),
    });
    this.#file = Buffer.from(file);
    this.#state = { ...this.#state, state: "done", processes: processes.length };
  }
}
