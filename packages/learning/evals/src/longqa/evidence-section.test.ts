import { describe, expect, it } from "vitest";
import { anItem, aRun } from "../suite/testing.js";
import { evidenceSection } from "./evidence-section.js";

const places = [
  { minDistance: 1, evidenceOrder: "forward" },
  { minDistance: 30, evidenceOrder: "forward" },
  { minDistance: 60, evidenceOrder: "reverse" },
  { minDistance: 3, evidenceOrder: "reverse" },
  { evidenceOrder: "single" },
];
const items = places.map((place, i) => anItem(i, { group: 100, metadata: { numDocs: 100, ...place } }));

describe("evidenceSection", () => {
  it("scores subsets by distance and order, without items whose evidence is one document", () => {
    const run = aRun(
      { memagent: [true, true, false, false, true], rag: [true, true, true, true, false] },
      { items },
    );
    const [section] = evidenceSection(run);
    expect(section?.lines.slice(0, 4)).toEqual([
      "| system | group | all | near | far | very far | forward | reverse | reverse and far |",
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
      expect.stringMatching(
        /^\| memagent \| 100 \| 50\.0 \[[\d.]+, [\d.]+\] \(4\) \| 50\.0 .* \(2\) \| 50\.0 .* \(2\) \| 0\.0 .* \(1\) \| 100\.0 .* \(2\) \| 0\.0 .* \(2\) \| 0\.0 .* \(1\) \|$/,
      ),
      expect.stringMatching(/^\| rag \| 100 \| 100\.0 \[51\.0, 100\.0\] \(4\) \|/),
    ]);
  });

  it("is left out where no item tells where its evidence stands", () => {
    expect(evidenceSection(aRun({ memagent: [true] }))).toEqual([]);
  });
});
