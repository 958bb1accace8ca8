/** Builds a minimal PDF file of pages with lines of Helvetica. */
export function pdfOf(pages: readonly (readonly string[])[]): Buffer {
  return pdfOfPages(
    pages.map((lines) => {
      const shown = lines.map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`).join(" ");
      return { content: `BT /F1 12 Tf 14 TL 72 720 Td ${shown} ET` };
    }),
  );
}

/** A page as its content stream, with further entries of its dictionary. */
export interface PdfPage {
  readonly content: string;
  readonly entries?: string;
}

/**
 * Builds a PDF file of pages with the font F1.
 * @param others objects that pages name, numbered after those of the pages
 */
export function pdfOfPages(
  pages: readonly PdfPage[],
  font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  others: readonly string[] = [],
  catalog = "",
): Buffer {
  const kids = pages.map((_, page) => `${4 + 2 * page} 0 R`).join(" ");
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    font,
    ...pages.flatMap(({ content, entries = "" }, page) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * page} 0 R ${entries} >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
    ...others,
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const table = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  file += `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}
