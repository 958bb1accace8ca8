/** What was built: its size, and the hashes of the page and of the weights that it begins with. */
interface BuiltPlayground {
  readonly bytes: number;
  readonly sha256: string;
  readonly baseHash: string;
}

/** Builds index.html into the folder; default `dist-playground`. */
export function buildPlayground(folder?: string): Promise<BuiltPlayground>;
