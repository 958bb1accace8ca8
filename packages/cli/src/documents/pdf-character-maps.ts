import { readFile } from "node:fs/promises";

/**
 * The predefined character maps of Chinese, Japanese and Korean fonts, which PDF files name and do not contain. They
 * are those of pdf.js, in its packed form.
 */
export const characterMapFolder = new URL("../../cmaps/", import.meta.url).href;

/** Reads the character maps for the PDF reader, which asks for one by its name. */
export class CharacterMaps {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    // Fonts and image decoders are asked for only to draw pages.
    if (kind !== "cMapUrl" || !/^[\w-]+\.bcmap$/.test(filename)) throw new Error(`${filename} is not read`);
    return new Uint8Array(await readFile(new URL(filename, characterMapFolder)));
  }
}
