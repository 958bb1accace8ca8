/** What a file is whose bytes are not a text, and what to do with it. */
export interface FileKind {
  readonly name: string;
  readonly fix: string;
}

const unpack = (name: string, command: string): FileKind => ({ name, fix: `unpack it with ${command}` });
const asText = (name: string): FileKind => ({ name, fix: "save it as text, HTML or PDF" });
const image = (name: string): FileKind => ({ name, fix: "give its text, for example from OCR" });
const recording = (name: string): FileKind => ({ name, fix: "give a transcript" });
const table = (name: string): FileKind => ({ name, fix: "export it as text or JSON lines" });

/** The bytes with which files begin, in Latin-1, and where they are if not at the beginning. */
const beginnings: readonly (readonly [string, FileKind, number?])[] = [
  ["\x1f\x8b", unpack("gzip", "gunzip")],
  ["\x28\xb5\x2f\xfd", unpack("zstd", "unzstd")],
  ["1AY&SY", unpack("bzip2", "bunzip2"), 4],
  ["\xfd7zXZ\0", unpack("xz", "unxz")],
  ["7z\xbc\xaf\x27\x1c", unpack("7-Zip", "7z x")],
  ["Rar!\x1a\x07", unpack("RAR", "unrar x")],
  ["\x04\x22\x4d\x18", unpack("lz4", "unlz4")],
  ["ustar\0", unpack("a tar archive", "tar -xf"), 257],
  ["ustar  \0", unpack("a tar archive", "tar -xf"), 257],
  ["PAR1", table("Parquet")],
  ["ARROW1", table("an Arrow file")],
  ["\xff\xff\xff\xff\x10\0\0\0", table("an Arrow stream")],
  ["Obj\x01", table("Avro")],
  ["SQLite format 3\0", table("an SQLite database")],
  ["\x89HDF", table("HDF5")],
  ["\x93NUMPY", table("a NumPy array")],
  ["\x80\x02", table("a pickle")],
  ["\x80\x03", table("a pickle")],
  ["\x80\x04", table("a pickle")],
  ["\x80\x05", table("a pickle")],
  ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", asText("an old Office file (.doc, .xls, .ppt, .msg)")],
  ["{\\rtf", asText("RTF")],
  ["BOOKMOBI", asText("a Mobipocket book"), 60],
  ["AT&TFORM", asText("DjVu")],
  ["bplist0", asText("a property list, such as a web archive of Safari")],
  ["\x89PNG", image("a PNG image")],
  ["\xff\xd8\xff", image("a JPEG image")],
  ["GIF8", image("a GIF image")],
  ["ftypheic", image("a HEIC image"), 4],
  ["ftypavif", image("an AVIF image"), 4],
  ["II*\0", image("a TIFF image")],
  ["MM\0*", image("a TIFF image")],
  ["ID3\x03", recording("an MP3 recording")],
  ["ID3\x04", recording("an MP3 recording")],
  ["OggS", recording("an Ogg recording")],
  ["fLaC", recording("a FLAC recording")],
  ["RIFF", { name: "a RIFF file (WAV, AVI, WebP)", fix: "give its text" }],
  ["ftypisom", recording("an MP4 recording"), 4],
  ["ftypmp4", recording("an MP4 recording"), 4],
  ["ftypM4A", recording("an MP4 recording"), 4],
  ["ftypqt", recording("a QuickTime recording"), 4],
  ["\x1a\x45\xdf\xa3", recording("a Matroska recording")],
  ["\x7fELF", { name: "a program", fix: "give a text" }],
  ["MZ\x90\0", { name: "a program", fix: "give a text" }],
];

const archives: readonly (readonly [RegExp, FileKind])[] = [
  [/word\//, asText("DOCX")],
  [/xl\//, table("XLSX")],
  [/ppt\//, asText("PPTX")],
  [/epub/, asText("EPUB")],
  [/opendocument|content\.xml/, asText("OpenDocument")],
  [/\.iwa/, asText("an iWork document (Pages, Numbers, Keynote)")],
];

/**
 * Recognizes a file that is not a text by its first bytes.
 * @param head the first bytes, some kilobytes of them
 * @returns undefined for everything else
 */
export function fileKind(head: Uint8Array): FileKind | undefined {
  const text = Buffer.from(head.subarray(0, 8192)).toString("latin1");
  const found = beginnings.find(([bytes, , at = 0]) => text.startsWith(bytes, at))?.[1];
  if (found !== undefined) return found;
  if (!text.startsWith("PK\x03\x04")) return undefined;
  return archives.find(([name]) => name.test(text))?.[1] ?? unpack("a ZIP archive", "unzip");
}
