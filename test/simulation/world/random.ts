/** Seeded random numbers of the simulation: sfc32, seeded with FNV-1a over the name of the stream. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    this.#a = hashText(seed, 0x811c9dc5);
    this.#b = hashText(seed, 0x9e3779b9);
    this.#c = hashText(seed, 0x85ebca6b);
    for (let round = 0; round < 12; round++) this.uint32();
  }

  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** Returns a number in [0, 1). */
  float(): number {
    return this.uint32() / 2 ** 32;
  }

  /** Returns a whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.float() * bound);
  }

  between(from: number, to: number): number {
    return from + this.float() * (to - from);
  }

  chance(probability: number): boolean {
    return this.float() < probability;
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.uint32() & 255));
  }
}

/** FNV-1a over the UTF-16 units of the text, continuing from `hash`. */
export function hashText(text: string, hash = 0x811c9dc5): number {
  let mixed = hash;
  for (let index = 0; index < text.length; index++)
    mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193);
  return mixed >>> 0;
}
