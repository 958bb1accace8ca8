/** Damages bytes as networks, disks and hostile peers do. It is a pure function of its random source. */
export type Random = () => number;

const maxBytes = 64 * 1024;

/** Byte strings that lie about lengths, counts and nesting in protobuf and msgpack. */
const hostile: readonly Uint8Array[] = [
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f),
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
  Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff),
  Uint8Array.of(0xdf, 0xff, 0xff, 0xff, 0xff),
  Uint8Array.of(0xc6, 0xff, 0xff, 0xff, 0xff),
  Uint8Array.of(0xdb, 0x7f, 0xff, 0xff, 0xff),
  new Uint8Array(2_000).fill(0x91),
  new Uint8Array(2_000).fill(0x32),
  Uint8Array.of(0xd4, 0x72, 0x40),
  new Uint8Array(16),
];

/**
 * Makes one to four changes to a seed: bits are flipped; pieces are cut, doubled, inserted or taken from another seed.
 */
export function mutate(seeds: readonly Uint8Array[], random: Random): Uint8Array {
  const index = (length: number) => Math.floor(random() * length);
  let bytes: Uint8Array = Uint8Array.from(seeds[index(seeds.length)] ?? []);
  for (let changes = 1 + index(4); changes > 0; changes--) {
    const at = index(bytes.length + 1);
    const end = Math.min(bytes.length, at + 1 + index(16));
    switch (index(7)) {
      case 0:
        if (bytes.length > 0) bytes[Math.min(at, bytes.length - 1)] = index(256);
        break;
      case 1:
        if (bytes.length > 0) {
          const place = Math.min(at, bytes.length - 1);
          bytes[place] = (bytes[place] ?? 0) ^ (1 << index(8));
        }
        break;
      case 2:
        bytes = bytes.slice(0, at);
        break;
      case 3:
        bytes = joined(bytes.subarray(0, end), bytes.subarray(at));
        break;
      case 4:
        bytes = joined(
          bytes.subarray(0, at),
          hostile[index(hostile.length)] as Uint8Array,
          bytes.subarray(end),
        );
        break;
      case 5: {
        const other = seeds[index(seeds.length)] ?? new Uint8Array();
        bytes = joined(bytes.subarray(0, at), other.subarray(index(other.length + 1)));
        break;
      }
      default:
        bytes = joined(
          bytes.subarray(0, at),
          Uint8Array.from({ length: 1 + index(8) }, () => index(256)),
          bytes.subarray(at),
        );
    }
  }
  return bytes.length > maxBytes ? bytes.slice(0, maxBytes) : bytes;
}

function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
