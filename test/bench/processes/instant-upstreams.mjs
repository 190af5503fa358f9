// A detector that sees one person on each picture and a language model that gives each event 42 points, both at once.
import { createServer } from "node:http";
import { answering } from "./answering.mjs";

const detected = JSON.stringify({
  detections: [{ class: "person", confidence: 0.9, bbox: { x: 10, y: 20, width: 60, height: 120 } }],
  inference_time_ms: 1,
  image_width: 768,
  image_height: 576,
});
const verdict = { risk_score: 42, summary: "Somebody walked by.", reasoning: "It was one person.", risk_factors: [] };
const judged = JSON.stringify({ content: JSON.stringify(verdict), model: "instant" });
const healthy = JSON.stringify({ status: "healthy", model_loaded: true, device: "cpu", cuda_available: false, vram_used_gb: 0 });

const server = createServer((request, response) => {
  const body = request.method === "GET" ? healthy : request.url === "/completion" ? judged : detected;
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
});

answering(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}`;
});
