// What characters mean in every place of a program where esbuild leaves them as they are. test/bundle.test.ts bundles it.
const tag = (strings, ...values) => [[...strings], [...strings.raw], ...values];
const strings = (all) => all;
const stringsOfOneCall = () => strings`é – 😀`;

export const characters = {
  // A comment with — signs, \é and 'quotes’.
  string: "naïve – 茶 😀",
  template: `naïve ${"–"} 茶`,
  tagged: tag`São ${1} Paulo \\é\u00e9 茶 😀 \``,
  raw: String.raw`C:\é\\茶`,
  objectsOfOneCall: new Set([stringsOfOneCall(), stringsOfOneCall()]).size,
  sentences: "A capital não é São Paulo; a naïve visitor. 我住在北京。我喜欢茶！".split(
    /(?<=[.!?。！？])\s+|[\n;；]+|(?<=[。！？])/u,
  ),
  words: "O’Brien’s 茶 \\é".match(/[A-Za-z]+(?:['’][A-Za-z]+)*|茶|\\é/g),
  range: "a😀b😎".match(/[😀-😎]/gu),
  units: "a😀".match(/😀/)?.[0],
  named: "xé".match(/(?<été>é)/u)?.groups?.été,
  set: "é茶".match(/[\p{L}--[a-zé]]/v)?.[0],
};
