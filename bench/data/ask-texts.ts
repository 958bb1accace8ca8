/**
 * Short public texts with a question each, for `bench/ask.ts`: 30 questions of one fact (SQuAD: the paragraph with
 * three others of its article) and 30 of two (HotpotQA, 2WikiMultiHopQA, MuSiQue: both paragraphs of evidence with two
 * others). They are built from the excerpts in `../shared/data`; only ids are kept here. Ids were drawn by the SHA-256
 * of `ask:ID`, from different articles and questions for development, where prompts and defaults are chosen, and for
 * the report.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

export type AskSplit = "development" | "report";

/** A text with one question. */
export interface AskText {
  readonly id: string;
  readonly question: string;
  readonly answers: readonly string[];
  readonly document: string;
  /** Number of paragraphs that the answer needs. */
  readonly facts: 1 | 2;
  readonly dataset: string;
}

const paragraphsPerText = 4;

const ids: Readonly<
  Record<AskSplit, Readonly<Record<"squad" | "hotpotqa" | "2wikimultihopqa" | "musique", readonly string[]>>>
> = {
  development: {
    hotpotqa: [
      "5ade6c0555429975fa854ec9",
      "5ae5fa555542996de7b71a9e",
      "5abcd1c75542993a06baf972",
      "5ae20b6c5542997283cd235b",
      "5a7c09885542997c3ec972cc",
      "5ae7b39f554299540e5a5650",
      "5a7decc75542995f4f40230f",
      "5a8326565542990548d0b194",
      "5ac199145542994ab5c67d89",
      "5a84b7765542997b5ce3ff28",
    ],
    "2wikimultihopqa": [
      "2a98df6408d111ebbd95ac1f6bf848b6",
      "63665ef60bde11eba7f7acde48001122",
      "6f7115240bde11eba7f7acde48001122",
      "cc3587140bdd11eba7f7acde48001122",
      "6ee6201a0bdc11eba7f7acde48001122",
      "46e2b2720baf11ebab90acde48001122",
      "d81b6a400bdc11eba7f7acde48001122",
      "7885ef99090011ebbdadac1f6bf848b6",
      "b16ce9860bdd11eba7f7acde48001122",
      "20aa14f60bdc11eba7f7acde48001122",
    ],
    musique: [
      "2hop__155827_84254",
      "2hop__20890_261307",
      "2hop__317733_558469",
      "2hop__215852_404718",
      "2hop__468258_495107",
      "2hop__214490_63979",
      "2hop__130085_65406",
      "2hop__732691_37939",
      "2hop__102789_75372",
      "2hop__590911_47465",
    ],
    squad: [
      "572824f13acd2414000df590",
      "56f8720eaef2371900626092",
      "573093598ab72b1400f9c5b0",
      "57275409708984140094dc36",
      "57282dfb4b864d190016466b",
      "5725fe63ec44d21400f3d7e0",
      "5733d4c8d058e614000b6354",
      "57286fa83acd2414000df9e9",
      "572fc6f204bcaa1900d76cf6",
      "572a020f6aef05140015519c",
      "57265642f1498d1400e8dc6b",
      "5727f3193acd2414000df0a9",
      "57294209af94a219006aa201",
      "57276166dd62a815002e9bd8",
      "5729a26d6aef05140015505d",
      "5726660d5951b619008f71b2",
      "5726ddf6f1498d1400e8ee04",
      "56d726b60d65d214001983ea",
      "571cb27fdd7acb1400e4c136",
      "570966e0200fba1400367f53",
      "57111380a58dae1900cd6bd9",
      "56de10b44396321400ee2594",
      "5725db4aec44d21400f3d6be",
      "56e181d9e3433e1400422fa1",
      "57281ab63acd2414000df495",
      "57286dfa2ca10214002da333",
      "5733fb7bd058e614000b6700",
      "56f86e91aef237190062606b",
      "572a005f1d046914007796b8",
      "572fcc43b2c2fd140056847e",
    ],
  },
  report: {
    hotpotqa: [
      "5ac508205542994611c8b32e",
      "5ab93841554299131ca422cb",
      "5ab278745542997061209617",
      "5abcf2b4554299700f9d7937",
      "5ae151985542990adbacf74d",
      "5abe250f5542991f661060ef",
      "5ae17e4255429901ffe4aeae",
      "5ab729335542993667793f5a",
      "5a7337715542991f9a20c690",
      "5ab844815542992aa3b8c8af",
    ],
    "2wikimultihopqa": [
      "09f56d900bdd11eba7f7acde48001122",
      "0051fad20bde11eba7f7acde48001122",
      "4b97c01e0bdc11eba7f7acde48001122",
      "06c6e94a0bde11eba7f7acde48001122",
      "afb1d4d80bda11eba7f7acde48001122",
      "dac1f66e0bdd11eba7f7acde48001122",
      "27d7c310092711ebbdaeac1f6bf848b6",
      "631c2ffb08de11ebbd9eac1f6bf848b6",
      "cea269720bdd11eba7f7acde48001122",
      "09e3f8ac0bde11eba7f7acde48001122",
    ],
    musique: [
      "2hop__145681_54580",
      "2hop__272543_126102",
      "2hop__116292_423632",
      "2hop__787940_83984",
      "2hop__131318_49700",
      "2hop__689512_55369",
      "2hop__149855_96331",
      "2hop__45290_11125",
      "2hop__71269_36735",
      "2hop__479193_63835",
    ],
    squad: [
      "56e1254ae3433e1400422c68",
      "56e77da237bdd419002c403f",
      "5725c91e38643c19005accee",
      "57273455f1498d1400e8f48d",
      "572a04d51d046914007796cd",
      "572750e8dd62a815002e9af4",
      "570d2f5bfed7b91900d45cd0",
      "572685cd5951b619008f7573",
      "570610b275f01819005e792d",
      "5729281baf94a219006aa121",
      "57268e2bf1498d1400e8e3b4",
      "57115ff82419e314009555c4",
      "572a1046af94a219006aa78f",
      "57264d9edd62a815002e8100",
      "57302bd0b2c2fd14005689db",
      "57309921396df919000961f8",
      "57378b141c456719005744a1",
      "5727aec03acd2414000de994",
      "572968cf1d046914007793cb",
      "5726385e271a42140099d799",
      "57268066708984140094c822",
      "573380e0d058e614000b5bea",
      "57300a9a04bcaa1900d77067",
      "57284b904b864d19001648e6",
      "56e77cee00c9c71400d771a8",
      "5706149552bb891400689880",
      "572920d73f37b31900478055",
      "5726eb8bf1498d1400e8efe5",
      "5726f1ec708984140094d6ac",
      "5726975c708984140094cb1f",
    ],
  },
};

const hotpotSchema = z.array(
  z.object({
    _id: z.string(),
    question: z.string(),
    answer: z.string(),
    supporting_facts: z.array(z.tuple([z.string(), z.number()])),
    context: z.array(z.tuple([z.string(), z.array(z.string())])),
  }),
);
const musiqueSchema = z.array(
  z.object({
    id: z.string(),
    question: z.string(),
    answer: z.string(),
    answer_aliases: z.array(z.string()),
    paragraphs: z.array(
      z.object({ title: z.string(), paragraph_text: z.string(), is_supporting: z.boolean() }),
    ),
  }),
);
const squadSchema = z.object({
  data: z.array(
    z.object({
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(
            z.object({
              id: z.string(),
              question: z.string(),
              answers: z.array(z.object({ text: z.string() })),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A paragraph, and whether the answer needs it. */
interface Part {
  readonly text: string;
  readonly needed: boolean;
}

/** Keeps the needed parts and the first others, in their order. */
function textOf(parts: readonly Part[]): string {
  let room = paragraphsPerText - parts.filter(({ needed }) => needed).length;
  return parts
    .filter(({ needed }) => needed || room-- > 0)
    .map(({ text }) => text)
    .join("\n\n");
}

/**
 * Builds the texts of a split.
 * @param folder the excerpts, `../shared/data`
 */
export function askTexts(folder: string, split: AskSplit): AskText[] {
  const read = <Schema extends z.ZodType>(schema: Schema, path: string): z.output<Schema> =>
    schema.parse(JSON.parse(readFileSync(join(folder, path), "utf8")));
  const found = new Map<string, AskText>();
  const hotpot = (dataset: string, path: string) => {
    for (const { _id: id, question, answer, supporting_facts, context } of read(hotpotSchema, path)) {
      const gold = new Set(supporting_facts.map(([title]) => title));
      const parts = context.map(([title, sentences]) => ({
        text: `${title}\n${sentences.map((one) => one.trim()).join(" ")}`,
        needed: gold.has(title),
      }));
      found.set(id, { id, question, answers: [answer], document: textOf(parts), facts: 2, dataset });
    }
  };
  hotpot("hotpotqa", split === "report" ? "hotpotqa/dev_200.json" : "hotpotqa/train_100.json");
  hotpot("2wikimultihopqa", "2wikimultihopqa/dev_164.json");
  for (const row of read(musiqueSchema, "musique/train_100.json")) {
    const { id, question, answer, answer_aliases, paragraphs } = row;
    const parts = paragraphs.map(({ title, paragraph_text, is_supporting }) => ({
      text: `${title}\n${paragraph_text}`,
      needed: is_supporting,
    }));
    const answers = [answer, ...answer_aliases];
    found.set(id, { id, question, answers, document: textOf(parts), facts: 2, dataset: "musique" });
  }
  for (const { paragraphs } of read(squadSchema, "squad/xquad.en.json").data) {
    for (const asked of paragraphs) {
      const document = textOf(paragraphs.map((one) => ({ text: one.context, needed: one === asked })));
      for (const { id, question, answers } of asked.qas)
        found.set(id, {
          id,
          question,
          answers: [...new Set(answers.map(({ text }) => text))],
          document,
          facts: 1,
          dataset: "squad",
        });
    }
  }
  return Object.values(ids[split])
    .flat()
    .map((id) => {
      const text = found.get(id);
      if (text === undefined) throw new Error(`${folder}: has no question ${id}`);
      return text;
    });
}
