/**
 * Responsibility: whose objects on this node count against which quotas, and which new ones wait because this node was
 * granted too few bytes.
 * Not responsible for: how many bytes each node may have (the head decides), or room in the store (store-room.ts).
 *
 * An object counts for the first program among its owners, from before its first byte is written until it is freed, in
 * memory or spilled. Copies without an owner do not count.
 *
 * Invariants:
 * - NODEQUOTA-1. What a program stores brings no quota above the bytes that the head has granted to this node. Leases
 *   that are taken on what exists already count, and are never refused.
 * - NODEQUOTA-2. Objects of one quota are admitted in the order in which they came. One that counts against several
 *   takes them in the order of their names, so that no two wait for each other.
 * - NODEQUOTA-3. What is not used is returned when the head asks for it, and when nothing of the quota was used since
 *   the last heartbeat.
 * - NODEQUOTA-4. Without a head, objects are stored as long as what was granted suffices.
 */
import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

/** The milliseconds for which an object waits, which is less than a program waits for the answer to its order. */
const patienceMs = 20_000;

interface Quota {
  readonly name: string;
  maxBytes: number;
  /** By all nodes, as the head last said. */
  usedEverywhereBytes: number;
  grantedBytes: number;
  usedBytes: number;
  /** What the head was told last. */
  toldUsedBytes: number;
  toldWantedBytes: number;
  /** Whether something was stored since the last heartbeat. */
  isActive: boolean;
  readonly waiting: Waiter[];
}

interface Waiter {
  readonly account: Account;
  readonly sizeBytes: number;
  /** The quotas that it has taken, in the order of their names. */
  readonly taken: Quota[];
  readonly done: () => void;
  readonly failed: (error: PalimpsestError) => void;
}

/** What one owner has on this node. */
interface Account {
  readonly holder: string;
  /** Undefined until the head has told. */
  quotas: readonly Quota[] | undefined;
  bytes: number;
  /** How many streams of the program are open. */
  links: number;
  readonly waiting: Set<Waiter>;
}

export class ObjectQuotas {
  readonly #clock: Clock;
  readonly #onShortage: () => void;
  readonly #accounts = new Map<string, Account>();
  readonly #quotas = new Map<string, Quota>();
  #send: (use: proto.ObjectUse.$Properties) => void = () => undefined;
  /** Whether the head has quotas of objects, or may have some. */
  #areThere = false;
  /** Owners of which the head is to be asked at the end of this turn. */
  readonly #asking = new Set<string>();

  /** @param onShortage gives up what is reserved for objects that there may never be */
  constructor(clock: Clock, onShortage: () => void) {
    this.#clock = clock;
    this.#onShortage = onShortage;
  }

  /**
   * Connects it to the head. What is stored from now on waits until the head has accepted this node and told whether
   * there are quotas.
   * @param send sends to the head, or drops the message if there is none
   */
  connect(send: (use: proto.ObjectUse.$Properties) => void): void {
    this.#send = send;
    this.#areThere = true;
  }

  /** Must be called when a program has opened its stream, so that the head is asked before its first object. */
  opened(holder: string): void {
    this.#account(holder).links++;
  }

  closed(holder: string): void {
    const account = this.#account(holder);
    account.links--;
    this.#forgetEmpty(account);
  }

  /**
   * Counts bytes that a program is going to store (NODEQUOTA-1). Returns undefined if that was possible at once.
   * @throws {PalimpsestError} OBJECT_STORE_FULL, UNAVAILABLE if the head was not there to say what counts
   */
  take(holder: string, sizeBytes: number): Promise<void> | undefined {
    const account = this.#account(holder);
    if (this.#takeAtOnce(account, sizeBytes)) return undefined;
    return new Promise<void>((resolve, reject) => {
      const end = () => {
        cancel();
        account.waiting.delete(waiter);
      };
      const waiter: Waiter = {
        ...{ account, sizeBytes, taken: [] },
        done: () => {
          end();
          account.bytes += sizeBytes;
          resolve();
        },
        failed: (error) => {
          end();
          this.#leave(waiter);
          this.#forgetEmpty(account);
          reject(error);
        },
      };
      const cancel = this.#clock.after(patienceMs, () => waiter.failed(this.#full(waiter)));
      account.waiting.add(waiter);
      this.#advance(waiter);
    });
  }

  /** Counts bytes that a program may store later, if nothing has to wait for them. */
  takeAhead(holder: string, sizeBytes: number): boolean {
    const account = this.#account(holder);
    const isTaken = this.#takeAtOnce(account, sizeBytes);
    if (!isTaken) this.#forgetEmpty(account);
    return isTaken;
  }

  giveBack(holder: string, sizeBytes: number): void {
    this.charge(holder, -sizeBytes);
  }

  /** Counts an object that is there, whatever the quotas are; a negative number ends that. */
  charge(holder: string, bytes: number): void {
    const account = this.#account(holder);
    account.bytes += bytes;
    for (const quota of account.quotas ?? []) {
      quota.usedBytes += bytes;
      if (bytes < 0) this.#pump(quota);
    }
    if (bytes < 0) this.#forgetEmpty(account);
  }

  /** Must be called when the head has accepted this node, for the first time or again. */
  registered(areThere: boolean): void {
    const wereThere = this.#areThere;
    this.#areThere = areThere;
    this.#asking.clear();
    if (!areThere) {
      for (const account of [...this.#accounts.values()]) this.#count(account, []);
      this.#quotas.clear();
      return;
    }
    // What was told by an earlier head holds until this one tells.
    if (!wereThere) for (const account of this.#accounts.values()) account.quotas = undefined;
    const quotas = [...this.#quotas.values()].map((quota) => ({
      ...this.#toTell(quota),
      grantedBytes: quota.grantedBytes,
    }));
    this.#send({ reset: true, quotas, holders: [...this.#accounts.keys()] });
  }

  /** Handles the head's answer, its grants and its requests. */
  allowed({ quotas, holders }: proto.ObjectAllowance.$Properties): void {
    if (!this.#areThere) return;
    for (const { name = "", maxBytes, usedBytes, grantedBytes, reclaimed } of quotas ?? []) {
      const quota = this.#quotaOf(name ?? "");
      quota.maxBytes = maxBytes ?? 0;
      quota.usedEverywhereBytes = usedBytes ?? 0;
      quota.grantedBytes += grantedBytes ?? 0;
      // The head has forgotten what was wanted.
      if (grantedBytes) quota.toldWantedBytes = -1;
      this.#refuseTooLarge(quota);
      this.#pump(quota);
      if (reclaimed) {
        this.#onShortage();
        this.#returnUnused(quota);
      }
    }
    for (const { holder, quotas: names } of holders ?? []) {
      const account = this.#accounts.get(holder ?? "");
      if (account)
        this.#count(
          account,
          [...(names ?? [])].sort().map((name) => this.#quotaOf(name)),
        );
    }
  }

  /** Must be called at each heartbeat. */
  beat(): void {
    if (!this.#areThere) return;
    for (const { holder, quotas } of this.#accounts.values()) if (quotas === undefined) this.#ask(holder);
    for (const quota of [...this.#quotas.values()]) {
      // NODEQUOTA-3
      if (quota.usedBytes === 0 && quota.waiting.length === 0 && !quota.isActive) {
        this.#returnUnused(quota);
        if (!this.#isNamed(quota)) this.#quotas.delete(quota.name);
      }
      quota.isActive = false;
      if (quota.usedBytes !== quota.toldUsedBytes) this.#tell(quota);
    }
  }

  /** The bytes that are used and granted here, by quota. */
  uses(): ReadonlyMap<string, { readonly usedBytes: number; readonly grantedBytes: number }> {
    return this.#quotas;
  }

  #takeAtOnce(account: Account, sizeBytes: number): boolean {
    if (account.quotas === undefined) return false;
    for (const quota of account.quotas) if (!hasRoom(quota, sizeBytes)) return false;
    for (const quota of account.quotas) use(quota, sizeBytes);
    account.bytes += sizeBytes;
    return true;
  }

  /** Takes the quotas that the waiter lacks, one after the other, until one has no room (NODEQUOTA-2). */
  #advance(waiter: Waiter): void {
    const { account, sizeBytes, taken } = waiter;
    if (account.quotas === undefined) return;
    for (let quota = account.quotas[taken.length]; quota; quota = account.quotas[taken.length]) {
      if (!hasRoom(quota, sizeBytes)) {
        quota.waiting.push(waiter);
        if (!this.#refuseTooLarge(quota)) this.#onShortage();
        this.#pump(quota);
        return;
      }
      use(quota, sizeBytes);
      taken.push(quota);
    }
    waiter.done();
  }

  /** Admits those that wait for the quota, as far as there is room, and tells the head what the next one lacks. */
  #pump(quota: Quota): void {
    for (let first = quota.waiting[0]; first !== undefined; first = quota.waiting[0]) {
      if (quota.usedBytes + first.sizeBytes > quota.grantedBytes) break;
      quota.waiting.shift();
      use(quota, first.sizeBytes);
      first.taken.push(quota);
      this.#advance(first);
    }
    if (wantedBytes(quota) !== quota.toldWantedBytes) this.#tell(quota);
  }

  /** Takes the waiter off its queue, with what it has taken. */
  #leave(waiter: Waiter): void {
    const quota = waiter.account.quotas?.[waiter.taken.length];
    const at = quota?.waiting.indexOf(waiter) ?? -1;
    if (at >= 0) quota?.waiting.splice(at, 1);
    for (const taken of waiter.taken.splice(0)) {
      taken.usedBytes -= waiter.sizeBytes;
      this.#pump(taken);
    }
    if (quota && at === 0) this.#pump(quota);
  }

  /** Makes what the owner has count against these quotas from now on. */
  #count(account: Account, quotas: readonly Quota[]): void {
    const before = account.quotas;
    if (before?.length === quotas.length && before.every((quota, index) => quota === quotas[index])) return;
    const waiting = [...account.waiting].filter((waiter) => {
      // Room that an earlier one has left may just have admitted it.
      const isWaiting = account.waiting.has(waiter);
      if (isWaiting) this.#leave(waiter);
      return isWaiting;
    });
    account.quotas = quotas;
    for (const quota of quotas) quota.usedBytes += account.bytes;
    for (const quota of before ?? []) {
      quota.usedBytes -= account.bytes;
      this.#pump(quota);
    }
    for (const waiter of waiting) this.#advance(waiter);
  }

  #returnUnused(quota: Quota): void {
    const returnedBytes = Math.max(0, quota.grantedBytes - quota.usedBytes);
    if (returnedBytes === 0) return;
    quota.grantedBytes -= returnedBytes;
    this.#tell(quota, returnedBytes);
  }

  #tell(quota: Quota, returnedBytes = 0): void {
    if (this.#areThere) this.#send({ quotas: [{ ...this.#toTell(quota), returnedBytes }] });
  }

  #toTell(quota: Quota): proto.ObjectQuotaUse.$Properties {
    quota.toldUsedBytes = quota.usedBytes;
    quota.toldWantedBytes = wantedBytes(quota);
    return { name: quota.name, usedBytes: quota.usedBytes, wantedBytes: quota.toldWantedBytes };
  }

  #ask(holder: string): void {
    if (this.#asking.size === 0)
      queueMicrotask(() => {
        const holders = [...this.#asking];
        this.#asking.clear();
        if (holders.length > 0) this.#send({ holders });
      });
    this.#asking.add(holder);
  }

  #account(holder: string): Account {
    const known = this.#accounts.get(holder);
    if (known !== undefined) return known;
    const quotas = this.#areThere ? undefined : [];
    const account: Account = { holder, quotas, bytes: 0, links: 0, waiting: new Set() };
    this.#accounts.set(holder, account);
    if (this.#areThere) this.#ask(holder);
    return account;
  }

  #forgetEmpty({ holder, bytes, links, waiting }: Account): void {
    if (bytes === 0 && links === 0 && waiting.size === 0) this.#accounts.delete(holder);
  }

  #isNamed(quota: Quota): boolean {
    for (const { quotas } of this.#accounts.values()) if (quotas?.includes(quota)) return true;
    return false;
  }

  #quotaOf(name: string): Quota {
    const known = this.#quotas.get(name);
    if (known !== undefined) return known;
    const quota: Quota = {
      ...{ name, maxBytes: Number.MAX_SAFE_INTEGER, usedEverywhereBytes: 0, grantedBytes: 0, usedBytes: 0 },
      ...{ toldUsedBytes: 0, toldWantedBytes: 0, isActive: false, waiting: [] },
    };
    this.#quotas.set(name, quota);
    return quota;
  }

  /** Fails what can never fit. */
  #refuseTooLarge(quota: Quota): boolean {
    const tooLarge = quota.waiting.filter(({ sizeBytes }) => sizeBytes > quota.maxBytes);
    for (const waiter of tooLarge) waiter.failed(this.#full(waiter));
    return tooLarge.length > 0;
  }

  #full({ account, sizeBytes, taken }: Waiter): PalimpsestError {
    const quota = account.quotas?.[taken.length];
    if (quota === undefined)
      return new PalimpsestError(
        "UNAVAILABLE",
        `the head has not said within ${patienceMs} ms against which quotas objects of ${account.holder} count: retry when it is there`,
      );
    const { name, maxBytes, grantedBytes, usedBytes } = quota;
    const usedEverywhereBytes = Math.max(usedBytes, quota.usedEverywhereBytes);
    const fix =
      sizeBytes > maxBytes
        ? "it is larger than the whole quota: store it in pieces, or raise the quota in the head's file of quotas"
        : "free objects that are no longer needed (objects.free, or release references to them), end their owners, or raise the quota in the head's file of quotas";
    return new PalimpsestError(
      "OBJECT_STORE_FULL",
      `${sizeBytes} bytes do not fit: quota objectBytes of ${name}: ${usedEverywhereBytes} of ${maxBytes} used, ${usedBytes} of them on this node, to which ${grantedBytes} are granted; ${fix}`,
      {
        details: {
          quota: name,
          sizeBytes: String(sizeBytes),
          usedBytes: String(usedEverywhereBytes),
          maxBytes: String(maxBytes),
        },
      },
    );
  }
}

function hasRoom({ waiting, usedBytes, grantedBytes }: Quota, sizeBytes: number): boolean {
  return waiting.length === 0 && usedBytes + sizeBytes <= grantedBytes;
}

function use(quota: Quota, sizeBytes: number): void {
  quota.usedBytes += sizeBytes;
  quota.isActive = true;
}

/** What the first one that waits for the quota lacks. */
function wantedBytes({ waiting, usedBytes, grantedBytes }: Quota): number {
  const [first] = waiting;
  return first === undefined ? 0 : Math.max(0, usedBytes + first.sizeBytes - grantedBytes);
}
