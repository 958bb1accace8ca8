import { PalimpsestError } from "@palimpsest/wire";

/**
 * Returns the text of a PDF file, page by page.
 * @param name the file's name, for errors
 * @throws {PalimpsestError} INVALID_ARGUMENT for a file that cannot be read or has no text
 */
export async function pdfText(bytes: Uint8Array, name: string): Promise<string> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  let pages: readonly string[];
  try {
    // The bytes are copied, because the reader takes ownership of them.
    const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    try {
      ({ text: pages } = await extractText(document, { mergePages: false }));
    } finally {
      await document.loadingTask.destroy();
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = /password/i.test(reason) ? "remove its password first" : "give a complete PDF file";
    throw new PalimpsestError("INVALID_ARGUMENT", `${name}: is not a readable PDF (${reason}); ${fix}`, {
      cause,
    });
  }
  const text = pages.join("\n\n").trim();
  if (text !== "") return text;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `${name}: its ${pages.length} pages have no text, as in a scan; add a text layer with OCR first`,
  );
}
