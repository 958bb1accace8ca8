import { expect, it } from "vitest";
import { answerPlaces } from "./answer-places.js";

const text = `Oh Billy, Behave
Oh Billy, Behave is a comedy film of 1926. It was directed by Grover Jones. It lasts 20 minutes.

Grover Jones
Grover Jones was a screenwriter. He was born in Rosedale, Indiana, and died in Hollywood.`;

it("names the sentence with the answer, and that of the other fact", () => {
  const question = "Where was the director of the film Oh Billy, Behave born?";
  const places = answerPlaces(text, { question, answer: "rosedale Indiana" });
  expect(places.map(({ line, hasAnswer }) => [line, hasAnswer])).toEqual([
    [5, true],
    [2, false],
  ]);
  for (const { start, end, text: sentence } of places) expect(text.slice(start, end)).toBe(sentence);
  expect(places[0]?.text).toBe("He was born in Rosedale, Indiana, and died in Hollywood.");
});

it("takes no part of a word for the answer, and does not say where yes and no are", () => {
  const where = (answer: string) =>
    answerPlaces(text, { question: "Was Grover Jones a screenwriter?", answer }).filter(
      ({ hasAnswer }) => hasAnswer,
    );
  expect(where("192")).toEqual([]);
  expect(where("no")).toEqual([]);
  expect(where("")).toEqual([]);
  expect(where("1926")).toHaveLength(1);
});

it("shows what comes nearest to the question where the answer is in other words, and nothing where nothing does", () => {
  const places = answerPlaces(text, {
    question: "How long is the comedy film?",
    answer: "a third of an hour",
  });
  expect(places[0]).toMatchObject({ line: 2, hasAnswer: false });
  const told = "Grover Jones was born in Rosedale, Indiana.";
  expect(
    answerPlaces(text, { question: "Where was the director of Oh Billy, Behave born?", answer: told })[0]
      ?.line,
  ).toBe(5);
  expect(answerPlaces(text, { question: "¿Quién?", answer: "nadie" })).toEqual([]);
  expect(answerPlaces("", { question: "who?", answer: "x" })).toEqual([]);
  expect(
    answerPlaces("埃尔斯特河流经瓦恩。城里有一座桥。", {
      question: "哪条河流经瓦恩？",
      answer: "埃尔斯特河",
    })[0],
  ).toMatchObject({ start: 0, end: 10, hasAnswer: true });
});
