import { readFile } from "node:fs/promises";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { type PageItem, pageText } from "./pdf-page-text.js";

/**
 * Returns the text of a PDF file, page by page, with the values of filled forms and with what readers have written
 * on it. Pages without readable text are counted and named.
 * @param name the file's name, for errors
 * @throws {PalimpsestError} INVALID_ARGUMENT for a file that cannot be read or has no text
 */
export async function pdfText(
  bytes: Uint8Array,
  name: string,
): Promise<{
  readonly text: string;
  readonly remarks: readonly string[];
  readonly skipped: readonly string[];
}> {
  const pages = await pagesOf(bytes, name);
  const without = pages.flatMap((text, page) => (text.trim() === "" ? [page + 1] : []));
  if (without.length === pages.length)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${name}: ${pages.length === 1 ? "its page has" : `its ${pages.length} pages have`} no readable text, as in a scan; add a text layer with OCR first`,
    );
  const has = without.length === 1 ? "has" : "have";
  const skipped =
    without.length === 0
      ? []
      : [
          `${without.length} of ${pages.length} pages ${has} no readable text, as in a scan: ${ranges(without)}`,
        ];
  return { text: pages.join("\n\n").trim(), remarks: [], skipped };
}

async function pagesOf(bytes: Uint8Array, name: string): Promise<readonly string[]> {
  const { getDocumentProxy } = await import("unpdf");
  const refused = (why: string, cause?: unknown) =>
    new PalimpsestError("INVALID_ARGUMENT", `${name}: ${why}`, { cause });
  try {
    // The bytes are copied, because the reader takes ownership of them.
    const document = await getDocumentProxy(Uint8Array.from(bytes), {
      verbosity: 0,
      cMapUrl: characterMapFolder,
      BinaryDataFactory: CharacterMaps,
      useWorkerFetch: false,
    });
    try {
      const { info } = await document.getMetadata();
      const { IsCollectionPresent, IsXFAPresent, IsAcroFormPresent } = pdfKindSchema.parse(info);
      if (IsCollectionPresent)
        throw refused(
          "is a PDF portfolio, which holds other files; save them with a PDF reader, and give them",
        );
      const pages: string[] = [];
      for (let number = 1; number <= document.numPages; number++) {
        const page = await document.getPage(number);
        const { items } = await page.getTextContent();
        const read = items.flatMap((item): PageItem[] => {
          if (!("str" in item)) return [];
          const [, , , , x = 0, y = 0] = item.transform.map(Number);
          const { str, dir, width, height, hasEOL } = item;
          return [{ text: str, rightToLeft: dir === "rtl", x, y, width, height, endsLine: hasEOL }];
        });
        const annotations: readonly Annotation[] = await page.getAnnotations();
        const shown = [readableText(pageText(read)), ...formValues(annotations), ...notes(annotations)];
        pages.push(shown.join("\n").trim());
        page.cleanup();
      }
      // A form without fields of its own, or with a signature alone, has one page that says to wait for the others.
      if (IsXFAPresent && (!IsAcroFormPresent || /^Please wait\b/.test(pages.join("").trim())))
        throw refused(
          "is an XFA form, whose text a PDF reader generates; print it to PDF with Adobe Acrobat first",
        );
      return pages;
    } finally {
      await document.loadingTask.destroy();
    }
  } catch (cause) {
    if (cause instanceof PalimpsestError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = /password/i.test(reason) ? "remove its password first" : "give a complete PDF file";
    throw refused(`is not a readable PDF (${reason}); ${fix}`, cause);
  }
}

const pdfKindSchema = z.object({
  IsCollectionPresent: z.boolean().optional(),
  IsXFAPresent: z.boolean().optional(),
  IsAcroFormPresent: z.boolean().optional(),
});

/** What stands for characters that a font does not name. */
const unnamed = /(?!\s)[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu;

/** Returns a page's text without characters that its fonts do not name; "" where these are most of it. */
function readableText(text: string): string {
  const rest = text.replace(unnamed, "");
  const visible = (one: string) => one.replace(/\s/g, "").length;
  return 2 * visible(rest) < visible(text) ? "" : rest;
}

interface Annotation extends FormField {
  readonly subtype?: unknown;
  readonly contentsObj?: { readonly str?: unknown };
}

/** Returns what readers have written on a page. */
function notes(annotations: readonly Annotation[]): string[] {
  return annotations.flatMap(({ subtype, contentsObj }) => {
    const text = typeof contentsObj?.str === "string" ? contentsObj.str.trim() : "";
    if (text === "") return [];
    if (subtype === "FreeText") return [text];
    return subtype === "Text" || subtype === "Highlight" ? [`Note: ${text}`] : [];
  });
}

interface FormField {
  readonly fieldType?: unknown;
  readonly fieldName?: unknown;
  readonly alternativeText?: unknown;
  readonly fieldValue?: unknown;
  readonly checkBox?: unknown;
  readonly radioButton?: unknown;
  readonly buttonValue?: unknown;
}

/** Returns "name: value" of each filled field of a form, which is no part of a page's own text. */
function formValues(fields: readonly FormField[]): string[] {
  return fields.flatMap((field) => {
    const value = textOf(field);
    const name = [field.alternativeText, field.fieldName].find(
      (one) => typeof one === "string" && one !== "",
    );
    return value === "" || field.fieldType === undefined ? [] : [`${String(name ?? "field")}: ${value}`];
  });
}

function textOf({ fieldType, fieldValue, checkBox, radioButton, buttonValue }: FormField): string {
  if (fieldType === "Btn") {
    if (checkBox === true) return fieldValue === "Off" || fieldValue === null ? "" : "yes";
    return radioButton === true && fieldValue === buttonValue ? String(fieldValue ?? "") : "";
  }
  const values: readonly unknown[] = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  return values
    .filter((value) => typeof value === "string")
    .join(", ")
    .trim();
}

/** Formats ascending numbers as "2-4, 7". */
function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}

/**
 * The predefined character maps of Chinese, Japanese and Korean fonts, which PDF files name and do not contain. They
 * are those of pdf.js, in its packed form.
 */
const characterMapFolder = new URL("../../cmaps/", import.meta.url).href;

/** Reads the character maps for the PDF reader, which asks for one by its name. */
class CharacterMaps {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    // Fonts and image decoders are asked for only to draw pages.
    if (kind !== "cMapUrl" || !/^[\w-]+\.bcmap$/.test(filename)) throw new Error(`${filename} is not read`);
    return new Uint8Array(await readFile(new URL(filename, characterMapFolder)));
  }
}
