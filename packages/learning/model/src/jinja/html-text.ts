import { decodeHTML } from "entities";

const references = /&#(?:[xX]([\da-fA-F]+)|(\d+));?|&[^\s&#;]{1,32};?/g;

/** Returns a text with its character references replaced, as Python's `html.unescape` replaces them. */
export function unescapeHtml(text: string): string {
  return text.replace(references, (reference, hexadecimal?: string, decimal?: string) => {
    if (hexadecimal === undefined && decimal === undefined) return decodeHTML(reference);
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    // Control characters and noncharacters are removed; those of Windows-1252 are read as it has them.
    if (code <= 0x10ffff && code !== 0 && !isWindows(code) && isRemoved(code)) return "";
    return decodeHTML(`&#${code};`);
  });
}

const isWindows = (code: number) => code === 0x0d || (code >= 0x80 && code <= 0x9f);

function isRemoved(code: number): boolean {
  if (code <= 0x08 || (code >= 0x0e && code <= 0x1f) || code === 0x0b) return true;
  return code === 0x7f || (code & 0xfffe) === 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}
