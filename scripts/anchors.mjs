// The anchors of headings: GitHub makes them so, and the site, too, so that a link with an anchor leads to the same place in both.

/** The anchor of a heading's text, without the number that a second one of the same text gets. */
export function anchorOf(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}
