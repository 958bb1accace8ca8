/** Code units of a key; texts that are shorter are looked for everywhere. */
const keyUnits = 3;
/** A power of two. Keys that share a bucket cost time alone: every text of a bucket is read. */
const buckets = 1 << 16;
/** Answers to the shortest texts that are kept. */
const mostShort = 256;

/**
 * Which of many texts contain a text, as `includes` has it. The texts stand under each run of three code units that
 * they hold; only those under the rarest run of what is looked for are read. Bytes: 4 a distinct run of a text.
 */
export class SubstringIndex {
  readonly #texts: readonly string[];
  /** Where a bucket's places begin in #places; one more than there are buckets. */
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

  /** Places of the texts that contain `part`, from the lowest on. */
  holding(part: string): readonly number[] {
    if (part.length < keyUnits) return this.#holdingShort(part);
    const found: number[] = [];
    const [from, to] = this.#rarest(part);
    for (const place of this.#places.subarray(from, to)) {
      if ((this.#texts[place] as string).includes(part)) found.push(place);
    }
    return found;
  }

  /** There are few of these, and "no" is asked for often. */
  #holdingShort(part: string): readonly number[] {
    const known = this.#short.get(part);
    if (known !== undefined) return known;
    const found: number[] = [];
    for (const [place, text] of this.#texts.entries()) if (text.includes(part)) found.push(place);
    if (this.#short.size < mostShort) this.#short.set(part, found);
    return found;
  }

  /** Where the shortest list of places among those of the part's runs stands. */
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

/** Each bucket of each text once, in the order of the texts. */
function eachBucket(texts: readonly string[], found: (bucket: number, place: number) => void): void {
  /** The last text, counted from 1, that fell into a bucket. */
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
