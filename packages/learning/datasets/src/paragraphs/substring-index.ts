/** Number of code units of a key. Shorter texts are searched for in every text. */
const keyUnits = 3;
/**
 * Number of buckets, a power of two. Keys that share a bucket only cost time, because every text of a bucket is
 * searched.
 */
const buckets = 1 << 16;
/** Maximum number of results that are cached for texts shorter than a key. */
const mostShort = 256;

/**
 * Finds which of many texts contain a given text, as `includes` defines it. The texts are indexed by every run of three
 * code units in them, and only those with the rarest run of the given text are searched. The index takes 4 bytes per
 * distinct run of a text.
 */
export class SubstringIndex {
  readonly #texts: readonly string[];
  /** Where the entries of a bucket begin in #places; it has one element more than there are buckets. */
  readonly #starts: Uint32Array;
  readonly #places: Uint32Array;
  readonly #short = new Map<string, readonly number[]>();

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    const starts = new Uint32Array(buckets + 1);
    eachBucket(texts, (bucket) => {
      starts[bucket + 1] = (starts[bucket + 1] as number) + 1;
    });
    for (let bucket = 0; bucket < buckets; bucket++) {
      starts[bucket + 1] = (starts[bucket + 1] as number) + (starts[bucket] as number);
    }
    this.#starts = starts;
    this.#places = new Uint32Array(starts[buckets] as number);
    const next = starts.slice(0, buckets);
    eachBucket(texts, (bucket, place) => {
      const at = next[bucket] as number;
      this.#places[at] = place;
      next[bucket] = at + 1;
    });
  }

  /** Returns the indices of the texts that contain `part`, in ascending order. */
  holding(part: string): readonly number[] {
    if (part.length < keyUnits) return this.#holdingShort(part);
    const found: number[] = [];
    const [from, to] = this.#rarest(part);
    for (const place of this.#places.subarray(from, to)) {
      if ((this.#texts[place] as string).includes(part)) found.push(place);
    }
    return found;
  }

  /** Results are cached, because there are few such texts, and "no" is searched for often. */
  #holdingShort(part: string): readonly number[] {
    const known = this.#short.get(part);
    if (known !== undefined) return known;
    const found: number[] = [];
    for (const [place, text] of this.#texts.entries()) if (text.includes(part)) found.push(place);
    if (this.#short.size < mostShort) this.#short.set(part, found);
    return found;
  }

  /** Returns the range in #places of the shortest bucket among those of the part's runs. */
  #rarest(part: string): readonly [from: number, to: number] {
    let [least, most] = [0, Number.POSITIVE_INFINITY];
    for (let at = 0; at + keyUnits <= part.length; at++) {
      const bucket = bucketOf(part.charCodeAt(at), part.charCodeAt(at + 1), part.charCodeAt(at + 2));
      const [from, to] = [this.#starts[bucket] as number, this.#starts[bucket + 1] as number];
      if (to - from < most - least) [least, most] = [from, to];
    }
    return [least, most];
  }
}

/** Calls `found` with each distinct bucket of each text, in the order of the texts. */
function eachBucket(texts: readonly string[], found: (bucket: number, place: number) => void): void {
  /** The last text, counted from 1, that was in a bucket; 0 if there is none. */
  const last = new Uint32Array(buckets);
  for (const [place, text] of texts.entries()) {
    let [a, b] = [text.charCodeAt(0), text.charCodeAt(1)];
    for (let at = 2; at < text.length; at++) {
      const c = text.charCodeAt(at);
      const bucket = bucketOf(a, b, c);
      a = b;
      b = c;
      if (last[bucket] === place + 1) continue;
      last[bucket] = place + 1;
      found(bucket, place);
    }
  }
}

const bucketOf = (a: number, b: number, c: number): number =>
  Math.imul((a * 31 + b) * 31 + c, 0x9e3779b1) >>> 16;
