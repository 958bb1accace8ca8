/** Returns a text, such as a path, as one word of a POSIX shell: as it is, or quoted. Commands that are printed are pasted. */
export function shellWord(text: string): string {
  return /^[\w./@:+=,%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
