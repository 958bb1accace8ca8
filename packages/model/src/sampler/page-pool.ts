import { type CacheLease, type CachePool, worthwhileTokens } from "./cache-pool.js";

/*
 * Responsibility: which pages of the cache hold which tokens: pages for each request, pages that several requests share because
 * their prompts begin alike, pages kept after a request in case a later one begins alike.
 * Not responsible for: what is in the pages (kv-cache.ts), who is served when (model-sampler.ts).
 *
 * P1. A page is written by one lease at most, and only by the one that took it fresh.
 * P2. A page that a lease holds is not given to another for writing before the lease is released.
 * P3. Shared pages hold exactly the tokens that the prompt has at their places, and everything before is equal too.
 * P4. A lease counts shared pages as read only once they are filled; if whoever fills them gives up, it is broken.
 */

/** One full page of a prompt, below the page that comes before it. */
interface PrefixNode {
  readonly page: number;
  readonly key: string;
  readonly parent: PrefixNode | undefined;
  readonly children: Map<string, PrefixNode>;
  users: number;
  state: "pending" | "filled" | "broken";
}

interface HeldLease extends CacheLease {
  /** Path from the root: shared nodes, then own ones. */
  readonly path: readonly PrefixNode[];
  readonly shared: number;
  /** Pages that were taken fresh. The first of them are those of the path's own nodes. */
  readonly own: readonly number[];
}

export interface PagePoolOptions {
  readonly pages: number;
  /** Tokens per page. */
  readonly pageLength: number;
  /** false: nothing is shared and nothing kept. */
  readonly share: boolean;
  /**
   * Only beginnings of a multiple of so many pages are shared, and only as prompts left them: what was sampled is not
   * kept. Absent: any page is shared that is worth it.
   */
  readonly sharedUnitPages?: number;
}

export class PagePool implements CachePool {
  readonly #options: PagePoolOptions;
  readonly #held = new Map<CacheLease, HeldLease>();
  #free: number[] = [];
  #roots = new Map<string, PrefixNode>();
  /** Filled nodes that nobody uses, least recently used first; children stand before their parents. */
  #idle = new Set<PrefixNode>();

  constructor(options: PagePoolOptions) {
    this.#options = options;
    this.clear();
  }

  /** Pages that a new request could get. */
  get availablePages(): number {
    return this.#free.length + this.#idle.size;
  }

  /**
   * Pages for a prompt and what may follow it, `length` tokens in all; undefined while there are not enough. At least
   * one token of the prompt is left to be read: its output is what sampling starts from.
   */
  reserve(promptTokenIds: readonly number[], length: number): CacheLease | undefined {
    const { pageLength, share, sharedUnitPages } = this.#options;
    const unit = sharedUnitPages ?? 1;
    const readable = share ? this.#keys(promptTokenIds) : [];
    const keys = readable.slice(0, readable.length - (readable.length % unit));
    const found = this.#match(keys.slice(0, Math.floor((promptTokenIds.length - 1) / pageLength)));
    const foundTokens = found.length * pageLength;
    const worthwhile =
      sharedUnitPages !== undefined || foundTokens >= Math.min(worthwhileTokens, promptTokenIds.length / 2);
    const shared = worthwhile ? found.slice(0, found.length - (found.length % unit)) : [];
    for (const node of shared) this.#use(node);
    const count = Math.ceil(length / pageLength) - shared.length;
    if (count > this.availablePages) {
      for (const node of shared.toReversed()) this.#letGo(node);
      return undefined;
    }
    const own = Array.from({ length: count }, () => this.#take());
    const path = [...shared];
    // Below pages that were not worth sharing stand nodes of others already: only new branches get nodes.
    if (shared.length === found.length) {
      keys.slice(shared.length).forEach((key, i) => {
        if (this.#children(path.at(-1)).has(key)) return;
        if (path.length === shared.length + i)
          path.push(this.#grow(path.at(-1), key, own[i] as number, "pending"));
      });
    }
    const lease: HeldLease = {
      pages: [...shared.map((node) => node.page), ...own],
      sharedTokens: shared.length * pageLength,
      path,
      shared: shared.length,
      own,
    };
    this.#held.set(lease, lease);
    return lease;
  }

  /** Whether the shared pages are there to be read: "pending" while another request fills them. */
  state(lease: CacheLease): "filled" | "pending" | "broken" {
    const { path, shared } = this.#of(lease);
    const states = path.slice(0, shared).map((node) => node.state);
    if (states.includes("broken")) return "broken";
    return states.includes("pending") ? "pending" : "filled";
  }

  /** The first `tokens` tokens of the lease's request are in its pages. */
  filled(lease: CacheLease, tokens: number): void {
    const { path, shared } = this.#of(lease);
    const full = Math.floor(tokens / this.#options.pageLength);
    for (const node of path.slice(shared, full)) if (node.state === "pending") node.state = "filled";
  }

  /**
   * Gives the pages back. What is in them is kept for later prompts that begin alike, until the pages are needed.
   * @param tokenIds what the pages hold, prompt and sampled
   */
  release(lease: CacheLease, tokenIds: readonly number[]): void {
    const { path, shared, own } = this.#of(lease);
    this.#held.delete(lease);
    const { share, sharedUnitPages } = this.#options;
    const grown = [...path];
    const whole = share && sharedUnitPages === undefined ? this.#keys(tokenIds) : [];
    const unbroken = path.every((node) => node.state === "filled");
    let kept = path.length - shared;
    // Below a path of its own a request leaves its sampled tokens too: a conversation goes on from there.
    while (unbroken && grown.length < whole.length && kept === grown.length - shared) {
      const key = whole[grown.length] as string;
      if (this.#children(grown.at(-1)).has(key)) break;
      grown.push(this.#grow(grown.at(-1), key, own[kept] as number, "filled"));
      kept++;
    }
    this.#free.push(...own.slice(kept));
    for (const [i, node] of [...grown.entries()].toReversed()) {
      if (i >= shared && node.state === "pending") this.#break(node);
      this.#letGo(node);
    }
  }

  /**
   * Gives back pages whose numbers are not to be trusted. Nothing is kept of them but what another request uses too; whoever
   * waited for one of them has to begin anew.
   * @returns the pages that may be given to others from now on
   */
  discard(lease: CacheLease): readonly number[] {
    const { path, shared, own } = this.#of(lease);
    this.#held.delete(lease);
    const loose = own.slice(path.length - shared);
    this.#free.push(...loose);
    for (const [i, node] of [...path.entries()].toReversed()) {
      node.users -= 1;
      // Of what another request uses only the own pages are broken that it waits for.
      if (node.users > 0 && (i < shared || node.state !== "pending")) continue;
      this.#break(node);
      loose.push(node.page);
      if (node.users === 0) this.#free.push(node.page);
    }
    return loose;
  }

  /** Forgets everything. Nobody may hold a lease. */
  clear(): void {
    if (this.#held.size > 0) throw new Error(`internal: ${this.#held.size} leases are held`);
    this.#roots = new Map();
    this.#idle = new Set();
    this.#free = Array.from({ length: this.#options.pages }, (_, page) => page).toReversed();
  }

  #of(lease: CacheLease): HeldLease {
    const held = this.#held.get(lease);
    if (held === undefined) throw new Error("internal: the lease was released");
    return held;
  }

  /** One key a full page. */
  #keys(tokenIds: readonly number[]): string[] {
    const { pageLength } = this.#options;
    const count = Math.floor(tokenIds.length / pageLength);
    return Array.from({ length: count }, (_, i) =>
      tokenIds.slice(i * pageLength, (i + 1) * pageLength).join(),
    );
  }

  #match(keys: readonly string[]): PrefixNode[] {
    const found: PrefixNode[] = [];
    for (const key of keys) {
      const node = this.#children(found.at(-1)).get(key);
      if (node === undefined) break;
      found.push(node);
    }
    return found;
  }

  #children(node: PrefixNode | undefined): Map<string, PrefixNode> {
    return node === undefined ? this.#roots : node.children;
  }

  #grow(parent: PrefixNode | undefined, key: string, page: number, state: PrefixNode["state"]): PrefixNode {
    const node: PrefixNode = { page, key, parent, children: new Map(), users: 1, state };
    this.#children(parent).set(key, node);
    return node;
  }

  #use(node: PrefixNode): void {
    node.users += 1;
    this.#idle.delete(node);
  }

  #letGo(node: PrefixNode): void {
    node.users -= 1;
    if (node.users > 0) return;
    if (node.state === "filled") this.#idle.add(node);
    else this.#free.push(node.page);
  }

  /** Nobody will fill it: whoever shares it has to begin anew. */
  #break(node: PrefixNode): void {
    node.state = "broken";
    this.#children(node.parent).delete(node.key);
  }

  #take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const [oldest] = this.#idle;
    if (oldest === undefined) throw new Error("internal: no page is left");
    this.#idle.delete(oldest);
    this.#children(oldest.parent).delete(oldest.key);
    return oldest.page;
  }
}
