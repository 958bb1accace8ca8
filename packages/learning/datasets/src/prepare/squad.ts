import { squadQuestions } from "../questions/squad-question.js";
import { questionPreparer } from "./question-preparer.js";

export const squad = questionPreparer({
  name: "squad",
  summary: "SQuAD v1.1 or v2 (answerable questions), XQuAD",
  read: squadQuestions,
});
