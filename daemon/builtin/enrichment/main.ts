import { serve } from "../service.ts";
import { describePart } from "./attributes.ts";
import { embedPart } from "./embedding.ts";
import { openPicture } from "./picture.ts";
import { readPart, readQuestion } from "./request.ts";

// Vision, embedder and enrichment share one process because they process the same picture one after another.
serve({
  "GET /health": () => ({ status: 200, body: { status: "healthy", model_loaded: true, device: "cpu" } }),
  "POST /extract": async (call) => {
    const { bytes, box } = await readPart(call);
    // Text and captions need a neural network, which this service does not have.
    return { status: 200, body: { attributes: describePart(await openPicture(bytes), box), ocr: [], caption: null } };
  },
  "POST /embed": async (call) => {
    const { bytes, box } = await readPart(call);
    return { status: 200, body: { embedding: embedPart(await openPicture(bytes), box) } };
  },
  "POST /enrich": (call) => {
    const { attributes, embedding_match: match } = readQuestion(call);
    return { status: 200, body: { attributes: { ...attributes, ...(match && { seen_before: match.seen_before }) } } };
  },
});
