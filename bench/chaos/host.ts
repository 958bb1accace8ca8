/**
 * A machine of the bench is a network namespace with one address on the bench's own bridge. Its network can be cut,
 * made lossy or frozen. It needs root, `ip` and `nft`; nothing outside the namespaces is touched.
 */
import { execFileSync } from "node:child_process";

const bridge = "palimpsest-br";
const network = "10.77.0";
const namespacePrefix = "palimpsest-";

/** The bench's own address on the bridge. */
export const benchAddress = `${network}.1`;

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Creates the bridge, after it has removed what an interrupted run left behind. */
export function openBridge(): void {
  for (const line of run("ip", "netns", "list").split("\n")) {
    const [name = ""] = line.split(" ");
    if (name.startsWith(namespacePrefix)) removeNamespace(name);
  }
  closeBridge();
  run("ip", "link", "add", "name", bridge, "type", "bridge");
  run("ip", "addr", "add", `${benchAddress}/24`, "dev", bridge);
  run("ip", "link", "set", bridge, "up");
}

export function closeBridge(): void {
  deleteLink(bridge);
}

function deleteLink(name: string): void {
  try {
    run("ip", "link", "del", name);
  } catch {
    // It was not there.
  }
}

function removeNamespace(name: string): void {
  for (const pid of run("ip", "netns", "pids", name).split("\n").filter(Boolean)) {
    process.kill(Number(pid), "SIGKILL");
  }
  run("ip", "netns", "del", name);
}

export class Host {
  readonly name: string;
  readonly address: string;
  readonly #namespace: string;
  /** The name of the end of its virtual cable that is on the bridge. */
  readonly #link: string;
  /** The number of filters so far. Each filter has its own table, so that overlapping faults heal independently. */
  #filters = 0;

  constructor(name: string, number: number) {
    this.name = name;
    this.address = `${network}.${number}`;
    this.#namespace = `${namespacePrefix}${name}`;
    const [inside, outside] = [`pin${number}`, `pout${number}`];
    this.#link = outside;
    deleteLink(outside);
    run("ip", "netns", "add", this.#namespace);
    run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside);
    run("ip", "link", "set", inside, "netns", this.#namespace);
    run("ip", "link", "set", outside, "master", bridge);
    run("ip", "link", "set", outside, "up");
    this.#inside("ip", "addr", "add", `${this.address}/24`, "dev", inside);
    this.#inside("ip", "link", "set", inside, "up");
    this.#inside("ip", "link", "set", "lo", "up");
  }

  /** The command line that runs a program on this host. */
  commandLine(
    program: string,
    args: readonly string[],
  ): { readonly program: string; readonly args: string[] } {
    return { program: "ip", args: ["netns", "exec", this.#namespace, program, ...args] };
  }

  /** Returns the ids of the processes that run on this host. */
  processes(): number[] {
    return run("ip", "netns", "pids", this.#namespace).split("\n").filter(Boolean).map(Number);
  }

  /** Drops every packet from and to other hosts until the returned function is called. */
  cut(): () => void {
    return this.#filter(['iif != "lo" drop'], ['oif != "lo" drop']);
  }

  /** Drops this percentage of all packets from and to other hosts until the returned function is called. */
  loseSome(percent: number): () => void {
    const lossy = (direction: "iif" | "oif") =>
      `${direction} != "lo" numgen random mod 100 < ${percent} drop`;
    return this.#filter([lossy("iif")], [lossy("oif")]);
  }

  /**
   * Drops the packets of the connections to address:port that are open at this moment; new connections work. Neither
   * side is told.
   * @returns what thaws them, or undefined when there was no connection
   */
  freezeConnections(address: string, port: number): (() => void) | undefined {
    const lines = this.#inside("ss", "-Htn", "state", "established", "dst", `${address}:${port}`).split("\n");
    const ports = lines
      .map((line) => /:(\d+)\s+\S+:\d+\s*$/.exec(line)?.[1])
      .filter((text) => text !== undefined);
    if (ports.length === 0) return undefined;
    const set = `{ ${ports.join(", ")} }`;
    return this.#filter(
      [`tcp sport ${port} tcp dport ${set} drop`],
      [`tcp dport ${port} tcp sport ${set} drop`],
    );
  }

  remove(): void {
    // A namespace outlives its deletion for a moment, so its cable is deleted explicitly.
    deleteLink(this.#link);
    removeNamespace(this.#namespace);
  }

  #inside(program: string, ...args: readonly string[]): string {
    return run("ip", "netns", "exec", this.#namespace, program, ...args);
  }

  #filter(incoming: readonly string[], outgoing: readonly string[]): () => void {
    const name = `palimpsest${this.#filters++}`;
    const chain = (hook: string, statements: readonly string[]) =>
      [`chain ${hook} {`, `type filter hook ${hook} priority 0`, ...statements, "}"].join("\n");
    const table = [`table inet ${name} {`, chain("input", incoming), chain("output", outgoing), "}"];
    this.#inside("nft", table.join("\n"));
    return () => this.#inside("nft", "delete", "table", "inet", name);
  }
}
