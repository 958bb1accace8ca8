/**
 * Responsibility: replacing the processes of a cluster one after the other, as a plan says.
 * Not responsible for: whether it may begin (upgrade-plan.ts), or installing the new version.
 *
 * Invariants:
 * - UPGRADE-3. Of the nodes one at a time is away, and the next one is drained only when its successor has joined: a new
 *   node on its host, where there are as many as before: another one may have been started again meanwhile. Where workers
 *   come back under other host names nothing tells a successor from more capacity, and the user says so: any like node
 *   then follows that joined after the drained one's last heartbeat. The autoscaler starts nodes for requests and for no
 *   other node: after one of its own it has to rest, but only with the node's type, because others may start or fail for
 *   reasons of their own.
 * - UPGRADE-4. The head that leads is asked to leave only while a standby of the new version waits.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Cluster, NodeInfo } from "@palimpsest/client";
import { delay, shellWord } from "@palimpsest/std";
import { PalimpsestError, protocolsText } from "@palimpsest/wire";
import { drainText } from "./drain-text.js";
import { instanceOf, isAutoscaled, successorText, whyNoSuccessor, whyUnlike } from "./successor.js";
import { type Build, isAt, type Member, type Target } from "./upgrade-plan.js";

const pollMs = 500;
/** Programs that know a single head ask it every 20 s for others (HEADPEER-3). */
const learnMs = 25_000;
/** What is shown of a command that failed. */
const mostOutput = 2_000;

export interface UpgradeOptions {
  /** Run by the shell for each process, with {kind} (head or worker), {id} and {host}; undefined: a supervisor restarts processes. */
  readonly restartCommand: string | undefined;
  /** Whether workers come back under other host names, as Pods of a Deployment do. */
  readonly newHosts: boolean;
  /** Milliseconds after which what still runs on a node is ended. */
  readonly deadlineMs: number;
  /** Milliseconds that a process has to come back. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Tells what is waited for. */
  readonly onNote: (note: string) => void;
}

export class UpgradeRun {
  readonly #cluster: Cluster;
  readonly #target: Target;
  readonly #options: UpgradeOptions;

  constructor(cluster: Cluster, target: Target, options: UpgradeOptions) {
    this.#cluster = cluster;
    this.#target = target;
    this.#options = options;
  }

  /** @throws {PalimpsestError} UNAVAILABLE if the process does not come back; what the command writes if it fails */
  async replace(member: Member): Promise<void> {
    if (member.kind === "standby") await this.#standby(member);
    else if (member.kind === "head") await this.#head(member);
    else if (member.kind === "node") await this.#node(member);
  }

  /** @param known the addresses of heads that are there already */
  async #standby(member: Member, known?: ReadonlySet<string>): Promise<void> {
    const before = known ?? new Set((await this.#cluster.heads()).map(({ address }) => address));
    await this.#restart(member);
    await this.#returned(
      member,
      () => `a head at ${member.id}, or at an address that is new`,
      async () => {
        const heads = await this.#cluster.heads();
        return heads.filter(
          ({ address, isReachable }) => isReachable && (address === member.id || !before.has(address)),
        );
      },
    );
  }

  /** UPGRADE-4 */
  async #head(member: Member): Promise<void> {
    const { signal, onNote } = this.#options;
    const { epoch } = await this.#cluster.info();
    const next = async () => {
      const info = await this.#cluster.info();
      return info.epoch > epoch ? [info] : [];
    };
    let heads = await this.#cluster.heads();
    const successors = () =>
      heads.filter((head) => !head.leads && head.isReachable && isAt(this.#target, head));
    if (successors().length > 0) {
      onNote(`programs learn of the standby ${successors()[0]?.address}`);
      await delay(learnMs, signal);
      signal.throwIfAborted();
      // It may have ended meanwhile, and nobody would take over.
      heads = await this.#cluster.heads();
    }
    const [successor] = successors();
    if (successor !== undefined) {
      await this.#cluster.shutdown({ restart: true });
      const taking = { ...member, kind: "standby", id: successor.address } as const;
      await this.#returned(taking, () => `the lead after epoch ${epoch}`, next);
      if (this.#options.restartCommand === undefined) return;
      await this.#standby(member, new Set(heads.map(({ address }) => address)));
      return;
    }
    if (
      heads.some(({ leads, isReachable }) => !leads && isReachable) ||
      this.#options.restartCommand === undefined
    )
      throw new PalimpsestError(
        "UNAVAILABLE",
        `no standby of version ${this.#target.version} waits: start one and run this again`,
      );
    await this.#restart(member);
    await this.#returned(
      member,
      () =>
        `a head that leads after epoch ${epoch}; one that listens elsewhere now has to be named by --address`,
      next,
    );
  }

  /** UPGRADE-3 */
  async #node(member: Member): Promise<void> {
    const { newHosts, onNote } = this.#options;
    const all = await this.#cluster.nodes();
    const drained = all.find(({ nodeId }) => nodeId === member.id);
    const isAway = drained?.state === "dead";
    if (drained === undefined || (isAway && !drained.isRestarting)) {
      onNote(`node ${member.id} on ${member.host} has left by itself`);
      return;
    }
    const type = isAutoscaled(drained) ? await this.#typeOf(drained) : undefined;
    if (isAway) onNote(`node ${member.id} on ${member.host} has been drained`);
    else await this.#drain(member);
    const last = isAway ? drained : (await this.#cluster.nodes()).find(({ nodeId }) => nodeId === member.id);
    const ranUntilMs = last?.lastHeartbeatMs ?? Number.NEGATIVE_INFINITY;
    const before = all.filter(({ state, joinedAtMs, lastHeartbeatMs }) =>
      isAway
        ? joinedAtMs <= ranUntilMs && (state !== "dead" || lastHeartbeatMs >= ranUntilMs)
        : state !== "dead",
    );
    const known = new Set(before.map(({ nodeId }) => nodeId));
    const likeOf = (nodes: readonly NodeInfo[]) =>
      nodes.filter((node) => whyUnlike(drained, node, newHosts) === "").length;
    await this.#restart(member);
    let strangers: readonly string[] = [];
    await this.#returned(
      member,
      () => [successorText(drained, newHosts), ...strangers].join("; "),
      async () => {
        const alive = await this.#cluster.nodes({ states: ["alive"] });
        const joined = alive
          .filter(({ nodeId }) => !known.has(nodeId))
          .map((node) => ({ node, why: whyNoSuccessor(drained, ranUntilMs, node, newHosts) }));
        strangers = joined.flatMap(({ node: { nodeId, hostname }, why }) =>
          why === "" ? [] : `${nodeId} on ${hostname} joined ${why}`,
        );
        const successors = joined.flatMap(({ node, why }) => (why === "" ? node : []));
        if (!isAutoscaled(drained)) {
          const [had, has] = [likeOf(before), likeOf(alive)];
          if (successors.length === 0 || has >= had) return successors;
          strangers = [...strangers, `there are ${has} instead of ${had}`];
          return [];
        }
        if (!(await this.#autoscalerRests(alive, type))) return [];
        if (successors.length > 0) return successors;
        onNote(`node ${member.id} on ${member.host}: no request needs another one of the autoscaler`);
        return [this.#target];
      },
    );
  }

  async #drain({ id, host }: Member): Promise<void> {
    const { deadlineMs, signal, onNote } = this.#options;
    for (;;) {
      const progress = await this.#cluster.drain(id, { deadlineMs, restart: true });
      if (progress.done) return;
      onNote(`node ${id} on ${host}: ${drainText(progress)}`);
      await delay(pollMs, signal);
      signal.throwIfAborted();
    }
  }

  /** Returns the autoscaler's name for the node's type; undefined if it does not know the node any more. */
  async #typeOf(node: NodeInfo): Promise<string | undefined> {
    const { autoscaler } = await this.#cluster.summary();
    const instance = instanceOf(node);
    return autoscaler?.types.find(({ instances }) => instances.some((name) => name === instance))?.name;
  }

  /**
   * Whether the autoscaler has seen which of its nodes have ended, and starts none.
   * @param type the only one that matters; undefined if it is not known
   */
  async #autoscalerRests(alive: readonly NodeInfo[], type: string | undefined): Promise<boolean> {
    const { autoscaler } = await this.#cluster.summary();
    if (autoscaler === undefined || (type === undefined && autoscaler.error !== "")) return false;
    const types = autoscaler.types.filter(({ name }) => type === undefined || name === type);
    const names = new Set(types.flatMap(({ instances }) => instances));
    const there = alive.filter((node) =>
      type === undefined ? isAutoscaled(node) : names.has(instanceOf(node) ?? ""),
    );
    return (
      types.every(
        ({ running, starting, stopping, minNodes, error }) =>
          error === "" && starting === 0 && stopping === 0 && running >= minNodes,
      ) && types.reduce((sum, { running }) => sum + running, 0) === there.length
    );
  }

  async #restart(member: Member): Promise<void> {
    const { restartCommand, waitMs, signal, onNote } = this.#options;
    if (restartCommand === undefined) return;
    signal.throwIfAborted();
    const { id, host } = member;
    const kind = member.kind === "node" ? "worker" : "head";
    const values: Readonly<Record<string, string>> = { kind, id, host };
    const command = restartCommand.replace(/\{(kind|id|host)\}/g, (_, name: string) =>
      shellWord(values[name] ?? ""),
    );
    onNote(command);
    // A command of its own processes is ended with them.
    const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"], detached: true });
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      } catch {
        // It has ended by itself.
      }
    };
    const late = setTimeout(end, waitMs);
    signal.addEventListener("abort", end, { once: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-mostOutput);
      });
    const [code, ended] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    clearTimeout(late);
    signal.removeEventListener("abort", end);
    signal.throwIfAborted();
    if (code !== 0)
      throw new PalimpsestError(
        "UNAVAILABLE",
        `\`${command}\` ended with ${ended === null ? `code ${code}` : `${ended} after at most ${Math.round(waitMs / 1_000)} s (--wait)`}: ${output.trim() || "it wrote nothing"}`,
      );
  }

  /** Waits until one of the processes that may follow this one is there and has the new version. */
  async #returned(
    member: Member,
    awaited: () => string,
    look: () => Promise<readonly Build[]>,
  ): Promise<void> {
    const { waitMs, signal, onNote, restartCommand } = this.#options;
    const { version, protocols } = this.#target;
    const deadline = performance.now() + waitMs;
    const what = `${member.kind} ${member.id} on ${member.host}`;
    onNote(`${what}: waits for ${awaited()}`);
    let seen: readonly Build[] = [];
    for (;;) {
      seen = await look().catch((reason: unknown) => {
        if (PalimpsestError.from(reason).code === "UNAVAILABLE") return [];
        throw reason;
      });
      if (seen.some((build) => isAt(this.#target, build))) return;
      if (performance.now() > deadline) break;
      await delay(pollMs, signal);
      signal.throwIfAborted();
    }
    const [first] = seen;
    const is =
      first === undefined
        ? "is not back"
        : `still has version ${first.version || "unknown"} (${protocolsText(first.protocols)})`;
    const how =
      restartCommand === undefined
        ? "start it, or give --restart-command"
        : "see why --restart-command did not start it";
    throw new PalimpsestError(
      "UNAVAILABLE",
      `${what} ${is} after ${Math.round(waitMs / 1_000)} s, instead of version ${version} (${protocolsText(protocols)}): waited for ${awaited()}; install that version and ${how}; ` +
        "`palimpsest upgrade run` then goes on where it was",
    );
  }
}
