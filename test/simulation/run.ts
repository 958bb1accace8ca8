import { simulate } from "./world/world.js";

const [first = "1", count = "20"] = process.argv.slice(2);
const story = process.argv.includes("--story");
const startedAt = performance.now();
let hours = 0;
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const result = await simulate(seed, { keepStory: story });
  hours += result.simulatedMs / 3_600_000;
  if (story) process.stdout.write(`${result.story.join("\n")}\n`);
  if (result.violation || count === "1") {
    process.stdout.write(
      `seed ${seed} hash ${result.hash} events ${result.events} ${JSON.stringify(result.counts)} ${result.violation?.message ?? "ok"}\n`,
    );
  }
}
const seconds = (performance.now() - startedAt) / 1000;
process.stdout.write(
  `${count} seeds, ${hours.toFixed(1)} h in ${seconds.toFixed(1)} s: ${(hours / seconds).toFixed(2)} h/s\n`,
);
