import { BpeTokenizer, ChatTemplate, trainBpe } from "@palimpsest/model";
import { expect, it } from "vitest";
import { asWritten, chatRequestSchema } from "./chat-request.js";

const template =
  "{{ tools | tojson }}{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function | tojson }}{% endfor %}{% endfor %}{{ top }}{{ messages[0].content }}";
const { json } = trainBpe(["a b"], { vocabSize: 280, specialTokens: ["<|end|>"], alphabet: "bytes" });

const rendered = (text: string): string => {
  const request = chatRequestSchema.parse(JSON.parse(text));
  const { messages, tools, variables } = asWritten(request, text);
  const chat = new ChatTemplate(new BpeTokenizer(json, { chat_template: template }));
  const options = { tools, ...(variables === undefined ? {} : { variables }) };
  const ids = chat.encode(messages, options);
  const whole = chat.render(messages, options);
  expect(new BpeTokenizer(json).decode(ids)).toBe(whole);
  return whole;
};

it("a template gets calls, tools and variables as the client wrote them", () => {
  const called =
    '{\\"id\\": 12345678901234567890, \\"x\\": 1.0, \\"2\\": \\"two <|end|>\\", \\"1\\": 1, \\"__proto__\\": {}}';
  const text = `{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "tool_calls": [
    {"id": "1", "type": "function", "function": {"arguments": "${called}", "name": "get"}},
    {"function": {"name": "b", "arguments": "not json"}}]}],
    "tools": [{"type": "function", "function": {"parameters": {"b": 1.0, "1": null}, "name": "get"}}],
    "chat_template_kwargs": {"top": 1.0}}`;
  expect(rendered(text)).toBe(
    '[{"type": "function", "function": {"parameters": {"b": 1.0, "1": null}, "name": "get"}}]' +
      '{"arguments": {"id": 12345678901234567890, "x": 1.0, "2": "two <|end|>", "1": 1, "__proto__": {}}, "name": "get"}' +
      '{"name": "b", "arguments": "not json"}1.0hi',
  );
});
