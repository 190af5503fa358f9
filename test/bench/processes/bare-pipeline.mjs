// The work of a minimal script for one picture: read it, send it to the detector, store the result.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import postgres from "postgres";
import { Agent } from "undici";
import { answering } from "./answering.mjs";

const agent = new Agent();
const boundary = "bare-script-picture-boundary";
let sql;
let detectorUrl;

async function open({ databaseUrl, upstreamUrl }) {
  detectorUrl = upstreamUrl;
  sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql`
    create table if not exists bare_detections (
      detection_id bigint generated always as identity primary key,
      file_path text not null,
      object_type text not null,
      confidence double precision not null,
      bbox integer[] not null,
      created_at timestamptz not null default now()
    )
  `;
}

async function process(path) {
  const bytes = await readFile(path);
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${basename(path)}"\r\ncontent-type: image/jpeg\r\n\r\n`;
  const answer = await agent.request({
    origin: detectorUrl,
    path: "/detect",
    method: "POST",
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  });
  const { detections } = await answer.body.json();
  for (const { class: type, confidence, bbox } of detections) {
    await sql`
      insert into bare_detections (file_path, object_type, confidence, bbox)
      values (${path}, ${type}, ${confidence}, ${[bbox.x, bbox.y, bbox.width, bbox.height]})
    `;
  }
}

/** Milliseconds for all of the pictures, one after the other. */
answering(async (question) => {
  if ("databaseUrl" in question) return await open(question);
  const startedAt = performance.now();
  for (const path of question.paths) await process(path);
  return performance.now() - startedAt;
});
