import type { Tokenizer } from "@palimpsest/agents";

/** Approximate number of characters of English text per token in today's vocabularies. */
const charactersAToken = 4;

/**
 * Creates a stand-in for a tokenizer that is not on this machine: every four characters are one token, and so is each
 * special token. It is reversible, so that agents can read what they wrote; its ids mean nothing to a model.
 */
export function approximateTokenizer(): Tokenizer {
  const pieces: string[] = [];
  const ids = new Map<string, number>();
  const idOf = (piece: string) => {
    let id = ids.get(piece);
    if (id === undefined) {
      id = pieces.push(piece) - 1;
      ids.set(piece, id);
    }
    return id;
  };
  return {
    encode: (text) =>
      Array.from({ length: Math.ceil(text.length / charactersAToken) }, (_, i) =>
        idOf(text.slice(i * charactersAToken, (i + 1) * charactersAToken)),
      ),
    decode: (tokenIds) => tokenIds.map((id) => pieces[id] ?? "").join(""),
    specialTokenId: (text) => idOf(text),
  };
}
