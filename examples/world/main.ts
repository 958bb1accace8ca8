// Makes texts in which things change hands, and shows how many questions a search for words can answer, by length.
import { worldByName } from "@palimpsest/datasets";
import { certifyWorld } from "@palimpsest/evals";
import { hashedEmbedder } from "@palimpsest/memory";

const trade = worldByName("trade");
const setting = { seed: 1, split: "test" } as const;
const one = trade.open({ ...trade.defaults, ...setting, index: 0, length: 32 });
const sentences = [...one.sentences()].map(({ text }) => text);
console.log(`${sentences.slice(-3).join("\n")}\n${one.question} → ${one.answer}\n`);

const embedder = hashedEmbedder();
for (const length of [32, 128, 512]) {
  const { rows, highest } = await certifyWorld({
    world: "trade",
    length,
    questions: 60,
    embedder,
    ...setting,
  });
  const shareOf = (name: string) => rows.find((row) => row.name === name)?.share ?? 0;
  const oracle = Math.min(...rows.filter(({ kind }) => kind === "oracle").map(({ share }) => share));
  for (const [name, share] of [
    ["who follows it", oracle],
    ["best word search", shareOf(highest)],
  ] as const)
    console.log(
      `${`${length}`.padStart(3)} sentences  ${name.padEnd(17)}${"█".repeat(share * 30)} ${(share * 100).toFixed(0)} %`,
    );
}
