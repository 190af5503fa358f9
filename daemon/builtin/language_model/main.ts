import { z } from "zod";
import { score, scorerName } from "../../../src/monitoring/scorer/scorer.ts";
import { readFacts } from "../../../src/monitoring/upstream/prompt.ts";
import { Refusal, serve } from "../service.ts";

const Question = z.object({ prompt: z.string() });

serve({
  "GET /health": () => ({ status: 200, body: { status: "healthy", model: scorerName } }),
  "POST /completion": ({ body }) => {
    const facts = readFacts(readPrompt(body));
    if (!facts) throw new Refusal(400, `The ${scorerName} only scores events of homesec, and this prompt has no readable facts`);
    return { status: 200, body: { content: JSON.stringify(score(facts)), model: scorerName } };
  },
});

function readPrompt(body: Buffer): string {
  try {
    return Question.parse(JSON.parse(body.toString("utf8"))).prompt;
  } catch (cause) {
    throw new Refusal(400, 'The body must be JSON with a "prompt"', { cause });
  }
}
