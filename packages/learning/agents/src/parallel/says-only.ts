/**
 * Returns whether a reply says no more than a mark, such as "nothing new": the mark is all of it, or its first sentence.
 * Case, quotes and marks of Markdown around it do not count. "Nothing new about Bo: he left" says more.
 */
export function saysOnly(reply: string, mark: string): boolean {
  const text = reply.replace(/^[\s*_"'`>#“”‘’«»-]+/u, "").toLowerCase();
  const wanted = mark.trim().toLowerCase();
  return text.startsWith(wanted) && /^["'`*_“”‘’«»)\s]*(?:$|[.!。！\n])/u.test(text.slice(wanted.length));
}
