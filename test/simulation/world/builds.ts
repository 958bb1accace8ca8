/**
 * Responsibility: which version of the software each process of a run with several versions is, and when machines get
 * another one. A newer version sends fields, orders and calls that the older one does not know, and writes rows of a
 * later version; one that is much newer has no protocol in common with either.
 * Not responsible for: what processes make of each other, which is the product's own code.
 */
import {
  type Method,
  ownProtocols,
  type ProtocolRange,
  protocolsFrom,
  sharesProtocol,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ControlPlane } from "../../../packages/runtime/head/src/start/control-plane.js";
import {
  RowFormat,
  type RowMigration,
  rowMigrations,
} from "../../../packages/runtime/head/src/store/row-versions.js";
import type { StoreTable, StoreWrite } from "../../../packages/runtime/head/src/store/store.js";
import { access } from "../../../packages/runtime/wire/src/protocol/access.js";
import { serviceMethods } from "../../../packages/runtime/wire/src/protocol/method.js";
import { protocolsHeader, protocolsKey } from "../../../packages/runtime/wire/src/protocol/protocol-range.js";
import type { SimProcess } from "./process.js";
import { Random } from "./random.js";
import type { World } from "./world.js";

export interface Build {
  readonly name: "present" | "next" | "strange";
  readonly protocols: ProtocolRange;
  readonly rows: RowFormat;
}

/** A method that only the next version has. */
export const laterService = {
  later: serviceMethods("Head").unary(
    "Later",
    proto.GetClusterRequest,
    proto.ClusterInfo,
    access.read,
    ownProtocols().max + 1,
  ),
};

/** A field of every message of the next version, 18001 with the value 1. */
const unknownField = Buffer.from([0x88, 0xe5, 0x08, 0x01]);

export class Builds {
  readonly #world: World;
  readonly #random: Random;
  readonly #builds: Readonly<Record<Build["name"], Build>>;
  readonly #installed = new Map<string, Build>();
  readonly #of = new WeakMap<SimProcess, Build>();
  readonly #machines: readonly string[];

  constructor(world: World, machines: readonly string[]) {
    this.#world = world;
    this.#machines = machines;
    this.#random = new Random(`${world.seed}/builds`);
    const { min, max } = ownProtocols();
    const steps = (count: number) => [
      ...rowMigrations,
      ...Array.from({ length: count }, (_, index) => this.#migration(rowMigrations.length + 1 + index)),
    ];
    this.#builds = {
      present: { name: "present", protocols: { min, max }, rows: new RowFormat() },
      next: { name: "next", protocols: { min: max, max: max + 1 }, rows: new RowFormat(steps(1)) },
      strange: { name: "strange", protocols: { min: max + 2, max: max + 3 }, rows: new RowFormat(steps(2)) },
    };
    if (!world.settings.versions) return;
    for (const machine of machines) this.#upgrade(machine);
    world.redis.observers.add({
      row: (write, before) => this.#written(write, before),
      accepted: (process, _guard, writes) => this.#accepted(process, writes),
    });
  }

  /** Checks who registers (PROTOCOL-1), and records what the drains of a head move, which uses up no restart. */
  headOpened({ lifecycle, actors, nodes }: ControlPlane, process: SimProcess): void {
    if (!this.#world.settings.versions) return;
    const { protocols } = this.of(process);
    const meet = (id: string, theirs: proto.ProtocolRange.$Properties | null | undefined) => {
      if (sharesProtocol(protocols, protocolsFrom(theirs))) return;
      this.#world.records.violation(
        "PROTOCOL-1",
        `${id} has no protocol in common with the head that admits it`,
      );
    };
    const register = nodes.register.bind(nodes);
    nodes.register = (message, connection) => {
      meet(message.nodeId ?? "", message.protocols);
      return register(message, connection);
    };
    const move = lifecycle.move.bind(lifecycle);
    lifecycle.move = (actorId, reason, withNode) => {
      const moved = move(actorId, reason, withNode);
      const incarnation = actors.get(actorId)?.incarnation;
      if (moved && incarnation !== undefined) this.#world.records.preempted(actorId, incarnation);
      return moved;
    };
  }

  /** Gives a new process its version: that of its machine, or of the process that started it. */
  started(process: SimProcess, parent: SimProcess | undefined): void {
    if (!this.#world.settings.versions) return;
    const build =
      parent === undefined ? (this.#installed.get(process.machine) ?? this.#builds.present) : this.of(parent);
    this.#of.set(process, build);
    if (build.name === "next") this.#world.records.counts.newer++;
  }

  of(process: SimProcess): Build {
    return this.#of.get(process) ?? this.#builds.present;
  }

  /** Everything that starts from now on has the next version. */
  settle(): void {
    for (const machine of this.#machines) this.#installed.set(machine, this.#builds.next);
  }

  /** The method as a process encodes its messages. */
  as<Request, Response>(process: SimProcess, method: Method<Request, Response>): Method<Request, Response> {
    if (this.of(process).name !== "next") return method;
    return {
      ...method,
      requestSerialize: (message) => Buffer.concat([method.requestSerialize(message), unknownField]),
      responseSerialize: (message) => Buffer.concat([method.responseSerialize(message), unknownField]),
    };
  }

  /** The metadata of a call, as every channel sends it. */
  header(process: SimProcess): Readonly<Record<string, string>> {
    return { [protocolsKey]: protocolsHeader(this.of(process).protocols) };
  }

  /**
   * Has a process of the next version send messages on a stream that older ones know nothing of.
   * @param write returns whether the stream goes on
   */
  chatter(process: SimProcess, method: string, write: () => boolean): void {
    if (this.of(process).name !== "next" || !["NodeLink.Link", "Head.Session"].includes(method)) return;
    this.#world.scheduler.after(this.#random.between(5_000, 60_000), process, () => {
      if (write()) this.chatter(process, method, write);
    });
  }

  /** Installs the next version at some time, perhaps a strange one or the present one again in between. */
  #upgrade(machine: string): void {
    const { scheduler, settings } = this.#world;
    const at = this.#random.between(0, 0.7 * settings.activeMs);
    const install = (atMs: number, name: Build["name"]) =>
      scheduler.after(atMs, undefined, () => {
        if (this.#world.calm) return;
        this.#installed.set(machine, this.#builds[name]);
        this.#world.story.tell("FAULT", () => `${machine} gets the ${name} version`);
        this.#restart(machine);
      });
    // A strange head could lead, and nothing else could ever read what it wrote.
    if (this.#random.chance(0.3) && !machine.startsWith("m-head")) install(at * 0.5, "strange");
    if (this.#random.chance(0.5)) install(at * 0.75, "present");
    install(at, "next");
    if (this.#random.chance(0.6)) {
      install(at + 30_000, "present");
      install(at + 60_000, "next");
    }
  }

  /** Ends what runs on a machine: a node is drained, or ends at once like everything else. */
  #restart(machine: string): void {
    const { nodes, heads, drivers, head } = this.#world;
    const node = nodes.find((one) => one.machine === machine && !one.over);
    if (node && this.#random.chance(0.5) && head?.plane?.nodes.get(node.nodeId)?.state === "ALIVE")
      head.plane.drains.drain({ nodeId: node.nodeId, deadlineMs: 30_000, restart: true });
    else node?.process.kill();
    for (const { process } of [...heads, ...drivers])
      if (process.machine === machine && !process.ended) process.kill();
  }

  /** ROWS-1: a migration is given rows of its own version or of earlier ones, which others have brought to it. */
  #migration(from: number): RowMigration {
    return (table: StoreTable, row: Uint8Array) => {
      const version = versionOf(row);
      if (version > from)
        this.#world.records.violation(
          "ROWS-1",
          `a row of ${table} of version ${version} was migrated from ${from}`,
        );
      return row;
    };
  }

  /** ROWS-2 */
  #written({ table, key, bytes }: StoreWrite, before: Uint8Array | undefined): void {
    if (bytes === undefined || before === undefined || versionOf(bytes) >= versionOf(before)) return;
    this.#world.records.violation(
      "ROWS-2",
      `${table}/${key} of version ${versionOf(before)} was overwritten by one of version ${versionOf(bytes)}`,
    );
  }

  /** ROWS-3 */
  #accepted(process: SimProcess, writes: readonly StoreWrite[]): void {
    const { version } = this.of(process).rows;
    for (const { table, key, bytes } of writes)
      if (bytes !== undefined && versionOf(bytes) !== version)
        this.#world.records.violation(
          "ROWS-3",
          `${process.name} wrote ${table}/${key} without version ${version}`,
        );
  }
}

function versionOf(row: Uint8Array): number {
  return proto.StoredRow.decode(row).rowVersion || 1;
}
