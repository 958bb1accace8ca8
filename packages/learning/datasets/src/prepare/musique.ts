import { musiqueQuestion } from "../questions/musique-question.js";
import { questionPreparer } from "./question-preparer.js";

export const musique = questionPreparer({
  name: "musique",
  summary: "MuSiQue (answerable questions), with the evidence in the order of the hops",
  read: (value) => [musiqueQuestion(value)],
});
