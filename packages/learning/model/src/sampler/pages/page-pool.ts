import { type CacheLease, type CachePool, worthwhileTokens } from "../calls/cache-pool.js";

/*
 * Responsibility: which pages of the cache store which tokens: pages for each request, pages that several requests share because
 * their prompts have a common prefix, and pages that are kept after a request for later ones with the same prefix.
 * Not responsible for: the contents of pages (kv-cache.ts), the order of service (model-sampler.ts).
 *
 * PAGES-1. A page is written by one lease at most, and only by the one that allocated it.
 * PAGES-2. A page of a lease is not given to another for writing before the lease is released.
 * PAGES-3. A request shares a page only if its prompt has the same tokens as the page, at the same positions, and the
 *   same tokens before them.
 * PAGES-4. A lease counts shared pages as read only once they are filled. If the request that fills them gives up,
 *   the lease is broken, and its request starts again.
 * PAGES-5. What was in the pool before `clear` is given to no later request: pages of leases are free once they are released.
 */

/** One full page of a prompt, a child of the page that precedes it. */
interface PrefixNode {
  readonly page: number;
  readonly key: string;
  readonly parent: PrefixNode | undefined;
  readonly children: Map<string, PrefixNode>;
  users: number;
  state: "pending" | "filled" | "broken";
}

interface HeldLease extends CacheLease {
  /** Path from the root: shared nodes, then its own. */
  readonly path: readonly PrefixNode[];
  readonly shared: number;
  /** Newly allocated pages. The first of them are those of the path's own nodes. */
  readonly own: readonly number[];
}

export interface PagePoolOptions {
  readonly pages: number;
  /** Tokens per page. */
  readonly pageLength: number;
  /** false: nothing is shared and nothing kept. */
  readonly share: boolean;
  /**
   * Only prefixes of a multiple of this many pages are shared, and only prompts are kept, not sampled tokens. Absent: any
   * prefix is shared if it is long enough to pay off.
   */
  readonly sharedUnitPages?: number;
}

export class PagePool implements CachePool {
  readonly #options: PagePoolOptions;
  readonly #held = new Map<CacheLease, HeldLease>();
  #free: number[] = [];
  #roots = new Map<string, PrefixNode>();
  /** Filled nodes without users, least recently used first; children come before their parents. */
  #idle = new Set<PrefixNode>();

  constructor(options: PagePoolOptions) {
    this.#options = options;
    this.clear();
  }

  /** Number of pages that a new request could get. */
  get availablePages(): number {
    return this.#free.length + this.#idle.size;
  }

  /**
   * Reserves pages for a prompt and its reply, `length` tokens in all; undefined while there are not enough. At least
   * one token of the prompt is left to be read, because sampling starts from its output.
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
    // Pages that were not worth sharing already have nodes of others below them: only new branches get nodes.
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

  /** State of the shared pages: "pending" while another request fills them. */
  state(lease: CacheLease): "filled" | "pending" | "broken" {
    const { path, shared } = this.#of(lease);
    const states = path.slice(0, shared).map((node) => node.state);
    if (states.includes("broken")) return "broken";
    return states.includes("pending") ? "pending" : "filled";
  }

  /** Records that the first `tokens` tokens of the lease's request are in its pages. */
  filled(lease: CacheLease, tokens: number): void {
    const { path, shared } = this.#of(lease);
    const full = Math.floor(tokens / this.#options.pageLength);
    for (const node of path.slice(shared, full)) if (node.state === "pending") node.state = "filled";
  }

  /**
   * Releases the pages. Their contents are kept for later prompts with the same prefix, until the pages are needed.
   * @param tokenIds the tokens stored in the pages, prompt and sampled
   */
  release(lease: CacheLease, tokenIds: readonly number[]): void {
    const { path, shared, own } = this.#of(lease);
    this.#held.delete(lease);
    const { share, sharedUnitPages } = this.#options;
    const grown = [...path];
    const whole = share && sharedUnitPages === undefined ? this.#keys(tokenIds) : [];
    const unbroken = path.every((node) => node.state === "filled");
    let kept = path.length - shared;
    // A request with its own path also leaves its sampled tokens there, so that a conversation can continue from them.
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
   * Releases pages whose values may not be finite. Nothing of them is kept except what another request uses too; requests
   * that waited for one of them have to start again.
   * @returns the pages that may be reused from now on
   */
  discard(lease: CacheLease): readonly number[] {
    const { path, shared, own } = this.#of(lease);
    this.#held.delete(lease);
    const loose = own.slice(path.length - shared);
    this.#free.push(...loose);
    for (const [i, node] of [...path.entries()].toReversed()) {
      node.users -= 1;
      // Of the nodes that another request uses, only the pending ones of this lease are broken.
      if (node.users > 0 && (i < shared || node.state !== "pending")) continue;
      this.#break(node);
      loose.push(node.page);
      if (node.users === 0) this.#free.push(node.page);
    }
    return loose;
  }

  clear(): void {
    const held = new Set<number>();
    for (const { path, pages } of this.#held.values()) {
      // A broken node is not kept once nobody uses it.
      for (const node of path) node.state = "broken";
      for (const page of pages) held.add(page);
    }
    this.#roots = new Map();
    this.#idle = new Set();
    this.#free = Array.from({ length: this.#options.pages }, (_, page) => page)
      .filter((page) => !held.has(page))
      .toReversed();
  }

  #of(lease: CacheLease): HeldLease {
    const held = this.#held.get(lease);
    if (held === undefined) throw new Error("internal: the lease was released");
    return held;
  }

  /** Returns one key per full page. */
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

  /** Marks a node that will not be filled: requests that share it have to start again. */
  #break(node: PrefixNode): void {
    node.state = "broken";
    const siblings = this.#children(node.parent);
    // After `clear` another node may have its place.
    if (siblings.get(node.key) === node) siblings.delete(node.key);
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
